import * as Effect from "effect/Effect"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { ledger, type Move } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { assert, layer } from "../../support/vitest.ts"
import { histories } from "../../walk/walk.ts"
import { unflagged } from "../landmark.ts"
import { areSent, continuations, type Group, groups, type Source } from "./sources.ts"

// Declares tests of the history of a busy address, whose source returns it in many pages.

/** Differences by symbol of the token, without those of 0; that of the native coin is empty. */
const sum = (differences: ReadonlyArray<readonly [token: string, amount: bigint]>) => {
  const sums = new Map<string, bigint>()
  for (const [token, amount] of differences) sums.set(token, (sums.get(token) ?? 0n) + amount)
  return [...sums].filter(([, amount]) => amount !== 0n).sort()
}

interface Summary {
  readonly timestamp: number
  /** What an entry and its move have in common; the type only if one asset moves. */
  readonly text: string
}

const summary = (
  source: Source,
  timestamp: number,
  isOwn: boolean,
  fee: string | null,
  facts: ReadonlyArray<unknown>
) => ({
  timestamp,
  text: [timestamp, source.ownFees === true && !isOwn ? "" : fee, ...facts].join(" ")
})

const ofMove = (source: Source, move: Move): Summary => {
  const { amount, contract, direction, failed, received = 0n } = move
  const change = [contract?.coin.symbol ?? "", direction === "in" ? amount : -amount] as const
  const changes = failed ? [] : sum([change, ["", received]])
  return summary(source, move.at, direction === "out", String(move.fee), [
    // Chains of outputs have no failed transactions: the coins return to the sender.
    failed && source.network.family !== "utxo" ? "Failed" : "Success",
    source.idOf === undefined ? "" : move.id,
    changes.length === 1 ? (direction === "in" ? "Receive" : "Send") : "",
    ...changes
  ])
}

const holderOf = ({ holder, network }: Source) => holder ?? World.busy(network.id) ?? ""

const ofEntry = (source: Source, entry: HistoryEntry): Summary => {
  const holder = holderOf(source)
  const contracts = World.contractsOn(source.network.platform)
  const own = (parties: HistoryEntry["from"], sign: bigint) =>
    parties.flatMap(({ address, amount, currency = "" }) => {
      // The registry of tokens may be read after the first request.
      const known = contracts.find((contract) => contract.address === currency)
      const token = typeof currency === "object" ? currency.symbol : (known?.coin.symbol ?? currency)
      return address === holder ? [[token, sign * BigInt(amount)] as const] : []
    })
  const isOwn = entry.from.some(({ address }) => address === holder)
  const changes = sum([...own(entry.from, -1n), ...own(entry.to, 1n)])
  return summary(source, entry.timestamp, isOwn, entry.fee, [
    entry.status,
    source.idOf?.(entry.hash) ?? "",
    changes.length === 1 ? entry.type : "",
    ...changes
  ])
}

/** Entries in blocks: pending ones change with the clock. */
const inBlocks = (entries: ReadonlyArray<HistoryEntry>) => entries.filter(({ status }) => status !== "Pending")

/** Asserts that entries are the newest of the ledger, or all; the last second is compared only if it is complete. */
const areNewest = (source: Source, entries: ReadonlyArray<HistoryEntry>, isWhole: boolean) => {
  const listed = inBlocks(entries)
  const oldest = isWhole ? 0 : (listed.at(-1)?.timestamp ?? 0)
  const texts = (summaries: ReadonlyArray<Summary>) => {
    const newest = summaries.filter(({ timestamp }) => timestamp > oldest)
    if (source.ordered ?? true) return newest
    return newest.toSorted((a, b) => b.timestamp - a.timestamp || (a.text < b.text ? -1 : 1))
  }
  assert.deepStrictEqual(
    texts(listed.map((entry) => ofEntry(source, entry))),
    texts(
      ledger(source.network, holderOf(source))
        .toReversed()
        .filter(({ exhibit }) => exhibit === undefined)
        .map((move) => ofMove(source, move))
    )
  )
  const times = entries.map(({ timestamp }) => timestamp)
  assert.deepStrictEqual(
    times,
    times.toSorted((a, b) => b - a)
  )
  assert.lengthOf(new Set(entries.map(({ hash }) => hash)), entries.length)
}

/** The next entries: one page for each of the sizes, or fewer pages if the history ends. */
const pagesOf = Effect.fnUntraced(function* (source: Source, sizes: Iterable<number>) {
  const { gap, network } = source
  const address = holderOf(source)
  const entries: Array<HistoryEntry> = []
  let next: string | null | undefined
  for (const limit of sizes) {
    if (next === null) break
    const cursors = next === undefined ? {} : { [address]: next }
    const [read] = yield* histories(network, [address], { limit, cursors })
    assert(read !== undefined)
    assert.deepStrictEqual(read.missing, gap === undefined ? [] : [gap])
    assert.isAtMost(read.entries.length, limit)
    entries.push(...read.entries)
    next = read.next
  }
  return { entries, next }
})

/** No limits of public sources. */
export const unlimited = Object.fromEntries(
  ["ETHERSCAN", "BLOCKSCOUT", "ROUTESCAN", "TRONGRID", "KOIOS", "BLOCKFROST", "TONCENTER", "TONAPI", "SUBSCAN"].map(
    (name) => [`${name}_PER_SECOND`, "1000"]
  )
)

const six = Array<number>(6).fill(7)

/** Sizes of pages that lead to a number of entries, the longest ones last. */
const upTo = (count: number) => {
  const large = Array.from({ length: Math.floor(count / 500) }, () => 500)
  return count % 500 > 0 ? [count % 500, ...large] : large
}

/** Asserts that pages of these sizes equal the same part of longer pages. */
const equalsPart = Effect.fnUntraced(function* (
  source: Source,
  sizes: ReadonlyArray<number>,
  long: ReadonlyArray<HistoryEntry>
) {
  const small = inBlocks((yield* pagesOf(source, sizes)).entries).map(unflagged)
  const count = sizes.reduce((all, size) => all + size)
  assert.isAtLeast(small.length, Math.min(count, long.length) - 1)
  assert.deepStrictEqual(small, inBlocks(long).slice(0, small.length).map(unflagged), `${sizes}`)
})

/** The service over the sandbox, and a list to which its requests to upstreams are added. */
export const listening = (settings: Readonly<Record<string, string>>, upstreams = editedSandbox((text) => text)) => {
  const requests: Array<UpstreamRequest> = []
  return { requests, layer: Service.layer(settings, RequestLog.layer(upstreams, requests)) }
}

const readsGroup = (name: string, { settings = {}, sources, without }: Group, isAll: boolean) => {
  const upstreams = editedSandbox((text, { upstream }) => (upstream === without ? "" : text))
  const { layer: service, requests } = listening({ ...unlimited, ...settings }, upstreams)
  layer(service, { excludeTestServices: true })(`the busy address in the family ${name}`, (it) => {
    for (const source of isAll ? sources : sources.slice(0, 1)) {
      const { ends, first = [22], kind, name, network, whole = true } = source
      const title = [name, ...(source.holder?.startsWith("stake1") ? ["of an account"] : []), network.id].join(" ")
      it(`is read by the continuation of ${title}`, function* () {
        const sizesOf = (end: number) =>
          end > 62 ? [...six, ...upTo(end - 62), ...six] : Array<number>(Math.ceil((end + 20) / 7)).fill(7)
        const long = yield* pagesOf(source, upTo(Math.max(...first) + 60))
        areNewest(source, long.entries, false)
        for (const row of first) yield* equalsPart(source, sizesOf(row), long.entries)
        // The address and the account of one upstream send them together.
        if (isAll && sources.findLast((other) => other.name === name) === source)
          areSent(requests, name, continuations[kind])
      })

      if (isAll)
        it(`equals the ledger, and its parts around the ends of pages of ${title}`, function* () {
          const long = yield* pagesOf(source, Array<number>(whole ? 30 : 3).fill(500))
          areNewest(source, long.entries, whole)
          assert.strictEqual(long.next === null, whole)
          for (const row of ends) yield* equalsPart(source, [...upTo(row - 20), ...six], long.entries)
        })
    }
  })
}

/** Declares the tests of the sources of a family: in the first tier, one test of the first source. */
export const busyHistory = (family: keyof typeof groups, isAll: boolean) => {
  for (const group of isAll ? groups[family] : groups[family].slice(0, 1)) readsGroup(family, group, isAll)
}
