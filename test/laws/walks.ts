import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HistoryEntry, HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import { World } from "../../src/testing/index.ts"
import { samples } from "../chains/families/samples.ts"
import { isUnlisted } from "../walk/sums.ts"
import { isPriced } from "./facts.ts"
import { breaksOf, differences, onlyValues, type Survey } from "./laws.ts"
import { rootOf, spliced, within } from "./places.ts"
import { randomOf } from "./random.ts"
import { addressesOf, balances, contexts, hashesIn, histories, statuses } from "./requests.ts"
import { type Answered, type Asked, begun, type Lie, type Network } from "./trial.ts"

type Histories = typeof HistoryWithMeta.Type

/** A response without the rows of one transaction: it is late, or a reorganisation has removed it. */
export const without =
  (hash: string): Lie =>
  async (_, read) => {
    const text = await read()
    const root = rootOf(text)
    if (root === undefined || !text.includes(hash)) return undefined
    const isRow = ({ children, end, path, start }: typeof root) =>
      typeof path.at(-1) === "number" && children.length > 0 && text.slice(start, end).includes(hash)
    const lists = within(root).filter(
      (list) =>
        list.children.some(isRow) &&
        !list.children.some(({ children }) => children.some((child) => within(child).some(isRow)))
    )
    const kept = lists.map((list) => {
      const rows = list.children.filter((row) => !isRow(row)).map(({ end, start }) => text.slice(start, end))
      return [list, `[${rows.join(",")}]`] as const
    })
    return kept.length === 0 ? undefined : Response.json(JSON.parse(spliced(text, kept)))
  }

const steps = ["a page", "a refresh", "a block", "a gone row", "a late row", "a row of days ago", "a pause"] as const

/** Steps of a list in pages that nothing counts: without one of its rows, a full page is the last one. */
const uncounted = ["a page", "a refresh", "a block", "a pause"] as const

/** Rows per page; a busy address has hundreds. */
const sizesOf = (isBusy: boolean) => (isBusy ? [60, 170] : [1, 3, 7])

/** The most rows of a page. */
const most = 500

/** The longest wait until rows are stored, seconds: sources list late rows up to two hours after they were made. */
const longest = 6_600

const day = 86_400_000

type Rows = ReadonlyArray<HistoryEntry>

/**
 * Without the block in which a full list of the Bitcoin family or of EVM is cut: any of its transactions may be the last
 * one. Explorers of EVM have no position in the block for some of their rows.
 */
const untied = ({ family }: Network, rows: Rows): Rows =>
  ["evm", "utxo"].includes(family) && rows.length >= most
    ? rows.filter(({ block }) => block !== rows.at(-1)?.block)
    : rows

/** With the flags of rows, which a list must not show or hide by its length. */
const flagged = ({ body, ...answered }: Answered): Answered => ({
  ...answered,
  body: JSON.parse(JSON.stringify(body), (_, value) =>
    value?.flags === undefined ? value : { ...value, kind: value.flags.join() }
  )
})

/** The same facts, of one item: what its path mentions. */
const of = (answered: Answered, text: string): Answered => {
  const pick = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.filter((row) => JSON.stringify(row).includes(text)).map(pick)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([key, part]) => key === text || JSON.stringify(part).includes(text))
              .map(([key, part]) => [key, key === text ? part : pick(part)])
          )
        : value
  return { ...answered, body: pick(answered.body) }
}

type Draw = <A>(items: ReadonlyArray<A>) => A

interface Wanderer {
  readonly info: Network
  readonly sources: ReadonlyArray<string>
  readonly address: string
  readonly sizes: ReadonlyArray<number>
}

/** A service with a world that changes; `fresh` is what a new service returns at the same time. */
const wandering = ({ address, info, sizes, sources }: Wanderer, any: Draw, compare: Compare) =>
  Effect.gen(function* () {
    const world = World.make({ networks: [info] })
    const { ask, live, pass, setBack, tell } = yield* begun(info, { world })
    const fresh = Effect.fnUntraced(function* (asked: Asked) {
      const other = yield* begun(info, { world, at: yield* live(Clock.currentTimeMillis) })
      return yield* other.ask(asked)
    }, Effect.scoped)
    const read = (limit: number, cursor?: string) =>
      ask(histories(info, [address], { limit, cursors: cursor === undefined ? {} : { [address]: cursor } }))
    const rowsIn = ({ body }: Answered) => (body as Histories).data?.[info.id]?.[address] ?? []
    const metaIn = ({ body }: Answered) => (body as Histories).meta?.[info.id]?.[address]
    const sourcesIn = (answered: Answered) => metaIn(answered)?.sources.join()
    const cursorIn = (answered: Answered) => metaIn(answered)?.next ?? undefined
    const pay = Effect.gen(function* () {
      yield* live(world.fund(info.id, address, 10n ** BigInt(info.native.decimals)))
      yield* pass(60_000)
      return rowsIn(yield* fresh(histories(info, [address], { limit: 1 })))[0]?.hash ?? ""
    })
    /** A source that lists a row after it listed newer ones that are final, and then only one source that responds. */
    const late = Effect.gen(function* () {
      const hashes = [yield* pay, yield* pay]
      tell(without((hashes[0] ?? "").replace(/^0x/, "")))
      yield* pass(1_000 * Math.min(longest, info.finality + 120))
      yield* read(most)
      tell(undefined)
      yield* pass(10_000)
      const whole = yield* read(most)
      yield* pass(10_000)
      const only = any(sources)
      tell(async ({ upstream }) =>
        sources.includes(upstream) && upstream !== only ? new Response("", { status: 500 }) : undefined
      )
      const poor = yield* read(most)
      tell(undefined)
      const isStored = info.finality < longest && (metaIn(whole)?.missing ?? [""]).every(isUnlisted)
      for (const hash of isStored ? hashes : [])
        compare(of(whole, hash), of(poor, hash), "history", ` with ${only} only`)
    })
    /** A source that lists a row days after newer ones; a day later, stored rows are read again. Timers do not run. */
    const daysLate = Effect.gen(function* () {
      const hash = yield* pay
      setBack(-day)
      yield* pay
      tell(without(hash.replace(/^0x/, "")))
      setBack(-day)
      yield* read(most)
      tell(undefined)
      setBack(-day)
    })
    let cursor: string | undefined
    const take = Effect.fnUntraced(function* (step: (typeof steps)[number]) {
      if (step === "a page") cursor = cursorIn(yield* read(any(sizes), cursor))
      else if (step === "a refresh") yield* read(most)
      else if (step === "a pause") yield* pass(any([10_000, 1_200_000]))
      else if (step === "a block") yield* pay
      else if (step === "a late row") yield* late
      else if (step === "a row of days ago") yield* daysLate
      else {
        // A reorganisation removes it for some steps.
        yield* pay
        const [newest] = rowsIn(yield* read(most))
        if (newest !== undefined) tell(without(newest.hash.replace(/^0x/, "")))
        yield* read(most)
      }
    })
    const pages = Effect.fnUntraced(function* (size: number) {
      const rows: Array<Rows[number]> = []
      let page = yield* read(size)
      for (let next = cursorIn(page); next !== undefined && rows.length < most; next = cursorIn(page)) {
        rows.push(...rowsIn(page))
        page = yield* read(size, next)
      }
      return [...rows, ...rowsIn(page)].slice(0, most)
    })
    return { ask, fresh, pages, pass, read, rowsIn, sourcesIn, take, tell }
  })

type Compare = (wanted: Answered, got: Answered, route: string, what: string, isPoorer?: boolean) => void

/** The breaks of a random sequence of steps; the number decides which. */
export const walk = Effect.fnUntraced(function* ({ info, sources }: Survey, number: string) {
  const { next } = randomOf(`${info.id} ${number}`)
  const any: Draw = (items) => items[Math.floor(next() * items.length)] as (typeof items)[number]
  const { breaks, broken } = breaksOf(info.id, { asked: histories(info, []), place: "walk", change: number })
  const compare: Compare = (wanted, got, route, what, isPoorer = false) => {
    const { gone, wrong } = differences(onlyValues(flagged(wanted)), flagged(wanted), flagged(got))
    for (const { at, value, wanted } of wrong.filter(({ path }) => !isPriced(path)).slice(0, 1))
      broken("walks", at, `${wanted}${what}`, value, route)
    for (const { at, value } of isPoorer ? [] : gone.filter(({ path }) => !isPriced(path)).slice(0, 1))
      broken("walks", at, `${value}${what}`, "nothing", route)
  }
  // Some walks are those of an address whose lists have several pages.
  const busy = next() < 0.3 ? World.busy(info.id) : undefined
  const address = busy ?? addressesOf(info)[0] ?? ""
  const wanderer = { info, sources, address, sizes: sizesOf(busy !== undefined) }
  const { ask, fresh, pages, pass, read, rowsIn, sourcesIn, take, tell } = yield* wandering(wanderer, any, compare)
  const possible = busy !== undefined && info.family === "utxo" ? uncounted : steps
  const taken = Array.from({ length: 6 }, () => any<(typeof steps)[number]>(possible))
  for (const step of taken) yield* take(step)
  tell(undefined)
  yield* pass(15 * 60_000)
  const [size, what] = [any(wanderer.sizes), ` after ${taken.join(", ")}`]
  const first = { wanted: yield* fresh(histories(info, [address])), got: yield* read(most) }
  const data = (rows: Rows, meta?: unknown): Answered => ({
    ...first.wanted,
    body: { data: { [info.id]: { [address]: untied(info, rows) } }, meta }
  })
  const whole = (answered: Answered) => data(rowsIn(answered), Object(answered.body).meta)
  // A source that failed is tested beside the next one, which may respond first and state less than the first one.
  const isPoorer = sourcesIn(first.got) !== sourcesIn(first.wanted)
  compare(whole(first.wanted), whole(first.got), "history", what, isPoorer)
  if (isPoorer) yield* pass(15 * 60_000)
  const wanted = isPoorer ? yield* fresh(histories(info, [address])) : first.wanted
  if (isPoorer) compare(whole(wanted), whole(yield* read(most)), "history", what)
  compare(data(rowsIn(wanted)), data(yield* pages(size)), "history", ` by ${size}${what}`)
  compare(yield* fresh(balances(info, [address])), yield* ask(balances(info, [address])), "balance", what)
  // An item alone, and among others.
  const many = [...new Set([address, ...samples(info, 8).slice(1)])]
  const hashes = hashesIn(wanted)
  const asked = [balances, contexts, histories].map(
    (request) => [request(info, [address]), request(info, many)] as const
  )
  const [one, others] = any(
    hashes[0] === undefined ? asked : [...asked, [statuses(info, hashes.slice(0, 1)), statuses(info, hashes)]]
  )
  const subject = one.route === "transactions/status" ? (hashes[0] ?? "") : address
  compare(of(yield* fresh(one), subject), of(yield* fresh(others), subject), one.route, " alone")
  return breaks
}, Effect.scoped)
