import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Networks from "../../src/chains/Networks.ts"
import { Service, Upstreams } from "../../src/testing/index.ts"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { simulated } from "../support/simulated.ts"

export type Network = (typeof Catalogue.all)[number]

/** A request of a client. */
export interface Asked {
  readonly route: string
  readonly path: string
  /** The body of a POST. */
  readonly body?: unknown
}

/** What a client received. */
export interface Answered {
  readonly status: number
  readonly body: unknown
  /** Duration on the simulated clock, ms. */
  readonly took: number
  /** Requests to upstreams. */
  readonly calls: ReadonlyArray<UpstreamRequest>
}

/** Identifies equal upstream requests of two runs: ids of calls differ. */
export const keyOf = ({ body, method, upstream, url }: UpstreamRequest): string =>
  [upstream, method, url, body.replace(/"id":("[^"]*"|\d+)/g, '"id":0')].join(" ")

/** Changes the response to some upstream requests; undefined leaves it. */
export type Lie = (request: UpstreamRequest, text: () => Promise<string>) => Promise<Response | "hang" | undefined>

/** Start of all runs. */
const start = Date.UTC(2026, 10, 22, 12)

/** Time for the reads at the start, ms. */
const settling = 60_000

const json = { "content-type": "application/json" }

/** A new service over the sandbox of one network, on a simulated clock. */
export const begun = (info: Network) =>
  Effect.gen(function* () {
    const { finish, live, pass } = simulated(start)
    let lie: Lie | undefined
    const service = Context.get(
      yield* live(
        Layer.build(
          Service.layer({
            networks: Networks.only(info.id as never),
            upstreams: Upstreams.sandboxOf([info]).pipe(
              Upstreams.edit(
                () => lie !== undefined,
                ({ request, response }) =>
                  Effect.flatMap(
                    Effect.promise(async () => (await lie?.(request, () => response.text())) ?? response),
                    (changed) => (changed === "hang" ? Effect.never : Effect.succeed(changed))
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
          Effect.promise(async () => ({ status: response.status, text: await response.text() }))
        )
        const { outcome, took } = yield* finish(read)
        const { status, text } = yield* outcome
        const answered: Answered = { status, body: JSON.parse(text), took, calls: service.requests.slice(before) }
        return answered
      })
    return {
      ask,
      pass,
      tell: (next: Lie | undefined) => {
        lie = next
      }
    }
  })
