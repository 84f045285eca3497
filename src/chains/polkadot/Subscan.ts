import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { polkadot } from "../../catalogue/polkadot.ts"
import { Height, Seconds } from "../../domain/units.ts"
import * as declare from "../../settings/declare.ts"
import * as Budget from "../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure } from "../Chain.ts"
import { otherTransaction, unchanged } from "../kit/sending/nodeResponse.ts"
import { headCheck } from "../kit/status/currentHead.ts"
import { refusal, type SubscanChain } from "./rows.ts"

// Subscan API v2 (support.subscan.io): transfers and extrinsics of Asset Hub, and of the relay chain until November
// 2025. It requires a key, and each chain has its own host.

/** Response of `/api/v2/scan/blocks` (support.subscan.io), newest block first. */
const Blocks = Schema.Struct({
  data: Schema.Struct({
    blocks: Schema.Tuple(
      [Schema.Struct({ block_num: Schema.compose(Schema.NonNegativeInt, Height), block_timestamp: Seconds })],
      Schema.Unknown
    )
  })
})

/** A call of the API. */
export const post = (path: string, body: unknown) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

const request = post("/api/v2/scan/blocks", { row: 1, page: 0 })

/** The newest block that Subscan has of a chain. */
const headOf = (subscan: Upstream.Upstream) =>
  Effect.map(subscan.read(request, Blocks), ({ data }) => {
    const [{ block_num, block_timestamp }] = data.blocks
    return { height: block_num, time: block_timestamp }
  })

const Metadata = Schema.Struct({ code: Schema.Literal(0) })

/** Undefined without a key. */
export const make = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "SUBSCAN_URL",
    default: polkadot.indexers.subscan,
    meaning: "Subscan of Polkadot Asset Hub"
  })
  const relayUrl = yield* declare.url({
    name: "SUBSCAN_RELAY_URL",
    default: polkadot.indexers.relay,
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
      keys: { "x-api-key": key },
      rate: granted,
      refusal,
      canary: (endpoint) =>
        endpoint.read(post("/api/scan/metadata", {}), ResponseDecoder.fitting(Metadata, { refusal }))
    })
  const hub = yield* client("subscan", url)
  const chains = { hub, relay: yield* client("subscan-relay", relayUrl) }

  /** Looks up an included extrinsic by its hash, on Asset Hub and then on the relay chain. */
  const find = (hash: string) => {
    const on = (chain: SubscanChain) =>
      Effect.map(
        chains[chain].over((address) => address.read(post("/api/scan/extrinsic", { hash }), inIndexer(hash))),
        (response): FoundExtrinsic => ({ chain, response })
      )
    return Effect.flatMap(on("hub"), (found) =>
      found.response.verdict === "unknown" ? on("relay") : Effect.succeed(found)
    )
  }

  const isCurrent = (yield* headCheck(polkadot))(hub, headOf(hub))
  return { name: hub.name, standing: hub.standing, chains, isCurrent, find }
})

/** The client of Subscan with a key. */
export type SubscanClient = NonNullable<Effect.Effect.Success<typeof make>>

/** The response about an extrinsic, and the chain whose indexer returned it. */
export interface FoundExtrinsic {
  readonly chain: SubscanChain
  readonly response: NodeResponse
}

/** Subscan returns null for the data of an extrinsic that it does not have. */
const Found = Schema.Struct({ data: Schema.NullishOr(Schema.Struct({ extrinsic_hash: Schema.String })) })

/** `/api/scan/extrinsic` of Subscan. */
const inIndexer =
  (hash: string): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(Found, { refusal })(answer), ({ data }) => {
      if (data === null || data === undefined) return Either.right(unchanged("unknown", answer))
      return data.extrinsic_hash.toLowerCase() === hash
        ? Either.right(unchanged("done", answer))
        : Either.left<Fault>(otherTransaction)
    })

export const noKey: ReadFailure = {
  reason: "not_configured",
  message: "no history source is configured: set SUBSCAN_API_KEY"
}

export const noIndexer: ReadFailure = {
  reason: "not_configured",
  message: "nodes cannot look up transactions by hash, and no indexer is configured: set SUBSCAN_API_KEY"
}
