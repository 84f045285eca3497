import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { contextsOf } from "../../../src/chains/ton/context.ts"
import { balancesOf, readingsOf } from "../../../src/chains/ton/holdings.ts"
import { infosOf } from "../../../src/chains/ton/multipliers.ts"
import type { TonProvider } from "../../../src/chains/ton/Provider.ts"
import * as TonApi from "../../../src/chains/ton/providers/tonapi/TonApi.ts"
import * as Toncenter from "../../../src/chains/ton/providers/toncenter/Toncenter.ts"
import { json, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { adapterNeeds, addresses, drift, elector, states, usdt, wallets } from "./ton.ts"

// A row of a response about several addresses or transactions that cannot be read, or that is of none of them.

const [odd = "", fine = "", stranger = ""] = addresses(3)

/** A provider of one indexer, which returns these bodies by the last part of the path. */
const clientOf = (make: typeof Toncenter.make | typeof TonApi.make, bodies: Readonly<Record<string, unknown>>) => {
  const reply = ({ url }: SentRequest) => {
    const body = bodies[url.pathname.split("/").at(-1) ?? ""]
    return body === undefined ? json({ error: "Cannot GET" }, { status: 404 }) : json(body)
  }
  const center = (request: SentRequest) =>
    request.url.pathname.endsWith("/masterchainInfo")
      ? json({ last: { seqno: 100, gen_utime: "0" } })
      : request.url.pathname.endsWith("/masterchain-head")
        ? json({ seqno: 100, gen_utime: 0 })
        : reply(request)
  const hosts = { "toncenter.test": center, "tonapi.test": center }
  const infos = () => json(bodies._bulk)
  return Effect.provide(make as typeof TonApi.make, adapterNeeds(hosts, { tokens: undefined, infos }).layer)
}

const brief = <A>(result: Either.Either<A, { readonly reason: string }>, of: (value: A) => unknown) =>
  Either.match(result, { onLeft: ({ reason }) => reason, onRight: of })

/** The rows of an odd address: one that states the address, and others that do not. */
const oddRows = (row: object): Readonly<Record<string, unknown>> => ({
  "with another type": { ...row, balance: {} },
  "that is no object": "text",
  "without an address": { ...row, address: null },
  "of an address that was not requested": { ...row, address: stranger }
})

describe("a row of accounts", () => {
  const { accounts } = states({ [fine]: "2" })
  const wallet = { status: "active", is_wallet: true, wallet_type: "wallet v4 r2", seqno: 3, wallet_id: 5 }
  const context = (address: string) => ({ ...wallet, address, balance: "2" })
  const ofElector = { ...context(elector), is_wallet: false }

  for (const [title, row] of Object.entries(oddRows({ address: odd, balance: "7", status: "active" }))) {
    it(`${title} takes no balance of another address with it`, function* () {
      const bodies = { accountStates: { accounts: [row, ...accounts] }, _bulk: { accounts: [row, ...accounts] } }
      for (const make of [Toncenter.make, TonApi.make]) {
        const provider = yield* clientOf(make, bodies)
        const read = yield* settled(balancesOf([provider], [odd, fine]))
        assert.deepStrictEqual<unknown>(
          read.map((result) => brief(result, String)),
          ["bad_answer", "2"]
        )
      }
    })

    it(`${title} takes no context of another address with it`, function* () {
      const rows = [row, context(fine), ofElector]
      const single = { ...wallet, address: fine, balance: 2, interfaces: [] }
      const bodies = { walletStates: { wallets: rows }, _bulk: { accounts: [row, single] } }
      for (const make of [Toncenter.make, TonApi.make]) {
        const provider = yield* clientOf(make, bodies)
        const read = yield* settled(contextsOf([provider], [odd, fine]))
        assert.deepStrictEqual<unknown>(
          read.map((result) => brief(result, ({ balance }) => balance)),
          ["bad_answer", "2"]
        )
      }
    })
  }

  it("with a flag or an id of another type takes no context of another address with it", function* () {
    for (const change of [{ is_wallet: {} }, { wallet_id: {} }, { wallet_id: 2 ** 32 }, { seqno: 2 ** 32 }]) {
      const rows = [{ ...context(odd), ...change }, context(fine), ofElector]
      const provider = yield* clientOf(Toncenter.make, { walletStates: { wallets: rows } })
      const read = yield* settled(contextsOf([provider], [odd, fine]))
      assert.deepStrictEqual<unknown>(
        read.map((result) => brief(result, (own) => ("walletId" in own ? own.walletId : undefined))),
        ["bad_answer", 5]
      )
    }
  })
})

describe("a row of jettons", () => {
  const jettonsAt = Effect.fnUntraced(function* (provider: TonProvider) {
    const read = yield* settled(readingsOf([provider], [odd, fine], true))
    return read.map(({ jettons, unread }) => [
      [...(jettons ?? [])].map(([master, { amount }]) => `${master === usdt ? "usdt" : "drift"} ${amount}`).join(),
      unread?.reason
    ])
  })
  const accounts = { accountStates: states({ [odd]: "1", [fine]: "2" }), _bulk: { accounts: [] } }

  it("that may be any owner's takes no other jettons with it, and any owner may have more", function* () {
    const { jetton_wallets: rows } = wallets([
      { owner: odd, jetton: usdt, balance: "7" },
      { owner: fine, jetton: drift, balance: "8" }
    ])
    const [own] = rows
    for (const row of ["text", { ...own, owner: null }, { ...own, owner: stranger }, { ...own, jetton: "usdt" }]) {
      const provider = yield* clientOf(Toncenter.make, { ...accounts, wallets: { jetton_wallets: [row, ...rows] } })
      assert.deepStrictEqual<unknown>(yield* jettonsAt(provider), [
        ["usdt 7", "bad_answer"],
        ["drift 8", "bad_answer"]
      ])
    }
    const whole = yield* clientOf(Toncenter.make, { ...accounts, wallets: { jetton_wallets: rows } })
    assert.deepStrictEqual<unknown>(yield* jettonsAt(whole), [
      ["usdt 7", undefined],
      ["drift 8", undefined]
    ])
  })

  it("at TonAPI takes no other jettons of its owner with it, and has a reason", function* () {
    const balances = [{ balance: "7", jetton: { address: usdt, decimals: 6 } }]
    for (const row of ["text", { balance: "1" }, { balance: "1", jetton: { address: "usdt", decimals: 6 } }]) {
      const provider = yield* clientOf(TonApi.make, { ...accounts, jettons: { balances: [row, ...balances] } })
      assert.deepStrictEqual<unknown>(yield* jettonsAt(provider), [
        ["usdt 7", "bad_answer"],
        ["usdt 7", "bad_answer"]
      ])
      const single = yield* settled(Effect.either(provider.jetton(fine, drift)))
      assert.strictEqual(
        brief(single, ({ amount }) => amount),
        "bad_answer"
      )
    }
  })

  it("about a master takes no multiplier of another one with it", function* () {
    const row = { metadata: { address: drift, decimals: "9" } }
    for (const broken of ["text", { ...row, metadata: null }, { ...row, scaled_ui: { numerator: "0" } }]) {
      const provider = yield* clientOf(TonApi.make, { _bulk: { jettons: [broken, { metadata: { address: usdt } }] } })
      const read = yield* settled(infosOf([provider], [drift, usdt]))
      assert.deepStrictEqual(read.map(Either.isRight), [false, true])
    }
  })
})
