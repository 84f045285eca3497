import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { UpstreamError } from "../../upstreams/UpstreamError.ts"
import { concurrency, type Source } from "./sources/Source.ts"

/** What was read of an address; undefined where no source takes it. */
export type Read = Either.Either<bigint, UpstreamError> | undefined

/** For so long a source that answered nothing is asked after the others, ms. */
const rest = 30_000

/**
 * Reads balances from sources of different kinds, each in as few calls as it allows. What one does not tell, for
 * whatever reason, the next is asked: another kind may know an address that the first refuses. It ends within so many ms,
 * with what was read by then: who takes one address a call, so many a second, may not come to the end of a long list.
 */
export const make = (sources: ReadonlyArray<Source>, within: number) => {
  const restUntil = new Map<string, number>()

  const inOrder = (count: number, now: number) => {
    const [apt, scarce] = Arr.partition(sources, ({ from }) => from > count)
    const [awake, resting] = Arr.partition([...apt, ...scarce], ({ name }) => (restUntil.get(name) ?? 0) > now)
    return [...awake, ...resting]
  }

  /** Writes down all that one source tells of these addresses, call by call. */
  const from = (
    source: Source,
    addresses: ReadonlyArray<string>,
    isLast: (address: string) => boolean,
    read: Map<string, Either.Either<bigint, UpstreamError>>
  ) =>
    Effect.gen(function* () {
      let answered = 0
      let failed = false
      const ask = (chunk: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          // A source that is down would use up the time in which the next one can answer.
          if (failed && answered === 0 && !chunk.some(isLast)) return
          const answers = yield* Effect.either(source.ask(chunk))
          if (Either.isRight(answers)) answered++
          else if (answers.left.final !== true) failed = true
          for (const address of chunk)
            read.set(
              address,
              Either.flatMap(answers, (found) =>
                Either.fromNullable(found.get(address)?.balance, () => leftOut(source.name))
              )
            )
        })
      // No wider than the source itself: what waits for it can still be spared when it turns out to be down.
      yield* Effect.forEach(Arr.chunksOf(addresses, source.perCall), ask, { concurrency, discard: true })
      if (failed && answered === 0) restUntil.set(source.name, (yield* Clock.currentTimeMillis) + rest)
    })

  return (addresses: ReadonlyArray<string>): Effect.Effect<ReadonlyArray<Read>> =>
    Effect.gen(function* () {
      const read = new Map<string, Either.Either<bigint, UpstreamError>>()
      const ordered = inOrder(new Set(addresses).size, yield* Clock.currentTimeMillis)
      const all = Effect.gen(function* () {
        let open: ReadonlyArray<string> = [...new Set(addresses)]
        for (const [index, source] of ordered.entries()) {
          const mine = open.filter(source.takes)
          if (mine.length === 0) continue
          const others = ordered.slice(index + 1)
          yield* from(source, mine, (address) => !others.some((other) => other.takes(address)), read)
          open = open.filter((address) => !Either.isRight(read.get(address) ?? unasked))
        }
      })
      const inTime = Option.isSome(yield* Effect.timeoutOption(all, within))
      return addresses.map((address) => {
        const source = inTime ? undefined : ordered.find(({ takes }) => takes(address))
        return read.get(address) ?? (source === undefined ? undefined : Either.left(late(source.name)))
      })
    })
}

const unasked = Either.left(undefined)

const leftOut = (upstream: string) =>
  new UpstreamError({ upstream, reason: "bad_answer", detail: "did not return the address" })

const late = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })
