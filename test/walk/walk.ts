import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { type HistoryEntry, HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { assert } from "../support/vitest.ts"

// The walk compares the routes of the service with each other, for every network of the sandbox: pages and exports with
// the whole list, statuses and raw transactions with entries, balances with histories and outputs.

export type Network = (typeof Catalogue.all)[number]

/** The networks that were not shut down. */
export const live: ReadonlyArray<Network> = Catalogue.all.filter(({ sunset }) => sunset === undefined)

/** The first sample address. */
export const firstOf = (info: Network) => samples(info, 1)[0] ?? ""

/** A clock that shows this time (ms) now, and then advances like a real one; `skip` (ms) moves it. */
const startingAt = (time: number) => {
  const clock = Clock.make()
  let ahead = time - clock.unsafeCurrentTimeMillis()
  const millis = () => clock.unsafeCurrentTimeMillis() + ahead
  const nanos = () => clock.unsafeCurrentTimeNanos() + BigInt(ahead) * 1_000_000n
  const moved: Clock.Clock = {
    ...clock,
    sleep: (duration) => clock.sleep(duration),
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos)
  }
  const skip = (time: number) =>
    Effect.sync(() => {
      ahead += time
    })
  return { clock: moved, skip }
}

/** Longer than a history is served from memory, ms. */
const cached = 6_000

/**
 * The service over a new world, in which the first sample address of each network has just been paid. It starts at the
 * same time in each run, because Tron's pending transactions change every ten minutes.
 */
export const makeWalk = (settings: Readonly<Record<string, string>> = {}) => {
  const world = World.make()
  const { clock, skip } = startingAt(Date.UTC(2026, 10, 22, 12))
  /** Pays one coin to an address, in a block; later reads list it. */
  const pay = ({ id, native }: Network, address: string) =>
    Effect.zipLeft(Effect.withClock(world.fund(id, address, 10n ** BigInt(native.decimals)), clock), skip(cached))
  const payments = Effect.forEach(live, (info) => pay(info, firstOf(info)))
  const service = Layer.build(Service.layer(settings, Sandbox.layer(Catalogue.all, { world })))
  const started = Effect.zipRight(payments, Effect.withClock(service, clock))
  return { layer: Layer.scoped(Service, Effect.map(started, Context.get(Service))), pay }
}

const decode = Schema.decodeUnknown(HistoryWithMeta, { onExcessProperty: "error" })

/** The entries of each address and what `POST /history` says about them; fails if it could not read one of them. */
export const histories = Effect.fnUntraced(function* (
  info: Network,
  addresses: ReadonlyArray<string>,
  options: { readonly limit: number; readonly cursors?: Readonly<Record<string, string>> } = { limit: 500 }
) {
  const { post } = yield* Service
  const { cursors = {}, limit } = options
  const response = yield* post("/history", {
    networks: { [info.id]: addresses },
    limit,
    meta: true,
    cursors: { [info.id]: cursors }
  })
  const value = yield* body<unknown>(response)
  const failures = response.headers.get("x-partial-failures")
  assert.deepStrictEqual([response.status, failures], [200, null], JSON.stringify(value).slice(0, 500))
  const { data, meta } = yield* decode(value)
  return addresses.map((address) => {
    const [entries, about] = [data[info.id]?.[address], meta[info.id]?.[address]]
    assert(entries !== undefined && about !== undefined, address)
    return { address, entries, ...about }
  })
})

/** The value of an entry that stays: prices and the newest block change between requests. */
export const lasting = ({ confirmations: _, from, to, ...entry }: HistoryEntry) => {
  const parties = (side: HistoryEntry["from"]) =>
    side.map(({ currency, ...party }) =>
      typeof currency === "object" ? { ...party, currency: { ...currency, price: null } } : { ...party, currency }
    )
  return { ...entry, from: parties(from), to: parties(to) }
}
