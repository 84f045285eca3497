import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { privateKeyToAccount } from "viem/accounts"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { History } from "../../../src/contract/HistoryApi.ts"
import type { DecodedTransaction } from "../../../src/contract/transactions/DecodingApi.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { body, Service } from "../../support/app.ts"
import { usdt } from "../../support/requests.ts"
import { evmSigner, type Signer, signers } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
import { networks } from "../../support/tier.ts"
import { assert, layer } from "../../support/vitest.ts"

// The decoded effects of signed transactions, compared with their histories after they are sent.

/** The text of a payment as the network's wallets write it. */
const textOf = (network: string, raw: string): string => {
  if (network !== "sui") return raw
  const [bytes, [signature]] = JSON.parse(raw) as readonly [string, readonly [string]]
  return JSON.stringify({ bytes, signature })
}

type Answer<A> = Readonly<{ status: number; answer: A & { readonly detail?: string } }>

/** A service over the sandbox on a simulated clock, and the number of calls to its upstreams. */
const running = Effect.gen(function* () {
  const counted = { calls: 0 }
  const outside = Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(Layer.build(Sandbox.layer(Catalogue.all)), (context) => {
      const world = Context.get(context, HttpClient.HttpClient)
      return FetchClient.client((request) =>
        Effect.suspend(() => {
          counted.calls += 1
          return world.execute(request)
        })
      )
    })
  )
  const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
  const service = Context.get(yield* live(Layer.build(Service.layer({ SUBSCAN_API_KEY: "key" }, outside))), Service)
  const post = <A>(path: string, value: unknown): Effect.Effect<Answer<A>> =>
    Effect.gen(function* () {
      const response = yield* Effect.flatMap(finish(service.post(path, value)), ({ outcome }) => outcome)
      return { status: response.status, answer: yield* body<A & { readonly detail?: string }>(response) }
    }) as Effect.Effect<Answer<A>>
  const decode = Effect.fnUntraced(function* (network: string, transaction: string) {
    const before = counted.calls
    const decoded = yield* post<DecodedTransaction>("/transactions/decode", { network, transaction })
    assert.strictEqual(counted.calls, before, `${network}: upstream calls`)
    return decoded
  })
  const context = Effect.fnUntraced(function* (network: string, { sender }: Signer) {
    const { answer } = yield* post<Record<string, Record<string, { readonly context: TransactionContext | null }>>>(
      "/utils/transaction-context",
      { networks: { [network]: [sender] } }
    )
    return (answer[network]?.[sender]?.context ?? assert.fail(network)) as never
  })
  return { context, decode, pass, post }
})

/** Networks whose bytes do not say what the transaction pays for itself. */
const withoutFee = ["bitcoin", "ton", "tron", "polkadot"]

/** Payments of all families, by network. */
const paid = Effect.gen(function* () {
  const service = yield* running
  const payments = new Map<string, { readonly signer: Signer; readonly hash: string; readonly text: string }>()
  for (const [network, make] of Object.entries(signers)) {
    const signer = yield* Effect.promise(async () => make())
    const context = yield* service.context(network, signer)
    const { hash, raw } = yield* Effect.promise(() => signer.pay(context))
    payments.set(network, { signer, hash, text: textOf(network, raw) })
  }
  return { ...service, payments }
})

/** One service for all tests, which are in the order of its time. */
class Paid extends Context.Tag("test/Paid")<Paid, Effect.Effect.Success<typeof paid>>() {
  static readonly layer = Layer.scoped(Paid, paid)
}

layer(Paid.layer, { excludeTestServices: true })("POST /transactions/decode", (it) => {
  it("says what a payment of each family does when it is sent, without any call", function* () {
    const { decode, pass, payments, post } = yield* Paid
    const decoded = new Map<string, DecodedTransaction>()
    for (const [network, { hash, signer, text }] of payments) {
      const { answer, status } = yield* decode(network, text)
      assert.strictEqual(status, 200, network)
      assert.deepInclude(answer, { network, hash, problems: [], complete: true }, network)
      const isOfOutputs = answer.spends.length > 0
      assert.strictEqual(answer.from, isOfOutputs ? null : signer.sender, network)
      assert.include(answer.to, signer.recipient, network)
      assert.deepInclude(
        answer.amounts.map(({ amountBaseUnits, to, token }) => ({ amountBaseUnits, to, token })),
        { amountBaseUnits: String(signer.amount), to: signer.recipient, token: null },
        network
      )
      assert.strictEqual(answer.fee === null, withoutFee.includes(network), network)
      // Each null has its reason, unless the family has no such member.
      const unknown = answer.unknown.map(({ member }) => member)
      assert.strictEqual(answer.fee === null, unknown.includes("fee"), network)
      assert.strictEqual(answer.from === null, unknown.includes("from"), network)
      decoded.set(network, answer)
      const sent = yield* post<{ readonly hash: string; readonly accepted: boolean }>("/transactions/send", {
        network,
        transaction: text
      })
      assert.deepInclude(sent.answer, { hash: answer.hash, accepted: true }, network)
    }
    yield* pass(700_000)
    for (const [network, { signer }] of payments) {
      const { answer } = yield* post<History>("/history", { networks: { [network]: [signer.sender] } })
      const said = decoded.get(network) ?? assert.fail(network)
      const entry = answer[network]?.[signer.sender]?.find(({ hash }) => hash === said.hash) ?? assert.fail(network)
      assert.deepInclude(entry.to, { address: signer.recipient, amount: String(signer.amount) }, network)
      if (said.from !== null)
        assert.isTrue(
          entry.from.some(({ address }) => address === said.from),
          network
        )
      if (entry.nonce !== null) assert.strictEqual(said.nonce, entry.nonce, network)
      if (said.fee === null) continue
      if (said.feeIsMaximum === true) assert.isTrue(BigInt(entry.fee ?? -1) <= BigInt(said.fee), network)
      else assert.strictEqual(said.fee, entry.fee, network)
    }
  })

  it("refuses what a send refuses as no transaction, in the same words, without any call", function* () {
    const { decode, payments, post } = yield* Paid
    for (const [network, { text }] of payments) {
      for (const transaction of [text.slice(0, text.length >> 1), text.slice(0, -2), `${text}00`, "é"]) {
        const { answer, status } = yield* decode(network, transaction)
        assert.strictEqual(status, 400, `${network} ${transaction.slice(0, 20)}`)
        assert.match(answer.detail ?? "", /: transaction: ./, network)
        const sent = yield* post("/transactions/send", { network, transaction })
        assert.deepStrictEqual([sent.status, sent.answer.detail], [400, answer.detail], network)
      }
    }
    assert.strictEqual((yield* decode("nowhere", "00")).status, 400)
  })

  it("names another chain and an expired transaction, as a send does", function* () {
    const { context, decode, pass, payments, post } = yield* Paid
    const { text } = payments.get("ethereum") ?? assert.fail()
    for (const { chainId, family, id, sunset } of networks) {
      if (family !== "evm" || chainId === 1) continue
      const { answer } = yield* decode(id, text)
      const reasons = answer.problems.map(({ reason }) => reason)
      assert.deepStrictEqual(reasons, ["wrong_chain", ...(sunset === undefined ? [] : ["sunset"])], id)
      assert.deepInclude(answer, { chainId: 1 }, id)
      if (sunset !== undefined) continue
      const sent = yield* post<{ readonly reason: string }>("/transactions/send", { network: id, transaction: text })
      assert.strictEqual(sent.answer.reason, "wrong_chain", id)
    }
    const signer = evmSigner("base")
    const own = yield* Effect.flatMap(context("base", signer), (read) => Effect.promise(() => signer.pay(read)))
    assert.deepStrictEqual((yield* decode("base", own.raw)).answer.problems, [])
    const expired = new Map<string, string>()
    for (const network of ["cardano", "tron"]) {
      const { signer: payer } = payments.get(network) ?? assert.fail(network)
      const read = yield* context(network, payer)
      expired.set(network, (yield* Effect.promise(() => payer.pay(read, "expiry"))).raw)
    }
    for (const [network, transaction] of expired)
      assert.deepStrictEqual((yield* decode(network, transaction)).answer.problems, [], "the clocks may differ")
    yield* pass(150_000)
    for (const [network, transaction] of expired) {
      const { answer } = yield* decode(network, transaction)
      assert.deepStrictEqual(
        answer.problems.map(({ reason }) => reason),
        ["expired"],
        network
      )
      const sent = yield* post<{ readonly reason: string }>("/transactions/send", { network, transaction })
      assert.strictEqual(sent.answer.reason, "expired", network)
    }
  })

  it("is complete for a call of a listed token, and not for one of another contract", function* () {
    const { decode } = yield* Paid
    const account = privateKeyToAccount(`0x${"77".repeat(32)}`)
    const data = `0xa9059cbb${"b2".repeat(20).padStart(64, "0")}${"7".padStart(64, "0")}` as const
    for (const [to, listed] of [
      [usdt, true],
      [`0x${"e1".repeat(20)}`, false]
    ] as const) {
      const fees = { gas: 50_000n, maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
      const text = yield* Effect.promise(() =>
        account.signTransaction({ chainId: 1, nonce: 3, to: to as `0x${string}`, data, ...fees })
      )
      const { answer } = yield* decode("ethereum", text)
      assert.deepStrictEqual([answer.amounts[0]?.amountBaseUnits, answer.complete], ["7", listed])
      assert.deepStrictEqual(
        answer.unknown,
        listed
          ? []
          : [
              {
                member: "amounts",
                message:
                  "the contract that it calls is not in the loaded list of tokens, so that it may do something else"
              }
            ]
      )
    }
  })
})
