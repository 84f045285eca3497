import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as declare from "../../src/settings/declare.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { secretsOf } from "../../src/settings/secretsOf.ts"
import * as Logging from "../../src/telemetry/Logging.ts"
import { LogOutput } from "../../src/telemetry/LogSink.ts"
import { addressFor } from "../../src/telemetry/Telemetry.ts"
import { assert, describe, it } from "../support/vitest.ts"

const collector = declare.url({ name: "OTLP_URL", default: "", meaning: "a collector" })
const key = declare.secret({ name: "NODE_KEY", allowed: "any", meaning: "a key" })

/** The log of an effect in a format. */
const logOf = <A, E>(environment: Readonly<Record<string, string>>, use: Effect.Effect<A, E, Settings>) => {
  let text = ""
  const settings = Settings.layer(environment)
  return Effect.scoped(Effect.provide(use, Layer.provideMerge(Logging.layer, settings))).pipe(
    Effect.provideService(LogOutput, {
      write: (bytes, done) => {
        text += new TextDecoder().decode(bytes)
        done(null, bytes.length)
      }
    }),
    Effect.map(() => text)
  )
}

describe("the log", () => {
  for (const LOG_FORMAT of ["json", "logfmt", "pretty"])
    it.live(`contains no secret that any part of the service has read: ${LOG_FORMAT}`, function* () {
      const environment = {
        LOG_FORMAT,
        LOG_LEVEL: "debug",
        OTLP_URL: "http://ou:pw@127.0.0.1:9/x?k=q",
        NODE_KEY: 'a secret "key"'
      }
      const text = yield* logOf(
        environment,
        Effect.gen(function* () {
          const secret = yield* key
          const fault = new Error(`POST ${yield* collector}/v1/logs with ${secret && Redacted.value(secret)}`)
          yield* Effect.logDebug("a call failed", fault)
          yield* Effect.annotateLogs(Effect.logWarning("said"), { with: secret && Redacted.value(secret) })
          yield* Effect.ignore(Effect.tapErrorCause(Effect.fail(fault), (cause) => Effect.logError("failed", cause)))
        })
      )
      assert.include(text, "127.0.0.1:9/x")
      assert.include(text, "said")
      for (const part of ["ou:pw", "k=q", "a secret"]) assert.notInclude(text, part)
    })

  it("conceals keys, parts of addresses and values of pairs, and no ordinary words", () => {
    const has = (value: string, ...secrets: ReadonlyArray<string>) => assert.deepStrictEqual(secretsOf(value), secrets)
    has("0123456789abcdef", "0123456789abcdef", "0123456789abcdef")
    has("word")
    has("https://node.example/rpc")
    has("https://user:pass%20word@node.example/v2/0123456789abcdef", "user:pass word", "pass word", "0123456789abcdef")
    has("https://a.example,https://b.example?key=12345678", "?key=12345678", "12345678")
    has("authorization=Bearer%20x", "authorization=Bearer%20x", "Bearer x")
  })
})

describe("the address of the collector", () => {
  it("keeps its query behind the path", () => {
    assert.strictEqual(addressFor("http://a.example", "logs"), "http://a.example/v1/logs")
    assert.strictEqual(addressFor("http://a.example/x/", "logs"), "http://a.example/x/v1/logs")
    assert.strictEqual(addressFor("http://u:p@a.example/x?k=q/", "logs"), "http://u:p@a.example/x/v1/logs?k=q/")
  })
})
