import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { distance, type Height, height, now, seconds } from "../../domain/units.ts"
import { resultOf } from "../../jsonrpc/boundCalls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, Statuses, TransactionStatus } from "../Chain.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { requireHeight } from "../kit/status/currentHead.ts"
import { isDeep } from "../kit/status/finality.ts"
import * as PendingMemory from "../kit/status/PendingMemory.ts"
import { readStatuses, type SourceStatuses } from "../kit/status/readStatuses.ts"
import { feeOf, hasFixedPrice } from "./history/receipts.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { nullable, quantity } from "./providers/node/results.ts"
import * as Slots from "./submit/Slots.ts"

type SeenTransaction = typeof calls.transaction.response.Type
type MinedReceipt = typeof calls.minedReceipt.response.Type
type FoundBlock = typeof calls.block.response.Type

/** Parses a transaction hash; left is the problem. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^(0x)?[0-9a-f]{64}$/i.test(text)
    ? Either.right(`0x${text.slice(-64).toLowerCase()}`)
    : Either.left("a transaction hash has 64 hexadecimal digits")

/**
 * Two calls per hash and those of the newest block, which is read last: no receipt can be of a later block. Public nodes
 * count each call of a batch, and allow 30 per second.
 */
const hashesPerBatch = Math.floor((30 - newestBlockCalls.length) / 2)

/** Statuses of transactions at the nodes of a network. `off` is the reason if it has no nodes. */
export const statuses = (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  Effect.gen(function* () {
    const memory = yield* PendingMemory.make(facts.id)
    const deadline = Deadline.make(yield* requestDeadline)

    const read = Effect.fnUntraced(function* (hashes: ReadonlyArray<string>) {
      if (off !== undefined) return yield* Effect.fail(off)
      const running = yield* deadline.start
      const reading = (slotsOf: () => Slots.Slots) => (wanted: ReadonlyArray<string>) =>
        Effect.flatMap(running.remaining("collect"), (within) =>
          readStatuses({
            sources: nodes.addresses,
            facts,
            read: (node, part) => atNode(node, facts, part, slotsOf()),
            perRead: hashesPerBatch,
            within
          })(wanted)
        )
      return yield* Slots.reading(memory, reading)(hashes)
    }, span("Evm.statuses"))

    return { hash: parseHash, read } satisfies Statuses
  })

/** One transaction that the node cannot look up takes no other with it. */
const perCall: Client.CallFormat = { perCall: true }

/** The state of a hash at a node. */
interface Found {
  readonly hash: string
  readonly transaction: SeenTransaction | undefined
  readonly receipt: MinedReceipt | undefined
}

/** Reads the statuses at one node, in two batches; records the slots of transactions that it has. */
const atNode = (node: Endpoint, facts: EvmFacts, hashes: ReadonlyArray<string>, slots: Slots.Slots) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...hashes.flatMap(callsFor), ...newestBlockCalls], perCall)
    const head = yield* currentBlock(node, facts, outcomes.slice(-newestBlockCalls.length))
    yield* requireHeight(node, facts, head.number)
    const found = hashes.map((hash, index) =>
      Either.mapLeft(
        Either.flatMap(foundIn(hash, outcomes.slice(2 * index, 2 * index + 2)), (seen) => {
          const slot = seen.transaction && PendingMemory.noted(slots, hash, [Slots.slotOf(seen.transaction)])
          return slot === undefined || seen.receipt !== undefined ? Either.right(seen) : Either.map(slot, () => seen)
        }),
        node.fault
      )
    )
    const blocks = [...new Set(Arr.getRights(found).flatMap(({ receipt }) => receipt?.blockHash ?? []))]
    const unmined = Arr.getRights(found).flatMap(({ hash, receipt }) => {
      const slot = receipt === undefined ? Slots.slotIn(slots, hash) : undefined
      return slot === undefined ? [] : [{ hash, slot }]
    })
    const clock = yield* now
    const isAnyDeep = Arr.getRights(found).some(
      ({ receipt }) => receipt !== undefined && isDeep(facts, depthOf(receipt, head.number), clock) !== false
    )
    const more = yield* callAll(
      node,
      [
        ...blocks.map((hash) => Call.methodOf(calls.block, { hash })),
        ...unmined.map(({ slot }) => Call.methodOf(calls.transactionCount, { address: Slots.senderOf(slot) })),
        // Read last: a transaction may enter a block in between.
        ...unmined.map(({ hash }) => Call.methodOf(calls.minedReceipt, { hash })),
        // The chain's own mark, which makes a second node needless.
        ...(isAnyDeep ? [Call.methodOf(calls.finalizedBlock, {})] : [])
      ],
      perCall
    )
    const finalized = isAnyDeep ? numberIn(more.at(-1)) : undefined
    const [counts, receipts] = [more.slice(blocks.length), more.slice(blocks.length + unmined.length)]
    const blockOf = new Map(blocks.map((hash, index) => [hash, blockIn(hash, more[index])]))
    const checks = new Map(
      unmined.map(({ hash, slot }, index) => [hash, { slot, count: counts[index], receipt: receipts[index] }])
    )
    return found.map((each) =>
      Either.flatMap(each, (seen) =>
        Either.mapLeft(
          seen.receipt === undefined
            ? unincluded(seen, checks.get(seen.hash))
            : Either.map(
                included(facts, seen.receipt, seen.transaction, blockOf.get(seen.receipt.blockHash), head.number),
                (status) => (isFinalized(status, finalized) ? { ...status, final: true } : status)
              ),
          node.fault
        )
      )
    ) satisfies SourceStatuses
  })

/** The receipt is read last: a transaction may enter a block in between. */
const callsFor = (hash: string): ReadonlyArray<Client.ClientCall> => [
  Call.methodOf(calls.transaction, { hash }),
  Call.methodOf(calls.minedReceipt, { hash })
]

const isFinalized = ({ block }: TransactionStatus, finalized: Height | undefined) =>
  block !== undefined && finalized !== undefined && block <= finalized

const foundIn = (hash: string, [transaction, receipt]: ReadonlyArray<Client.Outcome>): Either.Either<Found, Fault> =>
  Either.all({
    hash: Either.right(hash),
    transaction: nullable(calls.transaction, { hash }, transaction),
    receipt: nullable(calls.minedReceipt, { hash }, receipt)
  })

/** Undefined if the node does not have the block. */
const blockIn = (hash: string, outcome: Client.Outcome | undefined) =>
  Either.getOrUndefined(nullable(calls.block, { hash }, outcome))

/** The height of a block; undefined if the node has no such block. */
const numberIn = (outcome: Client.Outcome | undefined): Height | undefined =>
  Option.getOrUndefined(Option.map(resultOf(calls.finalizedBlock, outcome), ({ number }) => height(Number(number))))

/** The block of a receipt, and its depth. */
const depthOf = ({ blockNumber }: MinedReceipt, newest: Height) => {
  const block = height(Number(blockNumber))
  return { status: "confirmed", block, confirmations: distance(block, newest) + 1 } as const
}

const included = (
  facts: EvmFacts,
  receipt: MinedReceipt,
  transaction: SeenTransaction | undefined,
  found: FoundBlock | undefined,
  newest: Height
): Either.Either<TransactionStatus, Fault> => {
  const { block, confirmations } = depthOf(receipt, newest)
  if (found === undefined || BigInt(found.number) !== BigInt(receipt.blockNumber) || block > newest)
    return Either.left(moved)
  if (receipt.status == null) return Either.left(noStatus)
  const price = hasFixedPrice(receipt) && transaction?.gasPrice ? BigInt(transaction.gasPrice) : undefined
  const fee = feeOf(receipt, facts.dataFee, price)
  if (fee !== undefined && !isPossible(facts)(fee)) return Either.left(impossible)
  return Either.right({
    status: BigInt(receipt.status) === 0n ? "failed" : "confirmed",
    confirmations,
    block,
    at: seconds(Number(found.timestamp)),
    ...(fee === undefined ? {} : { fee })
  })
}

interface SlotCheck {
  readonly slot: string
  readonly count: Client.Outcome | undefined
  readonly receipt: Client.Outcome | undefined
}

/** The status without a receipt, from the transactions that the sender has in blocks and a receipt read after them. */
const unincluded = ({ transaction }: Found, check: SlotCheck | undefined): Either.Either<TransactionStatus, Fault> => {
  if (transaction?.blockNumber != null) return Either.left(moved)
  if (check === undefined) return Either.right({ status: "not_found" })
  const used = Option.getOrUndefined(quantity(check.count))
  const isStillOpen = check.receipt !== undefined && Either.isRight(check.receipt) && check.receipt.right === null
  if (used === undefined || !isStillOpen) return Either.left(moved)
  if (used > Slots.nonceOf(check.slot)) return Either.right({ status: "replaced" })
  return Either.right(transaction === undefined ? { status: "not_found" } : { status: "pending", confirmations: 0 })
}

const moved: Fault = { reason: "bad_answer", detail: "returned contradictory data about the block of a transaction" }
const noStatus: Fault = { reason: "bad_answer", detail: "the receipt of this old block does not say whether it failed" }
