import type * as Effect from "effect/Effect"
import type { ListedRow } from "../../upstream/response/rows.ts"
import type * as Sources from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure } from "../Chain.ts"
import type { Extrinsic, ListPage, SubscanTransfer } from "./providers/subscan/calls.ts"

/** Asset Hub, and the relay chain, which held the balances before Asset Hub. */
export type SubscanChain = "hub" | "relay"

/** The response about an extrinsic, and the chain whose indexer returned it. */
export interface FoundExtrinsic {
  readonly chain: SubscanChain
  readonly response: NodeResponse
}

/** A page of a list; without rows, the list is null. */
export interface SubscanPage {
  readonly listed: ReadonlyArray<ListedRow<SubscanTransfer | Extrinsic>> | null | undefined
  /** The number of rows on all pages. */
  readonly count: number | null | undefined
}

/** An indexer of transfers and extrinsics, with an upstream for each chain. */
export interface PolkadotIndexer extends Sources.Source {
  readonly name: string
  readonly chains: Readonly<Record<SubscanChain, Upstream>>
  /** Fails if the newest block of Asset Hub does not fit the clock. */
  readonly isCurrent: Effect.Effect<void, UpstreamError>
  /** Looks up an included extrinsic by its hash, on Asset Hub and then on the relay chain. */
  readonly find: (hash: string) => Effect.Effect<FoundExtrinsic, UpstreamError>
  /** Reads a page of a list of an address, newest first. */
  readonly page: (
    chain: SubscanChain,
    kind: "transfers" | "extrinsics",
    page: ListPage
  ) => Effect.Effect<SubscanPage, UpstreamError>
  /** The first page of the transfers of an extrinsic, by its index. */
  readonly transfersOf: (
    chain: SubscanChain,
    index: string
  ) => Effect.Effect<ReadonlyArray<ListedRow<SubscanTransfer>>, UpstreamError>
}

export const noKey: ReadFailure = {
  reason: "not_configured",
  message: "no history source is configured: set SUBSCAN_API_KEY"
}

export const noIndexer: ReadFailure = {
  reason: "not_configured",
  message: "nodes cannot look up transactions by hash, and no indexer is configured: set SUBSCAN_API_KEY"
}
