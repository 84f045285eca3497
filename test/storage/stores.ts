import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import { describe } from "vitest"
import * as Memory from "../../src/storage/Memory.ts"
import * as Redis from "../../src/storage/redis/Redis.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import type { Store } from "../../src/storage/Store.ts"
import { redisServer } from "../support/redis.ts"
import { isMissing } from "../support/tools.ts"

const inFolder = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()).pipe(
  Effect.provide(BunFileSystem.layer)
)

/** A store of each kind that CACHE allows. */
export const stores: Readonly<Record<string, Layer.Layer<Store, unknown>>> = {
  memory: Memory.layer(),
  sqlite: Layer.unwrapScoped(Effect.map(inFolder, (folder) => Sqlite.layer(`${folder}/store.sqlite`))),
  redis: Layer.unwrapScoped(Effect.map(redisServer(), ({ url }) => Redis.layer(Redacted.make(url), { strict: true })))
}

/** Declares a suite for each of these stores; skips Redis if it is not installed. */
export const describeStores = (
  name: string,
  kinds: typeof stores,
  suite: (store: Layer.Layer<Store, unknown>, kind: string) => void
) => {
  for (const [kind, store] of Object.entries(kinds))
    describe.skipIf(kind === "redis" && isMissing("redis-server"))(`${name} ${kind}`, () => suite(store, kind))
}
