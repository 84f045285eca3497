import { RedisClient } from "bun"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Redacted from "effect/Redacted"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Redis from "../../../src/storage/redis/Redis.ts"
import { slotOf } from "../../../src/storage/redis/slots.ts"
import { Store } from "../../../src/storage/Store.ts"
import * as Stores from "../../../src/storage/Stores.ts"
import { eventually } from "../../support/process.ts"
import { redisServer } from "../../support/redis.ts"
import { redisCluster, redisSentinel } from "../../support/redisCluster.ts"
import { selfSigned } from "../../support/selfSigned.ts"
import { isAll } from "../../support/tier.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const opened = (url: string, strict = true) =>
  Effect.flatMap(Layer.build(Layer.fresh(Redis.layer(Redacted.make(url), { strict }))), (context) =>
    Effect.provide(Store, context)
  )

const chosen = (environment: Readonly<Record<string, string>>) =>
  Effect.flatMap(
    Layer.build(
      Layer.provide(Layer.fresh(Stores.layer), Settings.layer({ CACHE: "redis", CACHE_STRICT: "true", ...environment }))
    ),
    (context) => Effect.provide(Store, context)
  )

const refused = (environment: Readonly<Record<string, string>>) =>
  Effect.map(Effect.flip(Effect.scoped(chosen(environment))), ({ message }) => message)

const many = new Map(Array.from({ length: 200 }, (_, index) => [`key-${index}`, index]))

/** Values of every group of keys, so of every server. */
const works = ({ open }: Effect.Effect.Success<typeof Store>) =>
  Effect.gen(function* () {
    const entries = open("prices", 1)
    yield* entries.setMany(many, "1 minute")
    assert.strictEqual((yield* entries.getMany([...many.keys()])).size, many.size)
  })

/** What an effect logs. */
const outputOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.suspend(() => {
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => void lines.push(String(message)))
    return Effect.map(Effect.provide(effect, Logger.replace(Logger.defaultLogger, logger)), () => lines.join("\n"))
  })

const bucket = (name: string) => ({ name, capacity: 10, interval: 1e9, localLevel: { filled: 0, since: 1 } })

describe("the slot of a key", () => {
  it.effect("depends on the text in its first braces, unless that is empty", () =>
    Effect.sync(() => {
      assert.strictEqual(slotOf("123456789"), 12_739)
      assert.strictEqual(slotOf("{user1000}.following"), slotOf("user1000"))
      assert.strictEqual(slotOf("foo{}{bar}"), 8_363)
      assert.strictEqual(slotOf("foo{{bar}}zap"), slotOf("{bar"))
      assert.strictEqual(slotOf("foo{bar}{zap}"), slotOf("bar"))
    })
  )
})

describe.skipIf(isMissing("redis-server"))("a Redis Cluster of three primaries", () => {
  it.scopedLive("holds entries, lists, leases and quotas, wherever their slots are and go", function* () {
    const { primaries } = yield* redisCluster()
    const [first, second] = primaries
    const store = yield* opened(first.url)
    yield* works(store)
    const entries = store.open("list:sent", 1)
    yield* entries.changeLists([...many.keys()], { add: ["a", "b"] }, "1 minute")
    assert.deepStrictEqual((yield* entries.getMany(["key-7"])).get("key-7"), ["a", "b"])
    for (const name of ["one", "two", "three", "four"]) {
      assert.isTrue(yield* store.claim(name, "a", "1 minute"))
      assert.isFalse(yield* store.claim(name, "b", "1 minute"))
      const buckets = ["second", "month", "2026-11"].map((word) => bucket(`budget ${name} ${word}`))
      const want = { buckets, place: `budget ${name}`, units: 1, minUnits: 1, wait: 0, reserve: 0 }
      assert.isTrue((yield* store.take?.(want) ?? Effect.dieMessage("cannot share")).isGranted)
    }
    // Every primary has keys, and each key the slot that this process thinks.
    for (const { command } of primaries) {
      const keys = (yield* command("KEYS", "*")) as ReadonlyArray<string>
      assert.isAbove(keys.length, 0)
      for (const key of keys.slice(0, 20)) assert.strictEqual(yield* command("CLUSTER", "KEYSLOT", key), slotOf(key))
    }
    // While a slot moves, the first node says ASK, and afterwards MOVED.
    const key = ((yield* first.command("KEYS", "*prices@1*")) as ReadonlyArray<string>)[0] ?? ""
    const slot = String(slotOf(key))
    const [from, to] = yield* Effect.all([first.command("CLUSTER", "MYID"), second.command("CLUSTER", "MYID")])
    yield* second.command("CLUSTER", "SETSLOT", slot, "IMPORTING", String(from))
    yield* first.command("CLUSTER", "SETSLOT", slot, "MIGRATING", String(to))
    const inSlot = (yield* first.command("CLUSTER", "GETKEYSINSLOT", slot, "1000")) as ReadonlyArray<string>
    const port = new URL(second.url).port
    yield* first.command("MIGRATE", "127.0.0.1", port, "", "0", "5000", "KEYS", ...inSlot)
    yield* works(store)
    for (const { command } of [second, first]) yield* command("CLUSTER", "SETSLOT", slot, "NODE", String(to))
    yield* works(store)
    yield* store.open("prices", 1).clear
    assert.strictEqual((yield* store.open("prices", 1).getMany([...many.keys()])).size, 0)
  })
})

describe.skipIf(!isAll || isMissing("redis-server"))("a Redis Cluster with a replica", () => {
  it.scopedLive("is used again after failovers: with the old primary alive, and killed", function* () {
    const { primaries, replica } = yield* redisCluster(true)
    assert.isDefined(replica)
    const store = yield* opened(`redis://127.0.0.1:1,${primaries[1].url.slice("redis://".length)}`)
    yield* works(store)
    yield* replica.command("CLUSTER", "FAILOVER", "TAKEOVER")
    yield* eventually(works(store))
    yield* eventually(
      Effect.filterOrFail(replica.command("INFO", "replication"), (said) => String(said).includes("role:master"))
    )
    yield* works(store)
    yield* replica.kill
    yield* primaries[0].command("CLUSTER", "FAILOVER", "TAKEOVER")
    yield* eventually(works(store))
  })
})

describe.skipIf(!isAll || isMissing("redis-server"))("Redis behind Sentinels", () => {
  it.scopedLive("is used again after a failover with the old primary alive", function* () {
    const primary = yield* redisServer()
    const replica = yield* redisServer("--replicaof", "127.0.0.1", new URL(primary.url).port)
    const role = (word: string, { command }: typeof primary) =>
      eventually(Effect.filterOrFail(command("INFO", "replication"), (said) => String(said).includes(word)))
    yield* role("master_link_status:up", replica)
    const sentinel = yield* redisSentinel(primary)
    const store = yield* opened(`redis+sentinel://127.0.0.1:1,${sentinel}/main`)
    yield* works(store)
    assert.strictEqual(
      yield* refused({ REDIS_URL: `redis+sentinel://${sentinel}/other` }),
      "REDIS_URL: no Sentinel knows the name other"
    )
    assert.match(yield* refused({ REDIS_URL: `redis://${sentinel}` }), /^REDIS_URL: leads to a Sentinel: write/)
    const asked = yield* Effect.acquireRelease(
      Effect.sync(() => new RedisClient(`redis://${sentinel}`)),
      (client) => Effect.sync(() => client.close())
    )
    const failover = Effect.tryPromise(() => asked.send("SENTINEL", ["FAILOVER", "main"]))
    yield* eventually(failover)
    yield* role("role:master", replica)
    yield* role("role:slave", primary)
    yield* eventually(works(store))
    assert.isAbove(((yield* replica.command("KEYS", "*")) as ReadonlyArray<string>).length, 0)
  })
})

describe.skipIf(isMissing("redis-server"))("a form of Redis that is not supported", () => {
  it.scopedLive("fails the start by name", function* () {
    const { command, url } = yield* redisServer(..."--user svc on nopass ~* &* +@all -eval".split(" "))
    assert.strictEqual(
      yield* refused({ REDIS_URL: url.replace("//", "//svc:x@"), CACHE_STRICT: "false" }),
      "REDIS_URL: does not allow EVAL, which the service needs"
    )
    yield* command("REPLICAOF", "127.0.0.1", "1")
    assert.strictEqual(yield* refused({ REDIS_URL: url }), "REDIS_URL: leads to a replica, which cannot be written")
    const node = yield* redisServer("--cluster-enabled", "yes")
    assert.strictEqual(
      yield* refused({ REDIS_URL: `${node.url}/1` }),
      "REDIS_URL: names a database, and a Cluster has only database 0"
    )
  })

  it("has an address that is refused", function* () {
    for (const url of [
      "redis+unix:///run/redis",
      "redis+sentinel://one",
      "redis+sentinel://one/a/b/c",
      "redis://one,/0",
      "redis://one/zero",
      "redis://one?x=1",
      "memcached://one"
    ])
      assert.match(yield* refused({ REDIS_URL: url }), /^REDIS_URL: the value, which is not shown, is not allowed; /)
  })
})

describe.skipIf(isMissing("redis-server"))("REDIS_LIMITS_URL", () => {
  it.scopedLive("has data that cannot be fetched again, and should not evict", function* () {
    const values = yield* redisServer("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
    const limits = yield* redisServer("--maxmemory", "100mb", "--maxmemory-policy", "noeviction")
    const warnings = yield* outputOf(Effect.scoped(chosen({ REDIS_URL: values.url })))
    assert.include(warnings, "REDIS_URL: with maxmemory-policy allkeys-lru, a full server evicts counts of limits")
    const none = yield* outputOf(
      Effect.scoped(
        Effect.gen(function* () {
          const store = yield* chosen({
            REDIS_URL: values.url,
            REDIS_LIMITS_URL: limits.url.replace("redis", "valkey")
          })
          yield* store.open("prices", 1).setMany(new Map([["a", 1]]), "1 minute")
          yield* store.open("list:sent", 1).changeLists(["a"], { add: ["b"] }, "1 minute")
          yield* store.claim("lease", "a", "1 minute")
          yield* store.take?.({ buckets: [bucket("one")], units: 1, minUnits: 1, wait: 0, reserve: 0 }) ?? Effect.void
        })
      )
    )
    assert.notInclude(none, "maxmemory")
    assert.strictEqual(((yield* values.command("KEYS", "*")) as ReadonlyArray<string>).length, 1)
    assert.strictEqual(((yield* limits.command("KEYS", "*")) as ReadonlyArray<string>).length, 3)
  })
})

describe.skipIf(isMissing("redis-server"))("a server that evicts, and cannot be reached at the start", () => {
  it.scopedLive("is warned of once, when it can be reached", function* () {
    const { kill, start, url } = yield* redisServer("--maxmemory", "100mb", "--maxmemory-policy", "allkeys-lru")
    yield* kill
    const warned = Promise.withResolvers<string>()
    const lines: Array<string> = []
    const logger = Logger.make(({ message }) => {
      const line = String(message)
      if (!line.includes("maxmemory-policy")) return
      lines.push(line)
      warned.resolve(line)
    })
    yield* Effect.gen(function* () {
      yield* Layer.build(Redis.layer(Redacted.make(url), { strict: false, keepsLimits: true }))
      assert.deepStrictEqual(lines, [])
      yield* start
      assert.include(yield* Effect.promise(() => warned.promise), "REDIS_URL: with maxmemory-policy allkeys-lru")
    }).pipe(Effect.provide(Logger.replace(Logger.defaultLogger, logger)))
    assert.lengthOf(lines, 1)
  })
})

describe.skipIf(isMissing("redis-server") || isMissing("openssl"))("Redis with a private authority", () => {
  it.scopedLive("is trusted by REDIS_CA_FILE, and trusts the certificate of REDIS_CERT_FILE", function* () {
    const { certificate, key } = yield* selfSigned("IP:127.0.0.1")
    const { url } = yield* redisServer(
      ..."--port 0 --tls-port {port} --tls-auth-clients yes".split(" "),
      ...["--tls-cert-file", certificate, "--tls-key-file", key, "--tls-ca-cert-file", certificate]
    )
    const environment = { REDIS_URL: url.replace("redis:", "rediss:"), REDIS_CA_FILE: certificate }
    const own = { REDIS_CERT_FILE: certificate, REDIS_KEY_FILE: key }
    yield* works(yield* chosen({ ...environment, ...own }))
    assert.match(yield* refused(environment), /^REDIS_URL: Redis cannot be reached: /)
    assert.match(yield* refused({ ...environment, REDIS_CERT_FILE: certificate }), /^REDIS_KEY_FILE: is missing/)
    assert.match(yield* refused({ ...environment, REDIS_CA_FILE: `${key}.not` }), /^REDIS_CA_FILE: .*cannot be read/)
  })
})
