import * as Effect from "effect/Effect"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256 } from "viem/utils"
import * as Anvil from "./anvil.ts"
import { body, Service } from "./app.ts"
import { Litecoind } from "./litecoind.ts"

// Payments on real nodes, signed but not sent, and the responses of the service about them.

/** A payment that a node would accept. */
export interface Payment {
  readonly raw: string
  readonly hash: string
}

const account = privateKeyToAccount(`0x${"1".repeat(64)}`)

/** A funded account of a node; `pay` signs a payment with this nonce and value. */
export const evmWallet = Effect.gen(function* () {
  const { rpcs } = yield* Anvil.Anvil
  // A node without blocks does not follow a network.
  yield* rpcs([Anvil.withNative(account.address, 10n ** 20n), ["evm_mine", []]])
  return (nonce: number, value = 1n) =>
    Effect.map(
      Effect.promise(() =>
        account.signTransaction({
          type: "eip1559",
          chainId: 1,
          nonce,
          value,
          to: account.address,
          gas: 21_000n,
          maxFeePerGas: 10n ** 11n,
          maxPriorityFeePerGas: 10n ** 9n
        })
      ),
      (raw): Payment => ({ raw, hash: keccak256(raw) })
    )
})

interface Coin {
  readonly txid: string
  readonly vout: number
  readonly amount: number
}

/** A payment of the node's wallet to itself, of a coin that no other payment spends. */
export const litecoinPayment = Effect.gen(function* () {
  const { rpc } = yield* Litecoind
  const coins = yield* rpc<ReadonlyArray<Coin>>("listunspent")
  const coin = coins.find(({ amount }) => amount === 50)
  const raw = yield* rpc<string>("createrawtransaction", [coin], { [yield* rpc<string>("getnewaddress")]: 49.99 })
  const { hex } = yield* rpc<{ readonly hex: string }>("signrawtransactionwithwallet", raw)
  const { txid } = yield* rpc<{ readonly txid: string }>("decoderawtransaction", hex)
  return { raw: hex, hash: txid } satisfies Payment
})

/** Mines blocks to the node's wallet. */
export const mineLitecoin = (blocks: number) =>
  Effect.gen(function* () {
    const { rpc } = yield* Litecoind
    yield* rpc("generatetoaddress", blocks, yield* rpc<string>("getnewaddress"))
  })

const post = (path: string, value: unknown) => Effect.flatMap(Service, (service) => service.post(path, value))

/** Sends a payment through the service: whether a node accepted it, or whether it may have arrived. */
export const send = (network: string, { raw }: Payment) =>
  Effect.gen(function* () {
    const response = yield* post("/transactions/send", { network, transaction: raw })
    const { accepted, reason, sent } = yield* body<{
      readonly accepted?: boolean
      readonly reason?: string
      readonly sent?: string
    }>(response)
    return accepted === true ? "accepted" : String(reason ?? sent ?? response.status)
  })

interface Status {
  readonly status: string | null
  readonly final: boolean | null
}

/** The status of a payment; with `!` if it is final. */
export const statusOf = (network: string, { hash }: Payment) =>
  Effect.gen(function* () {
    const response = yield* post("/transactions/status", { networks: { [network]: [hash] } })
    const answer = yield* body<Readonly<Record<string, Readonly<Record<string, Status>>>>>(response)
    const { final = null, status = null } = answer[network]?.[hash] ?? {}
    return `${status}${final === true ? "!" : ""}`
  })
