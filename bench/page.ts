import * as Effect from "effect/Effect"
import { Browser, listening } from "../test/support/browser.ts"
import { holder } from "../test/support/sandbox.ts"
import { figure, median } from "./measure.ts"

const loads = 5
const wantedPaint = 300

/** Duration of a frame at 60 per second, rounded up, ms. */
const wantedFrame = 17

const addresses = 20

/** A phone on a slow mobile network: 4 times slower than this machine, 1.6 Mbit/s, 150 ms to the service. */
const phone = { latency: 150, downloadThroughput: 200_000, uploadThroughput: 94_000, offline: false }
const slowdown = 4
const wantedInteractive = 1_000

const paintOf = `new Promise((resolve) => new PerformanceObserver((list) => {
  for (const { name, startTime } of list.getEntries()) if (name === "first-contentful-paint") resolve(startTime)
}).observe({ type: "paint", buffered: true }))`

/** First contentful paint in a new tab without cached data, ms since the start of the navigation. */
const firstPaint = (url: string) =>
  Effect.gen(function* () {
    const { page } = yield* (yield* Browser).open(url, "/")
    return yield* Effect.promise(async () => {
      await page.locator("h1").first().waitFor()
      return page.evaluate<number>(paintOf)
    })
  }).pipe(Effect.scoped)

/** Time from the start of the navigation until the field of the first view accepts a text, on a slow phone, ms. */
const interactive = (url: string) =>
  Effect.gen(function* () {
    const { page } = yield* (yield* Browser).open(url, "/health/live", { viewport: { width: 390, height: 844 } })
    return yield* Effect.promise(async () => {
      const session = await page.context().newCDPSession(page)
      await session.send("Network.emulateNetworkConditions", phone)
      await session.send("Emulation.setCPUThrottlingRate", { rate: slowdown })
      await page.addInitScript(`new MutationObserver((_, observer) => {
        if (document.querySelector("#addresses") === null) return
        observer.disconnect()
        requestAnimationFrame(() => setTimeout(() => { window.interactiveAt = performance.now() }))
      }).observe(document, { childList: true, subtree: true })`)
      await page.goto(url)
      await page.waitForFunction("window.interactiveAt !== undefined")
      return page.evaluate<number>("window.interactiveAt")
    })
  }).pipe(Effect.scoped)

/** Code for the browser: returns the times between frames while the page scrolls to its end, and the number of rows. */
const scrolled = `new Promise((resolve) => {
  const frames = []
  let last = performance.now()
  const frame = (now) => {
    frames.push(now - last)
    last = now
    scrollBy(0, 120)
    if (frames.length < 180 && scrollY + innerHeight < document.documentElement.scrollHeight) requestAnimationFrame(frame)
    else resolve({ rows: document.querySelectorAll(".row").length, frames: frames.slice(5) })
  }
  requestAnimationFrame(frame)
})`

interface Scrolled {
  readonly rows: number
  readonly frames: ReadonlyArray<number>
}

const scrolling = (url: string) =>
  Effect.gen(function* () {
    const texts = Array.from({ length: addresses }, (_, index) => holder(index + 1)).join(",")
    const { page } = yield* (yield* Browser).open(url, `/#/${texts}`)
    return yield* Effect.promise(async () => {
      await page.locator("text=/^Done: /").first().waitFor()
      return page.evaluate<Scrolled>(scrolled)
    })
  }).pipe(Effect.scoped)

/** Measures in Chromium, on loopback, the first paint of the page, its start on a slow phone, and the smoothness of scrolling a long portfolio. */
export const page = Effect.gen(function* () {
  console.log(`\nthe page in Chromium, over the sandbox, ${loads} loads`)
  const url = yield* listening()
  const paints = []
  for (let load = 0; load < loads; load++) paints.push(yield* firstPaint(url))
  const paint = median(paints)
  figure("first contentful paint", `${paint.toFixed(0)} ms`, `${wantedPaint} ms`, paint < wantedPaint)
  const starts = []
  for (let load = 0; load < loads; load++) starts.push(yield* interactive(url))
  const start = median(starts)
  figure(
    "first view interactive on a slow phone",
    `${start.toFixed(0)} ms`,
    `${wantedInteractive} ms`,
    start < wantedInteractive
  )
  const { frames, rows } = yield* scrolling(url)
  const frame = median(frames)
  const late = [...frames].sort((a, b) => a - b)[Math.floor(frames.length * 0.95)] ?? Number.NaN
  figure(
    `time per frame while ${rows} rows scroll`,
    `${frame.toFixed(1)} ms, ${late.toFixed(1)} at p95`,
    `${wantedFrame} ms`,
    frame <= wantedFrame
  )
}).pipe(Effect.scoped, Effect.provide(Browser.layer))
