import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as MetricKey from "effect/MetricKey"
import * as Queue from "effect/Queue"
import { labelled } from "../kernel/counters.ts"
import { versionOf } from "../settings/textFile.ts"
import { onHangup } from "./processes.ts"

/** Interval of the checks for a change of the file, seconds. */
const checkInterval = 5

const checksPerMinute = 60 / checkInterval

/** A file of settings that is reloaded while the service runs. */
export interface ReloadedFile {
  /** Name of the variable with its path, for the log. */
  readonly variable: string
  readonly path: string
  /** Reads the file and uses its content; returns what it is, in words. If it fails, the previous content stays in use. */
  readonly take: Effect.Effect<string, string>
  /** Says after a failure what stays in use. */
  readonly consequence: string
  /** The log line while the file is missing. */
  readonly missing: string
  /** 1 while the file is missing. */
  readonly gauge: MetricKey.MetricKey.Gauge<number>
  /** Whether the gauge is 1 while the content is invalid, too. */
  readonly countsInvalid?: boolean
}

/** While a file is being replaced, it is missing for a moment: one check does not count. */
const noting = ({ countsInvalid = false, gauge, missing, variable }: ReloadedFile) => {
  const metric = labelled(gauge, {})
  let checks = 0
  let isInvalid = false
  const measure = () => metric.unsafeUpdate(checks > 1 || (countsInvalid && isInvalid) ? 1 : 0, [])
  measure()
  return {
    taken: (isValid: boolean) =>
      Effect.sync(() => {
        isInvalid = !isValid
        measure()
      }),
    missing: (is: boolean) => {
      checks = is ? checks + 1 : 0
      measure()
      return checks % checksPerMinute === 2 ? Effect.logError(`${variable}: ${missing}`) : Effect.void
    }
  }
}

/**
 * Takes the file at the start, when it changes, and on SIGHUP. `failed` gets a problem of the start; later problems are
 * logged. While the file is missing, that is logged every minute.
 */
export const reloading = <E, R>(file: ReloadedFile, failed: (problem: string) => Effect.Effect<void, E, R>) =>
  Effect.gen(function* () {
    const { consequence, path, variable } = file
    // Before the first reading, so that no later change is lost.
    let version = versionOf(path)
    const note = noting(file)
    const take = Effect.tapBoth(file.take, { onFailure: () => note.taken(false), onSuccess: () => note.taken(true) })
    yield* Effect.catchAll(Effect.asVoid(take), failed)
    const again = Effect.matchEffect(take, {
      onFailure: (problem) => Effect.logError(`${variable}: ${problem}; ${consequence}`),
      onSuccess: (what) => Effect.logInfo(`${variable}: reloaded, ${what}`)
    })
    const hangups = yield* Queue.sliding<void>(1)
    yield* onHangup(() => Queue.unsafeOffer(hangups, undefined))
    yield* Queue.take(hangups).pipe(Effect.zipRight(again), Effect.forever, Effect.forkScoped)
    yield* Effect.sleep(Duration.seconds(checkInterval)).pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          const now = versionOf(path)
          const noted = note.missing(now === undefined)
          if (now === version || now === undefined) return noted
          version = now
          return again
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )
  })
