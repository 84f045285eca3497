import { Transaction } from "@mysten/sui/transactions"
import { Address, beginCell, type Cell, external, internal, SendMode, storeMessage } from "@ton/core"
import { keyPairFromSeed } from "@ton/crypto"
import { WalletContractV4, WalletContractV5R1 } from "@ton/ton"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { encode } from "ripple-binary-codec"
import { privateKeyToAccount } from "viem/accounts"
import { bytesToHex, encodeFunctionData, parseAbi } from "viem/utils"
import { bch } from "../../src/catalogue/utxo/bch.ts"
import type { ReadSigned } from "../../src/chains/Chain.ts"
import { parse as parseCardano } from "../../src/chains/cardano/CardanoTransaction.ts"
import * as EvmSending from "../../src/chains/evm/sending.ts"
import * as PolkadotAddress from "../../src/chains/polkadot/PolkadotAddress.ts"
import * as PolkadotSending from "../../src/chains/polkadot/sending.ts"
import * as RippleSending from "../../src/chains/ripple/sending.ts"
import * as SolanaSending from "../../src/chains/solana/sending.ts"
import * as SuiSending from "../../src/chains/sui/sending.ts"
import * as TonSending from "../../src/chains/ton/sending.ts"
import * as TronSending from "../../src/chains/tron/sending.ts"
import * as TronAddress from "../../src/chains/tron/TronAddress.ts"
import { sendable } from "../../src/chains/utxo/sending.ts"
import * as TronRaw from "../../src/sandbox/tron/tronRaw.ts"
import { cardanoAddress, cardanoTransaction, ed25519, tronSigned } from "../support/offline.ts"
import { sample, serialize } from "../support/rawTransactions.ts"
import { assert, describe, it } from "../support/vitest.ts"

// What signed transactions other than payments of coins do, by their bytes alone.

const notSent = () => Effect.die("not sent here")
const nowhere = { addresses: [], once: notSent, call: notSent } as never

const contentOf = (read: ReadSigned, text: string) => Either.getOrThrow(read(text)).content()

const key = ed25519(Buffer.alloc(32, 1))

describe("the content of a transaction of an EVM network", () => {
  const account = privateKeyToAccount(`0x${"77".repeat(32)}`)
  const from = account.address.toLowerCase()
  const [token, to] = [`0x${"a1".repeat(20)}`, `0x${"b2".repeat(20)}`] as const
  const abi = parseAbi([
    "function transfer(address to, uint256 amount)",
    "function transferFrom(address from, address to, uint256 amount)"
  ])
  const transfer = encodeFunctionData({ abi, functionName: "transfer", args: [to, 7n] })
  const signed = (transaction: object) =>
    Effect.promise(() => account.signTransaction({ chainId: 1, nonce: 3, gas: 50_000n, ...transaction } as never))
  const fees = { maxFeePerGas: 10n, maxPriorityFeePerGas: 1n }
  const main = EvmSending.sendable({ rpc: nowhere, chainId: 1 })

  it("is a payment of a token for a transfer, and otherwise a call of the contract", function* () {
    const known = { from, nonce: 3n, chainId: 1n, fee: { amount: 500_000n, isMaximum: true } }
    assert.deepStrictEqual<unknown>(contentOf(main, yield* signed({ ...fees, to: token, data: transfer })), {
      ...known,
      payments: [{ to, token, amount: 7n }],
      calls: [],
      assumed: [token],
      unknown: {}
    })
    const call = "it calls a contract, which may move more"
    const moved = encodeFunctionData({ abi, functionName: "transferFrom", args: [to, to, 7n] })
    for (const data of [
      transfer,
      moved,
      `${transfer}00`,
      transfer.replace(/0{24}/, `${"0".repeat(22)}01`),
      "0x12345678"
    ])
      assert.deepStrictEqual<unknown>(
        contentOf(main, yield* signed({ ...fees, to: token, value: 5n, data })),
        { ...known, payments: [{ to: token, amount: 5n }], calls: [token], unknown: { amounts: call } },
        data
      )
  })

  it("says that it creates a contract, delegates, or pays for blobs", function* () {
    const created = contentOf(main, yield* signed({ gasPrice: 4n, data: "0x6001" }))
    assert.deepStrictEqual(created.payments, [])
    assert.deepStrictEqual(created.unknown, { amounts: "it creates a contract" })
    assert.deepStrictEqual(created.fee, { amount: 200_000n, isMaximum: true })
    const authorization = yield* Effect.promise(() =>
      account.signAuthorization({ chainId: 1, contractAddress: token, nonce: 4 })
    )
    const delegating = contentOf(main, yield* signed({ ...fees, to, authorizationList: [authorization] }))
    assert.deepStrictEqual(delegating.calls, [token])
    assert.deepStrictEqual(delegating.unknown, { amounts: "it lets accounts delegate to contracts" })
    const blobs = { blobVersionedHashes: [`0x01${"c3".repeat(31)}`], maxFeePerBlobGas: 2n, sidecars: false }
    const carrying = contentOf(main, yield* signed({ ...fees, to, ...blobs }))
    assert.deepStrictEqual(carrying.fee, { amount: 500_000n + 262_144n, isMaximum: true })
  })

  it("has no fee where the network adds one for data, which depends on the time", function* () {
    const { fee, unknown } = contentOf(
      EvmSending.sendable({ rpc: nowhere, chainId: 1, dataFee: "always" }),
      yield* signed({ ...fees, to, value: 1n })
    )
    assert.isUndefined(fee)
    assert.include(unknown.fee, "at most 500000 base units")
  })

  it("is refused as malformed if a field has another form", function* () {
    const raw = yield* signed({ ...fees, to, value: 1n })
    // The recipient with one byte less, in a list of the same form.
    const shorter = raw.replace(`94${to.slice(2)}`, `93${to.slice(4)}`)
    assert.isTrue(Either.isLeft(main(shorter)))
    assert.isTrue(Either.isRight(main(raw)))
  })
})

describe("the content of a transaction of the Bitcoin family", () => {
  it("has outputs without an address, but no data, and says that outputs also have tokens", function* () {
    const main = sendable(bch, [])
    const hash = Buffer.alloc(20, 5)
    const pays = Buffer.of(0x76, 0xa9, 20, ...hash, 0x88, 0xac)
    const tokens = Buffer.of(0xef, ...Buffer.alloc(32, 9), 0x10, 0x05, ...pays)
    const outputs = [
      { amount: 1_000n, script: pays },
      { amount: 0n, script: Buffer.of(0x6a, 1, 2) },
      { amount: 5n, script: Buffer.of(0x51) },
      { amount: 800n, script: tokens }
    ]
    const { payments, unknown } = contentOf(main, serialize({ ...sample(), outputs }))
    const to = payments[0]?.to ?? ""
    assert.match(to, /^bitcoincash:q/)
    assert.deepStrictEqual(payments, [{ to, amount: 1_000n }, { amount: 5n }, { to, amount: 800n }])
    assert.strictEqual(unknown.amounts, "outputs also have tokens")
    const plain = contentOf(main, serialize({ ...sample(), outputs: outputs.slice(0, 3) }))
    assert.notProperty(plain.unknown, "amounts")
    const { off } = Either.getOrThrow(main(serialize(sample())))
    assert.strictEqual(off?.reason, "not_configured")
    yield* Effect.void
  })
})

describe("the content of a transaction of cardano", () => {
  const address = cardanoAddress(key.publicKey)
  const unit = `${"ab".repeat(28)}${"cd".repeat(3)}`
  const signed = (to: string) =>
    cardanoTransaction(
      {
        inputs: [{ txHash: "11".repeat(32), index: 1 }],
        outputs: [
          { address: to, lovelace: 5n, assets: [{ unit, quantity: "9" }] },
          { address, lovelace: 8n, assets: [] }
        ],
        fee: 170_000n,
        ttl: 9
      },
      key
    ).hex

  it("has the assets of each output and the exact fee, and names the test network", function* () {
    const own = Either.getOrThrow(parseCardano(signed(address)))
    assert.deepStrictEqual(own.content().payments, [
      { to: address, amount: 5n },
      { to: address, token: unit, amount: 9n },
      { to: address, amount: 8n }
    ])
    assert.deepStrictEqual(own.content().fee, { amount: 170_000n, isMaximum: false })
    assert.notProperty(own, "refusal")
    // The last byte but one of the transaction says whether its scripts succeed.
    const failing = Either.getOrThrow(parseCardano(signed(address).replace(/f5f6$/, "f4f6"))).content()
    assert.deepStrictEqual([failing.payments, failing.fee], [[], undefined])
    const testnet = Either.getOrThrow(parseCardano(signed(address).replaceAll(`581d61`, `581d60`)))
    assert.strictEqual(testnet.refusal, "wrong_chain")
    assert.deepStrictEqual(testnet.content().payments[0], { amount: 5n })
    yield* Effect.void
  })
})

describe("the content of a transaction of ripple", () => {
  const [from, to] = ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"]
  const main = RippleSending.sendable({ send: notSent })
  const signed = (fields: object) =>
    encode({
      TransactionType: "Payment",
      Account: from,
      Destination: to,
      Amount: "25000000",
      Fee: "12",
      Sequence: 5,
      SigningPubKey: "02".repeat(33),
      TxnSignature: "ab".repeat(70),
      ...fields
    } as never)

  it("has the tag, the amount of a token, and whether less may be delivered", function* () {
    assert.deepStrictEqual<unknown>(contentOf(main, signed({ DestinationTag: 104_523 })), {
      from,
      payments: [{ to, amount: 25_000_000n, tag: "104523" }],
      fee: { amount: 12n, isMaximum: false },
      nonce: 5n,
      unknown: {}
    })
    const token = { currency: "USD", issuer: from, value: "0.0000000000000012345" }
    const partial = contentOf(main, signed({ Amount: token, SendMax: "9", Flags: 0x0002_0000 }))
    assert.deepStrictEqual(partial.payments, [{ to, token: `${from}.USD`, amount: 12_345n, decimals: 19 }])
    assert.include(partial.unknown.amounts, "partial payment")
    const memo = { Memo: { MemoData: "00ff" } }
    const ticketed = signed({ Sequence: 0, TicketSequence: 9, Memos: [memo], Amount: { ...token, value: "1500" } })
    const paid = contentOf(main, ticketed)
    assert.deepStrictEqual([paid.nonce, paid.payments[0]?.amount], [9n, 1_500n * 10n ** 15n])
    const id = `00000005${"ab".repeat(20)}`.toUpperCase()
    const multi = contentOf(main, signed({ Amount: { mpt_issuance_id: id, value: "77" } }))
    assert.deepStrictEqual(multi.payments, [{ to, token: id, amount: 77n }])
    yield* Effect.void
  })

  it("says that other types are no payments, and refuses another network and incomplete bytes", function* () {
    const other = contentOf(main, signed({ TransactionType: "AccountDelete", Amount: undefined }))
    assert.deepStrictEqual([other.payments, other.unknown.amounts], [[], "it is no payment"])
    const { refusal, send } = Either.getOrThrow(main(signed({ NetworkID: 21_337 })))
    assert.strictEqual(refusal, "wrong_chain")
    assert.deepInclude(yield* send, { accepted: false, reason: "wrong_chain" })
    const bytes = signed({})
    for (let length = 2; length < bytes.length; length += 2)
      assert.isTrue(Either.isLeft(main(bytes.slice(0, length))), `${length}`)
  })
})

describe("the content of a transaction of tron", () => {
  const addressOf = (byte: string) => `41${byte.repeat(20)}`
  const spelled = (byte: string) => Either.getOrThrow(TronAddress.parse(addressOf(byte)))
  const main = TronSending.signed({ send: notSent })
  const signed = (order: object) => {
    const { raw } = TronRaw.encode(
      { from: addressOf("a1"), to: addressOf("b2"), amount: 5n, ...order },
      {
        refBlockBytes: "0102",
        refBlockHash: "03".repeat(8),
        expiration: 10,
        timestamp: 5,
        feeLimit: 77n,
        signature: ""
      }
    )
    return tronSigned(raw, `0x${"01".repeat(65)}`)
  }

  it("has transfers of tokens of both kinds, and names contracts that it calls", function* () {
    const data = `a9059cbb${"0".repeat(24)}${"c3".repeat(20)}${"7".padStart(64, "0")}`
    const paid = contentOf(main, signed({ amount: 0n, data }))
    assert.deepStrictEqual(paid.payments, [{ to: spelled("c3"), token: spelled("b2"), amount: 7n }])
    assert.strictEqual(paid.from, spelled("a1"))
    assert.include(paid.unknown.fee, "at most 77 base units")
    assert.notProperty(paid.unknown, "amounts")
    assert.deepStrictEqual(paid.assumed, [spelled("b2")])
    // A call with coins does more than a transfer of tokens.
    for (const text of ["12345678", data]) {
      const called = contentOf(main, signed({ data: text }))
      assert.deepStrictEqual(called.payments, [{ to: spelled("b2"), amount: 5n }])
      assert.deepStrictEqual(called.calls, [spelled("b2")])
      assert.include(called.unknown.amounts, "calls a contract")
    }
    const asset = contentOf(main, signed({ asset: "1002000" }))
    assert.deepStrictEqual(asset.payments, [{ to: spelled("b2"), token: "1002000", amount: 5n }])
    const other = contentOf(main, signed({ unstakes: 13 }))
    assert.deepStrictEqual([other.payments, other.from], [[], undefined])
    assert.deepStrictEqual([other.unknown.amounts, other.unknown.from].includes(undefined), false)
    yield* Effect.void
  })
})

describe("the content of a transaction of polkadot", () => {
  const main = PolkadotSending.signed(nowhere)
  const to = Buffer.alloc(32, 7)
  const compact = (value: number) => Buffer.of((value << 2) & 255)
  const signed = (call: ReadonlyArray<number>, extra: ReadonlyArray<number> = [0, 0, 0]) => {
    const signature = Buffer.alloc(64, 3)
    const body = Buffer.of(0x84, 0, ...key.publicKey, 0, ...signature, 0, ...compact(9), ...extra, ...call)
    return Buffer.concat([Buffer.of(((body.length << 2) | 1) & 255, body.length >> 6), body]).toString("hex")
  }
  const recipient = PolkadotAddress.format(bytesToHex(to))

  it("has payments of coins and of assets, and the tip, and no guess about other calls", function* () {
    const coins = contentOf(main, signed([10, 0, 0, ...to, ...compact(5)], [...compact(3), 0, 1]))
    assert.deepStrictEqual(coins.payments, [{ to: recipient, amount: 5n }])
    assert.include(coins.unknown.fee, "a tip of 3 base units")
    const asset = contentOf(main, signed([50, 9, ...compact(33), 0, ...to, ...compact(5)]))
    assert.deepStrictEqual(asset.payments, [{ to: recipient, token: "33", amount: 5n }])
    assert.notProperty(asset.unknown, "amounts")
    for (const [call, extra] of [
      [[10, 4, 0, ...to, 0], undefined],
      [[10, 0, 0, ...to, ...compact(5), 0], undefined],
      [[10, 0, 1, ...to, ...compact(5)], undefined],
      [[10, 0, 0, ...to], undefined],
      // The fee is paid in an asset, whose id has another format.
      [
        [10, 0, 0, ...to, ...compact(5)],
        [0, 1, 0]
      ]
    ] as const) {
      const { from, nonce, payments, unknown } = contentOf(main, signed(call, extra))
      assert.deepStrictEqual([from, nonce, payments.length], [PolkadotAddress.format(bytesToHex(key.publicKey)), 9n, 0])
      assert.strictEqual(unknown.amounts, "its call is not a transfer that is read")
    }
    yield* Effect.void
  })
})

describe("the content of a transaction of sui", () => {
  const main = SuiSending.sendable(nowhere)
  const [sender, to] = [`0x${"a1".repeat(32)}`, `0x${"b2".repeat(32)}`] as const
  const coin = { objectId: `0x${"c3".repeat(32)}`, version: "5", digest: "1".repeat(32) }
  const signed = (build: (transaction: Transaction) => void) =>
    Effect.promise(async () => {
      const transaction = new Transaction()
      transaction.setSender(sender)
      transaction.setGasPrice(1_000n)
      transaction.setGasBudget(77n)
      transaction.setGasPayment([coin])
      build(transaction)
      const bytes = Buffer.from(await transaction.build()).toString("base64")
      return JSON.stringify({ bytes, signature: Buffer.alloc(97).toString("base64") })
    })

  it("does not name the type of coins that are no gas, or the amount of whole objects, and names packages", function* () {
    const text = yield* signed((transaction) => {
      const object = transaction.objectRef({ ...coin, objectId: `0x${"d4".repeat(32)}` })
      const [part] = transaction.splitCoins(object, [9n])
      transaction.transferObjects([part as never, object], to)
      transaction.moveCall({ target: `0x${"e5".repeat(32)}::pool::swap` })
    })
    const { calls, fee, payments, unknown } = contentOf(main, text)
    assert.deepStrictEqual(payments, [{ to, token: "Unknown", amount: 9n }])
    assert.deepStrictEqual(calls, [`0x${"e5".repeat(32)}`])
    assert.deepStrictEqual(fee, { amount: 77n, isMaximum: true })
    for (const part of ["whole objects", "types of its coins", "calls functions"]) assert.include(unknown.amounts, part)
  })
})

describe("the content of a transaction of ton", () => {
  const main = TonSending.sendable(nowhere)
  const pair = keyPairFromSeed(Buffer.alloc(32, 3))
  const [to, owner] = [Address.parse(`0:${"b2".repeat(32)}`), Address.parse(`0:${"c3".repeat(32)}`)]
  const [raw, ownerRaw] = [to.toRawString(), owner.toRawString()]
  const comment = (text: string) => beginCell().storeUint(0, 32).storeStringTail(text).endCell()
  const jettons = beginCell()
    .storeUint(0x0f8a7ea5, 32)
    .storeUint(0, 64)
    .storeCoins(42n)
    .storeAddress(owner)
    .storeAddress(owner)
    .storeUint(0, 1)
    .storeCoins(1n)
    .storeUint(0, 1)
    .endCell()
  const textOf = (address: Address, body: Cell) =>
    beginCell()
      .store(storeMessage(external({ to: address, body })))
      .endCell()
      .toBoc()
      .toString("base64")
  const orders = {
    v4: (messages: ReadonlyArray<ReturnType<typeof internal>>, sendMode = SendMode.PAY_GAS_SEPARATELY) => {
      const wallet = WalletContractV4.create({ workchain: 0, publicKey: pair.publicKey })
      const order = { seqno: 3, secretKey: pair.secretKey, timeout: 4_000_000_000, messages: [...messages], sendMode }
      return textOf(wallet.address, wallet.createTransfer(order))
    },
    v5: (messages: ReadonlyArray<ReturnType<typeof internal>>, sendMode = SendMode.PAY_GAS_SEPARATELY) => {
      const wallet = WalletContractV5R1.create({ workchain: 0, publicKey: pair.publicKey })
      const order = { seqno: 3, secretKey: pair.secretKey, timeout: 4_000_000_000, messages: [...messages], sendMode }
      return textOf(wallet.address, wallet.createTransfer({ ...order, authType: "external" }))
    }
  }

  it("has all messages of an order to wallets of versions 4 and 5, with comments and jettons", function* () {
    const messages = [
      internal({ to, value: 5n, bounce: false, body: comment("order 7") }),
      internal({ to, value: 60n, bounce: true, body: jettons })
    ]
    for (const [version, text] of [
      ["4", orders.v4(messages)],
      ["5", orders.v5(messages)]
    ] as const) {
      const { nonce, payments, unknown } = contentOf(main, text)
      assert.strictEqual(nonce, 3n, version)
      assert.deepStrictEqual(
        payments,
        [
          { to: raw, amount: 5n, tag: "order 7" },
          { to: raw, amount: 60n },
          { to: ownerRaw, token: "Unknown", amount: 42n }
        ],
        version
      )
      assert.strictEqual(unknown.amounts, "jettons are named by the wallet that holds them", version)
    }
    yield* Effect.void
  })

  it("says that it sends all coins, calls contracts, or is no order of a known wallet", function* () {
    const all = contentOf(
      main,
      orders.v4([internal({ to, value: 0n, bounce: false })], SendMode.CARRY_ALL_REMAINING_BALANCE)
    )
    assert.deepStrictEqual([all.payments, all.unknown.amounts], [[], "it sends all coins of the wallet"])
    const called = contentOf(
      main,
      orders.v5([internal({ to, value: 5n, bounce: true, body: beginCell().storeUint(9, 32).endCell() })])
    )
    assert.deepStrictEqual([called.calls, called.payments], [[raw], [{ to: raw, amount: 5n }]])
    assert.include(called.unknown.amounts, "calls contracts")
    const other = contentOf(main, textOf(to, beginCell().storeUint(1, 8).endCell()))
    assert.deepStrictEqual([other.from, other.payments], [raw, []])
    assert.strictEqual(other.unknown.nonce, "it is not an order of a known wallet")
    yield* Effect.void
  })
})

describe("the content of a transaction of solana", () => {
  const main = SolanaSending.sendable(nowhere)
  const keyOf = (byte: number) => Buffer.alloc(32, byte)
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
  /** A legacy message of one signer with these programs and accounts. */
  const signed = (
    keys: ReadonlyArray<Uint8Array>,
    instructions: ReadonlyArray<Written>,
    tail: ReadonlyArray<number> = []
  ) => {
    const all = [key.publicKey, ...keys]
    const message = Buffer.concat([
      ...(tail.length > 0 ? [Buffer.of(0x80)] : []),
      Buffer.of(1, 0, 1, all.length),
      ...all,
      keyOf(9),
      Buffer.of(instructions.length),
      ...instructions.map(({ accounts, data, program }) =>
        Buffer.of(program, accounts.length, ...accounts, data.length, ...data)
      ),
      Buffer.from(tail)
    ])
    return Buffer.concat([Buffer.of(1), key.sign(message), message]).toString("base64")
  }

  it("has payments of tokens with mint, owner and decimals as far as the bytes say, and the price of its units", function* () {
    const { base58: coding } = yield* Effect.promise(() => import("@scure/base"))
    const program = (text: string) => coding.decode(text)
    const textOf = (byte: number) => coding.encode(keyOf(byte))
    const keys = [
      keyOf(1),
      keyOf(2),
      keyOf(3),
      keyOf(4),
      program("TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"),
      program("ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"),
      program("ComputeBudget111111111111111111111111111111")
    ]
    // Accounts: 1 source, 2 target, 3 mint, 4 owner of the target.
    const checked = { program: 5, accounts: [1, 3, 2, 0], data: [12, ...u64(700n), 6] }
    const limit = { program: 7, accounts: [], data: [2, 0x40, 0x0d, 0x03, 0] }
    const price = { program: 7, accounts: [], data: [3, ...u64(1_000_001n)] }
    const create = { program: 6, accounts: [0, 2, 4, 3], data: [1] }
    const paid = contentOf(main, signed(keys, [limit, price, checked]))
    assert.deepStrictEqual(paid.payments, [{ to: textOf(2), token: textOf(3), amount: 700n, decimals: 6 }])
    // 200,000 units.
    assert.deepStrictEqual(paid.fee, { amount: 5_000n + 200_001n, isMaximum: false })
    assert.strictEqual(paid.unknown.amounts, "tokens go to token accounts, whose owners are not in its bytes")
    const created = contentOf(main, signed(keys, [create, checked]))
    assert.deepStrictEqual(created.payments, [{ to: textOf(4), token: textOf(3), amount: 700n, decimals: 6 }])
    assert.strictEqual(created.unknown.amounts, "it may pay the rent of token accounts")
    const plain = contentOf(main, signed(keys, [price, { program: 5, accounts: [1, 2, 0], data: [3, ...u64(8n)] }]))
    assert.deepStrictEqual(plain.payments, [{ to: textOf(2), token: "Unknown", amount: 8n }])
    assert.isUndefined(plain.fee)
    const approval = contentOf(main, signed(keys, [{ program: 5, accounts: [1, 2, 0], data: [4, ...u64(8n)] }]))
    assert.deepStrictEqual([approval.payments, approval.calls], [[], [coding.encode(keys[4] ?? keyOf(0))]])
    assert.include(approval.unknown.amounts, "calls programs")
  })

  it("does not name accounts of lookup tables, and refuses a message that ends early or late", function* () {
    const transfer = { program: 1, accounts: [0, 7], data: [2, 0, 0, 0, ...u64(5n)] }
    const table = [1, ...keyOf(6), 1, 4, 0]
    const { payments } = contentOf(main, signed([keyOf(0)], [transfer], table))
    assert.deepStrictEqual(payments, [{ amount: 5n }])
    for (const tail of [table.slice(0, -1), [...table, 0], [3, ...keyOf(6), 1, 4, 0]])
      assert.isTrue(Either.isLeft(main(signed([keyOf(0)], [transfer], tail))), `${tail.length}`)
    yield* Effect.void
  })
})
