import { useEffect, useState } from "preact/hooks"
import type { WalletData } from "../../client/Client.ts"
import { problemOf } from "../text/reasons.ts"
import { needsKey, session } from "./session.ts"
import { useStore } from "./store.ts"

/** What is read of the service, or why it could not be. */
export type ServiceReading<A> =
  | { readonly state: "waiting" }
  | { readonly state: "read"; readonly data: A }
  | { readonly state: "failed"; readonly problem: string }

/** Reads something; again when its name is another one, with another client, and by `retry`. What was on its way is aborted then. */
export const useReading = <A>(
  name: string,
  read: (client: WalletData, signal: AbortSignal) => Promise<A>
): { readonly reading: ServiceReading<A>; readonly retry: () => void } => {
  const { client } = useStore(session)
  const [reading, setReading] = useState<ServiceReading<A>>({ state: "waiting" })
  const [attempt, setAttempt] = useState(0)
  useEffect(() => {
    setReading({ state: "waiting" })
    const controller = new AbortController()
    const { signal } = controller
    read(client, signal)
      .then((data) => {
        if (!signal.aborted) setReading({ state: "read", data })
      })
      .catch((error: unknown) => {
        if (signal.aborted) return
        needsKey(error)
        setReading({ state: "failed", problem: problemOf(error) })
      })
    return () => controller.abort()
  }, [client, name, attempt])
  return { reading, retry: () => setAttempt(attempt + 1) }
}
