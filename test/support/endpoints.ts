import { isRecord } from "effect/Predicate"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { Exchange } from "./fixtures.ts"

/** Folders of the APIs of nodes, and of upstreams with another name than their API. */
const folders: Readonly<Record<string, string>> = {
  evm: "evm-rpc",
  utxo: "bitcoind",
  ripple: "rippled",
  polkadot: "substrate-rpc",
  ton: "toncenter-v2",
  graphql: "sui",
  toncenter: "toncenter-v3",
  "coingecko-tokens": "tokenlist",
  "subscan-relay": "subscan"
}

/** The folder of an upstream: of its kind or, for nodes, of its network's family. */
export const folderOf = (upstream: string) => {
  const network = Catalogue.all
    .toSorted((one, other) => other.id.length - one.id.length)
    .find(({ id }) => upstream.startsWith(`${id}-`))
  const kind = network === undefined ? upstream : upstream.slice(network.id.length + 1)
  const name = kind.endsWith("rpc") ? (network?.family ?? "evm") : kind
  return folders[name] ?? name
}

/** A request to an endpoint, alone or in a batch, with its response. */
export interface Answer {
  readonly endpoint: string
  readonly status: number
  readonly body: unknown
}

/** Segments of a path that are values: hashes, addresses, numbers. */
const isValue = (word: string) =>
  /^((0x)?[0-9a-fA-F]{16,}|[0-9a-f]{8}-[0-9a-f-]{27}|\d+|.*[A-Za-z0-9]{24,}.*|.*[:,…].*|\{.*\}|(DdzFF|addr1|[zxy]pub|dgub).*)$/.test(
    word
  )

/** Segments of the bases of different hosts of an API. */
const base = /^(api|v\d|btc|main|test3|ltc|doge|bch|haskoin-store|testnet|mainnet)$/

/** Segments with names that are values. */
const named: ReadonlyArray<readonly [RegExp, string]> = [
  [/^[^/]+\/all\.json$/, "*/all.json"],
  [/^coins\/(?!list$|markets$)[^/]+/, "coins/*"],
  [/contract\/[^/]+$/, "contract/*"],
  [/^account\/[^/]+\/project\/[^/]+/, "account/*/project/*"],
  [/^sui\.rpc.*/, "grpc"]
]

const pathOf = (path: string) =>
  named.reduce(
    (text, [form, replacement]) => text.replace(form, replacement),
    path
      .split("/")
      .filter((word) => word !== "" && !base.test(word))
      .map((word) => (isValue(word) ? "*" : word))
      .join("/")
  )

const callOf = ({ method, params }: { readonly method?: unknown; readonly params?: unknown }) => {
  const last: unknown = Array.isArray(params) ? params.at(-1) : undefined
  if (method === "getrawtransaction") return `${method} ${JSON.stringify(Array.isArray(params) ? params[1] : 0) ?? ""}`
  return isRecord(last) && typeof last.encoding === "string" ? `${method} ${last.encoding}` : String(method)
}

const endpointOf = ({ body, method, path, query }: Exchange["request"]) => {
  if (isRecord(body) && typeof body.method === "string") return callOf(body)
  if (isRecord(body) && typeof body.query === "string") return `graphql ${/\{\s*(\w+)/.exec(body.query)?.[1]}`
  if (query.module === "proxy") return query.action ?? ""
  if (query.module !== undefined) return `action=${query.action}`
  return `${method} /${pathOf(path)}${query.details === undefined ? "" : `?details=${query.details}`}`
}

/** The answers of an exchange: those of each call of a batch, or its whole response. */
export const answersOf = (
  provider: string,
  { request, response }: Omit<Exchange, "provider">
): ReadonlyArray<Answer> => {
  const { body, status } = response
  if (!Array.isArray(request.body)) return [{ endpoint: `${provider} ${endpointOf(request)}`, status, body }]
  const replies: ReadonlyArray<unknown> = Array.isArray(body) ? body : []
  return request.body.filter(isRecord).flatMap((call) => {
    const reply = replies.find((each) => isRecord(each) && JSON.stringify(each.id) === JSON.stringify(call.id))
    return reply === undefined ? [] : [{ endpoint: `${provider} ${callOf(call)}`, status, body: reply }]
  })
}

/** Whether an upstream reports an error, in its status or in its body. */
export const isFailure = ({ body, status }: Answer) =>
  status >= 400 || (isRecord(body) && ((body.error !== undefined && body.error !== null) || body.Error !== undefined))
