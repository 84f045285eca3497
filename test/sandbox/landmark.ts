import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { HistoryEntry as Entry, type HistoryEntry, HistoryMeta } from "../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../src/contract/TransactionStatusApi.ts"
import { Service } from "../../src/testing/Service.ts"
import { parse } from "../../src/upstream/record/Exchange.ts"
import { isAll } from "../support/tier.ts"
import { assert } from "../support/vitest.ts"

// Reads the histories of the documented addresses of the sandbox through the service of the testing kit.

const post = (path: string, body: unknown) =>
  Effect.flatMap(Service, ({ fetch }) =>
    fetch(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) })
  )

/** The JSON of a response. */
export const jsonOf = (path: string, body: unknown) =>
  Effect.flatMap(post(path, body), (response) => Effect.promise((): Promise<unknown> => response.json()))

const Answer = Schema.Struct({
  data: Schema.Record({
    key: Schema.String,
    value: Schema.Record({ key: Schema.String, value: Schema.NullOr(Schema.Array(Entry)) })
  }),
  meta: Schema.Record({ key: Schema.String, value: Schema.Record({ key: Schema.String, value: HistoryMeta }) })
})

/** A page of a history; `entries` is null if it could not be read. */
export const pageOf = Effect.fnUntraced(function* (network: string, address: string, limit: number, cursor?: string) {
  const cursors = cursor === undefined ? {} : { cursors: { [network]: { [address]: cursor } } }
  const value = yield* jsonOf("/history", { networks: { [network]: [address] }, limit, meta: true, ...cursors })
  const { data, meta } = yield* Schema.decodeUnknown(Answer)(value)
  const about = meta[network]?.[address] ?? assert.fail(JSON.stringify(value))
  return { entries: data[network]?.[address] ?? null, ...about }
})

/** The first `count` entries in pages of this size, and the pages' sources and gaps. */
export const walked = Effect.fnUntraced(function* (
  network: string,
  address: string,
  limit: number,
  count = Number.POSITIVE_INFINITY
) {
  const entries: Array<HistoryEntry> = []
  const missing = new Set<string>()
  let next: string | null = null
  do {
    const page: Effect.Effect.Success<ReturnType<typeof pageOf>> = yield* pageOf(
      network,
      address,
      limit,
      next ?? undefined
    )
    assert(page.entries !== null && page.entries.length > 0 && page.entries.length <= limit, JSON.stringify(page))
    entries.push(...page.entries)
    for (const gap of page.missing) missing.add(gap)
    next = page.next
  } while (next !== null && entries.length < count)
  return { entries, missing: [...missing], next }
})

/** Address of a token: the registry may be read after the first request. */
const tokenOf = ({ currency }: HistoryEntry["from"][number]) =>
  typeof currency === "object" ? currency.address : currency

/** Without what depends on the other transactions of the page, and on the time of the request. */
export const unflagged = (entry: HistoryEntry) => {
  const { confirmations: _, flags: __, from, to, ...rest } = entry
  const parties = (side: HistoryEntry["from"]) =>
    side.map((party) => ({ address: party.address, amount: party.amount, token: tokenOf(party) }))
  return { ...rest, from: parties(from), to: parties(to) }
}

/** The amounts of the native coin and of tokens that a side moves for the holder, by token. */
const amountsOf = (holder: string, side: HistoryEntry["from"]) =>
  side.flatMap(({ address, amount, currency }) =>
    address === holder
      ? [[typeof currency === "object" ? currency.address : (currency ?? ""), BigInt(amount)] as const]
      : []
  )

/** Received minus sent amounts and own fees of the native coin, base units. */
export const nativeSum = (holder: string, entries: ReadonlyArray<HistoryEntry>): bigint => {
  const native = (side: HistoryEntry["from"]) =>
    amountsOf(holder, side).reduce((sum, [token, amount]) => (token === "" ? sum + amount : sum), 0n)
  return entries.reduce(
    (sum, { fee, from, to }) =>
      sum +
      native(to) -
      native(from) -
      (from.some(({ address }) => address === holder) || (from.length === 0 && to.length === 0)
        ? BigInt(fee ?? 0)
        : 0n),
    0n
  )
}

/** The states of transactions by hash. */
export const statusesOf = (network: string, entries: ReadonlyArray<HistoryEntry>) =>
  Effect.map(
    jsonOf("/transactions/status", { networks: { [network]: entries.map(({ hash }) => hash) } }),
    (answer) => (answer as TransactionStatuses)[network] ?? {}
  )

/** The texts of all answers of upstreams so far, those in batches on their own. */
export const answered = Effect.map(Service, ({ requests }) =>
  requests.flatMap(({ response }) => {
    const text = response?.body ?? ""
    return text.startsWith("[") ? (parse(text) as ReadonlyArray<unknown>).map((each) => JSON.stringify(each)) : [text]
  })
)

/** Asserts that texts have each form. */
export const haveForms = (
  texts: ReadonlyArray<string>,
  cases: ReadonlyArray<{ readonly case: string; readonly shows: RegExp }>
) => {
  for (const { case: form, shows } of cases)
    assert.isTrue(
      texts.some((text) => shows.test(text)),
      form
    )
}

/** Asserts that pages of other sizes have the entries of one list. */
export const areWhole = Effect.fnUntraced(function* (
  network: string,
  holder: string,
  entries: ReadonlyArray<HistoryEntry>
) {
  for (const limit of isAll ? [1, 2, 7] : [3])
    assert.deepStrictEqual(
      (yield* walked(network, holder, limit)).entries.map(unflagged),
      entries.map(unflagged),
      String(limit)
    )
})

/** Asserts that each transaction has the status and the fee of its entry. */
export const haveStatuses = Effect.fnUntraced(function* (network: string, entries: ReadonlyArray<HistoryEntry>) {
  const found = yield* statusesOf(network, entries)
  for (const { fee, hash, status } of entries) {
    const { fee: paid, status: state } = found[hash] ?? assert.fail(hash)
    assert.deepStrictEqual([state, paid], [status === "Success" ? "confirmed" : "failed", fee])
  }
})

/** Type, status, and the amounts of both sides of an entry. */
export const shownOf =
  (holder: string) =>
  ({ from, status, to, type }: HistoryEntry) => {
    const side = (parties: HistoryEntry["from"]) =>
      parties.map((party) =>
        [party.address === holder ? "holder" : "other", party.amount, ...[tokenOf(party) ?? []].flat()].join(" ")
      )
    return [type, status, side(from), side(to)] as const
  }
