import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import { height, now, toSeconds } from "../../../domain/units.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { span } from "../../../kernel/span.ts"
import * as Sources from "../../../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { FoundTransaction, ReadFailure } from "../../Chain.ts"
import { unread } from "../../tokenList.ts"
import { currentBlock, newestBlockCalls } from "../newestBlock.ts"
import type { Explorer } from "./Explorers.ts"
import * as ExplorerWire from "./ExplorerWire.ts"
import { mergeLists, type NativeTokens } from "./ListedTransaction.ts"
import { isDeposit, type KnownReceipts, Receipt } from "./receipts.ts"
import { toTransaction } from "./transaction.ts"

// A transaction by its hash: eth_getTransactionByHash, eth_getTransactionReceipt and the block of a node
// (ethereum.github.io/execution-apis), in the form of the rows of explorers; value that contracts moved is listed by
// explorers only (`txlistinternal` with `txhash`).

const Quantity = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,64}$/i))
const Address = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{40}$/i))
const Data = Schema.String.pipe(Schema.pattern(/^0x([0-9a-f]{2})*$/i))
const maybe = <A, I>(schema: Schema.Schema<A, I>) => Schema.optional(Schema.NullOr(schema))

const Seen = Schema.Struct({
  hash: Schema.String,
  from: Address,
  to: maybe(Address),
  value: Quantity,
  nonce: Quantity,
  input: Data,
  gasPrice: maybe(Quantity),
  mint: maybe(Quantity)
})

const Log = Schema.Struct({ address: Address, topics: Schema.Array(Data), data: Data, logIndex: Quantity })

const Mined = Schema.Struct({
  ...Receipt.fields,
  blockHash: Schema.String,
  contractAddress: maybe(Address),
  logs: Schema.Array(Log)
})

const Block = Schema.Struct({ hash: Schema.String, number: Quantity, timestamp: Quantity })

const decodeSeen = Schema.decodeUnknownOption(Seen)
const decodeMined = Schema.decodeUnknownOption(Mined)
const decodeBlock = Schema.decodeUnknownOption(Block)

/** The topic of `Transfer(address,address,uint256)`, of tokens and of unique tokens. */
const transferTopic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"

const decimal = (quantity: string | null | undefined) => (quantity ? String(BigInt(quantity)) : "")

const addressIn = (topic = "") => `0x${topic.slice(-40)}`.toLowerCase()

type Place = Pick<ExplorerWire.Own, "blockNumber" | "timeStamp" | "transactionIndex">

/** The transfers of tokens in the logs of a receipt, as rows. */
const transfersIn = (hash: string, place: Place, { logs }: typeof Mined.Type): ReadonlyArray<unknown> =>
  logs.flatMap(({ address, data, logIndex, topics: [topic, from, to, id] }) => {
    if (topic !== transferTopic || from === undefined || to === undefined) return []
    const amount =
      id === undefined ? (data.length === 66 ? { value: decimal(data) } : undefined) : { tokenID: decimal(id) }
    if (amount === undefined) return []
    const parties = { from: addressIn(from), to: addressIn(to), contractAddress: address.toLowerCase() }
    return [{ hash, ...place, ...parties, ...amount, logIndex: decimal(logIndex) }]
  })

/** A transaction as its row in a list of an explorer. */
const ownRow = (seen: typeof Seen.Type, receipt: typeof Mined.Type | undefined, place: Place): unknown => ({
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
  isError: receipt?.status && BigInt(receipt.status) === 0n ? "1" : "0",
  txreceipt_status: decimal(receipt?.status)
})

interface AtNode {
  readonly seen: typeof Seen.Type
  readonly receipt: typeof Mined.Type | undefined
  readonly place: Place
}

/** The result of a call; undefined if it is null. */
const resultOf = <A>(
  outcome: Client.Outcome | undefined,
  decode: (body: unknown) => Option.Option<A>,
  fits: (value: A) => boolean
): Either.Either<A | undefined, Fault> => {
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(rejected)
  if (outcome.right === null) return Either.right(undefined)
  return Either.fromOption(Option.filter(decode(outcome.right), fits), () => unreadable)
}

/** Reads a transaction at one node; undefined if the node does not have it. */
const atNode = (node: Endpoint, facts: EvmFacts, hash: string) =>
  Effect.gen(function* () {
    const [transaction, receipt, ...newest] = yield* callAll(
      node,
      [
        { method: "eth_getTransactionByHash", params: [hash] },
        { method: "eth_getTransactionReceipt", params: [hash] },
        ...newestBlockCalls
      ],
      { perCall: true }
    )
    const head = yield* currentBlock(node, facts, newest)
    const seen = yield* Either.mapLeft(
      resultOf(transaction, decodeSeen, (found) => found.hash.toLowerCase() === hash),
      node.fault
    )
    if (seen === undefined) return undefined
    const mined = yield* Either.mapLeft(
      resultOf(receipt, decodeMined, (found) => found.transactionHash.toLowerCase() === hash),
      node.fault
    )
    if (mined === undefined) return { seen, receipt: undefined, place: {} } satisfies AtNode
    const [outcome] = yield* callAll(node, [{ method: "eth_getBlockByHash", params: [mined.blockHash, false] }])
    const block = yield* Either.mapLeft(
      resultOf(
        outcome,
        decodeBlock,
        ({ hash, number }) => hash === mined.blockHash && BigInt(number) === BigInt(mined.blockNumber)
      ),
      node.fault
    )
    // A block that was replaced in between.
    if (block === undefined || height(Number(block.number)) > head.number) return yield* node.fault(unreadable)
    const place = {
      blockNumber: decimal(mined.blockNumber),
      timeStamp: decimal(block.timestamp),
      transactionIndex: decimal(mined.transactionIndex)
    }
    return { seen, receipt: mined, place } satisfies AtNode
  })

/** The gas of a payment that runs no code. */
const plainGas = 21_000n

/** What contracts moved in a transaction: from an explorer, if it ran code. */
const movedIn = (explorers: ReadonlyArray<Explorer>, hash: string, { receipt }: AtNode) => {
  if (receipt === undefined || BigInt(receipt.gasUsed) <= plainGas)
    return Effect.succeed({ rows: [], sources: [], gaps: [] })
  const none: ReadFailure = { reason: "not_configured", message: "no explorer is configured" }
  return Sources.first(
    explorers,
    ({ name, request, upstream }) =>
      Effect.mapBoth(
        upstream.read(
          request({ module: "account", action: "txlistinternal", txhash: hash }),
          ExplorerWire.ExplorerResponse
        ),
        {
          onFailure: unread,
          onSuccess: ({ result }) => ({
            // Rows about one transaction have no hash.
            rows: (result ?? []).map((row): unknown => ({ ...Object(row), hash })),
            sources: [name],
            gaps: []
          })
        }
      ),
    { none }
  ).pipe(
    Effect.catchAll(({ message }) =>
      Effect.succeed({ rows: [], sources: [], gaps: [gap("transfers", `internal transfers: ${message}`)] })
    )
  )
}

const decoded = <K extends ExplorerWire.Kind>(kind: K, rows: ReadonlyArray<unknown>) => {
  const read = rows.map((row) => ExplorerWire.readers[kind](row))
  return { rows: read.flatMap(Option.toArray), isWhole: read.every(Option.isSome) }
}

/** Looks up transactions of a network. */
export const make = (
  facts: EvmFacts,
  nodes: Upstream,
  explorers: ReadonlyArray<Explorer>,
  nativeTokens: Effect.Effect<NativeTokens>,
  off: ReadFailure | undefined
) => {
  const { blobsSince, dataFee, wrapped } = facts
  const joined = Effect.fnUntraced(function* (hash: string, found: AtNode) {
    const { place, receipt, seen } = found
    const moved = yield* movedIn(explorers, hash, found)
    const own = decoded("txlist", [ownRow(seen, receipt, place)])
    const internals = decoded("txlistinternal", moved.rows)
    const tokens = decoded("tokentx", receipt === undefined ? [] : transfersIn(hash, place, receipt))
    const [listed] = mergeLists(
      { txlist: own.rows, txlistinternal: internals.rows, tokentx: tokens.rows },
      yield* nativeTokens
    )
    if (listed === undefined || listed.isContradictory) return yield* Effect.fail(unread(nodes.fault(unreadable)))
    const minted = receipt !== undefined && isDeposit(receipt) && seen.mint ? { minted: BigInt(seen.mint) } : {}
    const known: KnownReceipts | undefined = receipt && { ...receipt, ...minted }
    const clock = toSeconds(yield* now)
    const holder = seen.from.toLowerCase()
    const context = {
      holder,
      blobsSince,
      dataFee,
      wrapped,
      isMissingTokens: false,
      used: new Set<string>(),
      now: clock
    }
    const gaps: ReadonlyArray<Gap> = [
      ...moved.gaps,
      ...(internals.isWhole && tokens.isWhole ? [] : [gap("transfers", "some transfers could not be read")])
    ]
    return { transaction: toTransaction(listed, known, context), sources: [nodes.name, ...moved.sources], gaps }
  })
  return (hash: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    off !== undefined
      ? Effect.fail(off)
      : nodes
          .over((node) => atNode(node, facts, hash), { isWhole: (found) => found !== undefined })
          .pipe(
            Effect.mapError(unread),
            Effect.flatMap(
              (found): Effect.Effect<FoundTransaction, ReadFailure> =>
                found === undefined
                  ? Effect.succeed({ transaction: undefined, sources: [nodes.name], gaps: [] })
                  : joined(hash, found)
            ),
            span("Evm.transaction", { attributes: { network: facts.id } })
          )
}

const rejected: Fault = { reason: "upstream_error", detail: "the node rejected the call" }
const unreadable: Fault = { reason: "bad_answer", detail: "returned a transaction that cannot be read" }
