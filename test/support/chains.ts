import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Chain } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"

export type AnyNetwork = Context.Tag.Service<Chain>

/** Builds all networks, for tests without the service. */
export const builtNetworks = Effect.gen(function* () {
  const { all, named } = yield* Chains
  return { all: yield* all, find: yield* named([]) }
})

/** A registry of these partial networks, found by id and alias. */
export const chainsOf = (networks: ReadonlyArray<object>) => {
  const all = networks as ReadonlyArray<AnyNetwork>
  const built = (name: string) =>
    all.find(({ facts }) => [facts?.id, ...(facts?.aliases ?? [])].includes(name.trim().toLowerCase()))
  const find = (name: string) => Option.fromNullable(built(name))
  return Layer.succeed(Chains, {
    facts: all.map(({ facts }) => facts),
    all: Effect.succeed(all),
    find: (name) => Effect.succeed(find(name)),
    named: () => Effect.succeed(find),
    built
  })
}
