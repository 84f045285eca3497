import type * as calls from "../../chains/sui/providers/graphql/calls.ts"
import type { Resolvable } from "./graphql.ts"

/** The data of all documents, but objects, which depend on the requested type. */
export type Served = Resolvable<SuiData<typeof calls.balances>> &
  Resolvable<WithoutObjects<SuiData<typeof calls.balance>>> &
  Resolvable<WithoutObjects<SuiData<typeof calls.context>>> &
  Resolvable<SuiData<typeof calls.newest>> &
  Resolvable<SuiData<typeof calls.statuses>> &
  Resolvable<SuiData<typeof calls.firstTransactions>> &
  Resolvable<SuiData<typeof calls.transaction>>

type SuiData<C extends { readonly response: { readonly Encoded: unknown } }> = C["response"]["Encoded"]

type WithoutObjects<D extends { readonly address: object }> = Omit<D, "address"> & {
  readonly address: Omit<D["address"], "objects">
}

/** Objects of an address with stakes, and with coins. */
export type StakePage = Resolvable<SuiData<typeof calls.stakes>["address"]["objects"]>
export type CoinPage = Resolvable<SuiData<typeof calls.context>["address"]["objects"]>

/** A returned or executed transaction. */
export type SuiResponse = Resolvable<
  NonNullable<SuiData<typeof calls.transaction>["transaction"]> & NonNullable<typeof calls.Checkpointed.Encoded>
> & { readonly digest: string }
