import { createHash } from "node:crypto"
import { bech32 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { decode } from "ripple-binary-codec"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../src/catalogue/utxo/UtxoFacts.ts"
import { parse as parseCardano } from "../../src/chains/cardano/CardanoTransaction.ts"
import { timeOf } from "../../src/chains/ripple/LedgerTransaction.ts"
import { parseHash } from "../../src/chains/ton/TonTransactions.ts"
import * as UtxoTransaction from "../../src/chains/utxo/rawTransactions/UtxoTransaction.ts"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { NetworkDescription } from "../../src/contract/StatusApi.ts"
import { numberOf, slot } from "../../src/domain/units.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { isAll, networks } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"

type Entries = ReadonlyArray<HistoryEntry>

const infoOf = (id: string) => {
  const info = Catalogue.all.find((anyFacts) => anyFacts.id === id)
  assert(info !== undefined, id)
  return info
}

const isTested = (id: string) => networks.some((info) => info.id === id)

/** The transactions of each address. */
const histories = (info: NetworkFacts, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/history", { networks: { [info.id]: addresses }, limit: 500 })
    assert.isNull(response.headers.get("x-partial-failures"))
    const told = yield* body<Readonly<Record<string, Readonly<Record<string, Entries>>>>>(response)
    return addresses.map((address) => [address, told[info.id]?.[address] ?? []] as const)
  })

const sha256 = (hex: string) => createHash("sha256").update(hex, "hex").digest("hex")

/** By family: checks that the content of a response is the requested transaction. */
const fits: Readonly<Record<string, (info: NetworkFacts, answer: never, entry: HistoryEntry) => unknown>> = {
  utxo: (info, { result }: { readonly result: string }, { hash, to }) => {
    const { transactions } = info as UtxoFacts
    const raw = Either.getOrThrow(UtxoTransaction.check(transactions, info.name)(result))
    assert.strictEqual(raw.hash, hash)
    for (const { amount } of to) assert.isTrue(amount === "0" || raw.amounts.some((moved) => moved >= BigInt(amount)))
  },
  tron: (_, { raw_data_hex, signature, txID }: TronBody, { hash }) => {
    assert.deepStrictEqual([txID, sha256(raw_data_hex)], [hash, hash])
    assert.match(signature[0] ?? "", /^[0-9a-f]{130}$/)
  },
  cardano: (_, [row]: ReadonlyArray<CardanoBody>, { block, hash, timestamp, to }) => {
    const { id, ttl } = Either.getOrThrow(parseCardano(row?.cbor ?? ""))
    assert.deepStrictEqual([row?.tx_hash, id], [hash, hash])
    assert.deepStrictEqual([row?.block_height, row?.tx_timestamp], [block, timestamp])
    assert.isAbove(numberOf(ttl ?? slot(0)), row?.absolute_slot ?? Number.NaN)
    for (const { address } of to) {
      const [, ...payment] = bech32.fromWords(bech32.decode(address as `addr1${string}`, 1023).words)
      assert.include(row?.cbor, Buffer.from(payment).toString("hex"))
    }
  },
  ripple: (_, { result }: { readonly result: RippleBody }, { block, hash, timestamp, type }) => {
    const fields = decode(result.tx)
    // The first half of SHA-512, with the prefix `TXN` and a zero byte.
    const half = createHash("sha512").update(`54584e00${result.tx}`, "hex").digest("hex").slice(0, 64)
    assert.deepStrictEqual([result.hash, half.toUpperCase()], [hash, hash])
    assert.strictEqual(fields.TransactionType, type === "OfferCreate" ? type : "Payment")
    assert.deepStrictEqual([result.ledger_index, numberOf(timeOf(result.date))], [block, timestamp])
    assert.isAbove(Number(fields.LastLedgerSequence), block ?? 0)
    assert.isDefined(decode(result.meta).TransactionResult)
  },
  polkadot: (_, { data }: { readonly data: PolkadotBody }, { block, fee, hash, status, timestamp }) => {
    assert.deepStrictEqual([data.extrinsic_hash, data.block_timestamp], [hash, timestamp])
    assert.deepStrictEqual([data.fee_used, data.success], [fee, status === "Success"])
    if (block !== null) assert.strictEqual(data.block_num, block)
  },
  ton: (_, { transactions }: { readonly transactions: ReadonlyArray<{ hash: string; now: number }> }, entry) => {
    assert.deepStrictEqual(
      transactions.map(({ hash, now }) => [Either.getOrThrow(parseHash(hash)), now]),
      [[Either.getOrThrow(parseHash(entry.hash)), entry.timestamp]]
    )
  }
}

interface TronBody {
  readonly txID: string
  readonly raw_data_hex: string
  readonly signature: ReadonlyArray<string>
}

interface CardanoBody {
  readonly tx_hash: string
  readonly block_height: number
  readonly tx_timestamp: number
  readonly absolute_slot: number
  readonly cbor: string
}

interface RippleBody {
  readonly hash: string
  readonly tx: string
  readonly meta: string
  readonly date: number
  readonly ledger_index: number
}

interface PolkadotBody {
  readonly extrinsic_hash: string
  readonly block_num: number
  readonly block_timestamp: number
  readonly fee_used: string
  readonly success: boolean
}

const count = isAll ? 12 : 5

interface Solana {
  readonly blockTime: number
  readonly meta: { readonly fee: number; readonly err: unknown }
  readonly transaction: {
    readonly signatures: ReadonlyArray<string>
    readonly message: {
      readonly header: { readonly numRequiredSignatures: number }
      readonly accountKeys: ReadonlyArray<string>
      readonly instructions: ReadonlyArray<{ readonly programIdIndex: number }>
    }
  }
}

interface Sui {
  readonly digest?: string
  readonly timestampMs?: string
  readonly effects?: {
    readonly status: { readonly status: string }
    readonly gasUsed: Readonly<Record<"computationCost" | "storageCost" | "storageRebate", string>>
  }
}

type Answers<A> = ReadonlyArray<{ readonly id: number; readonly result: A }>

interface EvmTransaction {
  readonly hash: string
  readonly blockHash: string
  readonly transactionIndex: string
  readonly from: string
  readonly to: string
  readonly value: string
}

interface EvmReceipt {
  readonly transactionHash: string
  readonly blockHash: string
  readonly from: string
  readonly status: string
  readonly gasUsed: string
  readonly effectiveGasPrice: string
  readonly l1Fee?: string
  readonly operatorFeeScalar?: string
  readonly operatorFeeConstant?: string
  readonly logs: ReadonlyArray<{ readonly address: string; readonly data: string }>
}

interface EvmBlock {
  readonly timestamp: string
  readonly transactions: ReadonlyArray<string>
}

/** Checks that a node's data agrees with an explorer's entry of a transaction. */
const agrees = (
  address: string,
  { fee, from, hash, status, timestamp, to: [party] }: HistoryEntry,
  evmTransaction: EvmTransaction,
  receipt: EvmReceipt,
  block: EvmBlock
) => {
  assert.deepStrictEqual([evmTransaction.hash, receipt.transactionHash], [hash, hash])
  assert.deepStrictEqual([receipt.blockHash, receipt.from], [evmTransaction.blockHash, evmTransaction.from])
  assert.strictEqual(Number(block.timestamp), timestamp)
  assert.strictEqual(block.transactions[Number(evmTransaction.transactionIndex)], hash)
  assert.strictEqual(receipt.status === "0x1", status === "Success")
  const gas = BigInt(receipt.gasUsed)
  const operator =
    (gas * BigInt(receipt.operatorFeeScalar ?? 0)) / 1_000_000n + BigInt(receipt.operatorFeeConstant ?? 0)
  const paid = gas * BigInt(receipt.effectiveGasPrice) + BigInt(receipt.l1Fee ?? 0) + operator
  if (fee !== null) assert.strictEqual(paid, BigInt(fee))
  const amount = BigInt(party?.amount ?? 0)
  const currency = party?.currency
  if (typeof currency === "object") {
    assert.strictEqual(receipt.logs[0]?.address, currency.address)
    assert.strictEqual(BigInt(receipt.logs[0]?.data ?? 0), amount)
  } else if (from.some(({ address: sender, currency }) => sender === address && typeof currency === "object"))
    assert.lengthOf(receipt.logs, 1, "a swap pays coins for tokens")
  else if ([evmTransaction.from, evmTransaction.to].includes(address) && status === "Success")
    assert.strictEqual(BigInt(evmTransaction.value), amount)
}

describe("a transaction in the sandbox's histories", () => {
  layer(Service.layer({ SUBSCAN_API_KEY: "key" }), { excludeTestServices: true })((it) => {
    for (const id of Catalogue.rawLookupNetworks.filter(isTested))
      it(`is found as a raw transaction of ${id}`, function* () {
        const { post } = yield* Service
        const info = infoOf(id)
        const all = (yield* histories(info, samples(info, count))).flatMap(([, entries]) => entries)
        assert.isAbove(all.length, count)
        for (const entry of all) {
          const response = yield* post("/utils/getrawtransaction", { chain: id, tx: entry.hash })
          assert.strictEqual(response.status, 200, entry.hash)
          const check = fits[info.family] ?? assert.fail(info.family)
          check(info, yield* body<never>(response), entry)
        }
        const unknown = yield* post("/utils/getrawtransaction", { chain: id, tx: "12".repeat(32) })
        assert.strictEqual(unknown.status, 404)
      })

    it("is returned by the nodes of EVM networks, with its receipt and block", function* () {
      const { get, post } = yield* Service
      const described = yield* body<ReadonlyArray<NetworkDescription>>(yield* get("/networks"))
      const open = described.filter(
        ({ abilities, family, id }) => family === "evm" && abilities.rpc.available && isTested(id)
      )
      assert.isNotEmpty(open)
      for (const { id } of open) {
        const ask = <A>(method: string, params: ReadonlyArray<ReadonlyArray<unknown>>) =>
          Effect.gen(function* () {
            const calls = params.map((params, id) => ({ jsonrpc: "2.0", id, method, params }))
            const answers = yield* body<Answers<A>>(yield* post(`/utils/rpc/${id}`, calls))
            return answers.toSorted((a, b) => a.id - b.id).map(({ result }) => result)
          })
        for (const [address, entries] of yield* histories(infoOf(id), samples(infoOf(id), 6))) {
          const hashes = entries.map(({ hash }) => [hash])
          if (hashes.length === 0) continue
          const transactions = yield* ask<EvmTransaction>("eth_getTransactionByHash", hashes)
          const receipts = yield* ask<EvmReceipt>("eth_getTransactionReceipt", hashes)
          const named = transactions.map(({ blockHash }) => [blockHash, false])
          const blocks = yield* ask<EvmBlock>("eth_getBlockByHash", named)
          for (const [index, entry] of entries.entries()) {
            const [item, receipt, block] = [transactions[index], receipts[index], blocks[index]]
            assert(item !== undefined && receipt !== undefined && block !== undefined)
            agrees(address, entry, item, receipt, block)
          }
        }
      }
    })

    it("is returned by the nodes of Solana and Sui", function* () {
      const { post } = yield* Service
      const calls: Readonly<Record<string, (hash: string) => readonly [method: string, params: unknown]>> = {
        solana: (hash) => ["getTransaction", [hash, { encoding: "jsonParsed", maxSupportedTransactionVersion: 1 }]],
        sui: (hash) => ["sui_getTransactionBlock", [hash, { showEffects: true, showBalanceChanges: true }]]
      }
      for (const [id, call] of Object.entries(calls)) {
        const info = infoOf(id)
        const all = (yield* histories(info, samples(info, count))).flatMap(([, entries]) => entries)
        for (const { fee, hash, status, timestamp } of all) {
          const [method, params] = call(hash)
          const response = yield* post(`/utils/rpc/${id}`, { jsonrpc: "2.0", id: 1, method, params })
          const { result } = yield* body<{ readonly result?: Solana & Sui }>(response)
          assert(result != null, hash)
          assert.strictEqual(result.digest ?? result.transaction.signatures[0], hash)
          const at = result.blockTime ?? Math.floor(Number(result.timestampMs) / 1000)
          assert.strictEqual(at, timestamp)
          const { gasUsed, status: ended } = result.effects ?? {}
          const cost =
            gasUsed && BigInt(gasUsed.computationCost) + BigInt(gasUsed.storageCost) - BigInt(gasUsed.storageRebate)
          assert.strictEqual(cost ?? BigInt(result.meta.fee), BigInt(fee ?? -1))
          assert.strictEqual(ended ? ended.status === "success" : result.meta.err === null, status === "Success")
        }
      }
      const [[, [first] = []] = []] = yield* histories(infoOf("solana"), samples(infoOf("solana"), 1))
      const params = [first?.hash, { encoding: "json", maxSupportedTransactionVersion: 1 }]
      const indexed = yield* post("/utils/rpc/solana", { jsonrpc: "2.0", id: 1, method: "getTransaction", params })
      const { accountKeys, header, instructions } = (yield* body<{ readonly result: Solana }>(indexed)).result
        .transaction.message
      const program = accountKeys[instructions[0]?.programIdIndex ?? -1]
      assert.match(program ?? "", /^(1{32}|Tokenkeg\w+)$/)
      assert.strictEqual(header.numRequiredSignatures, 1)
    })
  })
})
