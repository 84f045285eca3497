import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as App from "../App.ts"
import { Chains } from "../chains/Chains.ts"
import { nearest } from "../kernel/text/closest.ts"
import { fromValue, inWords, type Lever, withLever } from "../upstream/levers/Lever.ts"
import { storedLevers } from "../upstream/levers/StoredLevers.ts"
import { Upstreams } from "../upstream/Upstreams.ts"
import { print } from "./print.ts"

export interface LeverOptions {
  readonly source?: string | undefined
  readonly network?: string | undefined
  readonly ability?: string | undefined
  readonly reason?: string | undefined
}

const unknown = (option: string, given: string, known: ReadonlyArray<string>, what: string) => {
  const meant = nearest(given, known)
  return Effect.fail(
    `--${option}: "${given}" is not ${what}${meant === undefined ? "." : `; did you mean ${meant}?`} GET /networks lists them`
  )
}

/** The lever of the options, whose source and network must exist: a misspelt name would switch nothing off. */
const leverOf = (state: Lever["state"], { ability, network, reason, source }: LeverOptions) =>
  Effect.gen(function* () {
    const chains = yield* Chains
    yield* chains.all
    const names = (yield* (yield* Upstreams).trials).map(({ name }) => name)
    if (source !== undefined && !names.includes(source))
      return yield* unknown("source", source, names, "the name of a source")
    const id = network === undefined ? undefined : Option.getOrUndefined(yield* chains.find(network))?.facts.id
    if (network !== undefined && id === undefined)
      return yield* unknown(
        "network",
        network,
        chains.facts.map(({ id }) => id),
        "a network"
      )
    const members = Object.entries({ state, source, network: id, ability, reason })
    const value = Object.fromEntries(members.filter(([, member]) => member !== undefined))
    const lever = Either.map(fromValue([value]), ([lever]) => lever)
    if (Either.isLeft(lever)) return yield* Effect.fail(`lever: ${lever.left.replace(/^0(\.|: )?/, "")}`)
    return yield* Effect.orDie(Effect.fromNullable(lever.right))
  }).pipe(
    Effect.provide(App.upstreams.pipe(Layer.provide(Logger.minimumLogLevel(LogLevel.None)))),
    Logger.withMinimumLogLevel(LogLevel.None)
  )

const failed = () => "lever: the store cannot be used: see CACHE, and whether this user may write to it"

const list = (levers: ReadonlyArray<Lever>) => print(levers.length === 0 ? "no levers" : levers.map(inWords).join("\n"))

/** Changes the levers in the store, which all processes that share it use, or lists them. */
export const lever = (action: string, options: LeverOptions) =>
  Effect.gen(function* () {
    if (action !== "off" && action !== "on" && action !== "list")
      return yield* Effect.fail(`lever: "${action}" is not allowed; allowed: off, on and list`)
    const added = action === "list" ? undefined : yield* leverOf(action, options)
    return yield* Effect.gen(function* () {
      const { isShared, read, replace } = yield* storedLevers
      if (!isShared)
        return yield* Effect.fail(
          "lever: CACHE=memory is not shared with the processes of the service; set CACHE and its variables as they have them, or use LEVERS_FILE"
        )
      const found = yield* Effect.mapError(read, failed)
      // Levers that this version cannot read are not replaced by fewer.
      if (Either.isLeft(found)) return yield* Effect.fail(`lever: those in the store: ${found.left}`)
      const before = found.right?.levers ?? []
      const levers = added === undefined ? before : withLever(before, added)
      if (added !== undefined) {
        const tooMany = Either.getLeft(fromValue(levers))
        if (Option.isSome(tooMany)) return yield* Effect.fail(`lever: ${tooMany.value}`)
        yield* Effect.mapError(replace(found.right, levers), failed)
      }
      yield* list(levers)
      return true
    }).pipe(Effect.provide(App.store))
  })
