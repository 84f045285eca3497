import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { logOnChange } from "../../kernel/logOnChange.ts"
import { readText } from "../../settings/textFile.ts"
import { leversFile } from "../../settings/variables.ts"
import { fromText, inWords, type Lever } from "../../upstream/levers/Lever.ts"
import { Levers, over } from "../../upstream/levers/Levers.ts"
import { type StoredLevers, storedLevers } from "../../upstream/levers/StoredLevers.ts"
import { reloading } from "../../workers/reloadedFile.ts"

const switchedOff = Metric.gauge("upstream_switched_off", {
  description:
    "1 while a lever of the operator switches an upstream off; the label is all if it names no upstream, network or ability"
})

const invalidFile = MetricKey.gauge("levers_file_invalid", {
  description: "1 while the file at LEVERS_FILE is missing or invalid; its previous levers stay in use"
})

const gaugeOf = ({ ability, network, source }: Lever) =>
  switchedOff.pipe(
    Metric.tagged("upstream", source ?? "all"),
    Metric.tagged("network", network ?? "all"),
    Metric.tagged("ability", ability ?? "all")
  )

const described = (levers: ReadonlyArray<Lever>) => (levers.length === 0 ? "no levers" : levers.map(inWords).join("; "))

/** How often a process reads the levers of the store, and until it could read them once. */
const interval = "5 seconds"
const firstInterval = "1 second"

const isSame = (levers: ReadonlyArray<Lever>, others: ReadonlyArray<Lever>) =>
  JSON.stringify(levers) === JSON.stringify(others)

/**
 * Follows the levers in the store. A process that has newer ones than the store writes them again, because a store may
 * lose values. Levers that are unreadable, and a store that fails, change nothing.
 */
const following = (taken: (levers: ReadonlyArray<Lever>) => Effect.Effect<void>) =>
  Effect.map(storedLevers, ({ isShared, read, write }) => {
    const failing = logOnChange()
    const invalid = logOnChange()
    let current: StoredLevers | undefined
    let isKnown = false
    const consequence = () => (isKnown ? "the previous levers stay in use" : "no levers are known yet")
    const follow = (found: StoredLevers | undefined) => {
      if (current !== undefined && (found === undefined || found.at < current.at)) return write(current)
      if (found === undefined || found.at === current?.at) return Effect.void
      const isChange = !isSame(found.levers, current?.levers ?? [])
      current = found
      return isChange
        ? Effect.zipRight(taken(found.levers), Effect.logInfo(`levers of the store: ${described(found.levers)}`))
        : Effect.void
    }
    const pass = read.pipe(
      Effect.flatMap(
        Either.match({
          onLeft: (problem) =>
            invalid(
              true,
              Effect.suspend(() => Effect.logError(`levers of the store: ${problem}; ${consequence()}`))
            ),
          onRight: (found) => {
            isKnown = true
            return Effect.zipRight(invalid(false, Effect.void), follow(found))
          }
        })
      ),
      Effect.zipRight(failing(false, Effect.logInfo("levers of the store can be read again"))),
      Effect.catchAll((cause) =>
        failing(
          true,
          Effect.suspend(() =>
            (isKnown ? Effect.logWarning : Effect.logError)(
              `levers of the store cannot be read; ${consequence()}`,
              cause
            )
          )
        )
      )
    )
    const next = Effect.suspend(() => Effect.delay(pass, isKnown ? interval : firstInterval))
    return { isShared, next, pass }
  })

/** The levers of the store, then those of the file, which decide on their machine. */
const make = Effect.gen(function* () {
  const path = yield* leversFile
  let stored: ReadonlyArray<Lever> = []
  let filed: ReadonlyArray<Lever> = []
  let all: ReadonlyArray<Lever> = []
  let watching = (_: ReadonlyArray<Lever>): Effect.Effect<void> => Effect.void
  const changed = Effect.suspend(() => {
    const before = all
    all = [...stored, ...filed]
    return Effect.forEach(
      [
        ...before.map((lever) => [lever, 0] as const),
        ...all.map((lever) => [lever, lever.state === "off" ? 1 : 0] as const)
      ],
      ([lever, value]) => Metric.set(gaugeOf(lever), value),
      { discard: true }
    )
  })
  const { isShared, next, pass } = yield* following((levers) => {
    stored = levers
    return changed
  })
  if (isShared) {
    yield* pass
    yield* Effect.forkScoped(Effect.forever(next))
  }
  if (path !== "") {
    const take = Effect.suspend(() =>
      Either.flatMap(readText(path), (text) => Either.mapLeft(fromText(text), (problem) => `"${path}": ${problem}`))
    ).pipe(
      Effect.tap((levers) => {
        filed = levers
        return Effect.zipRight(changed, watching(levers))
      }),
      Effect.map(described)
    )
    const file = {
      variable: "LEVERS_FILE",
      path,
      take,
      consequence: "the previous levers stay in use",
      missing: `"${path}" is missing; its levers stay in use: write the file again, with [] for none`,
      gauge: invalidFile,
      countsInvalid: true
    }
    // The service starts in any case: levers never take data away by a mistake.
    yield* reloading(file, (problem) => Effect.logError(`LEVERS_FILE: ${problem}; no lever of it is in use`))
    if (filed.length > 0) yield* Effect.logInfo(`LEVERS_FILE: ${described(filed)}`)
  }
  return over(
    () => all,
    (run) =>
      Effect.suspend(() => {
        watching = run
        return run(filed)
      })
  )
})

/** The levers of LEVERS_FILE and of the store. */
export const layer = Layer.scoped(Levers, make)
