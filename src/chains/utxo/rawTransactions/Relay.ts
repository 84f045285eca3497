import type * as Effect from "effect/Effect"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import type { Source } from "../../../upstream/Sources.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../../Chain.ts"
import type { IndexerRequest } from "../sources/Source.ts"
import type { ParsedTransaction } from "./UtxoTransaction.ts"

/** The response of an upstream about a raw transaction. */
export interface RelayResponse extends NodeResponse {
  /** The hash that the response gives for the accepted transaction. */
  readonly hash?: string
}

/** How a raw transaction is sent and looked up. */
export interface RelayCalls {
  readonly send: (facts: UtxoFacts, transaction: ParsedTransaction) => IndexerRequest<RelayResponse>
  readonly find: (facts: UtxoFacts, hash: string) => IndexerRequest<RelayResponse>
  /** The relay with the lowest rank is used first. */
  readonly rank: number
}

/** An upstream that accepts raw transactions and looks them up. */
export interface Relay extends Source {
  readonly name: string
  readonly rank: number
  /** Sends to one address at a time, and to no other after one that may have accepted it. */
  readonly send: (transaction: ParsedTransaction) => Effect.Effect<RelayResponse, UpstreamError>
  readonly find: (hash: string) => Effect.Effect<RelayResponse, UpstreamError>
}

export const make = (facts: UtxoFacts, upstream: Upstream, calls: RelayCalls): Relay => ({
  name: upstream.name,
  standing: upstream.standing,
  rank: calls.rank,
  send: (transaction) => {
    const { decode: interpret, request } = calls.send(facts, transaction)
    return upstream.once((address) => address.send(request, interpret))
  },
  find: (hash) => {
    const { decode: interpret, request } = calls.find(facts, hash)
    return upstream.over((address) => address.read(request, interpret))
  }
})
