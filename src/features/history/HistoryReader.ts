import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, Unread } from "../../chains/Chain.ts"
import { type HistoryPart, newestFirst } from "../../domain/Transaction.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import * as Archive from "./Archive.ts"

type AnyNetwork = Context.Tag.Service<Chain>

/** The history of one address, or why there is none; with both, what is known from earlier and why there is nothing newer. */
export interface Read {
  readonly history: HistoryPart | undefined
  readonly failure: Unread | undefined
}

/** Who asks again within this time, ms, is given the same. */
const fresh = 5_000

/** Histories held for that time. */
const capacity = 1_000

/** Addresses of which it is remembered when they were read. */
const remembered = 50_000

/** Reads histories, each once at a time however many ask for it, and only what is new of what is known. Cannot fail. */
export const make = (within: number) =>
  Effect.gen(function* () {
    const archive = yield* Archive.make
    const scope = yield* Effect.scope
    const recent = BoundedMap.sized<Read>(capacity)
    const flights = SingleFlight.make<string, Read>(scope)
    const readAt = BoundedMap.sized<number>(remembered)

    const ask = (network: AnyNetwork, address: string, limit: number, since: number | undefined) =>
      network.history === undefined
        ? Effect.fail(cannot(network))
        : network.history({ address, limit, ...(since === undefined ? {} : { since }) }).pipe(
            timeoutFail({ duration: within, onTimeout: () => late }),
            Effect.catchAllDefect((defect) =>
              Effect.zipRight(Effect.logError(`${network.facts.id}: internal error`, defect), Effect.fail(ours))
            ),
            Effect.provideService(CurrentPriority, priorities.history)
          )

    const look = (network: AnyNetwork, address: string, limit: number) =>
      Effect.gen(function* () {
        const key = keyOf(network, address)
        const kept = (yield* archive.read([key])).get(key)
        const since = Archive.since(kept, limit)
        const asked = yield* Effect.either(ask(network, address, limit, since))
        if (Either.isLeft(asked))
          return kept === undefined
            ? { history: undefined, failure: asked.left }
            : { history: said(outdated(kept, asked.left)), failure: asked.left }
        const told = { ...asked.right, transactions: [...asked.right.transactions].sort(newestFirst) }
        const history = since === undefined || kept === undefined ? told : Archive.joined(told, kept)
        yield* archive.write(key, history, network.facts.finality, kept)
        return { history: said(history), failure: undefined }
      })

    const forget = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => void recent.get(key, now))

    /**
     * When the history of an address was had last, 0 where never: where there are more addresses than calls, those that
     * had to wait longest come first, or they would never be read.
     */
    const lastRead = (network: AnyNetwork, address: string) => readAt.get(keyOf(network, address)) ?? 0

    /** The newest transactions of an address, at least as many as wanted where there are so many. */
    const read = (network: AnyNetwork, address: string, limit: number): Effect.Effect<Read> =>
      Effect.gen(function* () {
        const key = `${network.facts.id} ${limit} ${address}`
        const known = recent.get(key, yield* Clock.currentTimeMillis)
        if (known !== undefined) return known
        const reading = Effect.tap(look(network, address, limit), (read) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            if (read.failure !== undefined) return Effect.void
            recent.set(key, read, at + fresh)
            readAt.set(keyOf(network, address), at)
            // Histories can be large: none is held for longer than it may be given.
            return Effect.forkIn(Effect.delay(forget(key), fresh), scope)
          })
        )
        return yield* flights.join(key, reading)
      })

    return { lastRead, read }
  })

const keyOf = ({ facts: info }: AnyNetwork, address: string) => `${info.id} ${address}`

/** For people it is the same whether what is missing could not be had now, or never can. */
const said = (history: HistoryPart): HistoryPart => ({
  ...history,
  missing: [...history.missing, ...(history.unavailable ?? [])]
})

const outdated = (kept: Archive.ArchivedHistory, { message }: Unread): HistoryPart => ({
  ...kept,
  missing: [`what is newer than the first transaction: ${message}`]
})

const late: Unread = { reason: "timeout", message: "timed out" }
const ours: Unread = { reason: "upstream_error", message: "internal error" }

const cannot = ({ facts: info }: AnyNetwork): Unread => ({
  reason: "not_configured",
  message: `no history source for ${info.name}`
})
