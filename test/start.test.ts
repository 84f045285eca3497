import * as base from "@scure/base"
import * as btcSigner from "@scure/btc-signer"
import * as btcUtils from "@scure/btc-signer/utils.js"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as viem from "viem"
import * as accounts from "viem/accounts"
import type { Fetch } from "../src/client/Client.ts"
import { Service } from "./support/app.ts"
import { clientOver, execute, programsIn } from "./support/programs.ts"
import { evmSigner, witnessSigner } from "./support/signers.ts"
import { simulated } from "./support/simulated.ts"
import { assert, describe, it } from "./support/vitest.ts"

/** The modules that the programs import. */
const modules = (fetch: Fetch): Readonly<Record<string, object>> => ({
  "@scure/base": base,
  "@scure/btc-signer": btcSigner,
  "@scure/btc-signer/utils.js": btcUtils,
  viem,
  "viem/accounts": accounts,
  "wallet-data/client": clientOver(fetch)
})

/** Runs a program as printed against the service over the sandbox, on a simulated clock; returns the printed lines. */
const run = (program: string, key: string) =>
  Effect.gen(function* () {
    const { finish, live, pass } = simulated(Date.parse("2026-11-24T12:00:00Z"))
    const service = yield* finish(Layer.build(Layer.fresh(Service.layer())))
    const { handler } = Context.get(Either.getOrThrow(service.outcome), Service)
    yield* pass(30_000)
    const printed: Array<string> = []
    const own = modules((url, init) =>
      Effect.runPromise(
        live(
          Effect.map(finish(Effect.promise(() => handler(new Request(url, init)))), ({ outcome }) =>
            Either.getOrThrow(outcome)
          )
        )
      )
    )
    const log = (...values: ReadonlyArray<unknown>) => void printed.push(values.join(" "))
    const wait = (resume: () => void, milliseconds: number) => void Effect.runPromise(pass(milliseconds)).then(resume)
    const values = { process: { env: { PRIVATE_KEY: key } }, console: { log }, setTimeout: wait }
    yield* execute(program, { modules: own, values })
    return printed
  }).pipe(Effect.scoped)

const keys = Array.from({ length: 60 }, (_, index) => (index + 1).toString(16).padStart(2, "0").repeat(32))
const evmKey = keys.find(
  (key) => accounts.privateKeyToAccount(`0x${key}`).address.toLowerCase() === evmSigner("base").sender
)
const bitcoinKey = keys.find(
  (key) => btcSigner.p2wpkh(btcUtils.pubECDSA(base.hex.decode(key))).address === witnessSigner("bitcoin").sender
)

describe("the programs of docs/start.md", () => {
  const [balances = "", history = "", evm = "", bitcoin = "", errors = "", ...others] = programsIn("docs/start.md")

  it.live("show balances, a page of transactions and an error", function* () {
    assert.deepStrictEqual(others, [])
    const rows = yield* run(balances, "")
    assert.isTrue(rows.some((row) => /^ethereum \d+(\.\d+)? ETH \d+/.test(row)))
    assert.isTrue(rows.some((row) => /^bitcoin \d+(\.\d+)? BTC \d+/.test(row)))
    const lines = yield* run(history, "")
    const entries = lines.slice(0, -1)
    assert.isNotEmpty(entries)
    for (const line of entries) assert.match(line, /^20\d\d-\d\d-\d\dT\S+ .+ (Success|Failed|Pending) 0x[0-9a-f]{64}$/)
    assert.match(lines.at(-1) ?? "", /^[A-Za-z]/)
    assert.match((yield* run(errors, "")).join("\n"), /^problem 400 .*transaction.* [0-9a-f-]{36}$/)
  })

  it.live("send a payment on an EVM network, and follow it until it is final", function* () {
    const lines = yield* run(evm, `0x${evmKey}`)
    assert.match(lines[0] ?? "", /^pending /)
    assert.match(lines.at(-1) ?? "", /^confirmed /)
  })

  it.live("send a payment with Bitcoin, and follow it until it is final", function* () {
    const lines = yield* run(bitcoin, String(bitcoinKey))
    assert.match(lines[0] ?? "", /^pending /)
    assert.match(lines.at(-1) ?? "", /^confirmed /)
  })
})
