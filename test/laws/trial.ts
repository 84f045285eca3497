import * as HttpClient from "@effect/platform/HttpClient"
import type * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Networks from "../../src/chains/Networks.ts"
import { Service, Upstreams, World } from "../../src/testing/index.ts"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { samples } from "../chains/families/samples.ts"
import { simulated } from "../support/simulated.ts"

export type Network = (typeof Catalogue.all)[number]

/** A request of a client. */
export interface Asked {
  readonly route: string
  readonly path: string
  /** The body of a POST. */
  readonly body?: unknown
  /** The same request for more rows: they move up if a row is left out. */
  readonly more?: Asked
}

/** What a client received. */
export interface Answered {
  readonly status: number
  readonly body: unknown
  /** The body with all digits of its numbers. */
  readonly text: string
  /** The header x-partial-failures. */
  readonly failures: string | null
  /** Duration on the simulated clock, ms. */
  readonly took: number
  /** Requests to upstreams. */
  readonly calls: ReadonlyArray<UpstreamRequest>
}

/** A body: JSON, events or lines of JSON, or the rows of a table. */
const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    const lines = text.split(/\r?\n/).filter((line) => line !== "")
    const data = lines.flatMap((line) => /^(?:data: ?)?(\{.*|\[.*)/.exec(line)?.[1] ?? [])
    if (data.length > 0) return data.map((line): unknown => JSON.parse(line))
    const [names = [], ...rows] = lines.map((line) => line.split(","))
    return rows.map((cells) => Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ""])))
  }
}

/** Identifies equal upstream requests of two runs: ids of calls differ. */
export const keyOf = ({ body, method, upstream, url }: UpstreamRequest): string =>
  [upstream, method, url, body.replace(/"id":("[^"]*"|\d+)/g, '"id":0')].join(" ")

/** Changes the response to some upstream requests; undefined leaves it. A late one comes after the deadline of clients. */
export type Lie = (
  request: UpstreamRequest,
  text: () => Promise<string>
) => Promise<Response | "hang" | "late" | undefined>

/** Upstreams whose responses are of an earlier time. */
export interface Behind {
  /** The only one; undefined for all. */
  readonly upstream: string | undefined
  /** Milliseconds; negative for a later time. */
  readonly by: number
  /** Without the newest payments. */
  readonly isUnpaid?: boolean
}

/** Start of all runs. */
export const start = Date.UTC(2026, 10, 22, 12)

/** Time for the reads at the start, ms. */
const settling = 60_000

const json = { "content-type": "application/json" }

interface Sandbox {
  readonly upstreams: Upstreams.Upstreams
  readonly world: World.World
  /** The upstreams before the newest payments. */
  readonly unpaid?: HttpClient.HttpClient
}

/** The sandboxes of the runs: each knows the transactions that it has listed in an earlier run of its network. */
const sandboxes = new Map<string, Sandbox>()

const clientOf = (info: Network, world: World.World) =>
  Effect.map(Layer.build(Upstreams.sandboxOf([info], { world })), Context.get(HttpClient.HttpClient))

/** The sandbox of a network, which all runs without an own world share. */
export const sandboxOf = Effect.fnUntraced(function* (info: Network) {
  const known = sandboxes.get(info.id)
  if (known !== undefined) return known
  const world = World.make({ networks: [info] })
  const client = yield* clientOf(info, world)
  const unpaid = yield* clientOf(info, World.make({ networks: [info] }))
  const pay = (address: string, ago: number) =>
    simulated(start - ago * settling).live(world.fund(info.id, address, 10n ** BigInt(info.native.decimals)))
  const [receiver = "", ...holders] = samples(info, 3)
  // What an upstream does not know that is an hour behind.
  yield* Effect.forEach(holders, (holder) => pay(holder, 20))
  // A transaction of minutes ago, which is not final yet on most networks.
  yield* pay(receiver, 5)
  const sandbox = { upstreams: Layer.succeed(HttpClient.HttpClient, client), world, unpaid }
  sandboxes.set(info.id, sandbox)
  return sandbox
})

const movedBack = (clock: Clock.Clock, by: number): Clock.Clock => ({
  ...clock,
  sleep: (duration) => clock.sleep(duration),
  unsafeCurrentTimeMillis: () => clock.unsafeCurrentTimeMillis() - by,
  unsafeCurrentTimeNanos: () => clock.unsafeCurrentTimeNanos() - BigInt(by) * 1_000_000n,
  currentTimeMillis: Effect.map(clock.currentTimeMillis, (now) => now - by),
  currentTimeNanos: Effect.map(clock.currentTimeNanos, (now) => now - BigInt(by) * 1_000_000n)
})

/** The upstreams, which may be behind. */
const delayed = ({ unpaid, upstreams }: Sandbox, behind: () => Behind | undefined) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(
      HttpClient.HttpClient,
      HttpClient.transform((exchange, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          const told = behind()
          if (told === undefined || ![undefined, name].includes(told.upstream)) return exchange
          const earlier = told.isUnpaid === true && unpaid !== undefined ? unpaid.execute(request) : exchange
          return Effect.clockWith((now) => Effect.withClock(earlier, movedBack(now, told.by)))
        })
      )
    )
  ).pipe(Layer.provide(upstreams))

interface Options {
  /** A lie that the service hears from its start on. */
  readonly lie?: Lie | undefined
  /** Upstreams that are behind from its start on. */
  readonly behind?: Behind | undefined
  /** Default: the one of all runs of the network. */
  readonly world?: World.World
  /** Time at which the service has read what it reads at its start, ms. */
  readonly at?: number
}

/** A new service over the sandbox of one network, on a simulated clock. */
export const begun = (info: Network, { at = start, behind: late, lie: early, world: own }: Options = {}) =>
  Effect.gen(function* () {
    const sandbox =
      own === undefined
        ? yield* sandboxOf(info)
        : { upstreams: Upstreams.sandboxOf([info], { world: own }), world: own }
    const { finish, live, pass, setBack } = simulated(at - settling)
    let [lie, behind] = [early, late]
    const service = Context.get(
      yield* live(
        Layer.build(
          Service.layer({
            networks: Networks.only(info.id as never),
            // No route of a law reads these series, which take half of the time of a run.
            settings: { OHLC_REFRESH_MS: "0" },
            upstreams: delayed(sandbox, () => behind).pipe(
              Upstreams.edit(
                () => lie !== undefined,
                ({ request, response }) =>
                  Effect.flatMap(
                    Effect.promise(async () => (await lie?.(request, () => response.text())) ?? response),
                    (changed) =>
                      changed === "hang"
                        ? Effect.never
                        : changed === "late"
                          ? Effect.delay(Effect.succeed(response), "20 seconds")
                          : Effect.succeed(changed)
                  )
              )
            )
          })
        )
      ),
      Service
    )
    // Reads in the background at the start are not calls of a request.
    yield* pass(settling)
    const ask = ({ body, path }: Asked) =>
      Effect.gen(function* () {
        const before = service.requests.length
        const init = body === undefined ? {} : { method: "POST", headers: json, body: JSON.stringify(body) }
        const read = Effect.flatMap(service.fetch(path, init), (response) =>
          Effect.promise(async () => ({
            status: response.status,
            failures: response.headers.get("x-partial-failures"),
            text: await response.text()
          }))
        )
        const { outcome, took } = yield* finish(read)
        const { failures, status, text } = yield* outcome
        const calls = service.requests.slice(before)
        const answered: Answered = { status, body: parsed(text), text, failures, took, calls }
        return answered
      })
    return {
      ask,
      pass,
      setBack,
      world: sandbox.world,
      /** Requests to upstreams at the start. */
      started: service.requests.slice(),
      /** Runs an effect on the clock of the service. */
      live,
      tell: (next: Lie | undefined, upstream?: Behind) => {
        lie = next
        behind = upstream
      }
    }
  })
