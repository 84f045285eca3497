import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { parseUnits } from "viem/utils"
import type { MempoolPolicy, UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as Amount from "../../domain/Amount.ts"
import type { Replacement, UtxoMinimum } from "../../domain/Replacement.ts"
import { span } from "../../kernel/span.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { ceilDiv } from "../kit/fees/feeLevels.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { otherTransaction } from "../kit/sending/nodeResponse.ts"
import { transferSize } from "./fees/FeeRates.ts"
import type { StatusSource } from "./Provider.ts"
import { feeOf, spendsOnce, type UtxoTransaction } from "./toTransaction.ts"
import * as UtxoAddress from "./UtxoAddress.ts"
import { lockingScript } from "./UtxoAddress.ts"

// The rules of Bitcoin Core (doc/policy/mempool-replacements.md), which follow BIP-125. Rates are base units per 1,000
// virtual bytes.

const most = (value: bigint, other: bigint) => (value > other ? value : other)

/** A pending transaction, and the fees of all transactions that its replacement removes. */
interface Replaced {
  readonly fee: bigint
  readonly vbytes: number
  readonly total: bigint
}

/**
 * The least fee of a replacement of this size: all replaced fees and the increment for its own size, at a higher rate
 * than that of the replaced transaction, as nodes compare rates: in whole units.
 */
export const leastFee = ({ fee, total, vbytes }: Replaced, { increment }: MempoolPolicy, size: number): bigint => {
  const rate = (fee * 1000n) / BigInt(vbytes)
  return most(total + ceilDiv(increment * BigInt(size), 1000n), ceilDiv((rate + 1n) * BigInt(size), 1000n))
}

/**
 * The least fee of a child of this size with which it and its ancestors below the rate pay the rate; at least what nodes
 * relay. Miners take ancestors that pay the rate alone, so that their fees help no other transaction.
 */
export const childFee = (
  parents: ReadonlyArray<{ readonly fee: bigint; readonly vbytes: number }>,
  { least }: MempoolPolicy,
  rate: bigint,
  size: number
): bigint => {
  const poor = parents.filter(({ fee, vbytes }) => fee * 1000n < rate * BigInt(vbytes))
  const vbytes = poor.reduce((all, parent) => all + parent.vbytes, size)
  const paid = poor.reduce((all, parent) => all + parent.fee, 0n)
  return most(ceilDiv(rate * BigInt(vbytes), 1000n) - paid, ceilDiv(least * BigInt(size), 1000n))
}

/** The bytes of an output to an address: its amount, the length of its script and the script. */
const outputSize = (facts: UtxoFacts, address: string | undefined): number | undefined => {
  const payee = Option.getOrUndefined(Either.getRight(UtxoAddress.decode(facts, address ?? "")))
  return payee === undefined || payee.kind === "extended" ? undefined : 9 + lockingScript(payee).length
}

/** Virtual bytes with which a witness input, or another one, spends an output, as nodes count for dust. */
const spendingSize = { witness: 67, other: 148 } as const

/** The least amount of an output to an address: its cost at 3 base units per virtual byte, spent once (Bitcoin Core). */
const dustLimit = (facts: UtxoFacts, address: string | undefined): bigint => {
  if (facts.mempool.dust !== undefined) return facts.mempool.dust
  const payee = Option.getOrUndefined(Either.getRight(UtxoAddress.decode(facts, address ?? "")))
  const spending = payee?.kind === "witness" ? spendingSize.witness : spendingSize.other
  return 3n * BigInt((outputSize(facts, address) ?? 0) + spending)
}

/** The length of a list has one byte; from this number on, three. */
const longList = 253

/** Virtual bytes of a transaction with the same inputs, and one output to the address of the first. */
export const cancellingSize = (facts: UtxoFacts, { inputs, outputs }: UtxoTransaction, vbytes: number) => {
  const [own, ...sizes] = [inputs[0], ...outputs].map((side) => outputSize(facts, side?.address))
  if (own === undefined) return undefined
  const length = outputs.length < longList ? 0 : 2
  return sizes.reduce((left: number | undefined, size) => left && size && left - size, vbytes - length + own)
}

/** Maximum transactions that are read for one replacement: the limit of nodes for those that depend on each other. */
const maxRelated = 25

interface Sized {
  readonly fee: bigint
  readonly vbytes: number
}

/** Undefined if the indexer does not return its size. */
const sized = (facts: UtxoFacts, source: StatusSource, transaction: UtxoTransaction) => {
  const fee = feeOf(transaction)
  if (!isPossible(facts)(fee) || !spendsOnce(transaction) || transaction.vbytes === 0)
    return Effect.fail(source.fault(impossible))
  return Effect.succeed(transaction.vbytes === undefined ? undefined : { fee, vbytes: transaction.vbytes })
}

/** A pending transaction and, after it, its pending relatives, to which `next` leads; undefined if any cannot be read. */
const related = (
  facts: UtxoFacts,
  source: StatusSource,
  first: UtxoTransaction,
  next: (transaction: UtxoTransaction) => Effect.Effect<ReadonlyArray<string>, UpstreamError>
) =>
  Effect.gen(function* () {
    const known = new Set([first.hash])
    const found: Array<Sized> = []
    const open = [first]
    for (let current = open.pop(); current !== undefined; current = open.pop()) {
      const size = yield* sized(facts, source, current)
      if (size === undefined) return undefined
      found.push(size)
      for (const hash of yield* next(current)) {
        if (known.has(hash)) continue
        if (known.size >= maxRelated) return undefined
        known.add(hash)
        const other = yield* source.transaction(hash)
        if (other?.hash !== hash) return undefined
        if (other.block === undefined) open.push(other)
      }
    }
    return found
  })

/** What must be paid to replace a transaction or to speed it up by a child. `none` is the failure without an indexer. */
export const replacement = (
  facts: UtxoFacts,
  sources: ReadonlyArray<StatusSource>,
  none: ReadFailure,
  { current, lifetime }: FeeSource
) =>
  Effect.gen(function* () {
    const [cached, forget] = yield* Effect.cachedInvalidateWithTTL(current, lifetime)
    const standard = Effect.map(
      Effect.tapError(cached, () => forget),
      ({ family, levels }) => (family === "utxo" ? levels.standard.satPerVbyte : null)
    ).pipe(
      Effect.map((rate) => (rate === null ? undefined : parseUnits(rate, 3))),
      Effect.orElseSucceed(() => undefined)
    )
    return (hash: string): Effect.Effect<Replacement, ReadFailure> =>
      Sources.firstOf<StatusSource, Replacement | undefined, ReadFailure>(
        sources,
        (source) => atIndexer(facts, source, hash, standard),
        {
          none,
          isWhole: (found) => found != null && found.minimum !== null,
          isBetter: (_, best) => best === undefined
        }
      ).pipe(
        Effect.map((found) => found ?? without(null, gone)),
        Effect.mapError(unread),
        span("Utxo.replacement", { attributes: { network: facts.id } })
      )
  })

/** Undefined if the indexer does not have the transaction, or has it in a block. */
const atIndexer = (
  facts: UtxoFacts,
  source: StatusSource,
  hash: string,
  standard: Effect.Effect<bigint | undefined>
): Effect.Effect<Replacement | undefined, UpstreamError> =>
  Effect.gen(function* () {
    const { mempool, name } = facts
    yield* source.head
    const found = yield* source.transaction(hash)
    if (found === undefined || found.block !== undefined) return undefined
    if (found.hash !== hash) return yield* source.fault(otherTransaction)
    const isReplaceable = mempool.replaces === "signalling" ? found.signals : mempool.replaces === "any"
    if (isReplaceable === undefined) return without(null, noSequences)
    if (isReplaceable) {
      const { spenders } = source
      if (spenders === undefined) return without("replace", noSpenders)
      const all = yield* related(facts, source, found, spenders)
      return all === undefined ? without("replace", tooMany) : replace(facts, found, all)
    }
    if (!mempool.countsChildren)
      return without(null, `nodes of ${name} replace no transaction, and miners do not count the fee of its children`)
    const rate = yield* standard
    if (rate === undefined) return without("child", "no source has a standard fee rate")
    const parents = yield* related(facts, source, found, ({ inputs }) =>
      Effect.succeed(inputs.flatMap(({ spends = "" }) => spends.slice(0, 64)))
    )
    if (parents === undefined) return without("child", tooMany)
    const size = transferSize(facts)
    const fee = childFee(parents, mempool, rate, size)
    return {
      ...without("child", "it cannot be cancelled, because nodes do not replace it"),
      minimum: paying(fee, size)
    }
  })

const replace = (facts: UtxoFacts, found: UtxoTransaction, all: ReadonlyArray<Sized>): Replacement => {
  const [own] = all
  if (own === undefined) return without("replace", tooMany)
  const { mempool } = facts
  const total = all.reduce((sum, { fee }) => sum + fee, 0n)
  const least = (size: number) => leastFee({ ...own, total }, mempool, size)
  const minimum = {
    ...paying(least(own.vbytes), own.vbytes),
    replacedFeeBaseUnits: String(total),
    incrementalSatPerVbyte: Amount.format(mempool.increment, 3)
  }
  const size = cancellingSize(facts, found, own.vbytes)
  if (size === undefined) return { ...without("replace", "the size of a cancelling transaction is unknown"), minimum }
  const cost = least(size)
  const left = found.inputs.reduce((sum, { amount }) => sum + amount, -cost)
  if (left < dustLimit(facts, found.inputs[0]?.address))
    return {
      ...without("replace", "its inputs do not cover the fee of cancelling it and an output above dust"),
      minimum
    }
  const fee = Amount.format(cost, facts.native.decimals)
  return { kind: "replace", minimum, transfer: { gas: null, vbytes: size, feeBaseUnits: String(cost), fee } }
}

const paying = (fee: bigint, vbytes: number): typeof UtxoMinimum.Type => ({
  satPerVbyte: Amount.format(ceilDiv(fee * 1000n, BigInt(vbytes)), 3),
  feeBaseUnits: String(fee),
  vbytes,
  replacedFeeBaseUnits: null,
  incrementalSatPerVbyte: null
})

const without = (kind: Replacement["kind"], reason: string): Replacement => ({
  kind,
  minimum: null,
  transfer: null,
  reason
})

const gone = "no source has it as a pending transaction any longer"
const noSequences = "no source says whether it allows a replacement"
const noSpenders = "no source returns the transactions that spend its outputs, whose fees a replacement must pay too"
const tooMany = `the fees and sizes of all transactions that depend on each other could not be read (at most ${maxRelated})`
