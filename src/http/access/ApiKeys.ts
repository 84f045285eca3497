import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as MetricKey from "effect/MetricKey"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { labelled } from "../../kernel/counters.ts"
import { SettingError } from "../../settings/Settings.ts"
import { readText, versionOf } from "../../settings/textFile.ts"
import { onHangup } from "../../workers/processes.ts"
import { type ApiKey, hashOf, plain } from "./ApiKey.ts"
import * as KeyFile from "./KeyFile.ts"

export interface ApiKeys {
  /** Finds the key with this text. The duration depends only on its hash, which does not help to guess a key. */
  readonly find: (candidate: string) => ApiKey | undefined
}

/** Interval of the checks for a change of the file, seconds. */
const checkInterval = 5

const checksPerMinute = 60 / checkInterval

const missingFile = MetricKey.gauge("api_keys_file_missing", {
  description: "1 while there is no file at API_KEYS_FILE; its keys stay in use"
})

/** While a file is being replaced, it is missing for a moment: one check does not count. */
const missing = (path: string) => {
  const metric = labelled(missingFile, {})
  let checks = 0
  metric.unsafeUpdate(0, [])
  return (is: boolean) => {
    checks = is ? checks + 1 : 0
    metric.unsafeUpdate(checks > 1 ? 1 : 0, [])
    return checks % checksPerMinute === 2
      ? Effect.logError(
          `API_KEYS_FILE: "${path}" is missing; its keys stay in use, also one that was to be revoked: write the file again`
        )
      : Effect.void
  }
}

const read = (path: string): Either.Either<ReadonlyArray<ApiKey>, string> =>
  Either.flatMap(readText(path), (text) => Either.mapLeft(KeyFile.parse(text), (problem) => `"${path}": ${problem}`))

const byHash = (keys: ReadonlyArray<ApiKey>) => new Map(keys.map((key) => [key.hash, key]))

/**
 * Keys of API_KEYS and of a file. The file is reloaded when it changes and on SIGHUP. An invalid file stops the start;
 * later it is logged, and the current keys stay. So they do while the file is missing, which is logged every minute.
 */
export const make = (plainKeys: ReadonlyArray<Redacted.Redacted<string>>, path: string) =>
  Effect.gen(function* () {
    const own = plainKeys.map((key, index) => plain(Redacted.value(key), `key-${index + 1}`))
    let current = byHash(own)
    const keys: ApiKeys = { find: (candidate) => (current.size === 0 ? undefined : current.get(hashOf(candidate))) }
    if (path === "") return keys

    const take = Effect.map(
      Effect.suspend(() => read(path)),
      (filed) => {
        current = byHash([...own, ...filed])
        return filed.length
      }
    )
    let version = versionOf(path)
    const noteMissing = missing(path)
    yield* Effect.mapError(take, (problem) => new SettingError({ variable: "API_KEYS_FILE", problem }))

    const again = Effect.matchEffect(take, {
      onFailure: (problem) => Effect.logError(`API_KEYS_FILE: ${problem}; the previous keys stay in use`),
      onSuccess: (count) => Effect.logInfo(`API_KEYS_FILE: reloaded, ${count} ${count === 1 ? "key" : "keys"}`)
    })
    const hangups = yield* Queue.sliding<void>(1)
    yield* onHangup(() => Queue.unsafeOffer(hangups, undefined))
    yield* Queue.take(hangups).pipe(Effect.zipRight(again), Effect.forever, Effect.forkScoped)
    yield* Effect.sleep(Duration.seconds(checkInterval)).pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          const now = versionOf(path)
          const noted = noteMissing(now === undefined)
          if (now === version || now === undefined) return noted
          version = now
          return again
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )
    return keys
  })
