import { Address, p2pkh, p2wpkh, Transaction } from "@scure/btc-signer"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Runtime from "effect/Runtime"
import { privateKeyToAccount } from "viem/accounts"
import { litecoin } from "../../src/catalogue/utxo/litecoin.ts"
import * as UtxoAddress from "../../src/chains/utxo/UtxoAddress.ts"
import type { UnspentOutput, UtxoContext } from "../../src/domain/TransactionContext.ts"
import { body, Service } from "./app.ts"
import type { Litecoind } from "./litecoind.ts"

// A wallet built with @scure/btc-signer that uses only responses of the service.

const main = { bech32: "ltc", pubKeyHash: 0x30, scriptHash: 0x32, wif: 0xb0 }
const test = { bech32: "rltc", pubKeyHash: 0x6f, scriptHash: 0x3a, wif: 0xef }

const fee = 10_000n

/** The compressed public key. */
const publicKeyOf = (key: Uint8Array) => {
  const point = Buffer.from(privateKeyToAccount(`0x${Buffer.from(key).toString("hex")}`).publicKey.slice(4), "hex")
  return Buffer.of(2 + ((point[63] ?? 0) & 1), ...point.subarray(0, 32))
}

/** The regtest address of the same script. */
const onTest = (address: string) => {
  const payee = Either.getOrThrow(UtxoAddress.decode(litecoin, address))
  if (payee.kind === "witness") return Address(test).encode({ type: "wpkh", hash: payee.program })
  if (payee.kind === "extended") throw new RangeError("an extended key has no script")
  return Address(test).encode({ type: "pkh", hash: payee.hash })
}

/** A key per kind of address, with its mainnet and regtest addresses and a function that signs with it. */
export const signer = (kind: "wpkh" | "pkh") => {
  const key = Buffer.alloc(32, kind === "pkh" ? 7 : 9)
  const publicKey = publicKeyOf(key)
  const payment = kind === "pkh" ? p2pkh : p2wpkh
  const [own, there] = [payment(publicKey, main), payment(publicKey, test)]
  return {
    mainnet: own.address ?? "",
    regtest: there.address ?? "",
    /** Signs a transaction that spends all outputs: two thirds to another address, the rest minus the fee as change. */
    sign: (outputs: ReadonlyArray<UnspentOutput>) =>
      Effect.gen(function* () {
        const transaction = new Transaction()
        const before = yield* Effect.forEach(outputs, ({ txid }) =>
          kind === "pkh" ? wholeOf(txid) : Effect.succeed("")
        )
        for (const [index, { script, txid, value, vout }] of outputs.entries())
          transaction.addInput({
            txid,
            index: vout,
            ...(kind === "pkh"
              ? { nonWitnessUtxo: Buffer.from(before[index] ?? "", "hex") }
              : { witnessUtxo: { script: Buffer.from(script, "hex"), amount: BigInt(value) } })
          })
        const all = outputs.reduce((sum, { value }) => sum + BigInt(value), 0n)
        const paid = (all * 2n) / 3n
        transaction.addOutputAddress(there.address ?? "", all - paid - fee, test)
        transaction.addOutputAddress(stranger, paid, test)
        transaction.sign(key)
        transaction.finalize()
        return transaction.hex
      })
  }
}

const stranger = Address(test).encode({ type: "wpkh", hash: Buffer.alloc(20, 3) })

/** The raw previous transaction, which is needed to sign an input without a witness. */
const wholeOf = Effect.fnUntraced(function* (tx: string) {
  const service = yield* Service
  const found = yield* service.post("/utils/getrawtransaction", { chain: "litecoin", tx })
  return (yield* body<{ readonly result: string }>(found)).result
})

/** The transaction context of an address, and its spendable outputs. */
export const contextOf = Effect.fnUntraced(function* (address: string) {
  const service = yield* Service
  const response = yield* service.post("/utils/transaction-context", { networks: { litecoin: [address] } })
  const answer = yield* body<{ readonly litecoin: Readonly<Record<string, { readonly context: UtxoContext }>> }>(
    response
  )
  const context = answer.litecoin[address]?.context
  if (context === undefined || context === null) return yield* Effect.dieMessage(JSON.stringify(answer))
  return { ...context, spendable: context.utxos.filter(({ spendable }) => spendable) }
})

interface Scanned {
  readonly unspents: ReadonlyArray<{
    readonly txid: string
    readonly vout: number
    readonly amount: number
    readonly height: number
  }>
}

interface Verbose {
  readonly vin: ReadonlyArray<{ readonly coinbase?: string; readonly txid?: string; readonly vout?: number }>
  readonly vout: ReadonlyArray<{
    readonly value: number
    readonly scriptPubKey: { readonly hex: string; readonly addresses?: ReadonlyArray<string> }
  }>
  readonly blockhash?: string
}

/** Base units; the node returns amounts as floats, in coins with up to eight decimals. */
const units = (coins: number) => Math.round(coins * 1e8)

/** A transaction in the format of Esplora. */
const rowOf = (rpc: Litecoind["Type"]["rpc"], txid: string) =>
  Effect.gen(function* () {
    const verbose = (id: string) => rpc<Verbose>("getrawtransaction", id, true)
    const { blockhash, vin, vout } = yield* verbose(txid)
    const inputs = yield* Effect.forEach(vin, ({ coinbase, txid = "0".repeat(64), vout: index = 0 }) =>
      Effect.gen(function* () {
        const spent = coinbase === undefined ? (yield* verbose(txid)).vout[index] : undefined
        const prevout = spent === undefined ? null : { value: units(spent.value) }
        return { txid, vout: index, is_coinbase: coinbase !== undefined, prevout }
      })
    )
    const block = blockhash === undefined ? undefined : yield* headerOf(rpc, blockhash)
    const isInChain = block !== undefined && block.confirmations > 0
    const status = isInChain
      ? { confirmed: true, block_height: block.height, block_time: block.time }
      : { confirmed: false }
    const outputs = vout.map(({ scriptPubKey: { addresses, hex }, value }) => ({
      scriptpubkey: hex,
      scriptpubkey_address: addresses?.[0] ?? null,
      value: units(value)
    }))
    return { txid, vin: inputs, vout: outputs, status }
  })

const headerOf = (rpc: Litecoind["Type"]["rpc"], block: string) =>
  rpc<{ readonly height: number; readonly time: number; readonly confirmations: number }>("getblockheader", block)

/**
 * A simulated Esplora over a regtest node: the confirmed outputs of mainnet addresses, and transactions unless it `lags`.
 */
export const indexerOver = Effect.fnUntraced(function* (rpc: Litecoind["Type"]["rpc"], state = { lags: false }) {
  const run = Runtime.runPromise(yield* Effect.runtime())
  const absent = new Response("Transaction not found", { status: 404 })
  const respond = Effect.fnUntraced(function* (path: string) {
    if (path === "/blocks/tip/hash") return yield* rpc<string>("getbestblockhash")
    const [, block] = /^\/block\/([0-9a-f]{64})$/.exec(path) ?? []
    if (block !== undefined) {
      const { height, time } = yield* headerOf(rpc, block)
      return { height, timestamp: time }
    }
    if (path.includes("/outspend")) return { spent: false }
    const [, txid] = /^\/tx\/([0-9a-f]{64})$/.exec(path) ?? []
    if (txid !== undefined)
      return state.lags ? absent.clone() : yield* Effect.orElseSucceed(rowOf(rpc, txid), () => absent.clone())
    const [, address = ""] = /^\/address\/([^/]+)\/utxo$/.exec(path) ?? []
    const { unspents } = yield* rpc<Scanned>("scantxoutset", "start", [`addr(${onTest(address)})`])
    return unspents.map(({ amount, height, txid, vout }) => ({
      txid,
      vout,
      value: units(amount),
      status: { confirmed: true, block_height: height }
    }))
  })
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (request) =>
          run(
            Effect.map(respond(new URL(request.url).pathname), (value) =>
              value instanceof Response ? value : typeof value === "string" ? new Response(value) : Response.json(value)
            )
          )
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
  return server.url.href.replace(/\/$/, "")
})
