import * as Effect from "effect/Effect"
import type * as Redacted from "effect/Redacted"
import type { EvmFacts } from "../../../../catalogue/evm/EvmFacts.ts"
import { zeroAddress } from "../../../../domain/evmAddress.ts"
import { variablePrefix } from "../../../../domain/NetworkId.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Budget from "../../../../upstream/budget/Budget.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseSize from "../../../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Explorer } from "../../Provider.ts"
import * as calls from "./calls.ts"
import { tokensIn, tokensOwned, transfersRead } from "./indexedTokens.ts"
import { balanceRefusal, refusal } from "./refusal.ts"

// Etherscan, Blockscout and Routescan: the same calls on three hosts.

type ExplorerCall<P, A, I> = Call.Call<string, P, undefined, A, I>

/** Where an explorer has the calls of a network. */
interface ExplorerBase {
  readonly path: string
  /** Is part of every query. */
  readonly chainid?: string
}

const at = <P, A, I>(call: ExplorerCall<P, A, I>, { path, ...own }: ExplorerBase): ExplorerCall<P, A, I> => ({
  ...call,
  path,
  query: (parameters) => ({ ...own, ...call.query?.(parameters) })
})

const explorer = (upstream: Upstream.Upstream, base: ExplorerBase): Explorer => {
  const read = Call.reading(upstream, { refusal })
  const reader =
    <P, A, I>(call: ExplorerCall<P, A, I>) =>
    (parameters: P) =>
      read(at(call, base), parameters)
  const internals = reader(calls.internalsOf)
  const transfers = reader(calls.tokentx)
  return {
    name: upstream.name,
    standing: upstream.standing,
    fault: upstream.fault,
    lists: {
      txlist: reader(calls.txlist),
      txlistinternal: reader(calls.txlistinternal),
      tokentx: reader(calls.tokentx),
      tokennfttx: reader(calls.tokennfttx),
      token1155tx: reader(calls.token1155tx)
    },
    tokensOf: (address) =>
      Effect.map(transfers({ address, page: 1, size: transfersRead, sort: "desc" }), ({ result }) =>
        tokensIn(result ?? [])
      ),
    internalsOf: (hash) => internals({ hash })
  }
}

/** A query to which every explorer responds quickly. */
const canary = (base: ExplorerBase) => (address: Upstream.Endpoint) =>
  Call.readAt(address, at(calls.balance, base), { address: zeroAddress }, { refusal: balanceRefusal })

const granted: Budget.Granted = { source: "ETHERSCAN", keyless: { perSecond: 3, burst: 3 } }

/** Undefined without a key, because Etherscan requires a key. */
export const etherscan = Effect.gen(function* () {
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
    calls,
    keyParameters: { apikey: key },
    size: ResponseSize.rows,
    rate: granted,
    refusal,
    canary: canary({ path: "", chainid: "1" })
  })
  return ({ chainId }: EvmFacts): Explorer => ({
    ...explorer(upstream, { path: "", chainid: String(chainId) }),
    exactFees: true,
    listsGenesis: true,
    nfts: ["tokennfttx", "token1155tx"]
  })
})

export const routescan = Effect.gen(function* () {
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
    calls,
    ...keyed(key),
    size: ResponseSize.rows,
    rate: { source: "ROUTESCAN", keyless: { perSecond: 2, burst: 2 }, keyed: { perSecond: 5, burst: 5 } },
    refusal,
    canary: canary({ path: "/43114/etherscan/api" })
  })
  return ({ chainId }: EvmFacts): Explorer => explorer(upstream, { path: `/${chainId}/etherscan/api` })
})

/**
 * Empty if the network has no instance and the PRO API is not used: it needs a key, and does not serve networks that
 * were shut down.
 */
export const blockscout = (facts: EvmFacts, key: Redacted.Redacted<string> | undefined) =>
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
    const base = { path: calls.balance.path }
    const upstream = yield* Upstream.make({
      name: `${facts.id}-blockscout`,
      urls,
      calls,
      ...keyed(key),
      size: ResponseSize.rows,
      rate: { source: "BLOCKSCOUT", keyless: { perSecond: 5, burst: 5 }, keyed: { perSecond: 5, burst: 5 } },
      refusal,
      canary: canary(base)
    })
    const own = explorer(upstream, base)
    const read = Call.reading(upstream, { refusal })
    const tokensOf = (address: string) => Effect.map(read(calls.tokenBalances, { address }), tokensOwned)
    return [{ ...own, tokensOf, listsTokens: true }] satisfies ReadonlyArray<Explorer>
  })

const keyed = (key: Redacted.Redacted<string> | undefined) =>
  key === undefined ? {} : { keyParameters: { apikey: key } }
