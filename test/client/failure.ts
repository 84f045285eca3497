import { WalletDataError } from "../../src/client/Client.ts"

/** The error of a client's failed request. */
export const failure = async (promise: PromiseLike<unknown>): Promise<WalletDataError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof WalletDataError) return error
    throw error
  }
  throw new Error("the request succeeded")
}
