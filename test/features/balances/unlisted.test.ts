import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Stream from "effect/Stream"
import type { HoldingsResult, ReadFailure } from "../../../src/chains/Chain.ts"
import type { UnlistedTokens } from "../../../src/chains/kit/holdings/unlisted.ts"
import type { Balance } from "../../../src/domain/Balance.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { type Fake, holds, network, outage, portfolio, token } from "./portfolio.ts"

const { coinId: _, ...spam } = { ...token("spam"), symbol: "WIN", name: "Visit www.win.example" }
const { coinId: __, ...plain } = token("plain")
const { coinId: ___, ...nameless } = { ...token("nameless"), symbol: "", name: "" }

const held = (...assets: ReadonlyArray<typeof spam>): UnlistedTokens => ({
  tokens: assets.map((asset) => ({ asset, amount: Either.right(7n) })),
  omitted: 0,
  withoutDecimals: 0
})

const whole = { complete: true, truncated: 0, withoutDecimals: 0 }

/** A network whose addresses hold a listed token, and these unlisted ones if they are requested. */
const having = (unlisted: UnlistedTokens | undefined, more: Partial<Fake> = {}): Fake => ({
  id: "net",
  holdings: (addresses, options) =>
    Effect.succeed({
      addresses: addresses.map(() => holds(100n, [token("dollar"), 5n])),
      missing: undefined,
      ...(options?.unlisted === true && unlisted !== undefined ? { unlisted: addresses.map(() => unlisted) } : {})
    } satisfies HoldingsResult),
  ...more
})

const summary = ({ balance, listed, reasons, tokenSymbol, unlisted, verdict }: Balance) =>
  unlisted === undefined ? [tokenSymbol, balance, listed, verdict, reasons] : [tokenSymbol, unlisted]

const read = (fake: Fake, options: { readonly unlisted?: boolean } = { unlisted: true }) =>
  Effect.flatMap(portfolio([network(fake)], { dollar: 1 }), ({ balances }) => balances({ net: ["a"] }, options))

describe("unlisted tokens in balances", () => {
  it.scoped("follow the listed ones with their verdicts, the suspicious ones last", () =>
    Effect.map(read(having(held(spam, plain))), ({ omissions, rows }) => {
      assert.deepStrictEqual(rows.map(summary), [
        ["NET", whole],
        ["DOLLAR", "5", true, "listed", []],
        ["PLAIN", "7", false, "unknown", ["not-listed", "no-price"]],
        ["WIN", "7", false, "suspicious", ["not-listed", "link", "claim", "no-price"]]
      ])
      assert.deepStrictEqual(
        rows
          .slice(2)
          .map(({ balanceUsd, coinId, errorCode, tokenPrice }) => [coinId, balanceUsd, tokenPrice, errorCode]),
        [
          ["", null, null, "no_price"],
          ["", null, null, "no_price"]
        ]
      )
      assert.deepStrictEqual(omissions, [])
    })
  )

  it.scoped("are not there without the option, and no row has a verdict", () =>
    Effect.map(read(having(held(spam)), {}), ({ rows }) =>
      assert.deepStrictEqual(
        rows.map((row) =>
          Object.keys(row).filter((name) => ["listed", "reasons", "unlisted", "verdict"].includes(name))
        ),
        [[], []]
      )
    )
  )

  it.scoped("have the names that their contracts return, and none if these cannot be read in time", () =>
    Effect.gen(function* () {
      const requested: Array<ReadonlyArray<string>> = []
      const tokenNames: Fake["tokenNames"] = (tokens) => {
        requested.push(tokens)
        return Effect.succeed(new Map([["0xnameless", { name: "Late", symbol: "LATE", decimals: 9 }]]))
      }
      const named = yield* read(having(held(nameless, plain), { tokenNames }))
      assert.deepStrictEqual(
        named.rows.slice(2).map(({ tokenDecimals, tokenName, tokenSymbol }) => [tokenSymbol, tokenName, tokenDecimals]),
        [
          ["LATE", "Late", 0],
          ["PLAIN", "The plain", 0]
        ]
      )
      assert.deepStrictEqual(requested, [["0xnameless"]])
      const unnamed = yield* read(having(held(nameless)))
      assert.deepStrictEqual(unnamed.rows.slice(2).map(summary), [
        ["", "7", false, "unknown", ["not-listed", "no-price"]]
      ])
      const missing = { ...whole, complete: false, errorCode: "bad_answer" as const }
      assert.deepStrictEqual(unnamed.rows[0]?.unlisted, {
        ...missing,
        error: "the names of some tokens could not be read"
      })
    })
  )

  it.scoped("have a price of their contract if their names were read and say nothing suspicious", () =>
    Effect.gen(function* () {
      const onEthereum = (network: Fake) => ({ ...network, id: "ethereum" })
      const priced = { "ethereum:0xplain": 3, "ethereum:0xspam": 3, "ethereum:0xnameless": 3 }
      const { balances } = yield* portfolio(
        [network({ ...onEthereum(having(held(spam, nameless, plain))), platform: "ethereum" })],
        {},
        {},
        {},
        priced
      )
      const { rows } = yield* balances({ ethereum: ["a"] }, { unlisted: true })
      assert.deepStrictEqual(
        rows.slice(2).map(({ balanceUsd, reasons, tokenSymbol }) => [tokenSymbol, balanceUsd, reasons]),
        [
          ["PLAIN", "21", ["not-listed"]],
          ["", null, ["not-listed", "no-price"]],
          ["WIN", null, ["not-listed", "link", "claim", "no-price"]]
        ]
      )
    })
  )

  it.scoped("may be missing, for the reason in the row of the coin", () =>
    Effect.gen(function* () {
      const late: ReadFailure = { reason: "timeout", message: "timed out" }
      const metaOf = (fake: Fake) => Effect.map(read(fake), ({ rows }) => rows[0]?.unlisted)
      const lacking = (omitted: number, withoutDecimals: number) =>
        metaOf(having({ ...held(plain), omitted, withoutDecimals }))
      assert.deepStrictEqual(yield* lacking(3, 0), { complete: false, truncated: 3, withoutDecimals: 0 })
      assert.deepStrictEqual(yield* lacking(0, 2), { complete: false, truncated: 0, withoutDecimals: 2 })
      const missing = { ...whole, complete: false }
      const failed = { ...missing, error: "timed out", errorCode: late.reason }
      assert.deepStrictEqual(yield* metaOf(having({ ...held(plain), unread: late })), failed)
      assert.deepStrictEqual(yield* metaOf(having(undefined)), {
        ...missing,
        error: "no source lists the tokens of net",
        errorCode: "not_listed" as const
      })
      const off = yield* metaOf(
        having(undefined, {
          holdings: (addresses) =>
            Effect.succeed({ addresses: addresses.map(() => Either.left(outage)), missing: undefined })
        })
      )
      assert.deepStrictEqual(off, { ...missing, error: outage.message, errorCode: outage.reason })
    })
  )

  it.scoped("are suspicious if their source marks them", () =>
    Effect.map(read(having({ ...held(plain), scams: new Set(["0xplain"]) })), ({ rows }) =>
      assert.deepStrictEqual(rows.slice(2).map(summary), [
        ["PLAIN", "7", false, "suspicious", ["not-listed", "source-says-scam", "no-price"]]
      ])
    )
  )

  it.scoped("are not shown as earlier balances when the network fails later", () =>
    Effect.gen(function* () {
      let works = true
      const fake = having(held(plain))
      const { balances } = yield* portfolio([
        network({
          ...fake,
          holdings: (addresses, options) =>
            works
              ? (fake.holdings?.(addresses, options) ?? Effect.never)
              : Effect.succeed({ addresses: addresses.map(() => Either.left(outage)), missing: undefined })
        })
      ])
      yield* balances({ net: ["a"] }, { unlisted: true })
      works = false
      const { rows } = yield* balances({ net: ["a"] })
      assert.deepStrictEqual(
        rows.map(({ tokenSymbol }) => tokenSymbol),
        ["NET", "DOLLAR"]
      )
    })
  )

  it.scoped("are part of a stream, and have a price in the requested currency", () =>
    Effect.gen(function* () {
      const { stream } = yield* portfolio([network(having(held(plain)))], { dollar: 1 }, {}, { eur: 0.5 })
      const parts = yield* Stream.runCollect(stream({ net: ["a"] }, { unlisted: true, currency: "eur" }))
      const rows = Array.from(parts).flatMap((part) => part.rows)
      assert.deepStrictEqual(
        rows.map(({ currency, listed, value }) => [currency, listed, value]),
        [
          ["eur", undefined, null],
          ["eur", true, "2.5"],
          ["eur", false, null]
        ]
      )
    })
  )
})
