import { base58 } from "@scure/base"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import * as TransactionData from "../../chains/sui/jsonrpc/TransactionData.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { type Remembered, remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { parse, resolve } from "./graphql.ts"
import * as SuiExecution from "./SuiExecution.ts"
import * as SuiSystem from "./SuiSystem.ts"
import { checkpointAt, epochAt } from "./SuiSystem.ts"
import type { CoinPage, Served, StakePage, SuiResponse } from "./served.ts"
import { changesOf, errorOf, gasOf, signedOf, typeOf } from "./suiMuseum.ts"
import { balance, canonical, coinsOf, inAddress, isOf, metadata, objectsOf, objectWire, partsOf } from "./suiObjects.ts"

type SuiHistoryArguments = Readonly<Record<string, unknown>>

/** Storage cost and rebate, MIST; the rest of the fee is the computation cost. */
const storage = { storageCost: 2_000, storageRebate: 1_000 }

interface SuiFilter {
  readonly affectedAddress?: string
  readonly sentAddress?: string
  readonly beforeCheckpoint?: number
}

/** Transactions that affect an address, or that it sent, oldest first. */
const transactions = (facts: NetworkFacts, given: SuiHistoryArguments) => {
  const { affectedAddress, beforeCheckpoint, sentAddress } = (given.filter ?? {}) as SuiFilter
  const holder = affectedAddress ?? sentAddress ?? ""
  const moves = ledger(facts, holder).filter(
    ({ at, direction, exhibit }) =>
      (sentAddress === undefined || (direction === "out" && exhibit !== "sponsor")) &&
      (beforeCheckpoint === undefined || checkpointAt(at * 1000) < beforeCheckpoint)
  )
  const { nodes, pageInfo } = paged(moves, given)
  return { nodes: nodes.map((move) => transaction(move, holder)), pageInfo }
}

/** Available range: no data is pruned. */
const serviceConfig = {
  availableRange: () => ({ first: { sequenceNumber: 0, timestamp: "2023-04-12T17:00:00Z" } })
}

const transaction = (move: Move, holder: string) => {
  const { at, direction, failed, fee, kind, received = 0n } = move
  const other = move.counterparty ?? `0x${move.seed}`
  const [sender, receiver] = direction === "out" ? [holder, other] : [other, holder]
  const coin =
    move.contract === undefined
      ? CoinType.sui
      : Option.getOrElse(CoinType.canonical(move.contract.address), () => CoinType.sui)
  const amount = failed ? 0n : move.amount
  const native = coin === CoinType.sui
  const changes = changesOf(
    move,
    [
      { address: receiver, coinType: coin, amount },
      { address: sender, coinType: CoinType.sui, amount: received - fee - (native ? amount : 0n) },
      { address: receiver, coinType: CoinType.sui, amount: -received },
      ...(native || kind === "mint" ? [] : [{ address: sender, coinType: coin, amount: -amount }])
    ].filter((change) => change.amount !== 0n)
  )
  const digest = base58.encode(Buffer.from(move.id, "hex"))
  const gas =
    gasOf(move) ??
    (fee === 0n
      ? { computationCost: 0, storageCost: 0, storageRebate: 0 }
      : { computationCost: Number(fee) - storage.storageCost + storage.storageRebate, ...storage })
  return {
    digest,
    ...signedOf(move, sender),
    transactionBcs: null,
    signatures: [],
    effects: {
      digest,
      status: failed ? ("FAILURE" as const) : ("SUCCESS" as const),
      timestamp: new Date(at * 1000 + 153 + (move.ordinal ?? 0)).toISOString(),
      checkpoint: { sequenceNumber: checkpointAt(at * 1000) },
      gasEffects: { gasSummary: gas },
      balanceChanges: (given: SuiArguments) =>
        paged(
          changes.map((change) => ({
            owner: { address: change.address },
            coinType: typeOf(move, change.coinType),
            amount: String(change.amount)
          })),
          given
        ),
      balanceChangesJson: changes.map((change) => ({ ...change, amount: String(change.amount) })),
      effectsJson: {
        version: 2,
        status: { success: !failed },
        epoch: String(epochAt(at * 1000)),
        gasUsed: Object.fromEntries(Object.entries(gas).map(([name, amount]) => [name, String(amount)])),
        transactionDigest: digest
      },
      executionError: failed ? errorOf(move) : null,
      effectsBcs: null,
      events: nothing,
      objectChanges: nothing
    }
  }
}

const nothing = { nodes: [], pageInfo: { hasNextPage: false } }

const stakedType = "0x3::staking_pool::StakedSui"

/** Stakes of an address in two objects, or in many; undefined if the filter selects objects of another type. */
const stakesOf = (facts: NetworkFacts, owner: string, filter: unknown) => {
  const { type } = (filter ?? {}) as { readonly type?: string }
  if (type !== stakedType) return undefined
  return partsOf(facts, owner, World.stakeOf(facts, owner), 3n)
    .filter((principal) => principal > 0n)
    .map((principal, index) => {
      const address = SuiSystem.objectId(facts.id, owner, "stake", String(index))
      return {
        address,
        contents: {
          json: {
            id: address,
            pool_id: SuiSystem.objectId("pool", String(index)),
            stake_activation_epoch: "800",
            principal: { value: String(principal) }
          }
        }
      }
    })
}

/** Limits of the real service: rows per page, and balance lists per request. */
const largestPage = 50
const maxLists = 21

/** Simulated upstreams of Sui. */
export const sui = (facts: NetworkFacts) => [[`${facts.id}-graphql`, suiGraphql(facts)] as const]

/**
 * A Sui GraphQL host, limited to the fields that the service uses. Supports look-ups of returned objects and
 * transactions by id.
 */
export const suiGraphql = (facts: NetworkFacts): Simulated => {
  const objects = coinObjects(facts)
  const { enter } = Submit.mempool<SubmittedSui, string>(facts, {
    refusal: () => "The transaction was executed before",
    check: (signed) => Either.right(signed),
    nextBlock: (now) => now + 250
  })
  const submit: SuiHost["submit"] = (bytes, signatures, now) =>
    Either.flatMap(SuiExecution.execute(bytes, signatures, objects.by, facts, now), (outcome) =>
      enter({ ...outcome.event, outcome }, now)
    )
  const host: SuiHost = { facts, objects, submit, executed: remembered() }
  return ({ body, now }) => {
    const sent = Option.getOrUndefined(parsed(body))
    const fields = sent === undefined ? undefined : parse(sent.query, sent.variables ?? {})
    if (fields === undefined) return json({ data: null, errors: [{ message: "Failed to parse", path: [] }] })
    const request: SuiRequest = { now, lists: 0, errors: [] }
    const root: Served = {
      ...systemFields(now),
      ...ownerFields(host, request),
      ...objectFields(host),
      ...transactionFields(host, request),
      ...executionFields(host, request)
    }
    return response(resolve(root, fields), request)
  }
}

/** Coin objects of addresses. They can be looked up by id after a list has returned them. */
const coinObjects = (facts: NetworkFacts) => {
  const owners = remembered<string>()
  const of = (owner: string) => {
    const coins = coinsOf(facts, owner)
    return objectsOf(
      facts,
      owner,
      coins.map((coin) => ({ ...coin, amount: coin.amount - inAddress(facts, owner, coin.type) }))
    )
  }
  return {
    of: (owner: string) => {
      const all = of(owner)
      for (const { id } of all) owners.set(id, owner)
      return all
    },
    by: (id: string) => of(owners.get(id) ?? "").find((coin) => coin.id === id)
  }
}

interface SubmittedSui extends Submit.SignedEvent {
  readonly outcome: SuiExecution.SuiOutcome
}

/** State of a host. */
interface SuiHost {
  readonly facts: NetworkFacts
  readonly objects: ReturnType<typeof coinObjects>
  readonly submit: (
    bytes: Buffer,
    signatures: ReadonlyArray<string>,
    now: number
  ) => Either.Either<SubmittedSui, string>
  readonly executed: Remembered<SuiResponse>
}

/** Counter and errors of a request that is being resolved. */
interface SuiRequest {
  readonly now: number
  /** Number of resolved balance lists. */
  lists: number
  readonly errors: Array<unknown>
}

const systemFields = (now: number) => ({
  chainIdentifier: "35834a8a",
  serviceConfig,
  epoch: () => SuiSystem.epoch(now),
  checkpoint: ({ sequenceNumber }: SuiArguments) =>
    SuiSystem.checkpoint(now, sequenceNumber === undefined ? undefined : Number(sequenceNumber))
})

const ownerFields = ({ facts, objects }: SuiHost, request: SuiRequest) => {
  const holder = (address: string) => ({
    ...owner(facts, address, request),
    defaultNameRecord: address === named.address ? { domain: named.name } : null,
    objects: (given: SuiArguments) => {
      const stakes = stakesOf(facts, address, given.filter)
      if (stakes !== undefined) return paged(stakes, given) satisfies StakePage
      const all = objects.of(address).filter((coin) => isOf(coin, given.filter))
      return paged(all.map(objectWire), given) satisfies CoinPage
    }
  })
  return {
    address: ({ address, name }: SuiArguments) =>
      name === undefined ? holder(String(address)) : name === named.name ? holder(named.address) : null,
    multiGetAddresses: ({ keys }: SuiArguments) =>
      (keys as ReadonlyArray<{ readonly address: string }>).map(({ address }) => owner(facts, address, request)),
    coinMetadata: ({ coinType }: SuiArguments) => metadata(facts, String(coinType))
  }
}

const objectFields = ({ objects }: SuiHost) => {
  const object = ({ address }: SuiArguments) => {
    const current = objects.by(String(address))
    return current === undefined ? null : objectWire(current)
  }
  return {
    object,
    multiGetObjects: ({ keys }: SuiArguments) => (keys as ReadonlyArray<SuiArguments>).map(object)
  }
}

const transactionFields = ({ executed, facts }: SuiHost, request: SuiRequest) => {
  const transaction = ({ digest }: SuiArguments) => executed.get(String(digest)) ?? null
  return {
    transaction,
    transactionEffects: (given: SuiArguments) => transaction(given)?.effects ?? null,
    multiGetTransactions: ({ keys }: SuiArguments) =>
      (keys as ReadonlyArray<string>).map((digest) => transaction({ digest })),
    transactions: (given: SuiArguments) => {
      if (Number(given.last ?? given.first ?? 0) > largestPage) return refused(request)
      const page = transactions(facts, given)
      for (const node of page.nodes) if (!executed.has(node.digest)) executed.set(node.digest, node)
      return page
    }
  }
}

interface SuiChange {
  readonly address: string
  readonly coinType: string
  readonly amount: string
}

const executionFields = ({ executed, facts, objects, submit }: SuiHost, { errors, now }: SuiRequest) => {
  const badInput = (field: string) => (message: string) => {
    errors.push({ message, path: [field], extensions: { code: "BAD_USER_INPUT" } })
    return null
  }
  return {
    simulateTransaction: ({ transaction }: SuiArguments) => {
      const { bcs } = transaction as { readonly bcs: { readonly value: string } }
      return Either.match(SuiExecution.run(Buffer.from(bcs.value, "base64"), objects.by, facts, now), {
        onLeft: badInput("simulateTransaction"),
        onRight: ({ effects }) => ({ effects })
      })
    },
    executeTransaction: (given: SuiArguments) => {
      const bytes = Buffer.from(String(given.transactionDataBcs), "base64")
      const signatures = given.signatures as ReadonlyArray<string>
      const before = executed.get(TransactionData.digestOf(bytes))
      if (before !== undefined) return { effects: before.effects }
      return Either.match(submit(bytes, signatures, now), {
        onLeft: badInput("executeTransaction"),
        onRight: ({ outcome: { digest, effects, sender } }) => {
          const response = {
            digest,
            sender: { address: sender },
            gasInput: { gasSponsor: { address: sender } },
            kind: { __typename: "ProgrammableTransaction" },
            transactionBcs: bytes.toString("base64"),
            signatures: signatures.map((signatureBytes) => ({ signatureBytes })),
            effects: {
              ...effects,
              balanceChanges: (given: SuiArguments) =>
                paged(
                  (effects.balanceChangesJson as ReadonlyArray<SuiChange>).map(({ address, amount, coinType }) => ({
                    owner: { address },
                    coinType: { repr: coinType },
                    amount
                  })),
                  given
                ),
              timestamp: new Date(now).toISOString(),
              checkpoint: { sequenceNumber: checkpointAt(now) }
            }
          }
          executed.set(digest, response)
          return response
        }
      })
    }
  }
}

const response = (data: unknown, { errors, lists }: SuiRequest) => {
  if (errors.length > 0) return json({ data: null, errors })
  return lists > maxLists
    ? json({ data: null, errors: [{ message: "too many lists", extensions: { code: "RESOURCE_EXHAUSTED" } }] })
    : json({ data })
}

/** The only registered name. */
const named = { name: "sandbox.sui", address: `0x${"5a".repeat(32)}` }

/** Makes the whole request fail with RESOURCE_EXHAUSTED. */
const refused = (request: SuiRequest) => {
  request.lists = maxLists + 1
  return null
}

type SuiArguments = Readonly<Record<string, unknown>>

const parsed = Option.liftThrowable(
  (body: string): { readonly query: string; readonly variables?: Record<string, unknown> } => JSON.parse(body)
)

const owner = (facts: NetworkFacts, address: string, request: SuiRequest) => ({
  address,
  balance: ({ coinType }: SuiArguments) => {
    const type = canonical(String(coinType))
    const coinOfType = coinsOf(facts, address).find((coin) => coin.type === type)
    return balance(type, coinOfType?.amount ?? 0n, inAddress(facts, address, type))
  },
  balances: (given: SuiArguments) => {
    request.lists += 1
    return paged(
      coinsOf(facts, address).map(({ amount, type }) => balance(type, amount, inAddress(facts, address, type))),
      given
    )
  }
})

/** Returns a page of a list: the first rows after a cursor, or the last before one. A cursor is an index in the list. */
const paged = <A>(all: ReadonlyArray<A>, { after, before, first = 20, last }: SuiArguments) => {
  const place = (mark: unknown, otherwise: number) =>
    typeof mark === "string" ? Number(Buffer.from(mark, "base64").toString()) : otherwise
  const size = Math.min(Number(last ?? first), largestPage)
  const until = place(before, all.length)
  const start = last === undefined ? place(after, 0) : Math.max(until - size, 0)
  const end = last === undefined ? Math.min(start + size, all.length) : until
  const marked = (at: number) => (all.length === 0 ? null : Buffer.from(String(at)).toString("base64"))
  return {
    nodes: all.slice(start, end),
    pageInfo: {
      hasPreviousPage: start > 0,
      startCursor: marked(start),
      hasNextPage: end < all.length,
      endCursor: marked(end)
    }
  }
}
