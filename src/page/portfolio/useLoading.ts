import { useEffect, useRef, useState } from "preact/hooks"
import { needsKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { type Loading, nothing } from "./Loading.ts"
import { type Loader, makeLoader } from "./load.ts"

/** While rows come in, the page is drawn this often, ms: not for each of thousands of rows. */
const drawnEvery = 100

/** What takes long to draw is drawn seldom: most of the time belongs to the reader. */
const share = 4

/** Passes the first value on at once, then the newest one in every interval. */
const throttled = (pass: (loading: Loading) => void) => {
  let newest: (() => Loading) | undefined
  let isWaiting = false
  const draw = () => {
    isWaiting = newest !== undefined
    if (newest === undefined) return
    const began = performance.now()
    pass(newest())
    newest = undefined
    // Once this is called, it has been drawn.
    setTimeout(() => setTimeout(draw, Math.max(drawnEvery, share * (performance.now() - began))))
  }
  return (loading: () => Loading) => {
    newest = loading
    if (!isWaiting) draw()
  }
}

/** The holdings of these addresses as they come in, and what reads again what has failed. */
export const useLoading = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const [loading, setLoading] = useState<Loading>(nothing)
  const loader = useRef<Loader>(undefined)
  const name = texts.join(",")
  // The same texts are another array at each rendering.
  useEffect(() => {
    if (texts.length === 0) {
      setLoading(nothing)
      return
    }
    const started = makeLoader(client, texts, throttled(setLoading), needsKey)
    loader.current = started
    void started.run()
    return started.stop
  }, [client, name])
  return { loading, retry: () => void loader.current?.run() }
}
