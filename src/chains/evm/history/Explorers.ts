import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import * as declare from "../../../settings/declare.ts"
import * as Budget from "../../../upstream/budget/Budget.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../upstream/response/ResponseSize.ts"
import type { Source } from "../../../upstream/Sources.ts"
import * as Upstream from "../../../upstream/Upstream.ts"
import type { ReadFailure } from "../../Chain.ts"
import { refusal } from "./explorerRefusal.ts"

// Etherscan API V2 (docs.etherscan.io), Blockscout (docs.blockscout.com) and Routescan (routescan.io/documentation):
// the same API on three hosts, with different networks and limits.

type Query = Readonly<Record<string, string>>

/** An explorer of one network. */
export interface Explorer extends Source {
  readonly name: string
  readonly upstream: Upstream.Upstream
  readonly request: (query: Query) => HttpClientRequest.HttpClientRequest
  /**
   * Whether its gas is that of the receipt; other explorers sometimes list the bid, or a block that was reorganised
   * away.
   */
  readonly exactFees?: true
  /** Whether its list contains allocations of the first block, as transactions of that block. */
  readonly listsGenesis?: boolean
  /** Names of its lists like `tokentx` for NFTs. */
  readonly nfts?: ReadonlyArray<string>
}

/** Explorers that several networks share are built once; the others are built for each network. */
export class Explorers extends Context.Tag("chains/evm/history/Explorers")<
  Explorers,
  {
    /** The explorers of a network, the preferred one first. */
    readonly of: (
      facts: EvmFacts
    ) => Effect.Effect<
      ReadonlyArray<Explorer>,
      Effect.Effect.Error<ReturnType<typeof blockscout>>,
      Effect.Effect.Context<ReturnType<typeof blockscout>>
    >
  }
>() {
  static readonly layer = Layer.effect(
    Explorers,
    Effect.gen(function* () {
      const etherscan = yield* makeEtherscan
      const routescan = yield* makeRoutescan
      const blockscoutKey = yield* declare.secret({
        name: "BLOCKSCOUT_API_KEY",
        allowed: "a key of Blockscout's PRO API, or of self-hosted instances",
        meaning: "Blockscout key; with it, its PRO API is used instead of the public instances"
      })
      return {
        of: (facts: EvmFacts) =>
          Effect.map(blockscout(facts, blockscoutKey), (own) => [
            ...(etherscan === undefined || facts.explorers?.etherscan !== true ? [] : [etherscan(facts)]),
            ...own,
            ...(facts.explorers?.routescan === true ? [routescan(facts)] : [])
          ])
      }
    })
  )
}

const get = (path: string, query: Query) => HttpClientRequest.setUrlParams(HttpClientRequest.get(path), query)

const nobody = "0x0000000000000000000000000000000000000000"

/** A query to which every explorer responds quickly. */
const canary = (path: string, query: Query) => (address: Upstream.Endpoint) =>
  address.read(
    get(path, { ...query, module: "account", action: "balance", address: nobody }),
    ResponseDecoder.fitting(Schema.Struct({ result: Schema.String.pipe(Schema.pattern(/^\d+$/)) }), {
      refusal: balanceRefusal
    })
  )

const digits = /^\d+$/

/** A balance is a text, like a refusal. */
const balanceRefusal = (body: unknown) => {
  const { result } = (body ?? {}) as { readonly result?: unknown }
  return typeof result === "string" && digits.test(result) ? undefined : refusal(body)
}

const granted: Budget.Granted = { source: "ETHERSCAN", keyless: { perSecond: 3, burst: 3 } }

/** Undefined without a key, because Etherscan requires a key. */
const makeEtherscan = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "ETHERSCAN_URL",
    default: "https://api.etherscan.io/v2/api",
    meaning: "Base address of Etherscan's API V2, the first source of EVM history when a key is set"
  })
  const key = yield* declare.secret({
    name: "ETHERSCAN_API_KEY",
    allowed: "a key of Etherscan's API",
    meaning: "Etherscan key; a free one serves Ethereum, Polygon and Arbitrum"
  })
  // Its limits are settings, even if it is not used.
  if (key === undefined) return yield* Effect.as(Budget.configured(granted, false), undefined)
  const upstream = yield* Upstream.make({
    name: "etherscan",
    urls: [url],
    keyParameters: { apikey: key },
    size: ResponseSize.rows,
    rate: granted,
    refusal,
    canary: canary("", { chainid: "1" })
  })
  return ({ chainId }: EvmFacts): Explorer => ({
    name: upstream.name,
    standing: upstream.standing,
    upstream,
    exactFees: true,
    listsGenesis: true,
    nfts: ["tokennfttx", "token1155tx"],
    request: (query) => get("", { chainid: String(chainId), ...query })
  })
})

const makeRoutescan = Effect.gen(function* () {
  const url = yield* declare.url({
    name: "ROUTESCAN_URL",
    default: "https://api.routescan.io/v2/network/mainnet/evm",
    meaning: "Base address of Routescan's API, the last source of EVM history"
  })
  const key = yield* declare.secret({
    name: "ROUTESCAN_API_KEY",
    allowed: "a key of Routescan's API",
    meaning: "Routescan key; raises the rate limit"
  })
  const upstream = yield* Upstream.make({
    name: "routescan",
    urls: [url],
    ...keyed(key),
    size: ResponseSize.rows,
    rate: { source: "ROUTESCAN", keyless: { perSecond: 2, burst: 2 }, keyed: { perSecond: 5, burst: 5 } },
    refusal,
    canary: canary("/43114/etherscan/api", {})
  })
  return ({ chainId }: EvmFacts): Explorer => ({
    name: upstream.name,
    standing: upstream.standing,
    upstream,
    request: (query) => get(`/${chainId}/etherscan/api`, query)
  })
})

/**
 * Empty if the network has no instance and the PRO API is not used: it needs a key, and does not serve networks that
 * were shut down.
 */
const blockscout = (facts: EvmFacts, key: Redacted.Redacted<string> | undefined) =>
  Effect.gen(function* () {
    const pro =
      key === undefined || facts.sunset !== undefined ? undefined : `https://api.blockscout.com/${facts.chainId}`
    const usual = pro ?? facts.explorers?.blockscout
    const urls = yield* declare.urls({
      name: `${variablePrefix(facts.id)}_BLOCKSCOUT_URL`,
      default: usual === undefined ? [] : [usual],
      meaning: `Blockscout of ${facts.name}, without /api`
    })
    if (urls.length === 0) return []
    const upstream = yield* Upstream.make({
      name: `${facts.id}-blockscout`,
      urls,
      ...keyed(key),
      size: ResponseSize.rows,
      rate: { source: "BLOCKSCOUT", keyless: { perSecond: 5, burst: 5 }, keyed: { perSecond: 5, burst: 5 } },
      refusal,
      canary: canary("/api", {})
    })
    const explorer: Explorer = {
      name: upstream.name,
      standing: upstream.standing,
      upstream,
      request: (query) => get("/api", query)
    }
    return [explorer]
  })

const keyed = (key: Redacted.Redacted<string> | undefined) =>
  key === undefined ? {} : { keyParameters: { apikey: key } }

/** Why a network has no explorer; undefined if it has. */
export const unserved = (
  { explorers, id, name, sunset }: EvmFacts,
  served: ReadonlyArray<Explorer>
): ReadFailure | undefined => {
  if (served.length > 0) return undefined
  if (sunset !== undefined) return { reason: "sunset", message: `${name} was shut down on ${sunset}` }
  const key = explorers?.etherscan === true ? "ETHERSCAN_API_KEY or " : ""
  return {
    reason: "not_configured",
    message: `${name} has no source of transactions: set ${key}${variablePrefix(id)}_BLOCKSCOUT_URL`
  }
}
