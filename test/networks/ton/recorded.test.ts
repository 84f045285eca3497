import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { format } from "../../../src/domain/Amount.ts"
import type { Holding, Unread } from "../../../src/networks/Network.ts"
import { parse } from "../../../src/networks/ton/address.ts"
import { fixture, recorded, replay } from "../../support/fixtures.ts"
import { type Asked, json } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { drift, holder, network, states, ston, token, toncenter, usdt } from "./ton.ts"

const shown = (result: Either.Either<ReadonlyArray<Holding>, Unread> | undefined) =>
  Either.getOrThrow(Option.getOrThrow(Option.fromNullable(result))).map(({ amount, asset }) => {
    const [name, decimals] = asset === "native" ? ["ton", 9] : [asset.coinId, asset.decimals]
    return `${format(Either.getOrThrow(amount), decimals)} ${name}`
  })

const rich = "0:009d03ddede8c2620a72f999d03d5888102250a214bf574a29ff64df80162168"
const other = "0:7c9fc62291740a143086c807fe322accfd12737b3c2243676228176707c7ce40"
const v5 = "0:88661faccabc915076f619f82910503d691be3dca5b25a083cd67a0e8f261c6f"
const kingy = "0:beb5d4638e860ccf7317296e298fde5b35982f4725b0676dc98b1de987b82ebc"

/** TonAPI as it was recorded, each answer of another account; the jettons stand for those of anybody. */
const tonapi = ({ url }: Asked) => {
  if (url.pathname === "/v2/accounts/_bulk")
    return json({ accounts: [fixture("tonapi", "account-wallet-v5").response.body] })
  return replay(fixture("tonapi", url.pathname.endsWith("/jettons") ? "account-jettons" : "jetton-info-usdt"))
}

recorded("recorded answers of indexers of TON", () => {
  it.effect("jetton-wallets: zero is left out, decimals are texts, raw addresses are in capitals", () =>
    Effect.gen(function* () {
      const { result } = fixture("toncenter-v2", "getaddressbalance").response.body as { readonly result: string }
      const routes = {
        accountStates: json(states({ [holder]: result })),
        "jetton/wallets": replay(fixture("toncenter-v3", "jetton-wallets"))
      }
      const { network: ton } = yield* network(
        { "toncenter.test": toncenter(routes) },
        { tokens: [token(usdt, "tether", 6), token(drift, "drift", 9), token(ston, "ston", 9)] }
      )
      const { owner_address = "" } = fixture("toncenter-v3", "jetton-wallets").request.query
      const [held] = yield* settled(ton.holdings([Either.getOrThrow(ton.address(owner_address))]))
      // DRIFT declares ten decimals, which comes before the nine of a list that does not know.
      assert.deepStrictEqual(shown(held), ["62.709394797 ton", "32.44815 drift", "3.201565 tether"])
    })
  )

  it.effect("jetton-wallets: tells the decimals of a jetton that is not in the registry", () =>
    Effect.gen(function* () {
      const { jetton_wallets, metadata } = fixture("toncenter-v3", "jetton-wallets").response.body as {
        readonly jetton_wallets: ReadonlyArray<{ readonly jetton: string }>
        readonly metadata: unknown
      }
      const only = { jetton_wallets: jetton_wallets.filter(({ jetton }) => jetton === drift.toUpperCase()), metadata }
      const { network: ton } = yield* network({ "toncenter.test": toncenter({ "jetton/wallets": json(only) }) })
      const { amount, asset } = yield* settled(ton.holding(holder, Option.some(drift)))
      assert.deepStrictEqual(amount, Either.right(324_481_500_000n))
      assert.deepInclude(asset, { address: drift, decimals: 10 })
    })
  )

  it("jetton-wallets: its book of addresses has the user-friendly form of each raw one", () => {
    const { address_book } = fixture("toncenter-v3", "jetton-wallets").response.body as {
      readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
    }
    assert.isAbove(Object.keys(address_book).length, 5)
    for (const [raw, { user_friendly }] of Object.entries(address_book))
      assert.deepStrictEqual(parse(user_friendly), Either.right(raw.toLowerCase()))
  })

  it("testnet-transaction-comment-weird-credit: its user-friendly forms are of the test network", () => {
    const { address_book } = fixture("toncenter-v3", "testnet-transaction-comment-weird-credit").response.body as {
      readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
    }
    const texts = Object.values(address_book).map(({ user_friendly }) => user_friendly)
    assert.isNotEmpty(texts)
    for (const text of texts) assert.match(Either.getOrThrow(Either.flip(parse(text))), /test network/)
  })

  it.effect("getaddressinformation-uninitialized: an account that is not set up has a balance", () =>
    Effect.gen(function* () {
      const { request, response } = fixture("toncenter-v2", "getaddressinformation-uninitialized")
      const { balance } = (response.body as { readonly result: { readonly balance: string } }).result
      const address = Either.getOrThrow(parse(request.query.address ?? ""))
      const { accounts } = states({ [address]: balance })
      const uninit = { accounts: accounts.map((one) => ({ ...one, status: "uninit" })) }
      const { network: ton } = yield* network({ "toncenter.test": toncenter({ accountStates: json(uninit) }) })
      assert.deepStrictEqual(shown((yield* settled(ton.holdings([address])))[0]), ["1 ton"])
    })
  )

  it.effect("testnet-transactions-empty: an answer of another kind is not zero", () =>
    Effect.gen(function* () {
      const empty = replay(fixture("toncenter-v3", "testnet-transactions-empty"))
      const { network: ton } = yield* network({ "toncenter.test": () => empty, "tonapi.test": () => empty })
      const [held] = yield* settled(ton.holdings([holder]))
      assert.strictEqual(
        Option.getOrThrow(Option.flatMap(Option.fromNullable(held), Either.getLeft)).reason,
        "bad_answer"
      )
    })
  )

  it.effect("accounts-bulk-balance-above-2-53: keeps all digits of a bare number", () =>
    Effect.gen(function* () {
      // A JSON parser loses the digits, so the number is put back as it was written.
      const text = JSON.stringify(fixture("tonapi", "accounts-bulk-balance-above-2-53").response.body).replace(
        /"balance":4\.7\d*e\+35/,
        `"balance":471698230471698230471698230471698230`
      )
      const bulk = ({ url }: Asked) =>
        url.pathname === "/v2/accounts/_bulk" ? Effect.sync(() => new Response(text)) : json({ balances: [] })
      const { network: ton } = yield* network({ "tonapi.test": bulk })
      const [first, second] = yield* settled(ton.holdings([rich, other]))
      assert.deepStrictEqual(shown(first), ["471698230471698230471698230.47169823 ton"])
      assert.deepStrictEqual(shown(second), ["0.0476028 ton"])

      // Written with an exponent it has lost them, and is refused.
      const { network: lossy } = yield* network({
        "tonapi.test": () => replay(fixture("tonapi", "accounts-bulk-balance-above-2-53"))
      })
      const [lost] = yield* settled(lossy.holdings([rich, other]))
      assert.strictEqual(
        Option.getOrThrow(Option.flatMap(Option.fromNullable(lost), Either.getLeft)).reason,
        "bad_answer"
      )
    })
  )

  it.effect("account-wallet-v5, account-jettons: only what the registry knows, so no look-alike", () =>
    Effect.gen(function* () {
      const { network: ton } = yield* network(
        { "tonapi.test": tonapi },
        { tokens: [token(usdt, "tether", 6), token(kingy, "kingyton", 9)] }
      )
      const [held] = yield* settled(ton.holdings([v5]))
      assert.deepStrictEqual(shown(held), ["0.152544541 ton", "21.880005575 kingyton"])
    })
  )

  it.effect("jetton-info-usdt: decimals are a text", () =>
    Effect.gen(function* () {
      const { network: ton } = yield* network({ "tonapi.test": tonapi })
      const { amount, asset } = yield* settled(ton.holding(holder, Option.some(usdt)))
      assert.deepStrictEqual(amount, Either.right(0n))
      assert.deepInclude(asset, { address: usdt, decimals: 6 })
    })
  )
})
