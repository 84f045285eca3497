import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"
import { timer } from "../../../kernel/timeout.ts"

/** Reads the results for items, in the order of the items. */
export type BatchRead<A, B> = (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>

export interface CoalescerOptions {
  /** While fewer calls than this are in flight, each call starts at once. */
  readonly busy: number
  /** Maximum items per call. */
  readonly maxBatchSize: number
  /** A call that waits for more items starts after this time, even if it is busy. */
  readonly maxWait: Duration.DurationInput
}

interface Caller<A, B> {
  readonly items: ReadonlyArray<A>
  readonly resume: (result: Effect.Effect<ReadonlyArray<B>>) => void
}

interface Batch<A, B> {
  readonly callers: Set<Caller<A, B>>
  /** Cancels the timer that starts the batch. */
  readonly stop: () => void
  size: number
  fiber?: Fiber.RuntimeFiber<ReadonlyArray<B>>
}

/**
 * Under load, combines the items of several callers into one call, each item once. An interrupted caller does not
 * affect others; a call is interrupted when no caller waits for it any longer.
 */
export const make = <A, B>(
  read: BatchRead<A, B>,
  { busy, maxBatchSize, maxWait }: CoalescerOptions
): Effect.Effect<BatchRead<A, B>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never>()
    const clock = yield* Effect.clock
    const longest = Duration.toMillis(maxWait)
    let inFlight = 0
    let pending: Batch<A, B> | undefined

    const counted = <C>(self: Effect.Effect<C>) =>
      Effect.acquireUseRelease(
        Effect.sync(() => inFlight++),
        () => self,
        () =>
          Effect.sync(() => {
            inFlight--
            if (pending !== undefined) send(pending)
          })
      )

    const send = (batch: Batch<A, B>): void => {
      if (pending !== batch) return
      pending = undefined
      batch.stop()
      const indices = new Map<A, number>()
      for (const { items } of batch.callers)
        for (const item of items) if (!indices.has(item)) indices.set(item, indices.size)
      if (indices.size === 0) return
      const of =
        ({ items }: Caller<A, B>) =>
        (results: ReadonlyArray<B>) =>
          items.flatMap((item) => results.slice(indices.get(item), (indices.get(item) ?? 0) + 1))
      batch.fiber = run(counted(read([...indices.keys()])))
      batch.fiber.addObserver((exit) => {
        for (const caller of batch.callers) caller.resume(Exit.map(exit, of(caller)))
      })
    }

    const begun = (): Batch<A, B> => {
      const batch: Batch<A, B> = { callers: new Set(), size: 0, stop: timer(clock, longest, () => send(batch)) }
      return batch
    }

    const join = (items: ReadonlyArray<A>) =>
      Effect.async<ReadonlyArray<B>>((resume) => {
        if (pending !== undefined && pending.size + items.length > maxBatchSize) send(pending)
        const batch = pending ?? begun()
        const caller = { items, resume }
        batch.callers.add(caller)
        batch.size += items.length
        pending = batch
        if (batch.size >= maxBatchSize) send(batch)
        return Effect.sync(() => {
          batch.callers.delete(caller)
          batch.size -= items.length
          if (batch.callers.size === 0) batch.fiber?.unsafeInterruptAsFork(batch.fiber.id())
        })
      })

    return (items) =>
      Effect.suspend(() => (inFlight < busy || items.length >= maxBatchSize ? counted(read(items)) : join(items)))
  })
