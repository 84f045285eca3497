import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { timeoutOption } from "../../kernel/timeout.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { AddressSummary, IndexerSource } from "./sources/Source.ts"

/** The balance of an address, and the part of it that is certainly unconfirmed. */
export type UtxoBalance = Pick<AddressSummary, "balance" | "unconfirmed">

/** The result for an address; undefined if no source supports it. */
export type BalanceResult = Either.Either<UtxoBalance, UpstreamError> | undefined

/**
 * Reads balances from sources of different kinds, in as few calls as each allows. If a source does not return an
 * address, for any reason, the next source is queried: another kind may support an address that the first one rejects.
 * Returns what was read within `within` ms: a source that takes one address per call may not finish a long list.
 */
export const make = (sources: ReadonlyArray<IndexerSource>, within: number) => {
  const inOrder = (count: number) => Arr.partition(sources, ({ minAddresses: from }) => from > count).flat()

  /** Reads the addresses that one source supports, and records the result of each call. */
  const from: Sources.QueryEach<IndexerSource, string, UtxoBalance, UpstreamError> = (
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
        return found.get(address) ?? (source === undefined ? undefined : Either.left(timedOut(source.name)))
      })
    })
}

const addressMissing = (upstream: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: "did not return the address" })

const timedOut = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })
