import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as SolanaSending from "../../../src/chains/solana/sending.ts"
import { ed25519 } from "../../support/offline.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Fees, signers and programs of signed transactions that the runtime reads in its own way.

const main = SolanaSending.sendable({} as never)
const [relayer, payer] = [ed25519(Buffer.alloc(32, 1)), ed25519(Buffer.alloc(32, 2))]
const keyOf = (byte: number) => Buffer.alloc(32, byte)
const program = (text: string) => Buffer.from(base58.decode(text))
const system = keyOf(0)
const budget = program("ComputeBudget111111111111111111111111111111")
const creating = program("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL")

const u32 = (value: number) => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

const u64 = (value: bigint) => {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64LE(value)
  return bytes
}

interface Written {
  readonly program: number
  readonly accounts: ReadonlyArray<number>
  readonly data: ReadonlyArray<number>
}

const signed = (
  signers: ReadonlyArray<typeof relayer>,
  keys: ReadonlyArray<Uint8Array>,
  instructions: ReadonlyArray<Written>,
  tables: ReadonlyArray<number> = []
) => {
  const all = [...signers.map(({ publicKey }) => publicKey), ...keys]
  const message = Buffer.concat([
    ...(tables.length > 0 ? [Buffer.of(0x80)] : []),
    Buffer.of(signers.length, 0, 0, all.length),
    ...all,
    keyOf(9),
    Buffer.of(instructions.length),
    ...instructions.map(({ accounts, data, program: at }) =>
      Buffer.of(at, accounts.length, ...accounts, data.length, ...data)
    ),
    Buffer.from(tables)
  ])
  return Buffer.concat([Buffer.of(signers.length), ...signers.map(({ sign }) => sign(message)), message]).toString(
    "base64"
  )
}

const contentOf = (text: string) => Either.getOrThrow(main(text)).content()

describe("the fee of a signed transaction of solana", () => {
  const pay = { program: 2, accounts: [0, 1], data: [2, 0, 0, 0, ...u64(1n)] }
  const feeOf = (...data: ReadonlyArray<ReadonlyArray<number>>) => {
    const instructions = data.map((bytes) => ({ program: 3, accounts: [], data: bytes }))
    return contentOf(signed([relayer], [keyOf(7), system, budget], [...instructions, pay]))
  }
  const limit = [2, ...u32(1_400_000)]

  it("counts prices and limits with bytes after them, and no more units than a transaction can use", function* () {
    const price = [3, ...u64(10n ** 15n)]
    for (const [data, fee] of [
      [[price, limit], 5_000n + 1_400_000n * 10n ** 9n],
      [
        [
          [...price, 0],
          [...limit, 9]
        ],
        5_000n + 1_400_000n * 10n ** 9n
      ],
      [
        [
          [3, ...u64(1_000_000n)],
          [2, ...u32(4_000_000_000)]
        ],
        5_000n + 1_400_000n
      ],
      [
        [
          [1, ...u32(65_536)],
          [4, ...u32(65_536)]
        ],
        5_000n
      ]
    ] as const) {
      const content = feeOf(...data)
      assert.deepStrictEqual(content.fee, { amount: fee, isMaximum: false })
      assert.notProperty(content.unknown, "fee")
    }
    yield* Effect.void
  })

  it("is unknown if an instruction of the compute budget is not read or occurs twice", function* () {
    for (const data of [
      [[0, ...u32(1_000), ...u32(4_000_000_000)]],
      [limit, [3, ...u32(5)]],
      [limit, limit],
      [[5, ...u64(5n)]],
      [[]]
    ]) {
      const { fee, unknown } = feeOf(...data)
      assert.isUndefined(fee)
      assert.include(unknown.fee, "do not determine")
    }
    yield* Effect.void
  })
})

describe("the content of a signed transaction of solana", () => {
  it("has no sender but all signers if several accounts signed it", function* () {
    const pay = { program: 3, accounts: [1, 2], data: [2, 0, 0, 0, ...u64(100n)] }
    const { from, payments, unknown } = contentOf(signed([relayer, payer], [keyOf(7), system], [pay]))
    assert.isUndefined(from)
    const [first, second] = [relayer, payer].map(({ publicKey }) => base58.encode(publicKey))
    assert.strictEqual(unknown.from, `2 accounts signed it: ${first}, ${second}`)
    assert.deepStrictEqual(payments, [{ to: base58.encode(keyOf(7)), amount: 100n }])
    yield* Effect.void
  })

  it("calls the program of token accounts, unless it creates one, and may pay rent if it does", function* () {
    const keys = [keyOf(11), keyOf(12), keyOf(13), creating]
    const content = (data: ReadonlyArray<number>) =>
      contentOf(signed([relayer], keys, [{ program: 4, accounts: [0, 1, 2, 3], data }]))
    for (const data of [[2], [3, 0]]) {
      assert.deepStrictEqual(content(data).calls, [base58.encode(creating)])
      assert.strictEqual(content(data).unknown.amounts, "it calls programs, which may move more")
    }
    const rent = "it may pay the rent of token accounts"
    for (const data of [[], [0], [1]]) assert.strictEqual(content(data).unknown.amounts, rent)
    // The account is in a lookup table.
    const creation = { program: 1, accounts: [0, 2, 0, 0], data: [1] }
    const looked = contentOf(signed([relayer], [creating], [creation], [1, ...keyOf(6), 1, 4, 0]))
    assert.strictEqual(looked.unknown.amounts, rent)
    yield* Effect.void
  })
})
