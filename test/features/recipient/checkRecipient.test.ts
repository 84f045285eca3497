import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { RecipientCheck } from "../../../src/contract/RecipientApi.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { Ethereum, Ripple } from "../../support/networks.ts"
import { usdt } from "../../support/requests.ts"
import { assert, layer } from "../../support/vitest.ts"

const check = (network: string, from: string, to: string) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/transactions/check-recipient", { network, from, to })
    return { status: response.status, ...(yield* body<RecipientCheck & { readonly issues?: unknown }>(response)) }
  })

/** A sender of the simulated world, and payments that it has made: newest first. */
const payments = Effect.gen(function* () {
  const { post } = yield* Service
  for (const from of samples(Ethereum.info, 8)) {
    const response = yield* post("/history", { networks: { ethereum: [from] }, limit: 50 })
    const { ethereum } = yield* body<Record<string, Record<string, ReadonlyArray<HistoryEntry>>>>(response)
    const sent = (ethereum?.[from] ?? []).filter(
      ({ status, to, type }) => type === "Send" && status === "Success" && to.some(({ amount }) => amount !== "0")
    )
    const [last] = sent
    const to = last?.to[0]?.address
    if (last !== undefined && to !== undefined && to.toLowerCase() !== from.toLowerCase()) return { from, to, sent }
  }
  return assert.fail("nobody has paid")
})

const unused = "0x1234567890123456789012345678901234567890"
const other = (address: string) => `${address.slice(0, 6)}${"5".repeat(32)}${address.slice(-4)}`.toLowerCase()

layer(Service.layer(), { excludeTestServices: true, timeout: "60 seconds" })("a check of a recipient", (it) => {
  it("knows those that were paid, with the time of the last payment", function* () {
    const { from, sent, to } = yield* payments
    const found = yield* check("eth", from, to.toUpperCase().replace("0X", "0x"))
    const times = sent.flatMap(({ timestamp, to: parties }) =>
      parties.some(({ address }) => address === to) ? timestamp : []
    )
    assert.deepStrictEqual([found.status, found.network, found.known], [200, "ethereum", true])
    assert.strictEqual(found.lastPaid, Math.max(...times))
    assert.isFalse(found.own)
    assert.notInclude(found.reasons.join(), "before")
    assert.notProperty(found, "error")
  })

  it("finds those that resemble a recipient or the sender, which are others", function* () {
    const { from, to } = yield* payments
    const found = yield* check("ethereum", from, other(to))
    assert.deepStrictEqual(
      found.lookalikeOf.map((address) => address.toLowerCase()),
      [to.toLowerCase()]
    )
    assert.notStrictEqual(found.known, true)
    assert.isNull(found.lastPaid)
    assert.match(found.reasons.join(" "), new RegExp(`It resembles ${to}, which is another address\\.`, "i"))
    assert.deepStrictEqual(
      (yield* check("ethereum", from, other(from))).lookalikeOf.map((address) => address.toLowerCase()),
      [from.toLowerCase()]
    )
    assert.deepStrictEqual((yield* check("ethereum", from, to)).lookalikeOf, [])
  })

  it("names contracts, addresses without a key and the address of the sender", function* () {
    const { from } = yield* payments
    const contract = yield* check("ethereum", from, usdt)
    assert.strictEqual(contract.kind, "contract")
    assert.include(contract.reasons, "It is a contract: coins that it does not expect are lost.")
    const dead = yield* check("ethereum", from, `0x${"0".repeat(36)}dead`)
    assert.deepStrictEqual([dead.kind, dead.tagNeeded, dead.delegatedTo], ["account", null, null])
    assert.include(dead.reasons, "Coins at this address are lost: no key of it exists.")
    const own = yield* check("ethereum", from, from)
    assert.deepStrictEqual([own.own, own.reasons], [true, ["It is your own address."]])
    assert.deepStrictEqual((yield* check("ethereum", from, unused)).own, false)
  })

  it("says whether an account of the XRP Ledger needs a tag", function* () {
    const [from = "", to = ""] = samples(Ripple.info, 8)
    const found = yield* check("ripple", from, to)
    assert.deepStrictEqual([found.kind, found.tagNeeded], ["account", false])
  })

  it("is not made for other texts and networks", function* () {
    const [from = ""] = samples(Ethereum.info, 1)
    for (const [network, to, path] of [
      ["ethereum", "0x12", "to"],
      ["moon", unused, "network"]
    ] as const) {
      const refused = yield* check(network, from, to)
      assert.deepStrictEqual(
        [refused.status, (refused.issues as ReadonlyArray<{ path: string }>)[0]?.path],
        [400, path]
      )
    }
  })
})

const down = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))
)

layer(Service.layer({}, sandboxExcept(/blockscout|routescan|etherscan/, down)), { excludeTestServices: true })(
  "a check of a recipient without a history",
  (it) => {
    it("does not say that it is new, and keeps what nodes know", function* () {
      const [from = ""] = samples(Ethereum.info, 1)
      const found = yield* check("ethereum", from, usdt)
      assert.deepStrictEqual([found.known, found.lastPaid, found.kind], [null, null, "contract"])
      assert.strictEqual(found.errorCode, "upstream_error")
      assert.include(found.reasons.join(" "), "It is not known whether you have paid this address before")
    })
  }
)

layer(Service.layer({}, sandboxExcept(/-rpc$/, down)), { excludeTestServices: true })(
  "a check of a recipient without nodes",
  (it) => {
    it("does not say which kind of account it is", function* () {
      const { from, to } = yield* payments
      const found = yield* check("ethereum", from, to)
      assert.deepStrictEqual([found.known, found.kind, found.delegatedTo], [true, null, null])
      assert.isString(found.errorCode)
    })
  }
)
