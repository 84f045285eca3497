import { useEffect, useRef, useState } from "preact/hooks"
import { throttled } from "../addresses/throttled.ts"
import { preferences } from "../state/preferences.ts"
import { needsKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { type Loading, nothing } from "./Loading.ts"
import { type Loader, makeLoader } from "./load.ts"

/** The holdings of these addresses as they come in, and what reads again what has failed. */
export const useLoading = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const { currency } = useStore(preferences)
  const [loading, setLoading] = useState<Loading>(() => nothing(currency))
  const loader = useRef<Loader>(undefined)
  const name = texts.join(",")
  // The same texts are another array at each rendering.
  useEffect(() => {
    if (texts.length === 0) {
      setLoading(nothing(currency))
      return
    }
    const started = makeLoader(client, texts, throttled(setLoading), needsKey(client), currency)
    loader.current = started
    void started.run()
    return started.stop
  }, [client, name, currency])
  return { loading, retry: () => void loader.current?.run() }
}
