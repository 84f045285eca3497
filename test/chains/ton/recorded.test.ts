import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding, ReadFailure } from "../../../src/chains/Chain.ts"
import { parse } from "../../../src/chains/ton/TonAddress.ts"
import { format } from "../../../src/domain/Amount.ts"
import { fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { json, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  drift,
  holder,
  sampleMaster as master,
  network,
  own,
  peer,
  second,
  states,
  ston,
  token,
  toncenter,
  usdt
} from "./ton.ts"

const shown = (result: Either.Either<ReadonlyArray<Holding>, ReadFailure> | undefined) =>
  Either.getOrThrow(Option.getOrThrow(Option.fromNullable(result))).map(({ amount, asset }) => {
    const [name, decimals] = asset === "native" ? ["ton", 9] : [asset.coinId, asset.decimals]
    return `${format(Either.getOrThrow(amount), decimals)} ${name}`
  })

const reasonOf = (result: Either.Either<unknown, ReadFailure> | undefined) =>
  Option.getOrThrow(Option.flatMap(Option.fromNullable(result), Either.getLeft)).reason

const rich = "0:009d03ddede8c2620a72f999d03d5888102250a214bf574a29ff64df80162168"
const other = "0:7c9fc62291740a143086c807fe322accfd12737b3c2243676228176707c7ce40"
const v5 = "0:88661faccabc915076f619f82910503d691be3dca5b25a083cd67a0e8f261c6f"
const kingy = "0:beb5d4638e860ccf7317296e298fde5b35982f4725b0676dc98b1de987b82ebc"

/** TonAPI with recorded responses, each from another account. The jettons are returned for any account. */
const tonapi = ({ url }: SentRequest) => {
  if (url.pathname === "/v2/accounts/_bulk")
    return json({ accounts: [fixture("tonapi", "account-wallet-v5").response.body] })
  return replay(fixture("tonapi", url.pathname.endsWith("/jettons") ? "account-jettons" : "jetton-info-usdt"))
}

recorded("recorded responses of TON indexers", () => {
  it("jetton-wallets: zero balances are left out, decimals are strings, raw addresses are in upper case", function* () {
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
    const [holdings] = yield* settled(ton.holdings([Either.getOrThrow(ton.address(owner_address))]))
    // DRIFT declares ten decimals, which take precedence over the nine of the list, a possible guess.
    assert.deepStrictEqual(shown(holdings), ["62.709394797 ton", "32.44815 drift", "3.201565 tether"])
  })

  it("jetton-wallets: returns the decimals of a jetton that is not in the registry", function* () {
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

  it("jetton-wallets: the address book has the user-friendly form of each raw address", () => {
    const { address_book } = fixture("toncenter-v3", "jetton-wallets").response.body as {
      readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
    }
    assert.isAbove(Object.keys(address_book).length, 5)
    for (const [raw, { user_friendly }] of Object.entries(address_book))
      assert.deepStrictEqual(parse(user_friendly), Either.right(raw.toLowerCase()))
  })

  it("testnet-transaction-comment-weird-credit: user-friendly addresses of the test network are refused", () => {
    const { address_book } = fixture("toncenter-v3", "testnet-transaction-comment-weird-credit").response.body as {
      readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
    }
    const texts = Object.values(address_book).map(({ user_friendly }) => user_friendly)
    assert.isNotEmpty(texts)
    for (const text of texts) assert.match(Either.getOrThrow(Either.flip(parse(text))), /test network/)
  })

  it("getaddressinformation-uninitialized: an uninitialized account has a balance", function* () {
    const { request, response } = fixture("toncenter-v2", "getaddressinformation-uninitialized")
    const { balance } = (response.body as { readonly result: { readonly balance: string } }).result
    const address = Either.getOrThrow(parse(request.query.address ?? ""))
    const { accounts } = states({ [address]: balance })
    const uninit = { accounts: accounts.map((account) => ({ ...account, status: "uninit" })) }
    const { network: ton } = yield* network({ "toncenter.test": toncenter({ accountStates: json(uninit) }) })
    assert.deepStrictEqual(shown((yield* settled(ton.holdings([address])))[0]), ["1 ton"])
  })

  it("testnet-transactions-empty: a response of another kind is not read as zero", function* () {
    const empty = replay(fixture("toncenter-v3", "testnet-transactions-empty"))
    const { network: ton } = yield* network({ "toncenter.test": () => empty, "tonapi.test": () => empty })
    const [holdings] = yield* settled(ton.holdings([holder]))
    assert.strictEqual(
      Option.getOrThrow(Option.flatMap(Option.fromNullable(holdings), Either.getLeft)).reason,
      "bad_answer"
    )
  })

  it("accounts-bulk-balance-above-2-53: more than the total supply of TON is refused", function* () {
    const exchange = fixture("tonapi", "accounts-bulk-balance-above-2-53")
    const { network: ton } = yield* network({ "tonapi.test": () => replay(exchange) })
    const [first] = yield* settled(ton.holdings([rich, other]))
    assert.strictEqual(
      Option.getOrThrow(Option.flatMap(Option.fromNullable(first), Either.getLeft)).reason,
      "bad_answer"
    )
  })

  it("account-wallet-v5, account-jettons: only registered jettons are shown, so no look-alikes", function* () {
    const { network: ton } = yield* network(
      { "tonapi.test": tonapi },
      { tokens: [token(usdt, "tether", 6), token(kingy, "kingyton", 9)] }
    )
    const [holdings] = yield* settled(ton.holdings([v5]))
    assert.deepStrictEqual(shown(holdings), ["0.152544541 ton", "21.880005575 kingyton"])
  })

  it("jetton-info-usdt: decimals are a string", function* () {
    const { network: ton } = yield* network({ "tonapi.test": tonapi })
    const { amount, asset } = yield* settled(ton.holding(holder, Option.some(usdt)))
    assert.deepStrictEqual(amount, Either.right(0n))
    assert.deepInclude(asset, { address: usdt, decimals: 6 })
  })
})

describe("sample responses of TON indexers:", () => {
  const center = (name: string) => replay(sample("toncenter-v3", name))
  const registered = [token(master, "made", 9), token(second, "other", 9)]

  it("zero balances are left out, decimals are strings, raw addresses are in upper case, and a missing account has zero", function* () {
    const { network: ton } = yield* network(
      {
        "toncenter.test": toncenter({
          accountStates: center("account-states"),
          "jetton/wallets": center("jetton-wallets")
        })
      },
      { tokens: registered }
    )
    const read = yield* settled(ton.holdings([own, peer, second]))
    assert.deepStrictEqual(read.map(shown), [["48.200000017 ton", "91.8273645001 made"], ["1 ton"], ["0 ton"]])
  })

  it("a jetton has the decimals of the response for its wallets, or else those of its master", function* () {
    const { jetton_wallets, metadata } = sample("toncenter-v3", "jetton-wallets").response.body as {
      readonly jetton_wallets: ReadonlyArray<unknown>
      readonly metadata: unknown
    }
    const wallets = (rows: ReadonlyArray<unknown>) => json({ jetton_wallets: rows, metadata })
    const answers = { "jetton/wallets": wallets(jetton_wallets.slice(0, 1)) }
    const { network: ton } = yield* network({ "toncenter.test": toncenter(answers) })
    const found = yield* settled(ton.holding(own, Option.some(master)))
    assert.deepStrictEqual(found.amount, Either.right(918_273_645_001n))
    assert.deepInclude(found.asset, { address: master, decimals: 10 })

    const none = { "jetton/wallets": wallets([]), "jetton/masters": center("jetton-masters") }
    const { network: without } = yield* network({ "toncenter.test": toncenter(none) })
    const { amount, asset } = yield* settled(without.holding(own, Option.some(master)))
    assert.deepStrictEqual(amount, Either.right(0n))
    assert.deepInclude(asset, { address: master, decimals: 6 })
  })

  it("the address book has user-friendly forms of raw addresses, and those of the test network are refused", () => {
    const book = (name: string) =>
      Object.entries(
        (
          sample("toncenter-v3", name).response.body as {
            readonly address_book: Readonly<Record<string, { readonly user_friendly: string }>>
          }
        ).address_book
      )
    assert.deepStrictEqual(
      book("jetton-masters").map(([raw, { user_friendly }]) => [raw.toLowerCase(), parse(user_friendly)]),
      [[master, Either.right(master)]]
    )
    const [[, { user_friendly }] = ["", { user_friendly: "" }]] = book("transactions-test-network")
    assert.match(Either.getOrThrow(Either.flip(parse(user_friendly))), /test network/)
  })

  for (const name of ["transactions-empty", "masterchain-info"])
    it(`${name}: a response of another kind is not read as zero`, function* () {
      const { network: ton } = yield* network({
        "toncenter.test": () => center(name),
        "tonapi.test": () => center(name)
      })
      const [holdings] = yield* settled(ton.holdings([own]))
      assert.strictEqual(reasonOf(holdings), "bad_answer")
    })

  /** TonAPI that selects a sample by the end of the path. */
  const api =
    (bulk: string) =>
    ({ url }: SentRequest) => {
      const name = url.pathname.endsWith("/_bulk")
        ? bulk
        : url.pathname.endsWith("/jettons")
          ? "jettons"
          : "jetton-master"
      return replay(sample("tonapi", name))
    }

  it("all digits of a JSON number are preserved, and a number that has lost digits is rejected", function* () {
    const { network: ton } = yield* network({ "tonapi.test": api("accounts-beyond-2-53") })
    assert.deepStrictEqual((yield* settled(ton.holdings([own, peer]))).map(shown), [
      ["6048129033.771502269 ton"],
      ["0.038155042 ton"]
    ])
    const { network: lossy } = yield* network({ "tonapi.test": api("accounts-with-exponent") })
    assert.strictEqual(reasonOf((yield* settled(lossy.holdings([own])))[0]), "bad_answer")
  })

  it("only registered jettons are shown, so no look-alikes", function* () {
    const { network: ton } = yield* network(
      { "tonapi.test": api("accounts-beyond-2-53") },
      { tokens: [token(master, "made", 9)] }
    )
    assert.deepStrictEqual(shown((yield* settled(ton.holdings([own, peer])))[1]), [
      "0.038155042 ton",
      "73.300412006 made"
    ])
  })

  it("the decimals of a master are a string", function* () {
    const { network: ton } = yield* network({ "tonapi.test": api("accounts-beyond-2-53") })
    const { amount, asset } = yield* settled(ton.holding(own, Option.some(usdt)))
    assert.deepStrictEqual(amount, Either.right(0n))
    assert.deepInclude(asset, { address: usdt, decimals: 6 })
  })
})
