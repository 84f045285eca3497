import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../../src/App.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as record from "../../src/cli/record.ts"
import { placeholders } from "../../src/sandbox/placeholders.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { LogOutput, type Output } from "../../src/telemetry/LogSink.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { outputTo, run } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { longTimeouts } from "../support/sandbox.ts"
import { networks } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = Sandbox.layer(Catalogue.all)

/** High rate limits, so that calls to simulated upstreams do not wait. */
const unlimited = Object.fromEntries(
  [...readFileSync("docs/operating.md", "utf8").matchAll(/`([A-Z_]+_PER_SECOND)`/g)].map(([, name]) => [name, "1000"])
)

const keys = {
  ...placeholders,
  ...unlimited,
  BLOCKFROST_PROJECT_ID: "secret-project",
  TONCENTER_API_KEY: "secret-key-of-toncenter",
  BITCOIN_RPC_URLS: "http://operator:secret-word@node.invalid"
}

/** Runs the command over this HTTP client, with queries for these networks; returns its output and its result. */
const recording = Effect.fnUntraced(function* (
  directory: string,
  live: Layer.Layer<HttpClient.HttpClient> = sandbox,
  queried: ReadonlyArray<string> = networks.map(({ id }) => id),
  { output, strict = false }: { readonly output?: Output["write"]; readonly strict?: boolean } = {}
) {
  let printed = ""
  const printing =
    output === undefined
      ? outputTo((text) => {
          printed += text
        })
      : Layer.succeed(LogOutput, { write: output })
  const settings = App.settings({ ...keys, ...record.variables, ...longTimeouts })
  const fits = yield* record
    .recordInto(directory, { live, strict, isQueried: ({ id }) => queried.includes(id) })
    .pipe(Effect.provide(Layer.merge(settings, printing)))
  return { fits, printed }
})

const filesOf = (directory: string, upstream: string) =>
  readdirSync(join(directory, upstream)).map((name) => readFileSync(join(directory, upstream, name), "utf8"))

const isForClients = (name: string) => /testnet|^tenderly$|^bitcoin-rpc$/.test(name)

/** Jupiter has a single kind of call, which the canary makes, too. */
const isOneCall = (name: string) => name === "jupiter"

const notQueried = Catalogue.all.filter((info) => !networks.includes(info))

/** The sandbox, with changed responses of some upstreams; undefined fails the request. */
const altered = (change: (upstream: string, text: string) => string | undefined) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (http) =>
      HttpClient.transform(http, (effect, request) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentUpstream
          const response = yield* effect
          const text = yield* response.text
          const changed = change(name, text)
          if (changed === undefined)
            return yield* new HttpClientError.RequestError({ request, reason: "Transport", description: "down" })
          return HttpClientResponse.fromWeb(request, new Response(changed, { status: response.status }))
        })
      )
    )
  ).pipe(Layer.provide(sandbox))

describe("wallet-data record", () => {
  it.scopedLive(
    "queries every upstream of every network, reports that the sandbox fits, and writes no secrets",
    function* () {
      const directory = yield* folder
      const { fits, printed } = yield* recording(directory)
      const [verdicts = [], unrecorded = [], sums] = printed.split("\n\n").map((part) => part.trimEnd().split("\n"))
      assert.deepStrictEqual(
        verdicts.filter((line) => !/^[a-z0-9-]+ +fits$/.test(line)),
        []
      )
      assert.isTrue(fits)
      const names = verdicts.map((line) => line.split(" ")[0] ?? "")
      // No query sends a transaction.
      assert.match(unrecorded.join("\n"), /^ripple-rpc: 7 of 9 calls are recorded, without gateway_balances, submit$/m)
      assert.match(
        unrecorded.join("\n"),
        /^bitcoin-esplora: 6 of 13 calls are recorded, without .*POST \/tx, GET \/tx\/\{hash\}, /m
      )
      assert.deepStrictEqual(sums, [`${names.length} upstreams fit, 0 do not fit, 0 cannot be reached`])
      assert.deepStrictEqual(readdirSync(directory).sort(), [...names].sort())
      // Upstreams with only a canary call must be those that have side effects or only proxy calls of clients.
      const canaryAlone = names.filter(
        (name) => filesOf(directory, name).length < 2 && !notQueried.some(({ id }) => name.startsWith(`${id}-`))
      )
      assert.deepStrictEqual(
        canaryAlone.filter((name) => !isForClients(name) && !isOneCall(name)),
        []
      )
      for (const name of names) for (const text of filesOf(directory, name)) assert.notInclude(text, "secret-", name)

      const check = yield* run(["check"], { ...keys, UPSTREAMS: `replay:${directory}`, CACHE: "memory" })
      assert.strictEqual(check.code, 0, check.stdout)
    }
  )

  it.scopedLive("reports misfits with their location, and unreachable upstreams, and fails", function* () {
    const directory = yield* folder
    const { fits, printed } = yield* recording(
      directory,
      altered((upstream, text) => {
        if (upstream === "defillama") return undefined
        if (upstream === "bitcoin-blockchain-info") return text.replaceAll('"final_balance"', '"finalBalance"')
        if (upstream === "koios") return text.replaceAll('"block_height"', '"height_of_block"')
        return text
      }),
      ["bitcoin", "cardano"]
    )
    assert.isFalse(fits)
    const misfit = "returned a response in an unexpected format"
    for (const line of [
      "defillama +unreachable: canary at coins.llama.fi: could not be reached; prices and charts: could not be reached",
      "bitcoin-blockchain-info +does not fit: balances: returned a response that cannot be read; canary .*",
      `koios +does not fit: history: ${misfit} \\(at 0.block_height\\); protocol parameters: .*`
    ])
      assert.match(printed, new RegExp(`^${line}$`, "m"))
    const others = printed.match(/^[a-z0-9-]+ +fits$/gm) ?? []
    assert.match(printed, new RegExp(`^${others.length} upstreams fit, 2 do not fit, 1 cannot be reached$`, "m"))
    assert.notInclude(printed, "secret")
  })

  it.scopedLive("fails if the blocks of a network come at another rate than its facts say", function* () {
    let reads = 0
    const later = (text: string) => {
      const { block_header, blockID } = JSON.parse(text)
      if (block_header?.raw_data?.number === undefined) return text
      const number = block_header.raw_data.number + 100 * reads++
      const raw_data = { ...block_header.raw_data, number }
      return JSON.stringify({
        blockID: `${number.toString(16).padStart(16, "0")}${blockID.slice(16)}`,
        block_header: { raw_data }
      })
    }
    const { fits, printed } = yield* recording(
      yield* folder,
      altered((upstream, text) => (upstream === "trongrid" ? later(text) : text)),
      ["tron"]
    )
    assert.isFalse(fits)
    assert.match(printed, /^tron: a block takes 0\.\d+ s, and 3 s in the facts of the network$/m)
  })

  it.scopedLive("fails if no upstream responds, and if its report is lost", function* () {
    const down = altered(() => undefined)
    const { fits, printed } = yield* recording(yield* folder, down, [])
    assert.isFalse(fits)
    assert.match(printed, /^0 upstreams fit, 0 do not fit, [1-9]\d* cannot be reached$/m)
    const full = Object.assign(new Error("no space"), { code: "ENOSPC" })
    const lost = recording(yield* folder, down, [], { output: (_, done) => done(full, 0) })
    assert.strictEqual(yield* Effect.flip(lost), "standard output: ENOSPC")
  })

  it.scopedLive("with --strict fails if one upstream cannot be reached", function* () {
    const live = altered((upstream, text) => (upstream === "tenderly" ? undefined : text))
    const { fits, printed } = yield* recording(yield* folder, live, [])
    assert.match(printed, /0 do not fit, 1 cannot be reached$/m)
    assert.isTrue(fits)
    assert.isFalse((yield* recording(yield* folder, live, [], { strict: true })).fits)
  })

  it.scopedLive("fails if an exchange could not be written, and prints how many and why", function* () {
    const directory = yield* folder
    // A file is where the folder of an upstream should be.
    writeFileSync(join(directory, "koios"), "")
    const { fits, printed } = yield* recording(directory, sandbox, [])
    assert.isFalse(fits)
    assert.match(printed, /, 0 do not fit, 0 cannot be reached\n[1-9]\d* exchanges could not be written: .*koios/m)
  })

  it("overrides ACCESS, API_KEYS and API_KEYS_FILE, so that its own requests need no key", () => {
    const named = { ACCESS: "open", API_KEYS: "", API_KEYS_FILE: "" }
    assert.deepInclude(record.variables, named)
  })

  it.live("needs a writable folder", function* () {
    const none = yield* run(["record"])
    assert.strictEqual(none.code, 1)
    assert.match(none.stderr, /^record needs DIR\n\nusage: /)
    const wrong = yield* run(["record", "/proc/nowhere"])
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /^record: "\/proc\/nowhere" is not a folder that can be written to\n$/)
    assert.strictEqual(wrong.stdout, "")
  })
})
