import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as calls from "../../chains/polkadot/providers/subscan/calls.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import { ledger } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import { json, refused, type Simulated } from "../world/wire.ts"
import * as PolkadotSent from "./PolkadotSent.ts"
import { blockHash, type Extrinsics, heightAt, timeOf } from "./PolkadotSent.ts"
import {
  chainOf,
  extrinsicDetail,
  extrinsicRow,
  isListed,
  placeOf,
  type SubscanChain,
  type SubscanMove,
  transferRow,
  transfersOf
} from "./subscanRows.ts"

/** Maximum page size. */
const largestPage = 100

/** Extrinsics of an indexer: those that a list has returned, and those submitted to a node of Asset Hub. */
const extrinsicsOf = (facts: NetworkFacts, senderOf: Extrinsics["senderOf"], chain: SubscanChain) => {
  /** Holders in whose lists extrinsics are, by hash. */
  const listed = remembered<string>()
  const found = remembered<SubscanMove>()
  const of = memoized((_: NetworkFacts, holder) =>
    ledger(facts, holder)
      .filter((move) => chainOf(move) === chain)
      .toReversed()
      .map((move) => ({ holder, move, block: placeOf(move).block_num }))
  )
  return {
    /** Moves of a holder with their blocks, newest first. */
    of: (holder: string) => of(facts, holder),
    /** Remembers the extrinsics that a list returns. */
    remember: (rows: ReadonlyArray<SubscanMove>): void => {
      for (const { holder, move } of rows) listed.set(`0x${move.id}`, holder)
    },
    /** Finds an extrinsic that was looked up by its hash, by its index. */
    at: (index: string): SubscanMove | undefined => found.get(index),
    /** Finds an extrinsic in a block. */
    find: (hash: string): SubscanMove | undefined => {
      const holder = (chain === "relay" ? undefined : senderOf(hash)) ?? listed.get(hash)
      const move = holder && ledger(facts, holder).find(({ id }) => `0x${id}` === hash)
      if (!holder || !move) return undefined
      found.set(placeOf(move).extrinsic_index, { holder, move })
      return { holder, move }
    }
  }
}

/** Subscan API of a chain, limited to the endpoints that the service uses. */
const subscan = (facts: NetworkFacts, senderOf: Extrinsics["senderOf"], chain: SubscanChain): Simulated => {
  const answers = answersOf(facts, extrinsicsOf(facts, senderOf, chain), chain)
  return (request) =>
    Option.match(answerOf(answers, request), {
      onNone: () => json({ code: 404, message: "Not Found" }, 404),
      onSome: (answer) =>
        answer === undefined ? json({ code: 400, message: "Error:Field validation failed" }, 400) : json(answer)
    })
}

const success = <A>(data: A, now: number) => ({
  code: 0 as const,
  message: "Success",
  generated_at: Math.floor(now / 1000),
  data
})

/** A part of a list; undefined for an invalid request. */
const partOf = (
  extrinsics: ReturnType<typeof extrinsicsOf>,
  { address = "", block_range, page, row = 0 }: ListBody
) => {
  const holder = Either.getOrUndefined(PolkadotAddress.parse(address))
  // Both are required.
  if (holder === undefined || page === undefined || row < 1 || row > largestPage) return undefined
  const [, last = Number.POSITIVE_INFINITY] = block_range?.split("-") ?? []
  return {
    moves: extrinsics.of(holder).filter(({ block }) => block <= Number(last)),
    of: <A extends SubscanMove, Row>(all: ReadonlyArray<A>, rowOf: (listed: A) => Row) => {
      const rows = all.slice(page * row, (page + 1) * row)
      extrinsics.remember(rows)
      return rows.length === 0 ? null : rows.map(rowOf)
    }
  }
}

interface ListBody {
  readonly address?: string
  readonly row?: number
  readonly page?: number
  /** `first-last`, both included. */
  readonly block_range?: string
}

const answersOf = (
  facts: NetworkFacts,
  extrinsics: ReturnType<typeof extrinsicsOf>,
  chain: SubscanChain
): ReadonlyArray<Answered> => [
  answered(calls.metadata, ({ now }) =>
    success({ networkNode: chain === "hub" ? "assethub-polkadot" : "polkadot", addressType: "0" }, now)
  ),
  answered(calls.blocks, ({ now }) => {
    const height = heightAt(now)
    return success({ blocks: [{ block_num: height, block_timestamp: timeOf(height) / 1000 }] as const }, now)
  }),
  answered(calls.extrinsic, ({ body: { hash = "" }, now }) => {
    const found = extrinsics.find(hash)
    return success(found === undefined ? null : extrinsicDetail(facts, found), now)
  }),
  answered(calls.extrinsicTransfers, ({ body: { extrinsic_index }, now }) => {
    if (extrinsic_index === undefined) return undefined
    const found = extrinsics.at(extrinsic_index)
    const transfers = found === undefined || !isListed(found) ? [] : transfersOf(found)
    const rows = transfers.map((listed) => transferRow(facts, listed))
    return success({ count: transfers.length, transfers: rows }, now)
  }),
  answered(calls.transfers, ({ body, now }) => {
    const part = partOf(extrinsics, body)
    if (part === undefined) return undefined
    const transfers = part.moves.filter(isListed).flatMap(transfersOf)
    const rows = part.of(transfers, (listed) => transferRow(facts, listed))
    return success({ count: transfers.length, transfers: rows }, now)
  }),
  answered(calls.extrinsics, ({ body, now }) => {
    const part = partOf(extrinsics, body)
    if (part === undefined) return undefined
    const own = part.moves.filter(({ move }) => move.direction === "out")
    const rows = part.of(own, (listed) => extrinsicRow(facts, listed))
    return success({ count: own.length, extrinsics: rows }, now)
  })
]

/** Simulated upstreams of Polkadot: a node of Asset Hub, and indexers of Asset Hub and of the relay chain. */
export const polkadot = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const extrinsics = PolkadotSent.extrinsics(facts, chain)
  return [
    [`${facts.id}-rpc`, assetHub(facts, extrinsics)],
    ["subscan", subscan(facts, extrinsics.senderOf, "hub")],
    ["subscan-relay", subscan(facts, extrinsics.senderOf, "relay")]
  ]
}

const genesis = "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"

const invalid = refused(-32602, "Invalid params")

/** A node of Polkadot Asset Hub, limited to the methods that the service uses. */
const assetHub = (facts: NetworkFacts, { nonceOf, submit }: PolkadotSent.Extrinsics): Simulated => {
  const storage = (key: unknown, now: number) => {
    if (key === timestampNow) return `0x${littleEndian(Math.max(now, 0), 8)}`
    return key === systemNumber
      ? `0x${littleEndian(Math.max(heightAt(now), 0), 4)}`
      : stored(facts, nonceOf, String(key))
  }
  const methods: JsonRpc.Methods = {
    author_submitExtrinsic: ([text], now) => submit(String(text), now),
    state_queryStorageAt: ([keys], now) => [
      { block: genesis, changes: (keys as ReadonlyArray<string>).map((key) => [key, storage(key, now)]) }
    ],
    state_getStorage: ([key, hash], now) => storage(key, typeof hash === "string" ? timeOf(heightIn(hash)) : now),
    state_getRuntimeVersion: () => ({
      specName: "statemint",
      implName: "statemint",
      specVersion: chain.specVersion,
      transactionVersion: chain.transactionVersion
    }),
    chain_getBlockHash: ([given], now) =>
      Array.isArray(given) ? given.map((height) => hashAt(height, now)) : hashAt(given, now),
    chain_getFinalizedHead: (_, now) => blockHash(PolkadotSent.heightAt(now)),
    chain_getHeader: ([given], now) => {
      const hash = given ?? hashAt(undefined, now)
      const height = heightIn(hash)
      return blockHash(height) === hash ? { number: `0x${height.toString(16)}`, digest: { logs: [] } } : null
    },
    system_accountNextIndex: ([address]) =>
      Either.mapBoth(PolkadotAddress.parse(String(address)), {
        onLeft: () => invalid,
        onRight: (account) => nonceOf(account, true)
      }),
    state_call: ([method, call]) =>
      method === "TransactionPaymentCallApi_query_call_info" ? dispatchInfo(String(call)) : Either.left(invalid)
  }
  return JsonRpc.node(methods, { missing: () => refused(-32601, "Method not found"), unreadable: invalid })
}

/** A hash ends with its height. */
const heightIn = (hash: unknown) => Number(`0x${String(hash).slice(-8)}`)

/** SCALE-encoded weight, dispatch class and fee of a transfer; the fee is a base fee plus a fee per byte. */
const dispatchInfo = (call: string): string => {
  const bytes = Number.parseInt((call.slice(-8).match(/../g) ?? []).reverse().join(""), 16)
  return `0x${compact(200_000_000)}${compact(3_593)}00${littleEndian(PolkadotSent.feeOf(bytes), 16)}`
}

const chain: PolkadotSent.SignedChain = {
  genesis,
  specVersion: 2_000_001,
  transactionVersion: 15
}

/** Hash of a block, by default of the newest; null if there is no such block. Heights may be hexadecimal. */
const hashAt = (height: unknown, now: number): string | null => {
  const newest = PolkadotSent.heightAt(now)
  const number = height == null ? newest : Number(height)
  if (number === 0) return genesis
  return number > 0 && number <= newest ? blockHash(number) : null
}

const timestampNow = "0xf0c365c3cf59d671eb72da0e7a4113c49f1f0515f462cdcf84e0f1d6045dfcbb"
const systemNumber = "0x26aa394eea5630e07c48ae0c9558cef702a5c1b19ab7a04f536c519aca4983ac"

type NonceOf = PolkadotSent.Extrinsics["nonceOf"]
type Read = (facts: NetworkFacts, rest: string, nonceOf: NonceOf) => string | null
/** Storage items by prefix: the hashed pallet and item names. Each key follows as a hash of 16 bytes and the key. */
const items: ReadonlyArray<readonly [prefix: string, read: Read]> = [
  ["0x26aa394eea5630e07c48ae0c9558cef7a44704b568d21667356a5a050c118746", () => genesis],
  [
    "0x26aa394eea5630e07c48ae0c9558cef7b99d880ec681799c0cf30e8886371da9",
    (facts, rest, nonceOf) => {
      const key = `0x${rest.slice(32)}`
      return account(World.native(facts, key), nonceOf(key))
    }
  ],
  [
    "0x5f3e4907f716ac89b6347d15ececedca422adb579f1dbf4f3886c5cfa3bb8cc4",
    (facts, rest) => stakingLedger(rest.slice(32), World.native(facts, `0x${rest.slice(32)}`) / 3n)
  ],
  [
    "0x682a59d51ab9e48a8c8cc418ff9708d2b99d880ec681799c0cf30e8886371da9",
    (facts, rest) => {
      const contract = contractOf(facts, rest.slice(32, 40))
      return contract === undefined ? null : holder(World.tokenBalance(facts, contract, `0x${rest.slice(72)}`))
    }
  ],
  [
    "0x682a59d51ab9e48a8c8cc418ff9708d2b5f3822e35ca2f31ce3526eab1363fd2",
    (facts, rest) => {
      const contract = contractOf(facts, rest.slice(32, 40))
      return contract === undefined ? null : metadata(contract)
    }
  ]
]

const stored = (facts: NetworkFacts, nonceOf: NonceOf, key: string): string | null => {
  const [prefix = "", read = () => null] = items.find(([start]) => key.startsWith(start)) ?? []
  return read(facts, key.slice(prefix.length), nonceOf)
}

const contractOf = (facts: NetworkFacts, id: string) =>
  World.contractsOn(facts.platform).find(({ address }) => littleEndian(Number(address), 4) === id)

/** `System.Account`: a third of the balance is reserved, like staked coins; half of the rest is frozen. */
const account = (total: bigint, nonce: number): string | null => {
  if (total === 0n) return null
  const reserved = total / 3n
  const free = total - reserved
  const counters = [nonce, 0, 1, 0].map((value) => littleEndian(value, 4))
  const amounts = [free, reserved, free / 2n, 1n << 127n].map((value) => littleEndian(value, 16))
  return `0x${[...counters, ...amounts].join("")}`
}

/** `Staking.Ledger`: the stash and its total stake; half of the stake is active, the other half is unbonding. */
const stakingLedger = (stash: string, staked: bigint): string | null =>
  staked === 0n
    ? null
    : `0x${stash}${compact(staked)}${compact(staked / 2n)}04${compact(staked - staked / 2n)}${compact(2_000n)}`

/** Encodes a SCALE compact integer: from 2^30 with a length byte and eight bytes. */
const compact = (value: number | bigint): string => {
  const four = BigInt(value) << 2n
  if (value < 2 ** 6) return littleEndian(four, 1)
  if (value < 2 ** 14) return littleEndian(four | 1n, 2)
  return value < 2 ** 30 ? littleEndian(four | 2n, 4) : `13${littleEndian(value, 8)}`
}

/** `Assets.Account`: the balance, status liquid, reason sufficient. */
const holder = (balance: bigint): string | null => (balance === 0n ? null : `0x${littleEndian(balance, 16)}0001`)

const metadata = ({ coin, decimals }: World.Contract): string =>
  `0x${littleEndian(0, 16)}${text(coin.name)}${text(coin.symbol.toUpperCase())}${littleEndian(decimals, 1)}00`

const text = (value: string) => compact(Buffer.byteLength(value)) + Buffer.from(value).toString("hex")

const littleEndian = (value: number | bigint, bytes: number): string =>
  Buffer.from(value.toString(16).padStart(2 * bytes, "0"), "hex")
    .reverse()
    .toString("hex")
