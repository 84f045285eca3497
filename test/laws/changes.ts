import * as Limits from "../../src/sandbox/limits/Limits.ts"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { type Place, spliced } from "./places.ts"

// Lies of an upstream. Most contradict the request, the rules of the chain, the response itself or another source, so
// that the service can find them out. The others may be believed, but change nothing beside their datum: those that are
// plausible by their form, and those that `undetectable` lists with the reason.

/** One change of a response. */
export interface Change {
  readonly name: string
  /** The text with the change at a place; undefined if the change does not apply there. */
  readonly at: (text: string, place: Place, known: KnownNames) => string | undefined
  /** Whether nothing contradicts the change at a place, so that it may be believed. */
  readonly isPlausible?: (text: string, place: Place, known: KnownNames) => boolean
}

/** Addresses and hashes of the request: each is replaced by the next, or by the last, which no request names. */
export type KnownNames = ReadonlyArray<string>

const isText = (text: string, { start }: Place) => text[start] === '"'
const isList = (text: string, { start }: Place) => text[start] === "["
const isObject = (text: string, { start }: Place) => text[start] === "{"
const textAt = (text: string, { end, start }: Place) => text.slice(start, end)

/** Decimal or hexadecimal digits, but no address and no hash. */
const numeric = /^"?(?:0x(?!.{40}"?$)(?:[0-9a-f]{1,63}|0{8}[0-9a-f]{56})|-?\d+(?:\.\d+)?)"?$/i

/** Writes a number in the form of another one: as text, in hexadecimal digits, or plain. */
const inFormOf = (form: string, value: bigint): string => {
  const digits = /0x/i.test(form)
    ? `${value < 0n ? "-" : ""}0x${(value < 0n ? -value : value).toString(16)}`
    : String(value)
  return form.startsWith('"') ? `"${digits}"` : /0x/i.test(form) ? `"${digits}"` : digits
}

const replaced = (name: string, write: (form: string, place: Place) => string | undefined): Change => ({
  name,
  at: (text, place) => {
    const written = write(textAt(text, place), place)
    return written === undefined ? undefined : spliced(text, [[place, written]])
  }
})

const value = (name: string, write: (form: string, place: Place) => string | undefined): Change =>
  replaced(name, (form, place) => (place.children.length > 0 ? undefined : write(form, place)))

const number = (name: string, write: (form: string) => string): Change =>
  value(name, (form) => (numeric.test(form) ? write(form) : undefined))

/** A time of this century, in seconds or a smaller unit. */
const isTime = (form: string, { path }: Place) =>
  /time|date|stamp|received|mined|confirmed|_at$|^now$/i.test(String(path.at(-1))) &&
  (/^"\d{4}-\d\d-\d\dT/.test(form) || (numeric.test(form) && secondsIn(form) !== undefined))

const secondsIn = (form: string) => {
  const [digits] = form.replaceAll('"', "").split(".")
  const scale = [1, 1e3, 1e6, 1e9].find((unit) => Number(digits) > 1e9 * unit && Number(digits) < 2.2e9 * unit)
  return scale === undefined ? undefined : { scale, seconds: Number(digits) / scale }
}

/** Another time in the same form. */
const time = (name: string, year: number): Change =>
  value(name, (form, place) => {
    if (!isTime(form, place)) return undefined
    const [date, scale] = [new Date(Date.UTC(year, 1)), secondsIn(form)?.scale]
    return scale === undefined ? `"${date.toISOString()}"` : inFormOf(form, BigInt((date.getTime() / 1000) * scale))
  })

type Rows = ReadonlyArray<string>

const rowsAt = (text: string, { children }: Place): Rows => children.map((child) => textAt(text, child))

const list = (
  name: string,
  least: number,
  write: (rows: Rows) => Rows,
  isPlausible: Change["isPlausible"] = () => false
): Change => ({
  name,
  at: (text, place) => {
    if (!isList(text, place) || !place.children.every((child) => isObject(text, child))) return undefined
    const rows = rowsAt(text, place)
    return rows.length >= least ? spliced(text, [[place, `[${write(rows).join(",")}]`]]) : undefined
  },
  isPlausible
})

/** Whether nothing says how many rows there are: no count, no batch, and no row for each name. */
const isUncounted = (text: string, place: Place, known: KnownNames): boolean => {
  const rows = rowsAt(text, place)
  const names = rows.map((row) => known.find((name) => row.toLowerCase().includes(name.toLowerCase())))
  return !(
    new RegExp(`"\\w*(?:count|total|txs)\\w*":\\s*"?${rows.length}"?\\s*[,}]`, "i").test(text) ||
    rows.every((row) => row.includes('"jsonrpc"')) ||
    (!names.includes(undefined) && new Set(names).size === rows.length)
  )
}

/** A number that no floating-point number of 64 bits is. */
export const exact = { name: "2^53 + 1", value: 2n ** 53n + 1n }

export const changes: ReadonlyArray<Change> = [
  {
    name: "absent",
    at: (text, place) =>
      typeof place.path.at(-1) !== "string"
        ? undefined
        : // The rest of the object stays valid: an unknown member takes the place.
          spliced(text, [[{ start: place.from, end: place.end }, '"unknown":0']])
  },
  replaced("null", (form) => (form === "null" ? undefined : "null")),
  replaced("another type", (form, { children }) => (children.length > 0 ? '"text"' : form === "{}" ? undefined : "{}")),
  {
    ...number("zero", (form) => inFormOf(form, 0n)),
    isPlausible: (text, place) => !isTime(textAt(text, place), place)
  },
  // Whatever is believed, its last digit stays.
  { ...number(exact.name, (form) => inFormOf(form, exact.value)), isPlausible: () => true },
  number("negative", (form) => inFormOf(form, -7n)),
  number("above 2^64", (form) => inFormOf(form, 2n ** 64n + 1n)),
  number("above 2^120", (form) => inFormOf(form, 2n ** 120n + 1n)),
  number("above 2^130", (form) => inFormOf(form, 2n ** 130n + 1n)),
  number("exponent", (form) => (form.startsWith('"') ? '"1e3"' : "1e30")),
  value("empty", (form) => (form.startsWith('"') && numeric.test(form) ? '""' : undefined)),
  value("flipped", (form) => (form === "true" ? "false" : form === "false" ? "true" : undefined)),
  list("doubled", 1, (rows) => [...rows.slice(0, 1), ...rows]),
  list("reordered", 2, (rows) => rows.toReversed()),
  list("cut short", 2, (rows) => rows.slice(0, rows.length / 2), isUncounted),
  list("dropped", 1, (rows) => rows.slice(1), isUncounted),
  {
    // The page calls itself the last one.
    ...value("no cursor", (form, { path }) =>
      /cursor|marker|fingerprint|next|more/i.test(String(path.at(-1)))
        ? form === "true"
          ? "false"
          : form.startsWith('"')
            ? "null"
            : undefined
        : undefined
    ),
    isPlausible: () => true
  },
  time("of 1970", 1970),
  time("of 2100", 2100),
  {
    name: "of another",
    at: (text, place, known) => {
      if (!isText(text, place)) return undefined
      const own = textAt(text, place).slice(1, -1)
      const index = known.findIndex((name) => name.toLowerCase() === own.toLowerCase())
      return index < 0 || known.length < 2
        ? undefined
        : spliced(text, [[place, JSON.stringify(known[(index + 1) % known.length])]])
    }
  },
  {
    name: "of a stranger",
    at: (text, place, known) => {
      const own = isText(text, place) ? textAt(text, place).slice(1, -1).toLowerCase() : ""
      return known.slice(0, -1).some((name) => name.toLowerCase() === own)
        ? spliced(text, [[place, JSON.stringify(known.at(-1))]])
        : undefined
    }
  }
]

/** A response that is no answer. */
export interface Refusal {
  readonly name: string
  /** Undefined if the upstream has no such response. */
  readonly response: (request: UpstreamRequest) => Response | "hang" | "late" | undefined
}

/** Refuses a request as its provider does. */
const refused = (form: "body" | "header"): Refusal => ({
  name: `refused in its ${form}`,
  response: ({ body, upstream, url }) => {
    const { host, pathname, searchParams } = new URL(url)
    return Limits.refusal(upstream, form, { host, path: pathname, query: searchParams, headers: {}, body })
  }
})

export const refusals: ReadonlyArray<Refusal> = [
  { name: "status 429", response: () => new Response("", { status: 429, headers: { "retry-after": "1" } }) },
  { name: "status 500", response: () => new Response("", { status: 500 }) },
  {
    name: "a page",
    response: () => new Response("<!doctype html><title>…</title>", { headers: { "content-type": "text/html" } })
  },
  { name: "an empty object", response: () => Response.json({}) },
  { name: "a hang", response: () => "hang" },
  { name: "after the deadline", response: () => "late" },
  refused("body"),
  refused("header")
]

/** How far an upstream is behind, ms. */
export const delays: Readonly<Record<string, number>> = {
  "an hour behind": 3_600_000,
  "three days behind": 3 * 86_400_000
}

/** Changes that no reader can find out, with the reason: they may be believed. */
export const undetectable: ReadonlyArray<{
  readonly why: string
  readonly fits: (place: string, change: string) => boolean
}> = [
  {
    why: "an amount or a limit of a token has no upper bound, and the only source of it states it",
    fits: (place, change) =>
      change.startsWith("above") &&
      // A coin has a supply; the one of EVM networks is taken for less than 2^128.
      !/^(busy )?\S+-(esplora|blockbook|haskoin) /.test(place) &&
      !(change === "above 2^130" && /^(busy )?etherscan \S+ txlist/.test(place)) &&
      /account_lines|asset_list|tokens?\b|jetton|value$|amount$|quantity$|uiAmountString$/i.test(place)
  },
  {
    why: "the supply of a coin of EVM networks is taken for less than 2^128",
    fits: (place, change) => change === "above 2^120" && /native (balance|word)$/.test(place)
  },
  {
    why: "a balance of a token may be any number that its bytes can contain, and a contract is the only source of it",
    fits: (place, change) => /^(negative|above)/.test(change) && /token (balance|word)$/.test(place)
  },
  {
    why: "nodes of the XRP Ledger write amounts with exponents, and only the list of trust lines states these",
    fits: (place, change) => change === "exponent" && /account_lines result\.lines\.\[\]\.balance$/.test(place)
  },
  {
    why: "an address without assets has no row, and nothing counts the rows",
    fits: (place, change) =>
      /^(cut short|dropped)$/.test(change) && /^koios \/api\/v1\/(address|account)_assets $/.test(place)
  },
  {
    why: "the metadata of a transaction is the only source that states how much a trust line changed",
    fits: (place) => /^(busy )?ripple-rpc .*Fields\.Balance\.value$/.test(place)
  },
  {
    why: "the balance changes of a transaction are the only source that states whose they are",
    fits: (place, change) =>
      change.startsWith("of a") && /^(busy )?sui-graphql .*balanceChanges\.nodes\.\[\]\.owner\.address$/.test(place)
  },
  {
    why: "the list of transactions of an address is the only source that states their digests",
    fits: (place, change) =>
      change.startsWith("of a") && /^(busy )?sui-graphql .*data\.transactions\.nodes\.\[\]\.digest$/.test(place)
  },
  {
    why: "Etherscan numbers no events, so that equal rows may be several transfers, and its lists have no total",
    fits: (place, change) =>
      /^(doubled|cut short|dropped)$/.test(change) &&
      /^(busy )?etherscan \/v2\/api (tokentx|txlist\w*) (later )?result$/.test(place)
  },
  {
    why: "Koios has no row for an address that was never used, and nothing counts the rows",
    fits: (place, change) => /^(cut short|dropped)$/.test(change) && /^koios \/api\/v1\/address_info $/.test(place)
  },
  {
    why: "the balance changes of a transaction are the only source that states their direction",
    fits: (place, change) =>
      change === "negative" && /^(busy )?sui-graphql .*balanceChanges\.nodes\.\[\]\.amount$/.test(place)
  },
  {
    why: "hosts may return null for the part of a balance that is in no coin",
    fits: (place, change) => change === "null" && /^(busy )?sui-graphql .*\.addressBalance$/.test(place)
  },
  {
    why: "a sponsor signs nothing that the list of transactions of an address shows",
    fits: (place, change) => change.startsWith("of a") && /^(busy )?sui-graphql .*gasSponsor\.address$/.test(place)
  },
  {
    why: "a fee includes a tip, which may be as large as the supply, and only one list states it",
    fits: (place, change) => change === "above 2^64" && /^(busy )?subscan .*\.(fee|fee_used)$/.test(place)
  },
  {
    why: "old rows of Subscan do not state the signer",
    fits: (place, change) => change === "absent" && /^(busy )?subscan .*\.account_display$/.test(place)
  },
  {
    why: "any number of 32 bits is the id of a wallet, and some tools write it with a sign",
    fits: (place, change) => change === "negative" && /^toncenter .*\.wallet_id$/.test(place)
  },
  {
    why: "an output without an address is that of a script which has none",
    fits: (place, change) => change === "null" && /^(busy )?\S+-haskoin .*puts\.\[\]\.address$/.test(place)
  },
  {
    why: "the stated address of an input that spends a bare public key is only its hash, and nothing states its script",
    fits: (place, change) => change === "flipped" && /^(busy )?\S+-blockbook .*\.vin\.\[\]\.isAddress$/.test(place)
  },
  {
    why: "unconfirmed transactions may reduce a balance, and only the summary of an address states by how much",
    fits: (place, change) => change === "negative" && /^\S+-blockbook .* unconfirmedBalance$/.test(place)
  },
  {
    why: "nodes leave out token balances of a transaction that has none",
    fits: (place, change) => /^(absent|null)$/.test(change) && /^(busy )?solana-rpc .*TokenBalances$/.test(place)
  },
  {
    why: "members that Koios does not return are null, which the description of the route says instead of a reason",
    fits: (place, change) =>
      change === "null" && /^koios \/api\/v1\/block_info .*\.(op_cert_counter|total_fees|total_output)$/.test(place)
  },
  {
    why: "the error of a transaction may be any object, and only its metadata states it",
    fits: (place, change) => change === "another type" && /^(busy )?solana-rpc .*result\.meta\.err$/.test(place)
  },
  {
    why: "TronGrid does not name the contract of a token that it does not know",
    fits: (place, change) => /^(absent|null)$/.test(change) && /^(busy )?trongrid .*token_info\.address$/.test(place)
  },
  {
    why: "Blockbook and BlockCypher return no script of a spent output, and the script of an input with a witness has no key",
    fits: (place, change) =>
      change.startsWith("of a") &&
      /^(busy )?\S+-(blockbook .*transactions\.\[\]\.vin|blockcypher .*txs\.\[\]\.inputs)\.\[\]\.addresses\.\[\]$/.test(
        place
      )
  },
  {
    why: "TRON's nodes leave out members whose value is zero",
    fits: (place, change) => change === "absent" && /^trongrid \/wallet\/get(account|Reward)/.test(place)
  }
]
