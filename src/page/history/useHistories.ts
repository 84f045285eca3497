import { useEffect, useRef, useState } from "preact/hooks"
import { throttled } from "../addresses/throttled.ts"
import { needsKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { type AddressHistories, nothing } from "./histories.ts"
import { type HistoryLoader, makeHistoryLoader } from "./load.ts"

/** The histories of these addresses as they come in, what reads older transactions, and what reads again what has failed. */
export const useHistories = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const [current, setCurrent] = useState<AddressHistories>(nothing)
  const loader = useRef<HistoryLoader>(undefined)
  const name = texts.join(",")
  // The same texts are another array at each rendering.
  useEffect(() => {
    setCurrent(nothing)
    if (texts.length === 0) return
    const started = makeHistoryLoader(client, texts, throttled(setCurrent), needsKey(client))
    loader.current = started
    void started.run()
    return started.stop
  }, [client, name])
  return { current, retry: () => void loader.current?.run(), more: () => void loader.current?.more() }
}
