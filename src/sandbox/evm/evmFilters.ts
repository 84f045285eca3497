import * as Either from "effect/Either"
import { numberToHex } from "viem/utils"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import type { ContractFacts } from "./EvmContracts.ts"
import * as EvmSent from "./EvmSent.ts"
import type { Pool } from "./evmPool.ts"

/** The parameters of `eth_getLogs` and `eth_newFilter`. */
interface FilterCriteria {
  readonly fromBlock?: unknown
  readonly toBlock?: unknown
  readonly blockHash?: unknown
  readonly address?: string | ReadonlyArray<string>
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

interface Filter {
  readonly kind: "blocks" | "transactions" | "logs"
  readonly wanted: FilterCriteria
  /** The newest block that was returned, and how many transactions had been sent then. */
  block: bigint
  transactions: number
}

/** The maximum number of filters; the oldest is dropped. */
const capacity = 1_000

/** Blocks in one response. */
const most = 1_000n

const listed = (accepted: string | ReadonlyArray<string>) =>
  (typeof accepted === "string" ? [accepted] : accepted).map((text) => text.toLowerCase())

const unknown = Either.left(refused(-32000, "filter not found"))

/** The logs of a chain, and the filters of clients for what is new. */
export const filters = (facts: ContractFacts, pool: Pool) => {
  const active = BoundedMap.make<string, Filter>({ capacity })
  let made = 0

  const between = (wanted: FilterCriteria, first: bigint, last: bigint, now: number) =>
    [...pool.blocks()]
      .filter((block) => block >= first && block <= last && block <= EvmChain.newest(now))
      .sort((a, b) => (a < b ? -1 : 1))
      .flatMap((block) => EvmSent.logsOf(pool, block, now))
      .filter(({ address }) => wanted.address === undefined || listed(wanted.address).includes(address))
      .filter(({ topics }) =>
        (wanted.topics ?? []).every((topic, index) => topic === null || listed(topic).includes(String(topics[index])))
      )

  const logs = (wanted: FilterCriteria, now: number): Either.Either<unknown, Refusal> => {
    if (wanted.blockHash !== undefined) {
      const block = EvmChain.withHash(facts, String(wanted.blockHash))
      return block === undefined || block > EvmChain.newest(now)
        ? Either.left(refused(-32000, "unknown block"))
        : Either.right(between(wanted, block, block, now))
    }
    const [first, last] = [EvmChain.named(wanted.fromBlock, now), EvmChain.named(wanted.toBlock, now)]
    if (first === undefined || last === undefined) return Either.left(refused(-32602, "invalid block number"))
    return first > last
      ? Either.left(refused(-32000, "invalid block range params"))
      : Either.right(between(wanted, first, last, now))
  }

  const make = (kind: Filter["kind"], wanted: FilterCriteria, now: number) => {
    const id = numberToHex(++made)
    active.set(id, { kind, wanted, block: EvmChain.newest(now), transactions: pool.arrivals() })
    return id
  }

  const changes = (id: unknown, now: number): Either.Either<unknown, Refusal> => {
    const filter = active.get(String(id))
    if (filter === undefined) return unknown
    const { block, kind, transactions, wanted } = filter
    const newest = EvmChain.newest(now)
    filter.block = newest
    filter.transactions = pool.arrivals()
    if (kind === "logs") return Either.right(between(wanted, block + 1n, newest, now))
    if (kind === "transactions") return Either.right(pool.hashesAfter(transactions))
    const length = newest - block < most ? newest - block : most
    return Either.right(
      Array.from({ length: Number(length) }, (_, index) => EvmChain.hashOf(facts, newest - length + BigInt(index + 1)))
    )
  }

  return {
    logs,
    make,
    changes,
    all: (id: unknown, now: number) => {
      const filter = active.get(String(id))
      return filter?.kind === "logs" ? logs(filter.wanted, now) : unknown
    },
    remove: (id: unknown) => active.delete(String(id))
  }
}
