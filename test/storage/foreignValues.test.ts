import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Price } from "../../src/domain/Price.ts"
import { Token } from "../../src/domain/Token.ts"
import { Transaction } from "../../src/domain/Transaction.ts"
import * as LastBalances from "../../src/features/balances/LastBalances.ts"
import { ArchivedHistory } from "../../src/features/history/Archive.ts"
import { tokenLists } from "../../src/providers/TokenRegistry.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { Store } from "../../src/storage/Store.ts"
import { BudgetState } from "../../src/upstream/budget/Budget.ts"

const token = { address: "0xa", coinId: "a", name: "A", symbol: "A", decimals: 18, thumbnail: "" }
const price = { coinId: "a", usd: 1, updatedAt: 1, source: "test" }
const movement = { address: "x", amount: "5" }
const transaction = {
  hash: "h",
  type: "Send",
  fee: "1",
  status: "Success",
  timestamp: 1_700_000_000,
  order: 1,
  from: [movement],
  to: [movement]
}
const archive = { transactions: [transaction], from: 1, more: false, sources: ["a"], gaps: [], accounts: [] }
const month = { month: "2026-11", used: 3, since: 1 }
const budget = { second: { filled: 1, at: 1 }, count: month }

/** Valid values, each with changes that make it invalid. */
const values: ReadonlyArray<readonly [string, Schema.Schema.AnyNoContext, object, ReadonlyArray<object>]> = [
  ["a token", Token, token, [-1, 256, 1.5, "6", null].map((decimals) => ({ decimals }))],
  ["a price", Price, price, [{ usd: -1 }, { usd: 0 }, { usd: 1e13 }, { fdv: "1" }, { coinId: "" }]],
  [
    "a transaction",
    Transaction,
    transaction,
    [
      { fee: "-1" },
      { fee: 1 },
      { paid: "1.5" },
      { timestamp: 1.5 },
      { from: [{ ...movement, amount: "-5" }] },
      { to: [{ ...movement, amount: "0.5" }] },
      { status: "Done" }
    ]
  ],
  ["an archive", ArchivedHistory, archive, [{ transactions: [{ ...transaction, fee: "-1" }] }, { sources: [1] }]],
  [
    "a budget",
    BudgetState,
    budget,
    [
      { count: { ...month, used: -1_000 } },
      { count: { ...month, month: "soon" } },
      { count: { ...month, since: -1 } },
      { second: { filled: -1e9, at: 1 } },
      { month: { filled: -1e9, at: 1 } }
    ]
  ]
]

describe("a stored value", () => {
  for (const [name, schema, good, changes] of values)
    it(`is validated like an upstream response: ${name}`, () => {
      const decode = Schema.decodeUnknownEither(schema)
      assert.isTrue(Either.isRight(decode(good)))
      for (const change of changes) assert.isTrue(Either.isLeft(decode({ ...good, ...change })), JSON.stringify(change))
    })

  it.scoped("of a token list or of earlier balances is ignored if it is invalid", () =>
    Effect.gen(function* () {
      const { open } = yield* Store
      const lists = yield* tokenLists
      const balances = yield* LastBalances.make
      const row = {
        coinId: "a",
        tokenName: "A",
        tokenSymbol: "A",
        tokenDecimals: 18,
        contractAddress: null,
        thumbnail: "",
        balance: "1.5",
        balanceUsd: null,
        at: 1
      }
      const bad = [{ balance: "-1" }, { balance: "1e9" }, { tokenDecimals: -1 }, { balanceUsd: "-1" }, { at: -1 }]
      const rows = new Map<string, unknown>([["good", { at: 1, value: [row] }]])
      for (const [index, change] of bad.entries()) rows.set(`bad ${index}`, { at: 1, value: [{ ...row, ...change }] })
      yield* open("balances", 1).setMany(rows, "1 hour")
      assert.deepStrictEqual([...(yield* balances.read([...rows.keys()])).keys()], ["good"])
      const tokens = new Map<string, unknown>([
        ["good", { at: 1, value: [token] }],
        ["bad", { at: 1, value: [{ ...token, decimals: -18 }] }]
      ])
      yield* open("tokens", 1).setMany(tokens, "1 hour")
      assert.deepStrictEqual([yield* lists.restore("good"), yield* lists.restore("bad")], [true, false])
    }).pipe(Effect.provide(Layer.fresh(Memory.layer())))
  )
})
