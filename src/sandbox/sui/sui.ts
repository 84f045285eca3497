import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { parse, resolve } from "./graphql.ts"
import * as SuiExecution from "./SuiExecution.ts"
import * as SuiSystem from "./SuiSystem.ts"
import { serviceConfig, transactions } from "./suiHistory.ts"
import { type CoinObject, isOf, objectsOf, objectWire } from "./suiObjects.ts"

/** Limits of the real service: kinds of coins per page, and lists of balances per request. */
const largestPage = 50
const maxLists = 21

/** The upstreams of Sui. */
export const sui = (info: NetworkFacts) => [[`${info.id}-graphql`, suiGraphql(info)] as const]

/**
 * A GraphQL host of Sui with the fields that the service uses. Objects and transactions it returned are found by id.
 */
export const suiGraphql = (info: NetworkFacts): Simulated => {
  const objects = BoundedMap.make<string, CoinObject>({ capacity: maxRemembered })
  const executed = BoundedMap.make<string, SuiResponse>({ capacity: maxRemembered })
  const ofOwner = (address: string) => objectsOf(info, address, coinsOf(info, address))
  return ({ body, now }) => {
    const request = Option.getOrUndefined(parsed(body))
    const fields = request === undefined ? undefined : parse(request.query, request.variables ?? {})
    if (fields === undefined) return json({ data: null, errors: [{ message: "Failed to parse", path: [] }] })
    const lists = { count: 0 }
    const errors: Array<unknown> = []
    const badInput = (path: string, message: string) => {
      errors.push({ message, path: [path], extensions: { code: "BAD_USER_INPUT" } })
      return null
    }
    const holder = (address: string) => ({
      ...owner(info, address, lists),
      defaultNameRecord: address === named.address ? { domain: named.name } : null,
      objects: (given: SuiArguments) => {
        const all = ofOwner(address).filter((coinObject) => isOf(coinObject, given.filter))
        for (const element of all) objects.set(element.id, element)
        return paged(all.map(objectWire), given)
      }
    })
    const object = ({ address }: SuiArguments) => {
      const current = objects.get(String(address))
      return current === undefined ? null : objectWire(current)
    }
    const transaction = ({ digest }: SuiArguments) => executed.get(String(digest)) ?? null
    const balanceOf = (address: string) => World.native(info, address)
    const root = {
      chainIdentifier: "35834a8a",
      address: ({ address, name }: SuiArguments) =>
        name === undefined ? holder(String(address)) : name === named.name ? holder(named.address) : null,
      multiGetAddresses: ({ keys }: SuiArguments) =>
        (keys as ReadonlyArray<{ readonly address: string }>).map(({ address }) => owner(info, address, lists)),
      coinMetadata: ({ coinType }: SuiArguments) => metadata(info, String(coinType)),
      serviceConfig,
      epoch: () => SuiSystem.epoch(now),
      checkpoint: ({ sequenceNumber }: SuiArguments) =>
        SuiSystem.checkpoint(now, sequenceNumber === undefined ? undefined : Number(sequenceNumber)),
      object,
      multiGetObjects: ({ keys }: SuiArguments) => (keys as ReadonlyArray<SuiArguments>).map(object),
      transaction,
      multiGetTransactions: ({ keys }: SuiArguments) =>
        (keys as ReadonlyArray<string>).map((digest) => transaction({ digest })),
      transactions: (given: SuiArguments) => {
        if (Number(given.last ?? given.first ?? 0) > largestPage) return refused(lists)
        const page = transactions(info, given)
        for (const node of page.nodes) executed.set(node.digest, node)
        return page
      },
      simulateTransaction: ({ transaction: given }: SuiArguments) => {
        const { bcs } = given as { readonly bcs: { readonly value: string } }
        const outcome = SuiExecution.run(Buffer.from(bcs.value, "base64"), (id) => objects.get(id), balanceOf, now)
        return Either.match(outcome, {
          onLeft: (why) => badInput("simulateTransaction", why),
          onRight: ({ effects }) => ({ effects })
        })
      },
      executeTransaction: ({ signatures, transactionDataBcs }: SuiArguments) => {
        const bytes = Buffer.from(String(transactionDataBcs), "base64")
        const given = signatures as ReadonlyArray<string>
        const before = transaction({ digest: SuiExecution.digestOf(bytes) })
        if (before !== null) return { effects: before.effects }
        const refusal = SuiExecution.refusalOf(bytes, given, (id) => objects.get(id))
        if (refusal !== undefined) return badInput("executeTransaction", refusal)
        return Either.match(
          SuiExecution.run(bytes, (id) => objects.get(id), balanceOf, now),
          {
            onLeft: (why) => badInput("executeTransaction", why),
            onRight: ({ digest, effects, sender }) => {
              const response = executedResponse({ digest, sender, effects, bytes, signatures: given, now })
              executed.set(digest, response)
              return response
            }
          }
        )
      }
    }
    const data = resolve(root, fields)
    return response(data, errors, lists.count > maxLists)
  }
}

const response = (data: unknown, errors: ReadonlyArray<unknown>, tooManyLists: boolean) => {
  if (errors.length > 0) return json({ data: null, errors })
  return tooManyLists
    ? json({ data: null, errors: [{ message: "too many lists", extensions: { code: "RESOURCE_EXHAUSTED" } }] })
    : json({ data })
}

interface Executed {
  readonly digest: string
  readonly sender: string
  readonly effects: object
  readonly bytes: Buffer
  readonly signatures: ReadonlyArray<string>
  readonly now: number
}

const executedResponse = ({ bytes, digest, effects, now, sender, signatures }: Executed) => ({
  digest,
  sender: { address: sender },
  transactionBcs: bytes.toString("base64"),
  signatures: signatures.map((signatureBytes) => ({ signatureBytes })),
  effects: {
    ...effects,
    timestamp: new Date(now).toISOString(),
    checkpoint: { sequenceNumber: SuiSystem.checkpoint(now)?.sequenceNumber ?? 0 }
  }
})

/** Transactions by digest. */
type SuiResponse = Readonly<Record<string, unknown>> & { readonly digest: string; readonly effects: unknown }

/** An executed transaction moves nothing in this world: balances remain the same. */
const maxRemembered = 10_000

/** The only registered name of this world. */
const named = { name: "sandbox.sui", address: `0x${"5a".repeat(32)}` }

/** A page beyond the limit is rejected as a whole. */
const refused = (lists: { count: number }) => {
  lists.count = maxLists + 1
  return null
}

type SuiArguments = Readonly<Record<string, unknown>>

const parsed = Option.liftThrowable(
  (body: string): { readonly query: string; readonly variables?: Record<string, unknown> } => JSON.parse(body)
)

const canonical = (type: string) => Option.getOrElse(CoinType.canonical(type), () => type)

/** All coins of an address by canonical type, without those of balance zero. */
const coinsOf = (info: NetworkFacts, address: string) =>
  [
    { type: CoinType.sui, amount: World.native(info, address) },
    ...World.contractsOn(info.platform).map((contract) => ({
      type: canonical(contract.address),
      amount: World.tokenBalance(info, contract, address)
    }))
  ].filter(({ amount }) => amount > 0n)

const owner = (info: NetworkFacts, address: string, lists: { count: number }) => ({
  address,
  balance: ({ coinType }: SuiArguments) => {
    const type = canonical(String(coinType))
    const coinOfType = coinsOf(info, address).find((coin) => coin.type === type)
    return balance(type, coinOfType?.amount ?? 0n)
  },
  balances: (given: SuiArguments) => {
    lists.count += 1
    return paged(
      coinsOf(info, address).map(({ amount, type }) => balance(type, amount)),
      given
    )
  }
})

/** A cursor is an index of the list. */
const paged = <A>(all: ReadonlyArray<A>, { after, first }: SuiArguments) => {
  const start = typeof after === "string" ? Number(Buffer.from(after, "base64").toString()) : 0
  const end = start + Math.min(Number(first ?? 20), largestPage)
  return {
    nodes: all.slice(start, end),
    pageInfo: {
      hasNextPage: end < all.length,
      endCursor: all.length === 0 ? null : Buffer.from(String(Math.min(end, all.length))).toString("base64")
    }
  }
}

const balance = (type: string, amount: bigint) => ({
  coinType: { repr: type },
  totalBalance: String(amount),
  coinBalance: String(amount),
  addressBalance: "0"
})

const metadata = (info: NetworkFacts, type: string) => {
  const wanted = canonical(type)
  const coin = World.contractsOn(info.platform).find(({ address }) => canonical(address) === wanted)
  const { native } = info
  if (coin === undefined && wanted !== CoinType.sui) return null
  return {
    address: SuiSystem.objectId("metadata", wanted),
    decimals: coin?.decimals ?? native.decimals,
    symbol: coin?.coin.symbol.toUpperCase() ?? native.symbol,
    name: coin?.coin.name ?? native.name,
    description: "",
    iconUrl: null,
    supply: coin === undefined ? "10000000000000000000" : null
  }
}
