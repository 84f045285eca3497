import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Family, NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { TransactionStatuses } from "../../../src/contract/TransactionStatusApi.ts"
import { SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { transactions } from "../../../src/handlers.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { inherited } from "../../support/hostile.ts"
import { json, refused, simulatedClient } from "../../support/http.ts"
import { networks } from "../../support/tier.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const hex = "12".repeat(32)

/** A hash that no transaction has, and other spellings of it, by family. */
const absent: Readonly<Partial<Record<Family, ReadonlyArray<string>>>> = {
  evm: [`0x${hex}`, hex, `0X${hex}`],
  utxo: [hex, hex.replaceAll("1", "a")],
  solana: [base58.encode(new Uint8Array(64).fill(9))],
  sui: [base58.encode(new Uint8Array(32).fill(9))],
  cardano: [hex, hex.replaceAll("1", "a")],
  polkadot: [`0x${hex}`, `0X${hex}`],
  ton: [hex, Buffer.from(hex, "hex").toString("base64")],
  tron: [hex, `0x${hex}`],
  ripple: [`AB${hex.slice(2)}`, `ab${hex.slice(2)}`]
}

const tested = networks.filter(({ family }) => absent[family] !== undefined)
const live = tested.filter(({ sunset }) => sunset === undefined)

const statusesOf = Effect.fnUntraced(function* (wanted: Readonly<Record<string, ReadonlyArray<string>>>) {
  const { post } = yield* Service
  const response = yield* post("/transactions/status", { networks: wanted })
  assert.strictEqual(response.status, 200)
  return yield* body<TransactionStatuses>(response)
})

/** Some transactions of a network, at most 20. */
const entriesOf = Effect.fnUntraced(function* (info: NetworkFacts) {
  const { post } = yield* Service
  const response = yield* post("/history", { networks: { [info.id]: samples(info, 4) }, limit: 5 })
  const answer = yield* body<Readonly<Record<string, Readonly<Record<string, ReadonlyArray<HistoryEntry>>>>>>(response)
  return Object.values(answer[info.id] ?? {}).flat()
})

const states = { Success: "confirmed", Failed: "failed", Pending: "pending", Unknown: null } as const

describe("POST /transactions/status", () => {
  layer(Service.layer({ SUBSCAN_API_KEY: "key" }), { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    for (const info of live)
      it(`agrees with the history: ${info.id}`, function* () {
        const entries = yield* entriesOf(info)
        assert.isNotEmpty(entries)
        const unknown = absent[info.family] ?? []
        const answer = yield* statusesOf({ [info.id]: [...entries.map(({ hash }) => hash), ...unknown] })
        const found = Schema.decodeUnknownSync(TransactionStatuses)(answer)[info.id] ?? {}
        for (const { block: entryBlock, fee, hash, status, timestamp } of entries) {
          const {
            at,
            block,
            confirmations,
            fee: paid,
            final,
            timestamp: time,
            ...rest
          } = found[hash] ?? assert.fail(hash)
          // On TON, a history also shows whether later transactions of the same trace failed.
          const state = info.id === "ton" && status === "Failed" ? "confirmed" : states[status]
          assert.deepStrictEqual(rest, { status: state, replacedBy: null }, JSON.stringify(found[hash]))
          if (status === "Pending") {
            assert.deepStrictEqual([time, at, block, confirmations, paid, final], [null, null, null, 0, null, false])
            continue
          }
          assert.deepStrictEqual([time, at], [timestamp, timestamp])
          if (fee !== null && paid !== null) assert.strictEqual(paid, fee)
          assert.strictEqual(final, true, hash)
          // Tron's list of tokens has no blocks. Heights of Polkadot's relay chain are not those of Asset Hub.
          if (info.id !== "tron" || entryBlock !== null) assert.strictEqual(block, entryBlock, hash)
          if (info.id !== "polkadot") assert.isNotNull(block, hash)
          assert.strictEqual(confirmations === null, block === null, hash)
        }
        for (const text of unknown)
          assert.deepStrictEqual(found[text], {
            status: "not_found",
            confirmations: null,
            block: null,
            timestamp: null,
            at: null,
            fee: null,
            final: null,
            replacedBy: null
          })
      })

    it("checks the form of each hash before any upstream is called, and returns the others", function* () {
      for (const { family, id, sunset } of tested) {
        const [valid = ""] = absent[family] ?? []
        const wrong = ["", "0x", "x".repeat(5_000), `${valid}\n`, `${valid}0`, ...inherited]
        const answer = yield* statusesOf({ [id]: [...wrong, valid] })
        for (const text of wrong)
          assert.deepInclude(answer[id]?.[text], { status: null, errorCode: "invalid_hash" }, `${id} ${text}`)
        assert.strictEqual(answer[id]?.[valid]?.errorCode, sunset === undefined ? undefined : "sunset")
      }
    })

    it("keeps names and spellings, skips unsupported networks, and limits the number of hashes", function* () {
      const [valid = "", spelled = ""] = absent.evm ?? []
      const answer = yield* statusesOf({ ETH: [valid, spelled, valid], moon: [valid], ethereum: [], base: [] })
      assert.deepStrictEqual(
        Object.entries(answer).map(([name, found]) => [name, Object.keys(found)]),
        [
          ["ETH", [valid, spelled]],
          ["ethereum", []],
          ["base", []]
        ]
      )
      const { post } = yield* Service
      const send = (value: unknown) => Effect.map(post("/transactions/status", value), ({ status }) => status)
      const many = Array.from({ length: 501 }, () => valid)
      const refused = yield* post("/transactions/status", { networks: { ethereum: many } })
      assert.strictEqual(refused.status, 413)
      assert.include(yield* Effect.promise(() => refused.text()), "names 501 transactions; at most 500 are allowed")
      for (const wrong of [
        {},
        { networks: [] },
        { networks: { ethereum: valid } },
        { networks: {}, more: 1 },
        [],
        null
      ])
        assert.strictEqual(yield* send(wrong), 400, JSON.stringify(wrong))
    })
  })

  const unreachable = Layer.succeed(
    HttpClient.HttpClient,
    HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))
  )

  layer(Service.layer({}, unreachable), { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    it("is null with a reason, never absent, if no source can be reached", function* () {
      const valid = ({ family }: NetworkFacts) => absent[family]?.[0] ?? ""
      const answer = yield* statusesOf(Object.fromEntries(tested.map((info) => [info.id, [valid(info)]])))
      for (const { id, sunset } of tested)
        for (const { errorCode, status } of Object.values(answer[id] ?? {}))
          assert.deepStrictEqual([status, errorCode], [null, sunset === undefined ? "upstream_error" : "sunset"], id)
      assert.lengthOf(Object.values(answer).flatMap(Object.values), tested.length)
    })
  })

  /** TON Center, at block 1000, has a transaction of now in block 970: blocks may be faster than the network's block time. */
  const toncenter = simulatedClient(({ url }) => {
    const now = Math.floor(Date.now() / 1000)
    if (url.pathname.endsWith("/masterchainInfo")) return json({ last: { seqno: 1000, gen_utime: String(now) } })
    if (url.pathname.endsWith("/masterchain-head")) return json({ seqno: 1000, gen_utime: now })
    return url.pathname === "/api/v3/transactions"
      ? json({ transactions: [{ hash: hex, now, mc_block_seqno: 970, description: {} }] })
      : refused
  })

  layer(Service.layer({}, sandboxExcept(/^ton/, toncenter.layer)), { excludeTestServices: true })((it) => {
    it("is as final as its sources say, whatever the number of blocks that are counted after that", function* () {
      const { ton } = yield* statusesOf({ ton: [hex] })
      const { confirmations, final, status } = ton?.[hex] ?? assert.fail("no status")
      assert.deepStrictEqual([status, confirmations, final], ["confirmed", 31, false])
    })
  })

  const forgetful = Layer.succeed(SentTransactions, {
    find: () => Effect.succeed(() => "unknown" as const),
    remember: () => Effect.die("not sent"),
    using: () => Effect.die("not read")
  })

  layer(Service.layerWith("transactions", Layer.provide(transactions, forgetful)), {
    excludeTestServices: true
  })((it) => {
    it("is null, not not_found, if the store cannot say whether the transaction was sent", function* () {
      const [hash = ""] = absent.evm ?? []
      const { ethereum } = yield* statusesOf({ ethereum: [hash] })
      const { errorCode, status } = ethereum?.[hash] ?? assert.fail("no status")
      assert.deepStrictEqual([status, errorCode], [null, "upstream_error"])
    })
  })
})
