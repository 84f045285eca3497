import { useEffect, useRef, useState } from "preact/hooks"
import { throttled } from "../addresses/batches.ts"
import { problemOf } from "../text/reasons.ts"
import type { PageClient } from "./client.ts"
import { pulse } from "./pulse.ts"
import { promptForKey, session } from "./session.ts"
import { useStore } from "./useStore.ts"

/** Data from the service, or the reason why it could not be read. */
export type ServiceReading<A> =
  | { readonly state: "waiting" }
  /** `at` is when the data was read, UNIX time in ms; `isStale` is true if it could not be read again since. */
  | { readonly state: "read"; readonly data: A; readonly at: number; readonly isStale: boolean }
  | { readonly state: "failed"; readonly problem: string }

const waiting = { state: "waiting" } as const

/**
 * Reads data from the service. Aborts a pending read and reads again when `name` or the client changes, and on `retry`.
 * A retry keeps the data until the new read completes. Never returns data that was read under another name. Live data
 * is read again at each pulse; if that fails, the data that was read before stays, with the time of its read.
 */
export const useReading = <A>(
  name: string,
  read: (client: PageClient, signal: AbortSignal) => Promise<A>,
  isLive = false
): { readonly reading: ServiceReading<A>; readonly retry: () => void } => {
  const { client } = useStore(session)
  const [last, setLast] = useState<{ readonly name: string; readonly reading: ServiceReading<A> }>()
  const [attempt, setAttempt] = useState(0)
  const beat = useStore(pulse)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const publish = (reading: ServiceReading<A>) => {
      if (signal.aborted) return
      setLast((before) =>
        isLive && reading.state === "failed" && before?.name === name && before.reading.state === "read"
          ? { name, reading: { ...before.reading, isStale: true } }
          : { name, reading }
      )
    }
    read(client, signal)
      .then((data) => publish({ state: "read", data, at: Date.now(), isStale: false }))
      .catch((error: unknown) => {
        if (!signal.aborted) promptForKey(client)(error)
        publish({ state: "failed", problem: problemOf(error) })
      })
    return () => controller.abort()
  }, [client, name, attempt, isLive ? beat : 0])
  const retry = () => {
    if (last?.reading.state === "failed") setLast(undefined)
    setAttempt(attempt + 1)
  }
  return { reading: last?.name === name ? last.reading : waiting, retry }
}

/** Rows are shown once all have arrived, or none has for this time, or after all of this time, ms: later rows move the others. */
const quiet = 1_000
const longest = 5_000

/** True when it is time to show data of which these answers have arrived. */
export const useLate = (isDone: boolean, answers: ReadonlyArray<{ readonly state: string }>): boolean => {
  const [isLate, setIsLate] = useState(false)
  const [began] = useState(() => Date.now())
  const arrived = answers.filter(({ state }) => state !== "waiting").length
  useEffect(() => {
    const timer = setTimeout(() => setIsLate(true), Math.min(quiet, began + longest - Date.now()))
    return () => clearTimeout(timer)
  }, [arrived])
  return isDone || isLate
}

interface Loader {
  readonly run: () => Promise<void>
  readonly refresh: () => Promise<void>
}

/**
 * State that a loader reads part by part, and the loader. A new loader starts when `name` or the client changes; it
 * reads again at each pulse, and stops with the component.
 */
export const useLoader = <A, L extends Loader>(
  name: string,
  initial: () => A,
  make: (
    client: PageClient,
    changed: (state: () => A) => void,
    failed: (error: unknown) => void,
    signal: AbortSignal
  ) => L
) => {
  const { client } = useStore(session)
  const [state, setState] = useState(initial)
  const loader = useRef<L>(undefined)
  useEffect(() => {
    setState(initial)
    const controller = new AbortController()
    const { signal } = controller
    const changed = throttled<A>((value) => setState(() => value), signal)
    const started = make(client, changed, promptForKey(client), signal)
    loader.current = started
    void started.run()
    const unsubscribe = pulse.subscribe(() => void started.refresh())
    return () => {
      unsubscribe()
      controller.abort()
    }
  }, [client, name])
  return { state, loader }
}
