/** While rows come in, the page is drawn this often, ms: not for each of thousands of rows. */
const drawnEvery = 100

/** What takes long to draw is drawn seldom: most of the time belongs to the reader. */
const share = 4

/** Passes the first value on at once, then the newest one in every interval. */
export const throttled = <A>(pass: (value: A) => void) => {
  let newest: (() => A) | undefined
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
  return (value: () => A) => {
    newest = value
    if (!isWaiting) draw()
  }
}
