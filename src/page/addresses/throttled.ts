/** Interval of rendering while rows arrive, in ms: rendering for each of thousands of rows would be too slow. */
const drawnEvery = 100

/** Wait after rendering, as a multiple of the rendering time: leaves most of the time to the user. */
const share = 4

/** Passes the first value at once, then the newest value of each interval; none after the signal is aborted. */
export const throttled = <A>(pass: (value: A) => void, signal: AbortSignal) => {
  let newest: (() => A) | undefined
  let isWaiting = false
  const draw = () => {
    isWaiting = newest !== undefined
    if (newest === undefined || signal.aborted) return
    const began = performance.now()
    pass(newest())
    newest = undefined
    // When the outer timer fires, rendering is complete.
    setTimeout(() => setTimeout(draw, Math.max(drawnEvery, share * (performance.now() - began))))
  }
  return (value: () => A) => {
    newest = value
    if (!isWaiting) draw()
  }
}
