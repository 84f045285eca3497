import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, Holding, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { AddressSummary, UtxoProvider } from "./Provider.ts"

/** Reads the coins of addresses, at most for `within` (ms). `none` is the failure without an indexer. */
export const holdings = (
  facts: UtxoFacts,
  sources: ReadonlyArray<UtxoProvider>,
  within: number,
  none: ReadFailure
): Chain["Type"]["holdings"] => {
  const read = nativeOf(sources, within, none)
  return (addresses) =>
    Effect.map(read(addresses), (all) => ({
      addresses: all.map(Either.map((balance) => [balance])),
      missing: undefined
    })).pipe(span("Utxo.holdings", { attributes: { network: facts.id, addresses: addresses.length } }))
}

/** Reads the coins of an address. */
export const holding = (...[facts, sources, within, none]: Parameters<typeof holdings>): Chain["Type"]["holding"] => {
  const read = nativeOf(sources, within, none)
  return (address, token) =>
    Option.isSome(token)
      ? Effect.fail(noTokens(facts))
      : Effect.flatMap(read([address]), ([first]) => first ?? Effect.fail(none))
}

const nativeOf = (sources: ReadonlyArray<UtxoProvider>, within: number, none: ReadFailure) => {
  const balances = balancesOf(sources, within)
  return (addresses: ReadonlyArray<string>) =>
    Effect.map(balances(addresses), (all) => all.map((balance) => toHolding(balance, none)))
}

/** The balance of an address, the part of it that is certainly unconfirmed, and the addresses of an extended key. */
type UtxoBalance = Pick<AddressSummary, "balance" | "unconfirmed" | "derived">

/** The result for an address; undefined if no source supports it. */
type BalanceResult = Either.Either<UtxoBalance, UpstreamError> | undefined

/**
 * Reads balances from sources of different kinds, in as few calls as each allows. If a source does not return an
 * address, for any reason, the next source is queried: another kind may support an address that the first one rejects.
 * Returns what was read within `within` ms: a source that takes one address per call may not finish a long list.
 */
const balancesOf = (sources: ReadonlyArray<UtxoProvider>, within: number) => {
  const inOrder = (count: number) => Arr.partition(sources, ({ minAddresses: from }) => from > count).flat()

  /** Reads the addresses that one source supports, and records the result of each call. */
  const from: Sources.QueryEach<UtxoProvider, string, UtxoBalance, UpstreamError> = (
    source,
    addresses,
    report,
    others
  ) =>
    Effect.suspend(() => {
      let answered = 0
      let failed = false
      const isLast = (address: string) => !others.some((other) => other.supports(address))
      const readChunk = (chunk: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          // Leaves these addresses to the next source: one that is down would use up its time.
          if (failed && answered === 0 && !chunk.some(isLast)) return
          const answers = yield* Effect.either(source.summaries(chunk))
          if (Either.isRight(answers)) answered++
          else if (answers.left.final !== true) failed = true
          for (const address of chunk)
            report(
              address,
              Either.flatMap(answers, (found) =>
                Either.fromNullable(found.get(address), () => addressMissing(source.name))
              )
            )
        })
      // Bounded: queued chunks can be skipped if the source turns out to be down.
      const chunks = Arr.chunksOf(addresses.filter(source.supports), source.perCall)
      return Effect.forEach(chunks, readChunk, { concurrency: 8, discard: true })
    })

  return (addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<BalanceResult>> =>
    Effect.gen(function* () {
      const found: Sources.SourceResult<string, UtxoBalance, UpstreamError> = new Map()
      const ordered = inOrder(new Set(addresses).size)
      const inTime = Option.isSome(yield* timeoutOption(Sources.each(ordered, addresses, from, found), within))
      return addresses.map((address) => {
        const source = inTime ? undefined : ordered.find(({ supports }) => supports(address))
        return found.get(address) ?? (source === undefined ? undefined : Either.left(tooLate(source.name)))
      })
    })
}

const addressMissing = (upstream: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: "did not return the address" })

const tooLate = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })

/** Maps a balance to a holding of the native coin. */
const toHolding = (read: BalanceResult, noSource: ReadFailure): Either.Either<Holding, ReadFailure> => {
  if (read === undefined) return Either.left(noSource)
  return Either.mapBoth(read, {
    onLeft: unread,
    onRight: ({ balance, derived, unconfirmed }) => ({
      asset: "native" as const,
      amount: Either.right(balance),
      ...(derived === undefined ? {} : { derived }),
      ...(unconfirmed === undefined ? {} : { parts: { unconfirmed } })
    })
  })
}

const noTokens = ({ name }: UtxoFacts): ReadFailure => ({
  reason: "invalid_address",
  message: `tokenAddress: ${name} has no tokens`
})
