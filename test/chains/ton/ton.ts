import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Ton from "../../../src/chains/ton/Ton.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { networkNeeds, token as tokenOf } from "../../support/chains.ts"
import { byAddress } from "../../support/holdings.ts"
import { byHost, json, type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"

export const elector = `-1:${"3".repeat(64)}`

/** Owner of the jettons in the recorded responses. */
export const holder = "0:33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057cf"

export const usdt = "0:b113a994b5024a16719f69139328eb759596c38a25f59028b146fecdc3621dfe"
export const drift = "0:21442fe867807d560325b5f36410d49d2e4b653000cf13bdf322221c2fa7acda"
export const ston = "0:3690254dc15b2297610cda60744a45f2b710aa4234b89adb630e99d79b01bd4f"

/** Accounts and jettons of the samples. */
export const [own, peer, sampleMaster, second] = (["1a", "2b", "4d", "5e"] as const).map(
  (digits) => `0:${digits.repeat(32)}`
) as [string, string, string, string]

export const token = (...of: Parameters<typeof tokenOf>): RegisteredToken => ({
  ...tokenOf(...of),
  symbol: of[1].toUpperCase()
})

/** Distinct addresses in canonical form. */
export const addresses = (count: number) =>
  Array.from({ length: count }, (_, index) => `0:${(index + 1).toString(16).padStart(64, "0")}`)

/** TON Center's response with account states. Always includes the elector. */
export const states = (balances: Readonly<Record<string, string>>) => ({
  accounts: Object.entries({ [elector]: "650000000000000000", ...balances }).map(([address, balance]) => ({
    address: address.toUpperCase(),
    balance,
    status: "active",
    account_state_hash: "",
    last_transaction_lt: "1"
  })),
  address_book: {}
})

export interface Row {
  readonly owner: string
  readonly jetton: string
  readonly balance: string
}

export const wallets = (rows: ReadonlyArray<Row>, metadata: Readonly<Record<string, unknown>> = {}) => ({
  jetton_wallets: rows.map((row) => ({
    ...row,
    owner: row.owner.toUpperCase(),
    jetton: row.jetton.toUpperCase(),
    address: elector
  })),
  address_book: {},
  metadata
})

/** The indexer's metadata of a jetton master. */
export const metadata = (extra: unknown, more: object = {}) => ({
  is_indexed: true,
  token_info: [{ valid: true, type: "jetton_masters", extra }],
  ...more
})

/** TON Center's result of a get method. */
export const ranMethod = (exit_code: number, ...numbers: ReadonlyArray<string>) =>
  json({ ok: true, result: { "@type": "smc.runResult", exit_code, stack: numbers.map((text) => ["num", text]) } })

/**
 * TON Center with replies by route. By default there are no jetton burns, jettons have no multiplier, and other routes
 * return 404.
 */
export const toncenter =
  (routes: Readonly<Record<string, Reply | ((request: SentRequest) => Reply)>>) =>
  (request: SentRequest): Reply => {
    const path = request.url.pathname.replace("/api/v3/", "")
    const route = routes[path] ?? defaults[path]
    return typeof route === "function" ? route(request) : (route ?? json({ error: "Cannot GET" }, { status: 404 }))
  }

const defaults: Readonly<Record<string, Reply>> = {
  "jetton/burns": json({ jetton_burns: [] }),
  "/api/v2/runGetMethod": ranMethod(11)
}

/** TonAPI's descriptions of jettons, by default without multipliers; those in `scaled` have one. */
export const jettonInfos = (masters: ReadonlyArray<string>, scaled: Readonly<Record<string, unknown>> = {}) =>
  json({
    jettons: masters.map((address) => ({
      metadata: { address },
      ...(address in scaled ? { scaled_ui: scaled[address] } : {})
    }))
  })

/** TonAPI that describes jettons besides. */
const withInfos =
  (reply: (request: SentRequest) => Reply, infos: NonNullable<Options["infos"]>) =>
  (request: SentRequest): Reply =>
    request.url.pathname === "/v2/jettons/_bulk"
      ? infos((JSON.parse(request.body) as { readonly account_ids: ReadonlyArray<string> }).account_ids)
      : reply(request)

/** Layer that the adapter needs, with replies by host. Connections to other hosts are refused. */
export const adapterNeeds = (
  hosts: Parameters<typeof byHost>[0],
  { environment = {}, infos = jettonInfos, tokens }: Options = { tokens: undefined }
) => {
  const { "tonapi.test": tonapi, ...others } = hosts
  const outside = simulatedClient(
    byHost(tonapi === undefined ? others : { ...others, "tonapi.test": withInfos(tonapi, infos) })
  )
  const layer = networkNeeds(outside.layer, {
    tokens: tokens === undefined ? {} : { "the-open-network": tokens },
    environment: {
      TONCENTER_URL: "http://toncenter.test",
      TONAPI_URL: "http://tonapi.test",
      TONCENTER_PER_SECOND: "10000",
      TONAPI_PER_SECOND: "10000",
      ...environment
    }
  })
  return { requests: outside.requests, layer }
}

interface Options {
  readonly tokens: ReadonlyArray<RegisteredToken> | undefined
  readonly environment?: Readonly<Record<string, string>>
  /** TonAPI's reply about jettons, by their masters. */
  readonly infos?: (masters: ReadonlyArray<string>) => Reply
}

export const network = (hosts: Parameters<typeof byHost>[0], options?: Options) => {
  const { requests, layer } = adapterNeeds(hosts, options)
  return Effect.map(Effect.provide(Chain, Layer.provide(Ton.layer, layer)), (network) => ({
    network: byAddress(network),
    requests
  }))
}

/** Whether a request is for the newest block, which is read once a minute. */
export const isOfHead = ({ url }: SentRequest) => /\/(masterchainInfo|masterchain-head)$/.test(url.pathname)

/** Whether a request is for multipliers of jettons; one without a multiplier is read once a day. */
export const isOfMultiplier = ({ url }: SentRequest) => /\/(runGetMethod|jettons\/_bulk)$/.test(url.pathname)

/** The number of requests to each indexer, without those for the newest block and for multipliers. */
export const calls = (requests: ReadonlyArray<SentRequest>) => {
  const to = (host: string) =>
    requests.filter((request) => request.url.host === host && !isOfHead(request) && !isOfMultiplier(request)).length
  return { toncenter: to("toncenter.test"), tonapi: to("tonapi.test") }
}
