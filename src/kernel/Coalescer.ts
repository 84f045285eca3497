import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import type * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import type * as Scope from "effect/Scope"

/** Answers for items, in the order of the items. */
export type Ask<A, B> = (items: ReadonlyArray<A>) => Effect.Effect<ReadonlyArray<B>>

export interface CoalescerOptions {
  /** Calls go out as they come while fewer than so many are under way. */
  readonly busy: number
  /** Items in one call. */
  readonly maxBatchSize: number
  /** A call that waits for others goes out after so long, whatever is under way. */
  readonly maxWait: Duration.DurationInput
}

interface Caller<A, B> {
  readonly items: ReadonlyArray<A>
  readonly resume: (answer: Effect.Effect<ReadonlyArray<B>>) => void
}

interface Batch<A, B> {
  readonly callers: Set<Caller<A, B>>
  size: number
  fiber?: Fiber.RuntimeFiber<ReadonlyArray<B>>
}

/**
 * Under load the items of several callers go out in one call, each item once. A caller that leaves takes nobody with it;
 * a call is given up when all who wait for it have left.
 */
export const make = <A, B>(
  ask: Ask<A, B>,
  { busy, maxBatchSize: most, maxWait: patience }: CoalescerOptions
): Effect.Effect<Ask<A, B>, never, Scope.Scope> =>
  Effect.gen(function* () {
    const run = yield* FiberSet.makeRuntime<never>()
    let underWay = 0
    let gathering: Batch<A, B> | undefined

    const counted = <C>(self: Effect.Effect<C>) =>
      Effect.suspend(() => {
        underWay++
        return Effect.ensuring(
          self,
          Effect.sync(() => {
            underWay--
            if (gathering !== undefined) send(gathering)
          })
        )
      })

    const send = (batch: Batch<A, B>): void => {
      if (gathering !== batch) return
      gathering = undefined
      const places = new Map<A, number>()
      for (const { items } of batch.callers)
        for (const item of items) if (!places.has(item)) places.set(item, places.size)
      if (places.size === 0) return
      const of =
        ({ items }: Caller<A, B>) =>
        (answers: ReadonlyArray<B>) =>
          items.flatMap((item) => answers.slice(places.get(item), (places.get(item) ?? 0) + 1))
      batch.fiber = run(counted(ask([...places.keys()])))
      batch.fiber.addObserver((exit) => {
        for (const caller of batch.callers) caller.resume(Exit.map(exit, of(caller)))
      })
    }

    const join = (items: ReadonlyArray<A>) =>
      Effect.async<ReadonlyArray<B>>((resume) => {
        if (gathering !== undefined && gathering.size + items.length > most) send(gathering)
        const batch = gathering ?? { callers: new Set(), size: 0 }
        const caller = { items, resume }
        batch.callers.add(caller)
        batch.size += items.length
        if (gathering === undefined) {
          gathering = batch
          run(
            Effect.delay(
              Effect.sync(() => send(batch)),
              patience
            )
          )
        }
        if (batch.size >= most) send(batch)
        return Effect.sync(() => {
          batch.callers.delete(caller)
          batch.size -= items.length
          if (batch.callers.size === 0) batch.fiber?.unsafeInterruptAsFork(batch.fiber.id())
        })
      })

    return (items) =>
      Effect.suspend(() => (underWay < busy || items.length >= most ? counted(ask(items)) : join(items)))
  })
