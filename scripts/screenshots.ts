import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import type { Page } from "playwright-core"
import { views } from "../test/page/views.ts"
import { Browser, listening } from "../test/support/browser.ts"

// Takes screenshots of the views of the page over the sandbox, in both themes and two widths:
// `bun scripts/screenshots.ts` writes docs/images/. The test test/page/tour.test.ts takes one of each view.

const folder = join(import.meta.dirname, "../docs/images")

const all = { ...views, reference: { path: "docs", complete: "h1" } }

const sizes = { wide: { width: 1280, height: 800 }, narrow: { width: 390, height: 844 } } as const

const themes = ["light", "dark"] as const

/** A screenshot of the visible part, as WebP. */
export const screenshot = async (page: Page): Promise<Buffer> => {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 })
  return Buffer.from(data, "base64")
}

const picture = (url: string, name: keyof typeof all, size: keyof typeof sizes, theme: (typeof themes)[number]) =>
  Effect.gen(function* () {
    const options = { viewport: sizes[size], colorScheme: theme, reducedMotion: "reduce", locale: "en-US" } as const
    const { page } = yield* (yield* Browser).open(url, `/${all[name].path}`, options)
    yield* Effect.promise(async () => {
      await page.locator(all[name].complete).first().waitFor()
      await page.waitForLoadState("networkidle")
      const data = await screenshot(page)
      writeFileSync(join(folder, `${name}-${size}-${theme}.webp`), data)
      console.log(`${name}-${size}-${theme}.webp: ${data.length} bytes`)
    })
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  mkdirSync(folder, { recursive: true })
  const url = yield* listening()
  for (const name of Object.keys(all) as Array<keyof typeof all>)
    for (const size of ["wide", "narrow"] as const) for (const theme of themes) yield* picture(url, name, size, theme)
})

if (import.meta.main) await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Browser.layer)))
