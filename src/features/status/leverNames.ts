import * as Effect from "effect/Effect"
import { Chains } from "../../chains/Chains.ts"
import { nearest } from "../../kernel/text/closest.ts"
import type { Lever } from "../../upstream/levers/Lever.ts"
import { Levers } from "../../upstream/levers/Levers.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"

/**
 * Warns of each source and network that a lever of LEVERS_FILE names and that does not exist: the lever switches nothing
 * off. Runs each time the file is read.
 */
export const warnOfUnknown = Effect.gen(function* () {
  const { watchFile } = yield* Levers
  const { all, facts } = yield* Chains
  const { trials } = yield* Upstreams
  const networks = facts.map(({ id }) => id)

  const warning = (what: string, name: string, known: ReadonlyArray<string>) => {
    const meant = nearest(name, known)
    return Effect.logWarning(
      `LEVERS_FILE: "${name}" is not ${what}, so its lever changes nothing${meant === undefined ? "." : `; did you mean ${meant}?`} GET /networks lists them`
    )
  }

  const check = (levers: ReadonlyArray<Lever>) =>
    Effect.gen(function* () {
      if (levers.length === 0) return
      // Builds the networks first, because building registers their upstreams.
      yield* all
      const sources = (yield* trials).map(({ name }) => name)
      const unknown = (names: ReadonlyArray<string | undefined>, known: ReadonlyArray<string>) =>
        [...new Set(names)].flatMap((name) => (name === undefined || known.includes(name) ? [] : [name]))
      for (const name of unknown(
        levers.map(({ source }) => source),
        sources
      ))
        yield* warning("the name of a source", name, sources)
      for (const name of unknown(
        levers.map(({ network }) => network),
        networks
      ))
        yield* warning("the id of a network", name, networks)
    })
  yield* watchFile(check)
})
