import { useEffect, useState } from "preact/hooks"
import { WalletDataError } from "../../client/Client.ts"
import type { PageClient } from "../state/client.ts"
import { promptForKey, session } from "../state/session.ts"
import type { ServiceReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { problemOf } from "../text/reasons.ts"

/** The time that a failed read says to wait, ms. */
const waitOf = (error: unknown) => (error instanceof WalletDataError ? 1000 * (error.retryAfter ?? 0) : 0)

/**
 * Reads data again and again, while the page is visible. `delayOf` returns the time until the next read, ms, or undefined
 * if the data is complete; it gets nothing if a read has failed. Data that could not be read again stays, as stale.
 */
export const usePolled = <A>(
  read: (client: PageClient, signal: AbortSignal) => Promise<A>,
  delayOf: (data: A | undefined) => number | undefined
): { readonly reading: ServiceReading<A>; readonly retry: () => void } => {
  const { client } = useStore(session)
  const [reading, setReading] = useState<ServiceReading<A>>({ state: "waiting" })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    let timer: ReturnType<typeof setTimeout> | undefined
    const readIn = (delay: number | undefined) => {
      if (delay !== undefined) timer = setTimeout(again, delay)
    }
    const succeeded = (data: A) => {
      if (signal.aborted) return
      setReading({ state: "read", data, at: Date.now(), isStale: false })
      readIn(delayOf(data))
    }
    const failed = (error: unknown) => {
      if (signal.aborted || promptForKey(client)(error)) return
      setReading((before) =>
        before.state === "read" ? { ...before, isStale: true } : { state: "failed", problem: problemOf(error) }
      )
      readIn(Math.max(delayOf(undefined) ?? 0, waitOf(error)))
    }
    const again = () => {
      if (document.hidden) document.addEventListener("visibilitychange", again, { once: true, signal })
      else read(client, signal).then(succeeded, failed)
    }
    again()
    return () => {
      clearTimeout(timer)
      controller.abort()
    }
  }, [client, attempt])
  return { reading, retry: () => setAttempt(attempt + 1) }
}
