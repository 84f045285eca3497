import { WalletDataError } from "../../client/Client.ts"
import { chunked } from "./accounts.ts"

const tooLarge = 413

/** Splits a request that the service rejected as too large in half; undefined if smaller requests would not help. */
export const halvesOf = <A>(items: ReadonlyArray<A>, error: unknown): ReadonlyArray<ReadonlyArray<A>> | undefined =>
  error instanceof WalletDataError && error.status === tooLarge && items.length > 1
    ? chunked(items, Math.ceil(items.length / 2))
    : undefined
