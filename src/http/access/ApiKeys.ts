import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Queue from "effect/Queue"
import * as Redacted from "effect/Redacted"
import { SettingError } from "../../settings/Settings.ts"
import { readText, versionOf } from "../../settings/textFile.ts"
import { onHangup } from "../../workers/processes.ts"
import { type ApiKey, hashOf, plain } from "./ApiKey.ts"
import * as KeyFile from "./KeyFile.ts"

export interface ApiKeys {
  /** Finds the key with this text. The duration depends only on its hash, which does not help to guess a key. */
  readonly find: (candidate: string) => ApiKey | undefined
}

/** Interval of the checks for a change of the file. */
const checkInterval = "5 seconds"

const read = (path: string): Either.Either<ReadonlyArray<ApiKey>, string> =>
  Either.flatMap(readText(path), (text) => Either.mapLeft(KeyFile.parse(text), (problem) => `"${path}": ${problem}`))

const byHash = (keys: ReadonlyArray<ApiKey>) => new Map(keys.map((key) => [key.hash, key]))

/**
 * Keys of API_KEYS and of a file. The file is reloaded when it changes and on SIGHUP. An invalid file stops the start;
 * later it is logged, and the current keys stay.
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
    yield* Effect.mapError(take, (problem) => new SettingError({ variable: "API_KEYS_FILE", problem }))

    const again = Effect.matchEffect(take, {
      onFailure: (problem) => Effect.logError(`API_KEYS_FILE: ${problem}; the previous keys stay in use`),
      onSuccess: (count) => Effect.logInfo(`API_KEYS_FILE: reloaded, ${count} ${count === 1 ? "key" : "keys"}`)
    })
    const hangups = yield* Queue.sliding<void>(1)
    yield* onHangup(() => Queue.unsafeOffer(hangups, undefined))
    yield* Queue.take(hangups).pipe(Effect.zipRight(again), Effect.forever, Effect.forkScoped)
    yield* Effect.sleep(checkInterval).pipe(
      Effect.zipRight(
        Effect.suspend(() => {
          const now = versionOf(path)
          // While a file is being replaced, it is missing for a moment.
          if (now === version || now === undefined) return Effect.void
          version = now
          return again
        })
      ),
      Effect.forever,
      Effect.forkScoped
    )
    return keys
  })
