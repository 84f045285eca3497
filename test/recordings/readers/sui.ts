import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"
import { type Change, hosting as historyHost, historyOf, type Row, row } from "../../chains/sui/historyHosts.ts"
import {
  answering,
  coin,
  hosting,
  isOfMetadata,
  long,
  metadataOf,
  network,
  page,
  type Query
} from "../../chains/sui/hosts.ts"
import type { Exchange } from "../../support/fixtures.ts"
import { rowsOf } from "../../support/histories.ts"
import { settled } from "../../support/settled.ts"
import type { Read } from "../table.ts"

const shown = ({ amount, asset }: Holding) =>
  asset === "native" ? ["native", Either.getOrThrow(amount)] : [asset.coinId, Either.getOrThrow(amount), asset.decimals]

const bodyOf = <A>({ response: { body } }: Exchange) => body as A

interface OwnCoins {
  readonly data: { readonly address: { readonly balances: { readonly nodes: ReadonlyArray<unknown> } } }
}

/** The holdings of these owners, and the number of requests; a recording of one owner lists its balances. */
export const held =
  (tokens: ReadonlyArray<RegisteredToken>, ...owners: ReadonlyArray<string>): Read =>
  (recording) =>
    Effect.gen(function* () {
      const body = bodyOf<OwnCoins>(recording)
      const owned =
        "address" in body.data ? { data: { multiGetAddresses: [page(body.data.address.balances.nodes)] } } : body
      const host = answering((query) => (isOfMetadata(query) ? { data: metadataOf(query) } : owned))
      const { holdings, seen } = yield* network(host, tokens)
      const found = yield* settled(holdings(owners))
      return [...found.map((each) => Either.getOrThrow(each).map(shown)), seen.length]
    })

/** The balance of a coin with its decimals; metadata that the recording lacks are added. */
export const balance =
  (type: string, metadata: object = {}): Read =>
  (recording) =>
    Effect.gen(function* () {
      const body = bodyOf<{ readonly data?: object }>(recording)
      const { data } = body
      const host = answering(() => (data === undefined ? body : { ...body, data: { ...data, ...metadata } }))
      const { holding } = yield* network(host, [])
      const { amount, asset } = yield* settled(holding(long("1"), Option.some(type)))
      return [Either.getOrThrow(amount), asset === "native" ? 9 : asset.decimals]
    })

interface OldCoins {
  readonly result: ReadonlyArray<{ readonly coinType: string; readonly totalBalance: string }>
}

/** The holdings of the owner of a response of the retired JSON-RPC, in GraphQL's format; or with this balance of each. */
export const heldBefore =
  (tokens: ReadonlyArray<RegisteredToken>, balance?: string): Read =>
  (recording) =>
    Effect.gen(function* () {
      const [owner = ""] = (recording.request.body as { readonly params: ReadonlyArray<string> }).params
      const { result } = bodyOf<OldCoins>(recording)
      const coins = result.map(({ coinType, totalBalance }) => coin(coinType, balance ?? totalBalance))
      const { holdings } = yield* network(hosting({ [owner]: coins }), tokens)
      const [found] = yield* settled(holdings([owner]))
      return found && Either.getOrThrow(found).map(shown)
    })

/** The balance of a coin with the recorded metadata of the retired JSON-RPC. */
export const withMetadata: Read = (recording) => {
  const { result = null } = bodyOf<{ readonly result?: unknown }>(recording)
  const data = { address: { balance: { totalBalance: "5" } }, coinMetadata: result }
  return balance("0x9::real::REAL")({ ...recording, response: { ...recording.response, body: { data } } })
}

/** Why the balance of the requested type cannot be read, and the number of requests. */
export const ofInvalidType: Read = ({ request: { body } }) =>
  Effect.gen(function* () {
    const [type = ""] = (body as { readonly params: ReadonlyArray<string> }).params
    const { holding, seen } = yield* network(hosting({}), [])
    return [(yield* Effect.flip(holding(long("1"), Option.some(type)))).reason, seen.length]
  })

const seen = (transaction: unknown, holder: string) =>
  Effect.gen(function* () {
    const { transactions } = yield* historyOf(yield* network(historyHost([transaction]), []), holder)
    return rowsOf(holder, transactions)[0]
  })

interface OldTransaction {
  readonly result: {
    readonly digest: string
    readonly timestampMs: string
    readonly checkpoint: string
    readonly effects: {
      readonly status: { readonly status: string }
      readonly gasUsed: Readonly<Record<"computationCost" | "storageCost" | "storageRebate", string>>
    }
    readonly balanceChanges?: ReadonlyArray<{
      readonly owner: { readonly AddressOwner: string }
      readonly coinType: string
      readonly amount: string
    }>
  }
}

/** The row that its sender sees of a transaction of the retired JSON-RPC, in GraphQL's format. */
export const seenBefore =
  (sender: string): Read =>
  (recording) => {
    const { balanceChanges = [], checkpoint, digest, effects, timestampMs } = bodyOf<OldTransaction>(recording).result
    const { computationCost, storageCost, storageRebate } = effects.gasUsed
    const transaction: Row = {
      digest,
      sender,
      status: effects.status.status.toUpperCase(),
      timestamp: new Date(Number(timestampMs)).toISOString(),
      checkpoint: Number(checkpoint),
      gas: [computationCost, storageCost, storageRebate],
      changes: balanceChanges.map(({ amount, coinType, owner }): Change => [owner.AddressOwner, amount, coinType])
    }
    return seen(row(transaction), sender)
  }

interface Changes {
  readonly data: { readonly multipleTransferTransaction: { readonly balanceChanges: unknown } }
}

/** The row that the sender sees of recorded balance changes, with this fee. */
export const seenChanges =
  (sender: string, fee: number): Read =>
  (recording) => {
    const { balanceChanges } = bodyOf<Changes>(recording).data.multipleTransferTransaction
    const whole = row({ sender, gas: [fee, 0, 0] })
    return seen({ ...whole, effects: { ...whole.effects, balanceChanges } }, sender)
  }

interface GrpcChanges {
  readonly balanceChanges: ReadonlyArray<Readonly<Record<"address" | "amount" | "coinType", string>>>
}

/** The row that the sender sees of a transaction of gRPC with this gas. */
export const seenInGrpc =
  (sender: string, gas: readonly [number, number, number]): Read =>
  (recording) => {
    const { balanceChanges } = bodyOf<GrpcChanges>(recording)
    const changes = balanceChanges.map(({ address, amount, coinType }): Change => [address, amount, coinType])
    return seen(row({ sender, gas, changes }), sender)
  }

/** The history of a holder, without the order, and the variables of the requests after the first. */
export const listed =
  (holder: string): Read =>
  (recording, more = recording) =>
    Effect.gen(function* () {
      const requests: Array<Query> = []
      const host = answering(({ query }) => bodyOf(query.includes("transactionEffects") ? more : recording), requests)
      const found = yield* historyOf(yield* network(host, []), holder)
      return {
        transactions: found.transactions.map(({ order: _, ...transaction }) => transaction),
        more: found.more,
        missing: found.missing,
        variables: requests.slice(1).map(({ variables }) => variables)
      }
    })
