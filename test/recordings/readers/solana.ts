import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { historyOf, listed, nodeWith, transfer } from "../../chains/solana/historyNodes.ts"
import { chain, key, network, replaying } from "../../chains/solana/nodes.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { type Exchange, exactBody } from "../../support/fixtures.ts"
import { rowsOf } from "../../support/histories.ts"
import { settled } from "../../support/settled.ts"
import type { Read } from "../table.ts"

const shown = ({ amount, asset }: Holding) =>
  asset === "native"
    ? ["native", Either.getOrThrow(amount)]
    : [asset.address, Either.getOrThrow(amount), asset.decimals]

const own = key(61)

/** The holdings of wallets, and the number of requests: lists of accounts, in a batch, and the mints of these tokens. */
export const wallets =
  (tokens: ReadonlyArray<RegisteredToken>, holders: ReadonlyArray<string>): Read =>
  (...recordings) =>
    Effect.gen(function* () {
      const lists = replaying(...recordings)
      const mints = Object.fromEntries(tokens.map(({ address, decimals = 0 }) => [address, decimals]))
      const others = EvmNodes.rpcNode(chain({}, mints))
      const node: EvmNodes.SimulatedHost = (body, request) => (Array.isArray(body) ? lists : others)(body, request)
      const { holdings, seen } = yield* network(node, tokens)
      const found = yield* settled(holdings(holders))
      return [...found.map((each) => Either.getOrThrow(each).map(shown)), seen.length]
    })

/** The balance of a token that is not registered. */
export const single =
  (mint: string): Read =>
  (...recordings) =>
    Effect.gen(function* () {
      const { holding } = yield* network(replaying(...recordings), [])
      return shown(yield* settled(holding(own, Option.some(mint))))
    })

const refusing = ({ response: { body, status } }: Exchange) => EvmNodes.always(JSON.stringify(body), { status })

/** Why a balance and holdings cannot be read from a node, and whether they are read from the next. */
export const refused: Read = (refusal, balance = refusal) =>
  Effect.gen(function* () {
    const alone = yield* network(refusing(refusal), [])
    const one = yield* settled(Effect.flip(alone.holding(own, Option.none())))
    const all = yield* settled(alone.holdings([own]))
    const followed = yield* network(refusing(refusal), [], replaying(balance))
    const { amount } = yield* settled(followed.holding(own, Option.none()))
    return [one, ...all.map((each) => Either.getOrThrow(Either.flip(each))), Either.isRight(amount)]
  })

/** Why holdings cannot be read from a node that responds with HTTP 200. */
export const refusedBody: Read = (recording) =>
  Effect.gen(function* () {
    const { holdings } = yield* network(replaying(recording), [])
    const [found] = yield* settled(holdings([own]))
    return found === undefined ? undefined : Either.getOrThrow(Either.flip(found))
  })

/** Why a transaction cannot be read from a node, and how many are read, and which are missing, with the next node. */
export const refusedHistory: Read = (recording) =>
  Effect.gen(function* () {
    const good = nodeWith({ x: transfer(key(2), key(1), 7) }, { [key(1)]: [listed("x")] })
    const refusal = refusing(recording)
    const bad: EvmNodes.SimulatedHost = (body, request) =>
      (request.text.includes("getTransaction") ? refusal : good)(body, request)
    const { reason } = yield* Effect.flip(historyOf(yield* network(bad, []), key(1)))
    const { missing, transactions } = yield* historyOf(yield* network(bad, [], good), key(1))
    return [reason, transactions.length, missing]
  })

interface Parsed {
  readonly message: {
    readonly accountKeys: ReadonlyArray<string>
    readonly instructions: ReadonlyArray<{ readonly data: string; readonly parsed?: unknown }>
  }
}

interface Transaction {
  readonly meta?: unknown
  readonly transaction: Parsed
}

/** Transaction as a parsing node returns it, under another signature. `base64` does not list the accounts. */
const parsed = (exchange: Exchange): Transaction => {
  const { result } = exactBody(exchange) as { readonly result: Readonly<Record<string, unknown>> }
  const { transaction } = result
  if (!Array.isArray(transaction))
    return { ...result, transaction: { ...(transaction as Parsed), signatures: undefined } } as Transaction
  const data = Buffer.from(String(transaction[0]), "base64")
  const start = 1 + 64 * (data[0] ?? 0) + 3
  const accountKeys = Array.from({ length: data[start] ?? 0 }, (_, index) =>
    base58.encode(data.subarray(start + 1 + 32 * index, start + 33 + 32 * index))
  )
  return { ...result, transaction: { message: { accountKeys, instructions: [] } } }
}

/** The row that the holder, by default the first account, sees of a transaction. */
export const seen =
  (of?: string, change: (transaction: Transaction) => unknown = (transaction) => transaction): Read =>
  (recording) =>
    Effect.gen(function* () {
      const transaction = parsed(recording)
      const holder = of ?? String(transaction.transaction.message.accountKeys[0])
      const node = nodeWith({ x: change(transaction) }, { [holder]: [listed("x")] })
      return rowsOf(holder, (yield* historyOf(yield* network(node, []), holder)).transactions)[0]
    })

/** The transaction with its second instruction, a transfer of a holder to itself, as a node parses it. */
export const withParsedTransfer =
  (holder: string) =>
  ({ transaction: { message }, ...rest }: Transaction): unknown => {
    const instructions = message.instructions.map((instruction, index) => {
      if (index !== 1) return instruction
      const lamports = Number(Buffer.from(base58.decode(instruction.data)).readBigUInt64LE(4))
      return { data: "", parsed: { type: "transfer", info: { source: holder, destination: holder, lamports } } }
    })
    return { ...rest, transaction: { message: { ...message, instructions } } }
  }

interface ListedSignature {
  readonly signature: string
  readonly err: unknown
}

/** The history of a list of signatures, the first of which is of a transaction that no node has. */
export const withoutTheFirst =
  (holder: string, show: (rows: ReadonlyArray<string>, areFailed: boolean) => unknown = (rows) => rows): Read =>
  (list, none = list) =>
    Effect.gen(function* () {
      const { result } = list.response.body as { readonly result: ReadonlyArray<ListedSignature> }
      const all = Object.fromEntries(
        result.slice(1).map(({ err, signature }) => [
          signature,
          {
            blockTime: null,
            meta: { err, fee: 5, preBalances: [5], postBalances: [0] },
            transaction: { message: { accountKeys: [holder], instructions: [] } }
          }
        ])
      )
      const { result: notFound } = none.response.body as { readonly result: null }
      const found = { ...all, [result[0]?.signature ?? ""]: notFound }
      const { missing, transactions } = yield* historyOf(
        yield* network(nodeWith(found, { [holder]: result }), []),
        holder,
        100
      )
      const failed = transactions.filter(({ status }) => status === "Failed").map(({ hash }) => hash)
      const refused = result.slice(1).filter(({ err }) => err !== null)
      const rows = transactions.map(({ hash, status, timestamp }) => `${hash.slice(0, 8)} ${status} ${timestamp}`)
      return [
        show(rows, failed.join() === refused.map(({ signature }) => signature).join()),
        missing.map((text) => text.replace(/:.*/, "")).join()
      ]
    })
