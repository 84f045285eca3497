import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../chains/polkadot/PolkadotAddress.ts"
import * as calls from "../../chains/polkadot/providers/subscan/calls.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import { ledger } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import { json, type Simulated } from "../world/wire.ts"
import { assetHub, chain } from "./assetHub.ts"
import * as PolkadotSent from "./PolkadotSent.ts"
import { type Extrinsics, heightAt, timeOf } from "./PolkadotSent.ts"
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
