import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import { World } from "../../src/testing/index.ts"
import { samples } from "../chains/families/samples.ts"
import { isPriced } from "./facts.ts"
import { breaksOf, differences, onlyValues } from "./laws.ts"
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

const steps = ["a page", "a refresh", "a block", "a late row", "a pause"] as const
const sizes = [1, 3, 7]

/** With the flags of rows, which a list must not show or hide by its length. */
const flagged = ({ body, ...answered }: Answered): Answered => ({
  ...answered,
  body: JSON.parse(JSON.stringify(body), (_, value) =>
    value?.flags === undefined ? value : { ...value, kind: value.flags.join() }
  )
})

/** The same facts, of one item: what its path mentions. */
const of = (answered: Answered, item: string): Answered => {
  const pick = (value: unknown): unknown =>
    Array.isArray(value)
      ? value.filter((row) => JSON.stringify(row).includes(item)).map(pick)
      : typeof value === "object" && value !== null
        ? Object.fromEntries(
            Object.entries(value)
              .filter(([key, part]) => key === item || JSON.stringify(part).includes(item))
              .map(([key, part]) => [key, key === item ? part : pick(part)])
          )
        : value
  return { ...answered, body: pick(answered.body) }
}

type Draw = <A>(items: ReadonlyArray<A>) => A

/** A service with a world that changes; `fresh` is what a new service returns at the same time. */
const wandering = (info: Network, address: string, any: Draw) =>
  Effect.gen(function* () {
    const world = World.make({ networks: [info] })
    const { ask, live, pass, tell } = yield* begun(info, { world })
    const fresh = Effect.fnUntraced(function* (asked: Asked) {
      const other = yield* begun(info, { world, at: yield* live(Clock.currentTimeMillis) })
      return yield* other.ask(asked)
    }, Effect.scoped)
    const read = (limit: number, cursor?: string) =>
      ask(histories(info, [address], { limit, cursors: cursor === undefined ? {} : { [address]: cursor } }))
    const rowsIn = ({ body }: Answered) => (body as Histories).data?.[info.id]?.[address] ?? []
    const cursorIn = ({ body }: Answered) => (body as Histories).meta?.[info.id]?.[address]?.next ?? undefined
    let cursor: string | undefined
    const take = Effect.fnUntraced(function* (step: (typeof steps)[number]) {
      if (step === "a page") cursor = cursorIn(yield* read(any(sizes), cursor))
      else if (step === "a refresh") yield* read(500)
      else if (step === "a pause") yield* pass(any([10_000, 1_200_000]))
      else {
        yield* live(world.fund(info.id, address, 10n ** BigInt(info.native.decimals)))
        yield* pass(60_000)
        if (step === "a block") return
        // The row is late if the service has not listed it before, else it is reorganised away for some steps.
        const [newest] = rowsIn(yield* any([read(500), fresh(histories(info, [address]))]))
        if (newest !== undefined) tell(without(newest.hash.replace(/^0x/, "")))
        yield* read(500)
      }
    })
    const pages = Effect.fnUntraced(function* (size: number) {
      const rows: Array<unknown> = []
      let [page, count] = [yield* read(size), 0]
      for (let next = cursorIn(page); next !== undefined && count < 40; next = cursorIn(page), count++) {
        rows.push(...rowsIn(page))
        page = yield* read(size, next)
      }
      return [...rows, ...rowsIn(page)]
    })
    return { ask, fresh, pages, pass, read, rowsIn, take, tell }
  })

/** The breaks of a random sequence of steps; the number decides which. */
export const walk = Effect.fnUntraced(function* (info: Network, number: string) {
  const { next } = randomOf(`${info.id} ${number}`)
  const any: Draw = (items) => items[Math.floor(next() * items.length)] as (typeof items)[number]
  const { breaks, broken } = breaksOf(info.id, { asked: histories(info, []), place: "walk", change: number })
  const compare = (wanted: Answered, got: Answered, route: string, what: string) => {
    const { gone, wrong } = differences(onlyValues(flagged(wanted)), flagged(wanted), flagged(got))
    for (const { at, value, wanted } of wrong.filter(({ path }) => !isPriced(path)).slice(0, 1))
      broken("walks", at, `${wanted}${what}`, value, route)
    for (const { at, value } of gone.filter(({ path }) => !isPriced(path)).slice(0, 1))
      broken("walks", at, `${value}${what}`, "nothing", route)
  }
  const address = addressesOf(info)[0] ?? ""
  const { ask, fresh, pages, pass, read, rowsIn, take, tell } = yield* wandering(info, address, any)
  const taken = Array.from({ length: 6 }, () => any(steps))
  for (const step of taken) yield* take(step)
  tell(undefined)
  yield* pass(15 * 60_000)
  const [size, what] = [any(sizes), ` after ${taken.join(", ")}`]
  const wanted = yield* fresh(histories(info, [address]))
  compare(wanted, yield* read(500), "history", what)
  const data = (rows: ReadonlyArray<unknown>) => ({ ...wanted, body: { data: { [info.id]: { [address]: rows } } } })
  compare(data(rowsIn(wanted)), data(yield* pages(size)), "history", ` by ${size}${what}`)
  compare(yield* fresh(balances(info, [address])), yield* ask(balances(info, [address])), "balance", what)
  // An item alone, and among others.
  const many = samples(info, 8).slice(1)
  const hashes = hashesIn(wanted)
  const asked = [balances, contexts, histories].map(
    (request) => [request(info, [address]), request(info, many)] as const
  )
  const [one, others] = any(
    hashes[0] === undefined ? asked : [...asked, [statuses(info, hashes.slice(0, 1)), statuses(info, hashes)]]
  )
  const item = one.route === "transactions/status" ? (hashes[0] ?? "") : address
  compare(of(yield* fresh(one), item), of(yield* fresh(others), item), one.route, " alone")
  return breaks
}, Effect.scoped)
