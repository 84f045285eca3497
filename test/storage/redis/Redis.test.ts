import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Redis from "../../../src/storage/redis/Redis.ts"
import { dated, Store, type StoreState } from "../../../src/storage/Store.ts"
import * as StoreHealth from "../../../src/storage/Stores.ts"
import * as Stores from "../../../src/storage/Stores.ts"
import { bundled } from "../../support/bundle.ts"
import { runScript } from "../../support/command.ts"
import { eventually } from "../../support/process.ts"
import { redisServer } from "../../support/redis.ts"
import { selfSigned } from "../../support/selfSigned.ts"
import { frozenClock } from "../../support/simulated.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const storeAt = (url: string, strict = false) => Layer.fresh(Redis.layer(Redacted.make(url), { strict }))

/** Values as the service stores them: a failure of Redis fails no request. */
const values = dated("prices", 1, Schema.Number)

const one = new Map([["a", { at: 1, value: 1 }]])

describe.skipIf(isMissing("redis-server"))("the store in Redis", () => {
  it.scopedLive("is shared by all processes that use it, including leases", function* () {
    const { command, url } = yield* redisServer()
    const [first, second] = yield* Effect.all([Layer.build(storeAt(url)), Layer.build(storeAt(url))])
    const inFirst = yield* Effect.provide(Store, first)
    const inSecond = yield* Effect.provide(Store, second)
    yield* inFirst.open("prices", 1).setMany(new Map([["a*b?[c]", 1]]), "1 minute")
    assert.strictEqual((yield* inSecond.open("prices", 1).getMany(["a*b?[c]"])).get("a*b?[c]"), 1)
    assert.isTrue(yield* inFirst.claim("refresh", "first", "1 minute"))
    assert.isFalse(yield* inSecond.claim("refresh", "second", "1 minute"))
    yield* inSecond.release("refresh", "second")
    assert.isFalse(yield* inSecond.claim("refresh", "second", "1 minute"))
    yield* inFirst.release("refresh", "first")
    assert.isTrue(yield* inSecond.claim("refresh", "second", "1 minute"))
    // Every key has the prefix of the service, and expires.
    const keys = (yield* command("KEYS", "*")) as ReadonlyArray<string>
    assert.strictEqual(keys.length, 2)
    for (const key of keys) {
      assert.match(key, /^wallet-data:1:/)
      assert.isAbove(Number(yield* command("PTTL", key)), 0)
    }
  })

  it.scopedLive("gets many values with one command", function* () {
    const { command, url } = yield* redisServer()
    const { open } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url, true)))
    const entries = new Map(Array.from({ length: 100 }, (_, index) => [`key ${index}`, index]))
    yield* open("prices", 1).setMany(entries, "1 minute")
    assert.deepStrictEqual(yield* open("prices", 1).getMany([...entries.keys()]), entries)
    assert.match(String(yield* command("INFO", "commandstats")), /^cmdstat_mget:calls=1,/m)
  })

  it.scopedLive("takes a lease whose end is no time, or later than a clock can have written", function* () {
    const { command, url } = yield* redisServer()
    const { claim } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    assert.isTrue(yield* claim("refresh", "first", "1 minute"))
    const [key = ""] = (yield* command("KEYS", "*")) as ReadonlyArray<string>
    for (const [index, end] of ["never", "9e15"].entries()) {
      yield* command("HSET", key, "until", end)
      assert.isTrue(yield* claim("refresh", `other ${index}`, "1 minute"))
      assert.isFalse(yield* claim("refresh", "first", "1 minute"))
    }
  })

  it.scopedLive("clears its own keys only, not those of a version with the same first digit", function* () {
    const { url } = yield* redisServer()
    const { open } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    const many = new Map(Array.from({ length: 3_000 }, (_, index) => [`key-${index}`, index]))
    yield* open("prices", 1).setMany(many, "1 minute")
    yield* open("prices", 10).setMany(new Map([["a", 1]]), "1 minute")
    yield* open("prices", 1).clear
    assert.strictEqual((yield* open("prices", 1).getMany([...many.keys()])).size, 0)
    assert.strictEqual((yield* open("prices", 10).getMany(["a"])).size, 1)
  })

  it.scopedLive("fails no request while it is unavailable, and is used again once it is available", function* () {
    const { kill, start, url } = yield* redisServer()
    const context = yield* Layer.build(storeAt(url))
    const { getMany, setMany } = yield* Effect.provide(values, context)
    const isUsed = eventually(
      Effect.filterOrFail(
        Effect.zipRight(setMany(one, "1 minute"), getMany(["a"])),
        (found: ReadonlyMap<string, unknown>) => found.size === 1
      )
    )
    yield* isUsed
    yield* kill
    assert.strictEqual((yield* getMany(["a"])).size, 0)
    yield* setMany(one, "1 minute")
    yield* start
    yield* isUsed
  })

  it.scopedLive("reports in its health if it is up, read-only or down, and recovers without a request", function* () {
    const { command, pause, resume, url } = yield* redisServer("--maxmemory-policy", "noeviction")
    const context = yield* Layer.build(StoreHealth.layerWithHealth("redis", storeAt(url)))
    const { health } = yield* Effect.provide(Store, context)
    const { getMany, setMany } = yield* Effect.provide(values, context)
    assert.strictEqual(health?.kind, "redis")
    const becomes = (state: StoreState, after: Effect.Effect<void> = Effect.void) =>
      eventually(
        Effect.filterOrFail(Effect.zipRight(after, health?.state ?? Effect.fail("none")), (found) => found === state)
      )
    const write = setMany(one, "1 minute")
    yield* becomes("up")
    yield* command("CONFIG", "SET", "maxmemory", "1")
    yield* becomes("read-only", write)
    yield* command("CONFIG", "SET", "maxmemory", "0")
    yield* becomes("up", write)
    // Slow: the operation times out, and its caller continues without it.
    yield* pause
    assert.strictEqual((yield* getMany(["a"])).size, 0)
    yield* becomes("down")
    yield* resume
    yield* becomes("up")
  })

  it.scopedLive("may be unavailable at the start, unless CACHE_STRICT is set", function* () {
    const { kill, start, url } = yield* redisServer()
    yield* kill
    const refused = yield* Effect.flip(Effect.scoped(Layer.build(storeAt(url, true))))
    assert.match(refused.message, /^REDIS_URL: Redis cannot be reached: /)
    assert.notInclude(refused.message, "127.0.0.1")
    const { open } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    assert.strictEqual((yield* Effect.flip(open("prices", 1).getMany(["a"]))).operation, "getMany")
    yield* start
    yield* eventually(open("prices", 1).setMany(new Map([["a", 1]]), "1 minute"))
  })

  it.scopedLive("continues to serve reads while it is full, or is a read-only replica", function* () {
    const { command, url } = yield* redisServer("--maxmemory-policy", "noeviction")
    const { claim, open } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    const entries = open("prices", 1)
    yield* entries.setMany(new Map([["a", 1]]), "1 minute")
    yield* command("CONFIG", "SET", "maxmemory", "1")
    assert.match((yield* Effect.flip(entries.setMany(new Map([["b", 1]]), "1 minute"))).message, /OOM/)
    assert.strictEqual((yield* entries.getMany(["a", "b"])).size, 1)
    yield* command("CONFIG", "SET", "maxmemory", "0")
    yield* command("REPLICAOF", "127.0.0.1", "1")
    assert.match((yield* Effect.flip(entries.setMany(new Map([["b", 1]]), "1 minute"))).message, /READONLY/i)
    yield* Effect.flip(claim("refresh", "a", "1 minute"))
    assert.strictEqual((yield* entries.getMany(["a"])).size, 1)
    yield* command("REPLICAOF", "NO", "ONE")
    yield* command("FLUSHALL")
    assert.strictEqual((yield* entries.getMany(["a"])).size, 0)
    yield* entries.setMany(new Map([["a", 2]]), "1 minute")
  })

  it.scopedLive("ignores values in another format", function* () {
    const { command, url } = yield* redisServer()
    const { open } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    yield* open("prices", 1).setMany(new Map(["a", "b", "c", "d"].map((key) => [key, 1])), "1 minute")
    const keys = (yield* command("KEYS", "*")) as ReadonlyArray<string>
    const keyOf = (key: string) => keys.find((name) => name.endsWith(`:${key}`)) ?? ""
    for (const [key, text] of Object.entries({ a: "{", b: '"x"', c: '["soon",1]', d: "[null,4]" }))
      yield* command("SET", keyOf(key), text)
    assert.deepStrictEqual(Object.fromEntries(yield* open("prices", 1).getMany(["a", "b", "c", "d"])), { d: 4 })
  })

  it.scopedLive("resets a quota level in another format, and keeps the other levels", function* () {
    const { command, url } = yield* redisServer()
    const { take } = yield* Effect.provide(Store, yield* Layer.build(storeAt(url)))
    const bucket = (name: string) => ({ name, capacity: 10, interval: 1e9, localLevel: { filled: 0, since: 1 } })
    const want = { units: 1, minUnits: 1, owing: false, wait: 0, reserve: 0, ahead: 0, used: 0 }
    const now = String(Date.now())
    yield* command("SET", "wallet-data:1:quota:text", "9")
    yield* command("HSET", "wallet-data:1:quota:words", "filled", "many", "at", now, "since", "1")
    yield* command("HSET", "wallet-data:1:quota:good", "filled", "9", "at", now, "since", "1")
    const levels = yield* Effect.forEach(["text", "words", "good"], (name) =>
      Effect.map(take?.({ ...want, buckets: [bucket(name)] }) ?? Effect.dieMessage("cannot share"), (taken) =>
        Math.round(taken.levels[0]?.filled ?? Number.NaN)
      )
    )
    assert.deepStrictEqual(levels, [1, 1, 10])
  })

  it.scopedLive("sends the user and the password if the server requires them", function* () {
    const { url } = yield* redisServer("--requirepass", "whispered")
    const chosen = (address: string) =>
      Layer.provide(
        Layer.fresh(Stores.layer),
        Layer.merge(
          Settings.layer({ CACHE: "redis", REDIS_URL: address, CACHE_STRICT: "true" }),
          // With a stopped clock, a slow connection to Redis does not time out.
          Layer.setClock(frozenClock(Date.now()))
        )
      )
    const wrong = yield* Effect.flip(Effect.scoped(Layer.build(chosen(url.replace("//", "//:wrong@")))))
    assert.notInclude(wrong.message, "wrong@")
    const { open } = yield* Effect.provide(Store, yield* Layer.build(chosen(url.replace("//", "//default:whispered@"))))
    yield* open("prices", 1).setMany(new Map([["a", 1]]), "1 minute")
    assert.strictEqual((yield* open("prices", 1).getMany(["a"])).size, 1)
  })
})

const overTls = bundled("test/support/redisOverTls.ts")

describe.skipIf(isMissing("redis-server") || isMissing("openssl"))("the store in Redis over TLS", () => {
  it.scopedLive(
    "accepts a user with a password, from a process that trusts the certificate of the server",
    function* () {
      const { certificate, key } = yield* selfSigned("IP:127.0.0.1")
      const { url } = yield* redisServer(
        ..."--port 0 --tls-port {port} --tls-auth-clients no --user svc on >whispered ~* &* +@all".split(" "),
        ...["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate]
      )
      const address = url.replace("redis://", "rediss://svc:whispered@")
      const { code, stderr, stdout } = yield* runScript(overTls, [address], { NODE_EXTRA_CA_CERTS: certificate })
      assert.deepStrictEqual([code, stdout, stderr], [0, "1\n", ""])
      const refused = yield* runScript(overTls, [address], {})
      assert.match(refused.stderr, /^REDIS_URL: Redis cannot be reached: /)
      assert.notInclude(refused.stderr, "whispered")
    }
  )
})

describe("CACHE=redis", () => {
  it("requires an address", function* () {
    const chosen = (environment: Readonly<Record<string, string>>) =>
      Effect.flip(
        Effect.scoped(Layer.build(Layer.provide(Stores.layer, Settings.layer({ CACHE: "redis", ...environment }))))
      )
    assert.strictEqual((yield* chosen({})).message, "REDIS_URL: CACHE=redis needs the address of a server")
    const { message } = yield* chosen({ REDIS_URL: "http://user:whispered@redis.example" })
    assert.match(
      message,
      /^REDIS_URL: the value, which is not shown, is not allowed; allowed: redis:\/\/.*; a # in a password is written %23$/
    )
    assert.notInclude(message, "whispered")
  })
})
