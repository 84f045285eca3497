import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { type Gap, gap } from "../../domain/history/Gap.ts"
import { height, type Millis, now, seconds, shift, toSeconds } from "../../domain/units.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import type { ListedRow } from "../../upstream/response/rows.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming, unread } from "../kit/holdings/tokenList.ts"
import { isPossibleTime } from "../kit/status/currentHead.ts"
import * as ExplorerRow from "./history/ExplorerRow.ts"
import { mergeLists } from "./history/ListedTransaction.ts"
import { isDeposit, type KnownReceipts } from "./history/receipts.ts"
import { type Place, tokenRows } from "./history/tokenLogs.ts"
import { toTransaction } from "./history/transaction.ts"
import type { Explorer, ExplorerList } from "./Provider.ts"
import { type Internal, Own, Token } from "./providers/etherscan/calls.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { nullable, unreadable } from "./providers/node/results.ts"
import type { EvmTokens } from "./tokens.ts"

// A transaction by its hash, with its receipt and its block from a node, in the form of the rows of explorers; value that contracts moved is listed by
// explorers only (`txlistinternal` with `txhash`).

type Seen = typeof calls.wholeTransaction.response.Type
type Mined = typeof calls.wholeReceipt.response.Type

const decimal = (quantity: string | null | undefined) => (quantity ? String(BigInt(quantity)) : "")

/** A transaction as its row in a list of an explorer. */
const ownRow = (seen: Seen, receipt: Mined | undefined, place: Place): unknown => ({
  ...place,
  hash: seen.hash.toLowerCase(),
  from: seen.from.toLowerCase(),
  to: seen.to?.toLowerCase() ?? "",
  contractAddress: receipt?.contractAddress?.toLowerCase() ?? "",
  value: decimal(seen.value),
  nonce: decimal(seen.nonce),
  input: seen.input,
  gasUsed: decimal(receipt?.gasUsed),
  gasPrice: decimal(receipt?.effectiveGasPrice ?? seen.gasPrice),
  // Receipts had no status before Byzantium: no source has run the transaction that says whether it failed.
  isError: receipt === undefined ? "0" : receipt.status ? (BigInt(receipt.status) === 0n ? "1" : "0") : "",
  txreceipt_status: decimal(receipt?.status)
})

interface AtNode {
  readonly seen: Seen
  readonly receipt: Mined | undefined
  readonly place: Place
}

/** Reads a transaction at one node; undefined if the node does not have it. */
const atNode = (node: Endpoint, facts: EvmFacts, hash: string) =>
  Effect.gen(function* () {
    const [transaction, receipt, ...newest] = yield* callAll(
      node,
      [
        Call.methodOf(calls.wholeTransaction, { hash }),
        Call.methodOf(calls.wholeReceipt, { hash }),
        ...newestBlockCalls
      ],
      { perCall: true }
    )
    const head = yield* currentBlock(node, facts, newest)
    const seen = yield* Either.mapLeft(nullable(calls.wholeTransaction, { hash }, transaction), node.fault)
    if (seen === undefined) return undefined
    const mined = yield* Either.mapLeft(nullable(calls.wholeReceipt, { hash }, receipt), node.fault)
    // Lost, or not there yet: the transaction itself is in a block.
    if (mined === undefined && seen.blockNumber != null) return yield* node.fault(noReceipt)
    if (mined === undefined) return { seen, receipt: undefined, place: {} } satisfies AtNode
    const ofBlock = { hash: mined.blockHash }
    const [outcome] = yield* callAll(node, [Call.methodOf(calls.block, ofBlock)])
    const block = yield* Either.mapLeft(nullable(calls.block, ofBlock, outcome), node.fault)
    // A block that was replaced in between.
    if (block === undefined || BigInt(block.number) !== BigInt(mined.blockNumber)) return yield* node.fault(unreadable)
    if (height(Number(block.number)) > head.number) return yield* node.fault(unreadable)
    if (!isPossibleTime(facts, seconds(Number(block.timestamp)), yield* now)) return yield* node.fault(wrongTime)
    const place = {
      blockNumber: decimal(mined.blockNumber),
      timeStamp: decimal(block.timestamp),
      transactionIndex: decimal(mined.transactionIndex)
    }
    return { seen, receipt: mined, place } satisfies AtNode
  })

/** The gas of a payment that runs no code. */
const plainGas = 21_000n

interface Moved {
  readonly rows: ReadonlyArray<Internal>
  readonly sources: ReadonlyArray<string>
  readonly gaps: ReadonlyArray<Gap>
}

const movedNothing: Moved = { rows: [], sources: [], gaps: [] }

/** Whether a row about one transaction, which usually has no hash, is about this one. */
const isAbout = (hash: string, { raw }: ListedRow<Internal>): boolean =>
  [raw.hash, raw.transactionHash].every((named) => named == null || String(named).toLowerCase() === hash)

/** The internal transfers in the response of an explorer, and why some may be missing; undefined if they are others'. */
const movedOf = (
  { name }: Explorer,
  { result, status }: ExplorerList<Internal>,
  hash: string,
  { place }: AtNode,
  isYoung: boolean
): Moved | undefined => {
  const all = result ?? []
  const rows = Arr.filterMap(all, ({ row }) => Option.map(row, (own) => ({ ...own, hash })))
  const block = ExplorerRow.blockOf(place)
  const isElsewhere = rows.some((row) => (ExplorerRow.blockOf(row) ?? block) !== block)
  const [listed] = mergeLists({ txlist: [], txlistinternal: rows, tokentx: [] })
  if (isElsewhere || listed?.isContradictory === true || !all.every((row) => isAbout(hash, row))) return undefined
  const partial = (text: string) => gap("transfers", `internal transfers: ${name}: ${text}`)
  return {
    rows,
    sources: [name],
    gaps: [
      ...(rows.length === all.length ? [] : [partial("some could not be read")]),
      ...(status === "1" || (status === "0" && all.length === 0) ? [] : [partial("some are not processed yet")]),
      // An explorer without the block also has no rows of it.
      ...(isYoung && status === "0" ? [partial("lists none, but may lack the newest blocks")] : [])
    ]
  }
}

/** What contracts moved in a transaction: from an explorer, if it ran code. */
const movedIn = (
  explorers: ReadonlyArray<Explorer>,
  { finality }: EvmFacts,
  hash: string,
  found: AtNode,
  clock: Millis
) => {
  const { place, receipt } = found
  if (receipt === undefined || BigInt(receipt.gasUsed) <= plainGas) return Effect.succeed(movedNothing)
  const none: ReadFailure = { reason: "not_configured", message: "no explorer is configured" }
  const isYoung = (ExplorerRow.timeOf(place) ?? seconds(0)) > shift(toSeconds(clock), -finality)
  return Sources.firstOf(
    explorers,
    (explorer) =>
      Effect.flatMap(explorer.internalsOf(hash), (response) => {
        const moved = movedOf(explorer, response, hash, found, isYoung)
        return moved === undefined ? Effect.fail(explorer.fault(ofAnother)) : Effect.succeed(moved)
      }).pipe(Effect.mapError(unread)),
    { none, isWhole: ({ gaps }) => gaps.length === 0 }
  ).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed({ ...movedNothing, gaps: [gap("transfers", `internal transfers: ${message}`)] })
    )
  )
}

const decodeOwn = Schema.decodeUnknownOption(Own)
const decodeToken = Schema.decodeUnknownOption(Token)

/** Looks up transactions of a network. */
export const findTransaction = (
  facts: EvmFacts,
  nodes: Upstream,
  explorers: ReadonlyArray<Explorer>,
  { confirm, list, native }: Pick<EvmTokens, "confirm" | "list" | "native">,
  off: ReadFailure | undefined
) => {
  const { blobsSince, dataFee, wrapped } = facts
  const joined = Effect.fnUntraced(function* (hash: string, found: AtNode) {
    const { place, receipt, seen } = found
    const clock = yield* now
    const moved = yield* movedIn(explorers, facts, hash, found, clock)
    const txlist = Option.toArray(decodeOwn(ownRow(seen, receipt, place)))
    const tokens = tokenRows(hash, place, receipt?.logs ?? []).map(Option.flatMap(decodeToken))
    const [listed] = mergeLists({ txlist, txlistinternal: moved.rows, tokentx: Arr.getSomes(tokens) }, yield* native)
    if (listed === undefined || listed.isContradictory) return yield* Effect.fail(unread(nodes.fault(unreadable)))
    const minted = receipt !== undefined && isDeposit(receipt) && seen.mint ? { minted: BigInt(seen.mint) } : {}
    const known: KnownReceipts | undefined = receipt && { ...receipt, ...minted }
    const holder = seen.from.toLowerCase()
    const context = {
      holder,
      blobsSince,
      dataFee,
      wrapped,
      isMissingTokens: false,
      used: new Set<string>(),
      now: toSeconds(clock)
    }
    const gaps: ReadonlyArray<Gap> = [
      ...moved.gaps,
      ...(tokens.every(Option.isSome) ? [] : [gap("transfers", "some transfers could not be read")]),
      ...(receipt === undefined || receipt.status ? [] : [noResult])
    ]
    return { transaction: toTransaction(listed, known, context), sources: [nodes.name, ...moved.sources], gaps }
  })
  const find = (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    off !== undefined
      ? Effect.fail(off)
      : nodes
          .over((node) => atNode(node, facts, hash), { isWhole: (found) => found !== undefined })
          .pipe(
            Effect.mapError(unread),
            Effect.flatMap(
              (found): Effect.Effect<FoundTransaction, ReadFailure> =>
                found === undefined
                  ? Effect.succeed({ transaction: undefined, sources: [], gaps: [] })
                  : joined(hash, found)
            ),
            span("Evm.transaction", { attributes: { network: facts.id } })
          )
  return confirming(find, list, confirm)
}

const noResult = gap("amounts", "the result: its receipt does not say whether it failed", { isFinal: true })

const noReceipt: Fault = { reason: "bad_answer", detail: "has no receipt of a transaction that is in a block" }
const wrongTime: Fault = { reason: "bad_answer", detail: "returned a time that the block cannot have" }
const ofAnother: Fault = { reason: "bad_answer", detail: "returned internal transfers of another transaction" }
