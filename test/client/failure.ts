import { WalletDataError } from "../../src/client/Client.ts"

/** What a request of the client fails with. */
export const failure = async (promise: PromiseLike<unknown>): Promise<WalletDataError> => {
  try {
    await promise
  } catch (error) {
    if (error instanceof WalletDataError) return error
    throw error
  }
  throw new Error("it succeeded")
}
