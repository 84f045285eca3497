import * as Effect from "effect/Effect"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../src/contract/TransactionStatusApi.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { body, Service } from "../support/app.ts"
import { editedSandbox } from "../support/editedSandbox.ts"
import { assert } from "../support/vitest.ts"
import { histories, lasting, type Network } from "../walk/walk.ts"

/** The service over the sandbox, and the texts that its upstreams answer. */
export const listening = () => {
  const texts: Array<string> = []
  const layer = Service.layer(
    {},
    editedSandbox((text) => {
      texts.push(text)
      return text
    })
  )
  return { layer, texts }
}

/** Entries in blocks: pending ones change with the clock. Flags depend on the other entries of a page. */
const inBlocks = (entries: ReadonlyArray<HistoryEntry>) =>
  entries.filter(({ status }) => status !== "Pending").map((entry) => ({ ...lasting(entry), flags: undefined }))

/** The entries of all pages. */
export const joined = Effect.fnUntraced(function* (info: Network, holder: string, limit: number) {
  const entries: Array<HistoryEntry> = []
  let cursors: Record<string, string> | undefined = {}
  while (cursors !== undefined) {
    const [page]: Effect.Effect.Success<ReturnType<typeof histories>> = yield* histories(info, [holder], {
      limit,
      cursors
    })
    entries.push(...(page?.entries ?? []))
    cursors = page?.next == null ? undefined : { [holder]: page.next }
  }
  return entries
})

/** The museum of a network as all its routes read it; `gaps` are the reports of the history about missing data. */
export const visit = (info: Network, gaps: ReadonlyArray<string> = []) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const holder = World.museum(info.id) ?? assert.fail(info.id)
    const [whole] = yield* histories(info, [holder])
    const { entries, missing, next } = whole ?? assert.fail(holder)
    assert.deepStrictEqual([missing, next], [gaps, null])
    for (const limit of [1, 3, 7]) {
      const pages = yield* joined(info, holder, limit)
      assert.deepStrictEqual(inBlocks(pages), inBlocks(entries), String(limit))
    }
    const listed = entries.filter(({ status }) => status !== "Pending")
    const hashes = listed.map(({ hash }) => hash)
    const answer = yield* body<TransactionStatuses>(
      yield* post("/transactions/status", { networks: { [info.id]: hashes } })
    )
    for (const { fee, hash, status } of listed) {
      const found = answer[info.id]?.[hash]
      // Lists of transfers have no fee.
      assert.deepStrictEqual(
        [found?.status, fee === null ? null : found?.fee],
        [status === "Failed" ? "failed" : "confirmed", fee],
        hash
      )
      const raw = yield* post("/utils/getrawtransaction", { chain: info.id, tx: hash })
      assert.strictEqual(raw.status, 200, hash)
      yield* Effect.promise(() => raw.text())
    }
    const balances = yield* body<ReadonlyArray<{ readonly tokenSymbol: string; readonly balance: string | null }>>(
      yield* post("/balance", { networks: { [info.id]: [holder] } })
    )
    return { holder, entries, balances }
  })

/** Received minus sent amounts of the native coin and own fees. */
export const nativeSum = (holder: string, entries: ReadonlyArray<HistoryEntry>) =>
  entries.reduce((sum, { fee, from, status, to }) => {
    if (status === "Pending") return sum
    const mine = (parties: HistoryEntry["from"]) =>
      parties.filter(({ address, currency }) => address === holder && currency === undefined)
    const total = (parties: HistoryEntry["from"]) => mine(parties).reduce((all, { amount }) => all + BigInt(amount), 0n)
    const isSender = from.some(({ address }) => address === holder)
    return sum + total(to) - total(from) - (isSender ? BigInt(fee ?? 0) : 0n)
  }, 0n)

/** What an entry says of the holder: a text for each amount, with the sign of its direction. */
export const shown = (holder: string, { fee, from, status, to, type }: HistoryEntry) => {
  const own = (parties: HistoryEntry["from"], sign: string) =>
    parties
      .filter(({ address }) => address === holder)
      .map(({ amount, currency = "" }) => {
        const token = typeof currency === "object" ? currency.symbol : currency
        return `${amount === "0" ? "" : sign}${amount} ${token}`.trim()
      })
  return { type, status, fee, amounts: [...own(from, "-"), ...own(to, "+")] }
}
