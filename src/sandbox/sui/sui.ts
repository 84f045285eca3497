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
import { type CoinObject, isOf, objectsOf, toldObject } from "./suiObjects.ts"

/** Limits of the real service: kinds of coins in a page, and lists of balances in a query. */
const largestPage = 50
const mostLists = 21

/** The upstreams of Sui. */
export const sui = (info: NetworkFacts) => [[`${info.id}-graphql`, suiGraphql(info)] as const]

/** A GraphQL host of Sui, as far as the service asks one. It knows objects and transactions by id once it told of them. */
export const suiGraphql = (info: NetworkFacts): Simulated => {
  const objects = BoundedMap.make<string, CoinObject>({ capacity: mostRemembered })
  const known = BoundedMap.make<string, SuiResponse>({ capacity: mostRemembered })
  const executed = (transaction: SuiResponse) => {
    known.set(transaction.digest, transaction)
    return transaction
  }
  const ofOwner = (address: string) => objectsOf(info, address, coinsOf(info, address))
  return ({ body, now }) => {
    const asked = Option.getOrUndefined(parsed(body))
    const fields = asked === undefined ? undefined : parse(asked.query, asked.variables ?? {})
    if (fields === undefined) return json({ data: null, errors: [{ message: "Failed to parse", path: [] }] })
    const lists = { asked: 0 }
    const errors: Array<unknown> = []
    const badInput = (path: string, message: string) => {
      errors.push({ message, path: [path], extensions: { code: "BAD_USER_INPUT" } })
      return null
    }
    const holder = (address: string) => ({
      ...owner(info, address, lists),
      defaultNameRecord: address === named.address ? { domain: named.name } : null,
      objects: (given: Arguments) => {
        const all = ofOwner(address).filter((coinObject) => isOf(coinObject, given.filter))
        for (const coinObject of all) objects.set(coinObject.id, coinObject)
        return paged(all.map(toldObject), given)
      }
    })
    const object = ({ address }: Arguments) => {
      const current = objects.get(String(address))
      return current === undefined ? null : toldObject(current)
    }
    const transaction = ({ digest }: Arguments) => known.get(String(digest)) ?? null
    const balanceOf = (address: string) => World.native(info, address)
    const root = {
      chainIdentifier: "35834a8a",
      address: ({ address, name }: Arguments) =>
        name === undefined ? holder(String(address)) : name === named.name ? holder(named.address) : null,
      multiGetAddresses: ({ keys }: Arguments) =>
        (keys as ReadonlyArray<{ readonly address: string }>).map(({ address }) => owner(info, address, lists)),
      coinMetadata: ({ coinType }: Arguments) => metadata(info, String(coinType)),
      serviceConfig,
      epoch: () => SuiSystem.epoch(now),
      checkpoint: ({ sequenceNumber }: Arguments) =>
        SuiSystem.checkpoint(now, sequenceNumber === undefined ? undefined : Number(sequenceNumber)),
      object,
      multiGetObjects: ({ keys }: Arguments) => (keys as ReadonlyArray<Arguments>).map(object),
      transaction,
      multiGetTransactions: ({ keys }: Arguments) =>
        (keys as ReadonlyArray<string>).map((digest) => transaction({ digest })),
      transactions: (given: Arguments) => {
        if (Number(given.last ?? given.first ?? 0) > largestPage) return refused(lists)
        const page = transactions(info, given)
        for (const node of page.nodes) known.set(node.digest, node)
        return page
      },
      simulateTransaction: ({ transaction: given }: Arguments) => {
        const { bcs } = given as { readonly bcs: { readonly value: string } }
        const outcome = SuiExecution.run(Buffer.from(bcs.value, "base64"), (id) => objects.get(id), balanceOf, now)
        return Either.match(outcome, {
          onLeft: (why) => badInput("simulateTransaction", why),
          onRight: ({ effects }) => ({ effects })
        })
      },
      executeTransaction: ({ signatures, transactionDataBcs }: Arguments) => {
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
            onRight: ({ digest, effects, sender }) =>
              executed({
                digest,
                sender: { address: sender },
                transactionBcs: bytes.toString("base64"),
                signatures: given.map((signatureBytes) => ({ signatureBytes })),
                effects: {
                  ...effects,
                  timestamp: new Date(now).toISOString(),
                  checkpoint: { sequenceNumber: SuiSystem.checkpoint(now)?.sequenceNumber ?? 0 }
                }
              })
          }
        )
      }
    }
    const data = resolve(root, fields)
    if (errors.length > 0) return json({ data: null, errors })
    return lists.asked > mostLists
      ? json({ data: null, errors: [{ message: "too many lists", extensions: { code: "RESOURCE_EXHAUSTED" } }] })
      : json({ data })
  }
}

/** What can be looked up by its digest. */
type SuiResponse = Readonly<Record<string, unknown>> & { readonly digest: string; readonly effects: unknown }

/** An executed transaction moves nothing in this world: what an address holds stays the same. */
const mostRemembered = 10_000

/** The one name of this world. */
const named = { name: "sandbox.sui", address: `0x${"5a".repeat(32)}` }

/** A page that is too large is refused as a whole. */
const refused = (lists: { asked: number }) => {
  lists.asked = mostLists + 1
  return null
}

type Arguments = Readonly<Record<string, unknown>>

const parsed = Option.liftThrowable(
  (body: string): { readonly query: string; readonly variables?: Record<string, unknown> } => JSON.parse(body)
)

const canonical = (type: string) => Option.getOrElse(CoinType.canonical(type), () => type)

/** All coins of an address by canonical type; those it has none of are not told. */
const coinsOf = (info: NetworkFacts, address: string) =>
  [
    { type: CoinType.sui, amount: World.native(info, address) },
    ...World.contractsOn(info.platform).map((contract) => ({
      type: canonical(contract.address),
      amount: World.held(info, contract, address)
    }))
  ].filter(({ amount }) => amount > 0n)

const owner = (info: NetworkFacts, address: string, lists: { asked: number }) => ({
  address,
  balance: ({ coinType }: Arguments) => {
    const type = canonical(String(coinType))
    const held = coinsOf(info, address).find((coin) => coin.type === type)
    return balance(type, held?.amount ?? 0n)
  },
  balances: (given: Arguments) => {
    lists.asked += 1
    return paged(
      coinsOf(info, address).map(({ amount, type }) => balance(type, amount)),
      given
    )
  }
})

/** A mark is a place in the list. */
const paged = <A>(all: ReadonlyArray<A>, { after, first }: Arguments) => {
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
