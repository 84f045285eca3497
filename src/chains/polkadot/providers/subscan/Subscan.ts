import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { polkadot } from "../../../../catalogue/polkadot.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { NodeResponse } from "../../../Chain.ts"
import { unchanged } from "../../../kit/sending/nodeResponse.ts"
import { headCheck } from "../../../kit/status/currentHead.ts"
import type { FoundExtrinsic, PolkadotIndexer, SubscanChain } from "../../Provider.ts"
import * as calls from "./calls.ts"

// Subscan requires a key, and each chain has its own host.

const options = { refusal: calls.refusal }

/** The newest block that Subscan has of a chain. */
const headOf = (read: Call.CallReader) =>
  Effect.map(read(calls.blocks, {}), ({ data }) => {
    const [{ block_num, block_timestamp }] = data.blocks
    return { height: block_num, time: block_timestamp }
  })

/** The response about an extrinsic, unchanged. */
const inIndexer =
  (hash: string): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    Either.map(Call.decoding(calls.extrinsic, { hash }, options)(answer), ({ data }) =>
      unchanged(data == null ? "unknown" : "done", answer)
    )

/** Undefined without a key. */
export const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "SUBSCAN_URL",
    default: polkadot.indexers.subscan,
    meaning: "Subscan of Polkadot Asset Hub"
  })
  const relayUrl = yield* declare.url({
    name: "SUBSCAN_RELAY_URL",
    default: polkadot.indexers["subscan-relay"],
    meaning: "Subscan of Polkadot's relay chain, for transactions before November 2025"
  })
  const key = yield* declare.secret({
    name: "SUBSCAN_API_KEY",
    allowed: "a key of Subscan",
    meaning: "Subscan API key; without it, history and transaction lookup are unavailable on Polkadot"
  })
  // All chains share the rate limit of the key.
  const granted: Budget.Granted = {
    source: "SUBSCAN",
    keyless: { perSecond: 5, burst: 5 },
    countedAt: new URL(url).host
  }
  // The settings of its limits are valid even if Subscan is not used.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  const client = (name: string, address: string) =>
    Upstream.make({
      name,
      urls: [address],
      calls,
      keys: { "x-api-key": key },
      rate: granted,
      ...options,
      canary: (endpoint) => Call.readAt(endpoint, calls.metadata, {}, options)
    })
  const hub = yield* client("subscan", url)
  const chains = { hub, relay: yield* client("subscan-relay", relayUrl) }

  const find = (hash: string) => {
    const on = (chain: SubscanChain) =>
      Effect.map(
        chains[chain].over((address) => address.read(Call.requestOf(calls.extrinsic, { hash }), inIndexer(hash))),
        (response): FoundExtrinsic => ({ chain, response })
      )
    return Effect.flatMap(on("hub"), (found) =>
      found.response.verdict === "unknown" ? on("relay") : Effect.succeed(found)
    )
  }

  const readers = { hub: Call.reading(hub, options), relay: Call.reading(chains.relay, options) }
  return {
    name: hub.name,
    standing: hub.standing,
    chains,
    isCurrent: (yield* headCheck(polkadot))(hub, headOf(readers.hub)),
    find,
    page: (chain, kind, page) =>
      kind === "transfers"
        ? Effect.map(readers[chain](calls.transfers, page), ({ data }) => ({
            listed: data?.transfers,
            count: data?.count
          }))
        : Effect.map(readers[chain](calls.extrinsics, page), ({ data }) => ({
            listed: data?.extrinsics,
            count: data?.count
          })),
    transfersOf: (chain, index) =>
      Effect.map(readers[chain](calls.extrinsicTransfers, { index }), ({ data }) => data?.transfers ?? [])
  } satisfies PolkadotIndexer as PolkadotIndexer
})
