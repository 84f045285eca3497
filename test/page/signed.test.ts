import { assert, describe, it } from "@effect/vitest"
import type { TransactionSerializable } from "viem"
import { serializeTransaction } from "viem/utils"
import { WalletDataError } from "../../src/client/Client.ts"
import { makePageClient, type PageClient } from "../../src/page/state/client.ts"
import { exact } from "../../src/page/transaction/exact.ts"
import { executionOf, hasEnoughGas } from "../../src/page/transaction/execution.ts"
import { keepSend, maySend, sends, sentOf } from "../../src/page/transaction/sends.ts"
import { readDecoded, type SendResult, sendOnce } from "../../src/page/transaction/signed.ts"

const hash = `0x${"5c".repeat(32)}`

/** A client of a service that answers each request with this JSON, and the bodies of the requests. */
const answering = (answer: unknown) => {
  const bodies: Array<unknown> = []
  const client = makePageClient({
    baseUrl: "http://service.example",
    fetch: async (_url: unknown, init?: RequestInit) => {
      bodies.push(JSON.parse(String(init?.body)))
      return Response.json(answer)
    }
  } as Parameters<typeof makePageClient>[0])
  return { bodies, client }
}

const send = (client: PageClient) => sendOnce(client, "ethereum", { hash }, "0x02", () => undefined)

describe("a signed transaction of the page", () => {
  it("is sent only if the answer says so, and refused only if the answer says so", async () => {
    const outcomes: ReadonlyArray<readonly [answer: unknown, state: string]> = [
      [{ accepted: true, hash }, "accepted"],
      [{ accepted: false, reason: "invalid", nodeMessage: "no" }, "refused"],
      [{ accepted: false, reason: null }, "refused"],
      ...[{}, [], null, "accepted", { accepted: true }, { accepted: true, hash: 1 }, { accepted: "true", hash }].map(
        (answer) => [answer, "undecided"] as const
      ),
      [{ accepted: false }, "undecided"],
      [{ accepted: false, reason: {} }, "undecided"]
    ]
    for (const [answer, state] of outcomes) {
      const outcome = await send(answering(answer).client)
      assert.strictEqual(outcome.state, state, JSON.stringify(answer))
      if (outcome.state === "undecided") {
        assert.strictEqual(outcome.hash, hash)
        assert.notStrictEqual(outcome.problem, "")
      }
      if (outcome.state === "refused" && outcome.reason === null) assert.isNull(outcome.nodeMessage)
    }
  })

  it("goes to the network that is shown, which is the one that decoded it", async () => {
    const { bodies, client } = answering({ accepted: true, hash })
    await send(client)
    assert.deepStrictEqual(bodies, [{ network: "ethereum", transaction: "0x02" }])
    const read = (answer: unknown) =>
      readDecoded(answering(answer).client, "ethereum", "0x02", new AbortController().signal).then(
        ({ network }) => network,
        (error: unknown) => (error instanceof WalletDataError ? error.kind : error)
      )
    assert.strictEqual(await read({ network: "ethereum", hash }), "ethereum")
    for (const answer of [{ network: "polygon", hash }, { hash }, { network: "ethereum" }, {}, null])
      assert.strictEqual(await read(answer), "response", JSON.stringify(answer))
  })

  it("has amounts with all their digits", () => {
    for (const [text, written] of [
      ["0.000000000000000000000001", "0.000000000000000000000001"],
      ["-1234567890123456789012.5", "-1,234,567,890,123,456,789,012.5"],
      ["0", "0"],
      ["1e9", "not a number"]
    ] as const)
      assert.strictEqual(exact(text), written)
  })

  it("is not sent again if an earlier send runs, was accepted or may have arrived", async () => {
    const kept = () => sentOf(sends.get(), "ethereum", hash)
    let count = 0
    const sending = (result: SendResult) =>
      keepSend("ethereum", hash, async () => {
        count++
        assert.deepStrictEqual(kept(), { state: "sending" })
        assert.isUndefined(await keepSend("ethereum", hash, async () => assert.fail("a second send")))
        return result
      })
    const refused = { state: "refused", reason: "nonce_gap", nodeMessage: null } as const
    const unsent = { state: "undecided", problem: "no", hash: undefined } as const
    const lost = { state: "undecided", problem: "no", hash } as const
    for (const result of [refused, unsent, lost]) {
      assert.isTrue(maySend(kept()))
      await sending(result)
      assert.deepStrictEqual(kept(), result)
    }
    assert.isUndefined(await sending(refused))
    assert.strictEqual(count, 3)
    assert.deepStrictEqual(kept(), lost)
    assert.isUndefined(sentOf(sends.get(), "polygon", hash))
    assert.isFalse(maySend({ state: "accepted", hash }))
  })

  it("fails if its gas limit is below the gas that it needs", () => {
    const to = `0x${"35".repeat(20)}` as const
    const call = {
      chainId: 1,
      nonce: Number.MAX_SAFE_INTEGER,
      gas: 25_000n,
      to,
      value: 7n,
      data: "0xa9059cbb"
    } as const
    const signature = { r: `0x${"11".repeat(32)}`, s: `0x${"12".repeat(32)}`, yParity: 0, v: 27n } as const
    const forms: ReadonlyArray<TransactionSerializable> = [
      { ...call, type: "legacy", gasPrice: 9n },
      { ...call, type: "eip2930", gasPrice: 9n },
      { ...call, type: "eip1559", maxFeePerGas: 9n, maxPriorityFeePerGas: 1n }
    ]
    for (const form of forms) {
      const run = executionOf(serializeTransaction(form, signature)) ?? assert.fail(form.type)
      assert.deepStrictEqual(run, { gasLimit: "25000", to, value: "7", data: "0xa9059cbb" }, form.type)
      const enough = ["51572", "25001", "25000", "0", "", "x", "-1"].map((gas) => hasEnoughGas(run, gas))
      assert.deepStrictEqual(enough, [false, false, true, true, undefined, undefined, undefined])
    }
  })
})
