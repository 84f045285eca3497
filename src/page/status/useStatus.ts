import { useEffect, useState } from "preact/hooks"
import { currentRoute } from "../state/navigation.ts"
import { needsKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { readStatus, type StatusReading, unread } from "./watch.ts"

/** So long after an answer it is read again, ms. */
const pause = 5_000

/** What the service says of itself, read again and again while the page is visible. */
export const useStatus = (): StatusReading => {
  const { client, key } = useStore(session)
  const [reading, setReading] = useState(unread)
  useEffect(() => {
    if (key !== "fine") return
    const controller = new AbortController()
    const { signal } = controller
    let latest = unread
    let timer: ReturnType<typeof setTimeout> | undefined
    let isReading = false

    const read = async () => {
      clearTimeout(timer)
      if (isReading || document.hidden) return
      isReading = true
      latest = await readStatus(client, latest, needsKey(client), signal)
      isReading = false
      if (signal.aborted) return
      setReading(latest)
      timer = setTimeout(() => void read(), pause)
    }

    document.addEventListener("visibilitychange", read, { signal })
    // The requests below the view are those since its route was opened.
    const unsubscribe = currentRoute.subscribe(() => {
      if (currentRoute.get().view === "status") void read()
    })
    void read()
    return () => {
      unsubscribe()
      controller.abort()
      clearTimeout(timer)
    }
  }, [client, key])
  return reading
}
