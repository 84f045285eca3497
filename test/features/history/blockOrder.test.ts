import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import * as HistoryPages from "../../../src/features/history/HistoryPages.ts"
import type { AnyNetwork } from "../../../src/features/reading.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import * as SolanaNodes from "../../chains/solana/nodes.ts"
import * as SuiHosts from "../../chains/sui/hosts.ts"
import * as Ton from "../../chains/ton/ton.ts"
import { network as utxoNetwork } from "../../chains/utxo/made.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { json } from "../../support/http.ts"
import { Bitcoin, Dogecoin } from "../../support/networks.ts"
import * as PagedIndexers from "../../support/PagedIndexers.ts"

// Histories of an address with several transactions in one final block, and one in an earlier block.

const time = 1_700_000_000
const count = 60
const newestFirst = Array.from({ length: count }, (_, index) => count - index)
const hashOf = (index: number) => index.toString(16).padStart(64, "0")

const payments = [...newestFirst, 0].map((index) => ({
  hash: hashOf(index),
  height: index === 0 ? 900 : 1_000,
  time: index === 0 ? time - 600 : time
}))

/** Esplora lists the newest transaction of the block last: it spends an output of the transaction listed first. */
const bitcoin = utxoNetwork(Bitcoin, {
  "mempool.space": ({ url }) =>
    PagedIndexers.page("esplora", Bitcoin.info.sampleAddress, payments, url, (row) =>
      row.txid === hashOf(1)
        ? { ...row, vin: (row.vin as ReadonlyArray<object>).map((input) => ({ ...input, txid: hashOf(count) })) }
        : row
    )
})

const dogecoin = utxoNetwork(Dogecoin, {
  "blockbook.doge.zelcore.io": ({ url }) => PagedIndexers.page("blockbook", Dogecoin.info.sampleAddress, payments, url)
})

const solanaHolder = SolanaNodes.key(1)
const signatures = payments.map(({ hash: signature, height: slot, time: blockTime }) => ({
  signature,
  slot,
  blockTime,
  err: null
}))

const solana = SolanaNodes.network(
  EvmNodes.rpcNode(({ method, params: [first, second] }) => {
    if (method === "getFirstAvailableBlock") return EvmNodes.result(0)
    if (method === "getTokenAccountsByOwner") return SolanaNodes.valued([])
    if (method === "getSignaturesForAddress")
      return EvmNodes.result(signatures.slice(0, (second as { readonly limit: number }).limit))
    return EvmNodes.result({
      slot: 1_000,
      blockTime: signatures.find(({ signature }) => signature === first)?.blockTime,
      meta: { err: null, fee: 5, preBalances: [12, 0, 1], postBalances: [0, 7, 1] },
      transaction: {
        message: {
          accountKeys: [SolanaNodes.key(2), solanaHolder, "11111111111111111111111111111111"],
          instructions: []
        }
      }
    })
  }),
  []
)

const suiHolder = SuiHosts.long("a11ce")
const digestOf = (hash: string) => hash.slice(-44)
const suiRows = payments.map(({ hash, height, time: seconds }) => ({
  digest: digestOf(hash),
  sender: { address: suiHolder },
  gasInput: { gasSponsor: { address: suiHolder } },
  kind: { __typename: "ProgrammableTransaction" },
  effects: {
    status: "SUCCESS",
    timestamp: new Date(seconds * 1000).toISOString(),
    checkpoint: { sequenceNumber: height },
    gasEffects: { gasSummary: { computationCost: 1, storageCost: 0, storageRebate: 0, nonRefundableStorageFee: 0 } },
    balanceChanges: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
  }
}))

const sui = SuiHosts.network(
  SuiHosts.answering(({ variables }) => ({
    data: {
      chainIdentifier: "35834a8a",
      serviceConfig: { availableRange: { first: { sequenceNumber: 0, timestamp: null } } },
      transactions: {
        nodes: suiRows.slice(Number(variables.before), Number(variables.before) + Number(variables.last)).toReversed(),
        pageInfo: {
          hasPreviousPage: Number(variables.before) + Number(variables.last) < suiRows.length,
          startCursor: String(Number(variables.before) + Number(variables.last))
        }
      }
    }
  })),
  []
)

const part = <A>(rows: ReadonlyArray<A>, { searchParams }: URL) => {
  const offset = Number(searchParams.get("offset"))
  return rows.slice(offset, offset + Number(searchParams.get("limit")))
}

const base64 = (hash: string) => Buffer.from(hash, "hex").toString("base64")

/** Every second trace is only in the list of jetton transfers. */
const center = Ton.network({
  "toncenter.test": Ton.toncenter({
    transactions: ({ url }) =>
      json({
        transactions: part(
          payments.filter((_, index) => index % 2 === 1),
          url
        ).map(({ hash, time: now }) => ({
          account: Ton.own,
          hash: base64(hash),
          trace_id: base64(hash),
          lt: String(Number.parseInt(hash, 16)),
          now,
          total_fees: "10",
          description: { type: "ord", aborted: false },
          in_msg: { source: null, destination: Ton.own, value: null },
          out_msgs: []
        }))
      }),
    "jetton/transfers": ({ url }) =>
      json({
        jetton_transfers: part(
          payments.filter((_, index) => index % 2 === 0),
          url
        ).map(({ hash, time: now }) => ({
          source: Ton.peer,
          destination: Ton.own,
          amount: "5",
          source_wallet: Ton.peer,
          jetton_master: Ton.sampleMaster,
          transaction_hash: base64(hash),
          transaction_lt: String(Number.parseInt(hash, 16)),
          transaction_now: now,
          transaction_aborted: false,
          forward_ton_amount: null,
          trace_id: base64(hash)
        }))
      })
  })
})

const ton = Effect.map(center, ({ network }) => network)

const hashes = payments.map(({ hash }) => hash)

const families = {
  bitcoin: [bitcoin, Bitcoin.info.sampleAddress, [...hashes.slice(1, count), hashOf(count)]],
  dogecoin: [dogecoin, Dogecoin.info.sampleAddress, hashes],
  solana: [solana, solanaHolder, hashes],
  sui: [sui, suiHolder, hashes.map(digestOf)],
  ton: [ton, Ton.own, hashes]
} as const

describe("a short history after a long one", () => {
  for (const [name, [network, address, expected]] of Object.entries(families))
    it.scoped(`contains the newest transactions of a block on ${name}`, () =>
      Effect.gen(function* () {
        yield* TestClock.setTime((time + 30 * 86_400) * 1000)
        const { newest } = yield* HistoryPages.make(10_000, [])
        const made = (yield* network) as unknown as AnyNetwork
        const read = (limit: number) =>
          Effect.map(newest(made, address, limit), ({ failure, history }) => {
            assert.isUndefined(failure)
            return history?.transactions.slice(0, limit).map(({ hash }) => hash) ?? []
          })
        for (const limit of [50, 2, 1, 7, 50]) {
          assert.deepStrictEqual(yield* read(limit), expected.slice(0, limit), `${limit}`)
          yield* TestClock.adjust(1_000)
        }
      }).pipe(Effect.provide(Memory.layer()))
    )
})
