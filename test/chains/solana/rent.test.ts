import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as transactionCalls from "../../../src/chains/solana/providers/agave/transactionCalls.ts"
import { toTransaction } from "../../../src/chains/solana/toTransaction.ts"
import { key } from "./nodes.ts"

const [me, you, they] = [key(1), key(2), key(3)]
const [mine, second, yours, mint] = [key(11), key(12), key(13), key(20)]
const wrapped = "So11111111111111111111111111111111111111112"
const rent = 2_039_280

interface Account {
  readonly address: string
  readonly before: number
  readonly after: number
  /** Only for a token account. */
  readonly owner?: string
  readonly mint?: string
  readonly tokens?: readonly [before: number | undefined, after: number | undefined]
}

const coins = (address: string, before: number, after: number): Account => ({ address, before, after })

const opened = (address: string, owner: string, lamports = rent): Account => ({
  address,
  owner,
  before: 0,
  after: lamports,
  tokens: [undefined, 0]
})

const closed = (address: string, owner: string, lamports = rent): Account => ({
  address,
  owner,
  before: lamports,
  after: 0,
  tokens: [0, undefined]
})

const parsed = (type: string, info: object) => ({ parsed: { type, info }, program: "any", programId: key(9) })

const transaction = (
  accounts: ReadonlyArray<Account>,
  instructions: ReadonlyArray<unknown> = [],
  inner: ReadonlyArray<unknown> = []
) => {
  const balances = (side: 0 | 1) =>
    accounts.flatMap(({ mint: of = mint, owner, tokens }, accountIndex) => {
      const amount = tokens?.[side]
      return amount === undefined ? [] : [{ accountIndex, mint: of, owner, uiTokenAmount: { amount: String(amount) } }]
    })
  return Schema.decodeUnknownSync(transactionCalls.SolanaTransaction)({
    blockTime: 1_700_000_000,
    meta: {
      err: null,
      fee: 5_000,
      preBalances: accounts.map(({ before }, index) => before + (index === 0 ? 5_000 : 0)),
      postBalances: accounts.map(({ after }) => after),
      preTokenBalances: balances(0),
      postTokenBalances: balances(1),
      innerInstructions: inner.length === 0 ? null : [{ index: 0, instructions: inner }]
    },
    transaction: {
      message: { accountKeys: accounts.map(({ address }) => ({ pubkey: address })), instructions }
    }
  })
}

const seen = (holder: string, ...parts: Parameters<typeof transaction>) => {
  const place = { hash: "a", order: 1, timestamp: undefined }
  const { from, to, type } = Option.getOrThrow(toTransaction(holder, place, transaction(...parts)))
  return { type, from, to }
}

const party = (address: string, amount: number, token?: string) => ({
  address,
  amount: BigInt(amount),
  ...(token === undefined ? {} : { token })
})

const create = (source: string, newAccount: string, lamports = rent) =>
  parsed("createAccount", { source, newAccount, lamports, space: 165, owner: key(9) })
const close = (account: string, destination: string) => parsed("closeAccount", { account, destination, owner: me })

describe("the rent of Solana token accounts is not shown as a payment, and other amounts are exact:", () => {
  it("a refund of which a part is sent to another address", () => {
    const accounts = [coins(me, 10_000, 10_000 + rent - 1_637), coins(they, 5, 5 + 1_637), closed(mine, me)]
    const expected = { type: "Send", from: [party(me, 1_637)], to: [party(they, 1_637)] }
    assert.deepStrictEqual(seen(me, accounts, [close(mine, me)]), expected)
    assert.deepStrictEqual(seen(me, accounts), expected, "if a node returns no instructions")
  })

  it("a deposit to which another address contributes", () => {
    const accounts = [coins(me, rent, 1_637), coins(they, 5_000, 5_000 - 1_637), opened(mine, me)]
    const expected = { type: "Receive", from: [party(they, 1_637)], to: [party(me, 1_637)] }
    assert.deepStrictEqual(seen(me, accounts, [create(me, mine)]), expected)
    assert.deepStrictEqual(seen(me, accounts), expected)
  })

  it("the deposit of a payer who pays less than another address", () => {
    const accounts = [coins(they, rent, 0), coins(me, 9_000_000, 0), coins(you, 0, 9_000_000), opened(yours, you)]
    const expected = { type: "Send", from: [party(me, 9_000_000)], to: [party(you, 9_000_000)] }
    const orders = [
      [[], [create(they, yours)]],
      [[], [parsed("createAccountWithSeed", { source: they, newAccount: yours, lamports: rent })]],
      [[parsed("createIdempotent", { source: they, account: yours, wallet: you, mint })], []],
      [[], [parsed("transfer", { source: they, destination: yours, lamports: rent })]]
    ] as const
    for (const [instructions, inner] of orders)
      assert.deepStrictEqual(seen(me, accounts, instructions, inner), expected)
  })

  it("an account that is closed and another that is opened", () => {
    const accounts = [coins(me, 3_000_000, 3_000_000 - rent), opened(mine, me), coins(you, 5, 5 + rent - 1_637)]
    const both = [...accounts, closed(yours, you, rent - 1_637)]
    const none = { from: [], to: [] }
    const instructions = [create(me, mine), close(yours, you)]
    assert.deepStrictEqual(seen(me, both, instructions), { type: "createAccount", ...none })
    assert.deepStrictEqual(seen(me, both), { type: "Contract Call", ...none })
  })

  it("coins that are sent to a token account are not rent", () => {
    const account: Account = { address: yours, owner: you, before: rent, after: rent + 1_637, tokens: [4, 4] }
    assert.deepStrictEqual(seen(me, [coins(me, 10_000, 10_000 - 1_637), account]), {
      type: "Send",
      from: [party(me, 1_637)],
      to: [party(yours, 1_637)]
    })
  })

  it("wrapped coins are tokens, even in an account that is opened or closed with them", () => {
    const account = { ...opened(mine, me, rent + 700), mint: wrapped, tokens: [undefined, 700] as const }
    assert.deepStrictEqual(seen(me, [coins(me, 9_000_000, 9_000_000 - rent - 700), account], [create(me, mine)]), {
      type: "Send",
      from: [party(me, 700)],
      to: [party(me, 700, wrapped)]
    })
    const back = { ...closed(mine, me, rent + 700), mint: wrapped, tokens: [700, undefined] as const }
    assert.deepStrictEqual(seen(me, [coins(me, 9_000_000, 9_000_000 + rent + 700), back], [close(mine, me)]), {
      type: "Send",
      from: [party(me, 700, wrapped)],
      to: [party(me, 700)]
    })
  })

  it("both sides have equal sums, whatever is opened and closed", () => {
    const amount = FastCheck.integer({ min: 0, max: 10_000_000 })
    const account = FastCheck.record({
      open: FastCheck.boolean(),
      owner: FastCheck.constantFrom(me, you, they),
      lamports: FastCheck.integer({ min: 1, max: 3_000_000 })
    })
    FastCheck.assert(
      FastCheck.property(
        FastCheck.tuple(amount, amount, amount),
        FastCheck.array(account, { maxLength: 4 }),
        ([value, two, three], some) => {
          const tokens = some.map(({ lamports, open, owner }, index) =>
            (open ? opened : closed)(key(30 + index), owner, lamports)
          )
          const inside = tokens.reduce((sum, { after, before }) => sum + after - before, 0)
          const start = 100_000_000
          const others = [coins(you, start, start + value - two), coins(they, start, start + two - three)]
          const accounts = [coins(me, start, start + three - value - inside), ...others, ...tokens]
          const { from, to } = seen(me, accounts)
          const sum = (all: ReadonlyArray<{ readonly amount: bigint }>) =>
            all.reduce((all, { amount }) => all + amount, 0n)
          assert.strictEqual(sum(from), sum(to))
        }
      )
    )
  })
})

describe("a token that its holder sends to itself is shown on both sides:", () => {
  const own = (address: string, before: number, after: number): Account => ({
    address,
    owner: me,
    before: rent,
    after: rent,
    tokens: [before, after]
  })
  const both = { type: "Send", from: [party(me, 7, mint)], to: [party(me, 7, mint)] }
  const payer = coins(me, 10_000, 10_000)

  it("between two accounts of the holder", () => {
    const accounts = [payer, own(mine, 9, 2), own(second, 0, 7)]
    const moved = { source: mine, destination: second, authority: me }
    assert.deepStrictEqual(seen(me, accounts, [parsed("transfer", { ...moved, amount: "7" })]), both)
    const checked = parsed("transferChecked", { ...moved, mint, tokenAmount: { amount: "7", decimals: 0 } })
    assert.deepStrictEqual(seen(me, accounts, [checked]), both)
    assert.deepStrictEqual(
      seen(
        me,
        [coins(me, 3_000_000, 3_000_000 - rent), own(mine, 9, 2), { ...opened(second, me), tokens: [undefined, 7] }],
        [parsed("create", { source: me, account: second, wallet: me, mint }), checked]
      ),
      both
    )
  })

  it("within the same account, several times", () => {
    const moved = (amount: string) => parsed("transfer", { source: mine, destination: mine, authority: me, amount })
    assert.deepStrictEqual(seen(me, [payer, own(mine, 9, 9)], [moved("3"), moved("4")]), both)
  })

  it("together with coins that the holder sends to itself", () => {
    const instructions = [
      parsed("transfer", { source: me, destination: me, lamports: 4 }),
      parsed("transfer", { source: mine, destination: mine, authority: me, amount: "7" })
    ]
    const sides = [party(me, 4), party(me, 7, mint)]
    assert.deepStrictEqual(seen(me, [payer, own(mine, 9, 9)], instructions), { type: "Send", from: sides, to: sides })
  })

  it("but not a transfer by another authority, or of nothing", () => {
    const accounts = [payer, { ...own(mine, 9, 9), owner: you }]
    for (const info of [
      { source: mine, destination: mine, authority: you, amount: "7" },
      { source: me, destination: me, lamports: 0 },
      { source: mine, destination: mine, amount: 7 }
    ])
      assert.deepStrictEqual(seen(me, accounts, [parsed("transfer", info)]), { type: "transfer", from: [], to: [] })
  })
})
