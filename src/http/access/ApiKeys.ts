import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as MetricKey from "effect/MetricKey"
import * as Redacted from "effect/Redacted"
import { SettingError } from "../../settings/Settings.ts"
import { readText } from "../../settings/textFile.ts"
import { reloading } from "../../workers/reloadedFile.ts"
import { type ApiKey, hashOf, plain } from "./ApiKey.ts"
import * as KeyFile from "./KeyFile.ts"

export interface ApiKeys {
  /** Finds the key with this text. The duration depends only on its hash, which does not help to guess a key. */
  readonly find: (candidate: string) => ApiKey | undefined
  /** The keys that are accepted now. */
  readonly all: () => Iterable<ApiKey>
}

const missingFile = MetricKey.gauge("api_keys_file_missing", {
  description: "1 while there is no file at API_KEYS_FILE; its keys stay in use"
})

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
    const keys: ApiKeys = {
      find: (candidate) => (current.size === 0 ? undefined : current.get(hashOf(candidate))),
      all: () => current.values()
    }
    if (path === "") return keys

    const take = Effect.map(
      Effect.suspend(() => read(path)),
      (filed) => {
        current = byHash([...own, ...filed])
        return `${filed.length} ${filed.length === 1 ? "key" : "keys"}`
      }
    )
    const file = {
      variable: "API_KEYS_FILE",
      path,
      take,
      consequence: "the previous keys stay in use",
      missing: `"${path}" is missing; its keys stay in use, also one that was to be revoked: write the file again`,
      gauge: missingFile
    }
    yield* reloading(file, (problem) => new SettingError({ variable: "API_KEYS_FILE", problem }))
    return keys
  })
