import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Token } from "../../../src/domain/Token.ts"
import { fixture, recorded, replay } from "../../support/fixtures.ts"
import { type Asked, json, type Reply } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import * as Nodes from "../../support/tronNodes.ts"
import { alice, bob, network, token, usdt, wink } from "./tron.ts"

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })

/** The recorded answer to every call but Multicall3's. */
const answers = (name: string) => (asked: Asked) =>
  Nodes.asksFor(asked.body) === undefined ? replay(fixture("trongrid", name)) : json(Nodes.reverted)

const always = (name: string) => (): Reply => replay(fixture("trongrid", name))

recorded("recorded answers of TronGrid", () => {
  it.effect("a balance of a token comes as hex without 0x", () =>
    Effect.gen(function* () {
      const { asked, holding } = yield* network(always("triggerconstantcontract-usdt-balanceof"))
      const read = yield* settled(holding(alice, Option.some(usdt.address)))
      assert.deepStrictEqual(read as unknown, amountOf(usdt, 136_389_002n))
      const { body, path } = fixture("trongrid", "triggerconstantcontract-usdt-balanceof").request
      const recordedBody = body as Record<string, string>
      const sent = JSON.parse(asked[0]?.body ?? "")
      assert.strictEqual(asked[0]?.url.pathname, path)
      assert.strictEqual(sent.contract_address, recordedBody.contract_address)
      // The holder stands in the data without the byte 41 that the record has; contracts look at the last 20 bytes.
      assert.strictEqual(sent.data, `70a08231${(recordedBody.parameter ?? "").replace("0041", "0000")}`)
    })
  )

  it.effect("a revert is a failure although its result says true", () =>
    Effect.gen(function* () {
      const { holding } = yield* network(always("triggerconstantcontract-revert-looks-ok"))
      const { reason } = yield* settled(Effect.flip(holding(alice, Option.some(usdt.address))))
      assert.strictEqual(reason, "bad_answer")
    })
  )

  it.effect("a node that is busy says so under HTTP 200", () =>
    Effect.gen(function* () {
      const { holdings } = yield* network(always("node-rate-limited-http-200"))
      const unread = { reason: "rate_limited", message: "trongrid: asks for fewer calls" }
      assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [
        Either.left(unread),
        Either.left(unread)
      ])
    })
  )

  it.effect("what is staked is not in the balance of TRX", () =>
    Effect.gen(function* () {
      const { holding } = yield* network(always("wallet-getaccount-2025"))
      assert.deepStrictEqual(
        (yield* settled(holding(alice, Option.none()))) as unknown,
        amountOf("native", 2_928_601_454n)
      )
    })
  )

  it.effect("an account that was never activated is an empty object, and holds nothing", () =>
    Effect.gen(function* () {
      const unknown = (asked: Asked) =>
        Nodes.asksFor(asked.body) === undefined
          ? replay(fixture("trongrid", "wallet-getaccount-unknown"))
          : Nodes.speaking({})(asked)
      const { holding } = yield* network(unknown)
      assert.deepStrictEqual((yield* settled(holding(bob, Option.none()))) as unknown, amountOf("native", 0n))
      const { holding: unconfirmed } = yield* network(always("wallet-getaccount-unknown"))
      assert.deepInclude(yield* Effect.flip(settled(unconfirmed(bob, Option.none()))), { reason: "bad_answer" })
    })
  )

  it.effect("the index answers in hex when asked in base58; TRC-10 tokens are not its TRC-20 tokens", () =>
    Effect.gen(function* () {
      const { holdings } = yield* network(answers("v1-account-2020-trc10"))
      assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [
        Either.right([amountOf("native", 278_720_000n), amountOf(wink, 53_135_738n)])
      ])
    })
  )

  it.effect("the index lists TRC-20 tokens as objects with one member, amounts of 24 digits among them", () =>
    Effect.gen(function* () {
      const { body } = fixture("trongrid", "v1-account-2020-trc20-list").response
      const { data } = body as {
        readonly data: ReadonlyArray<{ readonly trc20: ReadonlyArray<Record<string, string>> }>
      }
      const listed = (data[0]?.trc20 ?? []).flatMap((entry) => Object.entries(entry))
      const tokens = listed.map(([address], index) => token(address, `coin-${index}`, 18))
      const { holdings } = yield* network(answers("v1-account-2020-trc20-list"), tokens)
      const [read] = yield* settled(holdings([bob]))
      assert.deepStrictEqual(
        read as unknown,
        Either.right([
          amountOf("native", 346_991_703_615_806n),
          ...listed.flatMap(([, amount], index) => {
            const asset = tokens[index]
            return asset === undefined || BigInt(amount) === 0n ? [] : [amountOf(asset, BigInt(amount))]
          })
        ])
      )
      assert.isTrue(listed.some(([, amount]) => amount.length === 24))
    })
  )

  it.effect("an index that knows nothing of an address is not an error", () =>
    Effect.gen(function* () {
      const { asked, holdings } = yield* network(answers("v1-account-unknown-empty"))
      assert.deepStrictEqual((yield* settled(holdings([bob]))) as unknown, [Either.right([amountOf("native", 0n)])])
      assert.deepStrictEqual(
        asked.map(({ url }) => url.pathname),
        ["/wallet/triggerconstantcontract", `/v1/accounts/${bob}`, `/v1/accounts/${bob}/trc20/balance`]
      )
    })
  )

  for (const name of ["v1-transactions-empty-but-next-page", "broadcast-error-hex-message", "v1-asset-trc10"])
    it.effect(`an answer to another question (${name}) is never taken for a balance`, () =>
      Effect.gen(function* () {
        const { holding, holdings } = yield* network(always(name))
        assert.isTrue(Either.isLeft((yield* settled(holdings([bob])))[0] ?? Either.right([])))
        for (const of of [Option.none(), Option.some(usdt.address)])
          assert.strictEqual((yield* settled(Effect.flip(holding(bob, of)))).reason, "bad_answer")
      })
    )
})
