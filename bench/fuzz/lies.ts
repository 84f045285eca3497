// Requests every route that returns numbers while the simulated upstreams return wrong numbers ("lies").
import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { samples } from "../../test/chains/families/samples.ts"
import { Service } from "../../test/support/app.ts"
import { rewritingSandbox } from "../../test/support/lies.ts"
import { numberRoutes, type RouteLie, routeLies } from "../../test/support/lyingRoutes.ts"

export interface LiesResult {
  /** All responses, and those for which an upstream returned a lie. */
  readonly responses: number
  readonly affected: number
  /** Responses that contain a lie. */
  readonly believed: ReadonlyArray<string>
  /** Responses with an internal error. */
  readonly broken: ReadonlyArray<string>
}

/** One network of each family. */
const networks = [...new Map(Catalogue.all.toReversed().map((facts) => [facts.family, facts])).values()]

const addressesOf = (networks: ReadonlyArray<Catalogue.AnyFacts>) =>
  Object.fromEntries(networks.map((facts) => [facts.id as string, samples(facts, 1, 1)]))

/** The responses of all routes while upstreams return one lie, from a service with empty caches. */
const affected = (lie: RouteLie) => {
  const concerned = lie.network === undefined ? networks : Catalogue.all.filter(({ id }) => id === lie.network)
  const { layer, rewriting } = rewritingSandbox(concerned)
  rewriting.lies = lie.lies
  return Effect.gen(function* () {
    const routes = numberRoutes(yield* Service, addressesOf(concerned))
    return yield* Effect.forEach(routes, ([route, response]) =>
      Effect.gen(function* () {
        rewriting.replaced = 0
        const { status, text } = yield* Effect.flatMap(response, (answer) =>
          Effect.promise(async () => ({ status: answer.status, text: await answer.text() }))
        )
        return { route, status, text, isTold: rewriting.replaced > 0 }
      })
    )
  }).pipe(Effect.provide(Service.layer({ BLOCKFROST_PROJECT_ID: "k", ETHERSCAN_API_KEY: "k" }, layer)), Effect.scoped)
}

export const lies = Effect.gen(function* () {
  const believed: Array<string> = []
  const broken: Array<string> = []
  let [responses, lying] = [0, 0]
  for (const lie of routeLies)
    for (const { isTold, route, status, text } of yield* affected(lie)) {
      responses++
      if (isTold) lying++
      const shown = `${lie.name}: ${route}: ${status} ${text.slice(0, 300)}`
      if (status === 500) broken.push(shown)
      else if (isTold && lie.containsWrongValue(route, text)) believed.push(shown)
    }
  return { responses, affected: lying, believed, broken } satisfies LiesResult
})
