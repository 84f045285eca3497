import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { Browser, listening } from "../test/support/browser.ts"
import { holder } from "../test/support/sandbox.ts"

// Takes screenshots of the main views of the page over the sandbox, in both themes and two widths:
// `bun scripts/screenshots.ts` writes docs/images/.

const folder = join(import.meta.dirname, "../docs/images")

const addresses = [
  "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
  "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept",
  holder(1)
]

/** The views, the section to open, and a selector that exists once the view is complete. */
const views = [
  { name: "portfolio", path: `/#/${addresses.join(",")}`, complete: "text=/^Done: /" },
  { name: "value", path: `/#/${addresses.join(",")}`, opened: "Value over time", complete: "canvas" },
  { name: "history", path: `/#/history/${addresses.join(",")}`, complete: "text=/complete/i" },
  { name: "coin", path: "/#/coin/bitcoin", complete: "canvas" },
  { name: "network", path: `/#/network/base,${holder(1)}`, complete: ".facts bdi" },
  { name: "status", path: "/#/status/cardano", complete: ".upstreams tbody tr" },
  { name: "reference", path: "/docs", complete: "h1" }
] as const

const sizes = { wide: { width: 1280, height: 900 }, narrow: { width: 360, height: 740 } } as const

const themes = ["light", "dark"] as const

/** Writes a screenshot of the visible part, as WebP. */
const picture = (url: string, view: (typeof views)[number], size: keyof typeof sizes, theme: (typeof themes)[number]) =>
  Effect.gen(function* () {
    const options = { viewport: sizes[size], colorScheme: theme, reducedMotion: "reduce" } as const
    const { page } = yield* (yield* Browser).open(url, view.path, options)
    yield* Effect.promise(async () => {
      if ("opened" in view) await page.getByText(view.opened, { exact: true }).click()
      await page.locator(view.complete).first().waitFor({ state: "attached" })
      const session = await page.context().newCDPSession(page)
      const { data } = await session.send("Page.captureScreenshot", { format: "webp", quality: 60 })
      const name = `${view.name}-${size}-${theme}.webp`
      writeFileSync(join(folder, name), Buffer.from(data, "base64"))
      console.log(`${name}: ${Math.round(data.length * 0.75)} bytes`)
    })
  }).pipe(Effect.scoped)

const program = Effect.gen(function* () {
  mkdirSync(folder, { recursive: true })
  const url = yield* listening()
  for (const view of views)
    for (const size of ["wide", "narrow"] as const) for (const theme of themes) yield* picture(url, view, size, theme)
})

await Effect.runPromise(program.pipe(Effect.scoped, Effect.provide(Browser.layer)))
