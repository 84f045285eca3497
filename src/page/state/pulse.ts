import { makeStore } from "./store.ts"

/** Time between two reads of live data, ms. */
const interval = 60_000

/** Counts up when live data has to be read again: each minute while the page is visible, and when it becomes visible. */
export const pulse = makeStore(0)

/** True while the browser has a network connection. */
export const isOnline = makeStore(globalThis.navigator?.onLine ?? true)

let last = Date.now()

const beat = () => {
  if (document.hidden || Date.now() - last < interval / 2) return
  last = Date.now()
  pulse.set(pulse.get() + 1)
}

/** Reads again at once: reads without a connection fail, and the page shows the age of the earlier data. */
const connectionChanged = () => {
  isOnline.set(navigator.onLine)
  last = 0
  beat()
}

setInterval(beat, interval)
document.addEventListener("visibilitychange", beat)
addEventListener("online", connectionChanged)
addEventListener("offline", connectionChanged)
