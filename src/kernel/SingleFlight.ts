import * as Effect from "effect/Effect"
import type * as Exit from "effect/Exit"
import type * as Scope from "effect/Scope"
import * as Task from "./Task.ts"
import { tryOrElse } from "./tryOrElse.ts"

/** A caller with work for the result of a run. */
export interface SharingCaller<A, E> {
  /** The work of one caller of each name is enough. */
  readonly name: (() => string) | undefined
  readonly work: Task.Task<A, E>
  /** The work calls `onSent` when it waits no longer for others. */
  readonly progress: Progress
}

export interface Progress {
  onSent: () => void
}

/** Work in progress. Any number of callers wait for its result; interrupting a caller stops only its wait. */
export interface Run<A, E = never> {
  readonly wait: Task.Task<A, E>
  /** Completes the run and frees its key. Later completions are ignored. */
  readonly complete: (exit: Exit.Exit<A, E>) => void
  /** Called when the last caller has stopped waiting before the run is complete. Does nothing unless it is set. */
  abandoned: () => void
  /** To be called with each further caller. Does nothing unless it is set. */
  joined: (caller: SharingCaller<A, E>) => void
}

export interface Runs<K, A, E = never> {
  readonly get: (key: K) => Run<A, E> | undefined
  /** The caller that starts a run must complete it: others are waiting. */
  readonly begin: (key: K) => Run<A, E>
  readonly completeAll: (exit: Exit.Exit<A, E>) => void
}

/** Result of a run as an effect, for callers that run in a fiber. */
export const resultOf = <A, E>({ wait }: Run<A, E>): Effect.Effect<A, E> => Task.toEffect(wait)

const begun = <A, E>(end: () => void): Run<A, E> => {
  const waiting: Array<((exit: Exit.Exit<A, E>) => void) | undefined> = []
  let callers = 0
  let completed: Exit.Exit<A, E> | undefined
  const run: Run<A, E> = {
    wait: (done) => {
      if (completed !== undefined) return Task.ended(completed)(done)
      const index = waiting.push(done) - 1
      callers++
      return () => {
        if (waiting[index] === undefined) return
        waiting[index] = undefined
        if (--callers === 0 && completed === undefined) run.abandoned()
      }
    },
    abandoned: () => {},
    joined: () => {},
    complete: (exit) => {
      if (completed !== undefined) return
      completed = exit
      end()
      let thrown: { readonly defect: unknown } | undefined
      const failed = (defect: unknown) => {
        thrown ??= { defect }
      }
      for (const done of waiting) if (done !== undefined) tryOrElse(done, exit, failed)
      if (thrown !== undefined) throw thrown.defect
    }
  }
  return run
}

/** A run without a key, which no other caller can join. */
export const single = <A, E = never>(): Run<A, E> => begun(() => {})

/** Runs by key, for work that several keys share or that {@link make} does not start. */
export const runs = <K, A, E = never>(): Runs<K, A, E> => {
  /** Entries are emptied when they leave the map; otherwise garbage would be retained. */
  const running = new Map<K, { run: Run<A, E> | undefined }>()
  return {
    get: (key) => running.get(key)?.run,
    begin: (key) => {
      const entry: { run: Run<A, E> | undefined } = { run: undefined }
      const run = begun<A, E>(() => {
        entry.run = undefined
        if (running.get(key) === entry) running.delete(key)
      })
      entry.run = run
      running.set(key, entry)
      return run
    },
    completeAll: (exit) => {
      for (const { run } of running.values()) run?.complete(exit)
    }
  }
}

/**
 * Requests with equal keys join one run. It continues if its first caller is interrupted, and is interrupted when the
 * scope closes. All callers get a defect of the work.
 */
export const make = <K, A, E = never>(scope: Scope.Scope) => {
  const { begin, get } = runs<K, A, E>()
  return {
    join: (key: K, work: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      // Uninterruptible until the fiber that completes the run has started.
      Effect.uninterruptibleMask((restore) => {
        const current = get(key)
        if (current !== undefined) return restore(resultOf(current))
        const run = begin(key)
        const completed = Effect.onExit(Effect.interruptible(work), (exit) => Effect.sync(() => run.complete(exit)))
        return Effect.zipRight(Effect.forkIn(completed, scope), restore(resultOf(run)))
      })
  }
}
