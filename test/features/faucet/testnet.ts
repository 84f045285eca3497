import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { TransactionSerialized } from "viem"
import { keccak256, numberToHex, parseTransaction } from "viem/utils"
import { Faucet } from "../../../src/features/faucet/Faucet.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import type { Store } from "../../../src/storage/Store.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { json, type Reply, simulatedClient } from "../../support/http.ts"

/** The key of the first account of every development node. */
export const key = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
export const funder = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266"
export const url = "https://testnet.example"

export const address = (index: number): `0x${string}` => `0x${"fa".repeat(17)}${index.toString(16).padStart(6, "0")}`

type Call = { readonly id: unknown; readonly method: string; readonly params: ReadonlyArray<unknown> }
type Method = (params: ReadonlyArray<unknown>) => unknown

export const rpcError = (code: number, message: string) => ({ error: { code, message } })

interface Options {
  /** Override or extend the node's methods; undefined removes a method. */
  readonly methods?: Readonly<Record<string, Method | undefined>>
  /** Replaces the node's response to a request. The node processes the request only if `answer` is called. */
  readonly over?: (methods: ReadonlyArray<string>, answer: () => unknown) => Reply | undefined
}

/** A node that adds the transactions it receives to its pool. */
export const node = ({ methods = {}, over = () => undefined }: Options = {}) => {
  const pool: Array<TransactionSerialized> = []
  const hashes = () => pool.map((raw) => keccak256(raw))
  const called: Array<string> = []
  const balances = new Map<string, bigint>()
  const table: Readonly<Record<string, Method | undefined>> = {
    eth_chainId: () => "0x7a69",
    eth_getTransactionCount: () => numberToHex(pool.length),
    eth_getBalance: ([who]) => numberToHex(balances.get(String(who)) ?? (who === funder ? 10n ** 22n : 0n)),
    eth_getBlockByNumber: () => ({ number: "0x1", baseFeePerGas: numberToHex(1_000_000_000n) }),
    eth_gasPrice: () => numberToHex(1_100_000_000n),
    eth_maxPriorityFeePerGas: () => numberToHex(100_000_000n),
    eth_estimateGas: () => "0x5208",
    eth_getTransactionByHash: ([hash]) => (hashes().includes(hash as never) ? { hash, blockNumber: null } : null),
    eth_sendRawTransaction: ([raw]) => {
      pool.push(raw as TransactionSerialized)
      return keccak256(raw as TransactionSerialized)
    },
    ...methods
  }
  const respond = ({ id, method, params }: Call) => {
    called.push(method)
    const run = table[method]
    const result = run === undefined ? rpcError(-32601, `Method ${method} not found`) : run(params)
    return { jsonrpc: "2.0", id, ...(result instanceof Object && "error" in result ? result : { result }) }
  }
  const outside = simulatedClient((request) => {
    const body = JSON.parse(request.body) as Call | ReadonlyArray<Call>
    const calls = (Array.isArray(body) ? body : [body]) as ReadonlyArray<Call>
    const answer = () => (Array.isArray(body) ? calls.map(respond) : calls.map(respond)[0])
    return (
      over(
        calls.map(({ method }) => method),
        answer
      ) ?? Effect.suspend(() => json(answer()))
    )
  })
  return {
    outside,
    pool,
    hashes,
    called,
    balances,
    /** The transactions received, in order. */
    transactions: () => pool.map((raw) => parseTransaction(raw)),
    sends: () => called.filter((method) => method === "eth_sendRawTransaction").length
  }
}

/** The faucet over a node, and a store that several faucets can share. */
export const faucet = (
  { outside }: ReturnType<typeof node>,
  environment: Readonly<Record<string, string>> = {},
  store: Layer.Layer<Store> = Layer.fresh(Memory.layer())
) =>
  Layer.build(
    Layer.fresh(Faucet.layer).pipe(
      Layer.provide(
        Layer.mergeAll(outside.layer, Layer.fresh(Upstreams.layer), store).pipe(
          Layer.provideMerge(
            Settings.layer({
              UPSTREAM_TIMEOUT_MS: "1000",
              TESTNET_RPC_URL: url,
              TESTNET_FUNDER_PRIVATE_KEY: `0x${key}`,
              ...environment
            })
          )
        )
      )
    )
  ).pipe(Effect.map((context) => Context.get(context, Faucet)))
