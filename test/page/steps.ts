import { readFile } from "node:fs/promises"
import { assert } from "@effect/vitest"
import * as Effect from "effect/Effect"
import type { Tab } from "../support/browser.ts"
import { layoutShift } from "./layout.ts"

// Steps of the browser tests. Each step starts where the previous step has left the page.

export const does = <A>(work: () => Promise<A>) => Effect.promise(work)

/** Waits for an element with this text. */
export const finds = ({ page }: Tab, selector: string, hasText?: string | RegExp) =>
  does(() =>
    page
      .locator(selector, hasText === undefined ? {} : { hasText })
      .first()
      .waitFor()
  )

/** The time of the document, ms. */
export const timeOf = ({ page }: Tab) => does(() => page.evaluate<number>("performance.now()"))

/** Checks that little has moved without input since this time of the document, ms. */
export const stays = ({ page }: Tab, of: string, since = 0) =>
  Effect.gen(function* () {
    const { moved, sum } = yield* does(() =>
      page.evaluate<{ readonly sum: number; readonly moved: ReadonlyArray<string> }>(layoutShift(since))
    )
    assert.isBelow(sum, 0.05, `${of}: ${moved.join(", ")}`)
  })

/** In a portfolio: waits for the value over time, and opens a row and the breakdown of its native balance. */
export const opensDetails = (tab: Tab) =>
  Effect.gen(function* () {
    const { page } = tab
    yield* finds(tab, ".overview canvas")
    yield* finds(tab, ".overview figcaption", /value \$[1-9]/)
    yield* finds(tab, ".overview .summary", /since .*\$[1-9]/)
    yield* does(() => page.locator(".group > summary", { hasText: /^BTCBitcoin/ }).press("Enter"))
    yield* does(() => page.getByText("Breakdown", { exact: true }).first().press("Enter"))
    yield* finds(tab, ".breakdown dd data", /\d/)
  })

const themeOf = ({ page }: Tab) =>
  does(() => page.evaluate<string>("getComputedStyle(document.documentElement).colorScheme"))

/** From a portfolio: opens the fees of Bitcoin and the data for signing, in both themes, and goes back. */
export const looksAtNetwork = (tab: Tab) =>
  Effect.gen(function* () {
    const { page, violations } = tab
    yield* does(() => page.getByRole("link", { name: "to sign on Bitcoin" }).first().click())
    yield* finds(tab, "h1", "Bitcoin")
    yield* finds(tab, ".fee", /^Fast≈ \d+ .*\$0\.\d/)
    yield* finds(tab, ".facts bdi", "utxo")
    yield* does(() => page.getByText("JSON", { exact: true }).press("Enter"))
    yield* finds(tab, "pre", '"coinbaseMaturity": 100')
    yield* does(() => page.getByRole("button", { name: "Settings" }).press("Enter"))
    for (const name of ["light", "dark"]) {
      yield* does(() => page.getByLabel("Theme").selectOption(name))
      assert.strictEqual(yield* themeOf(tab), name)
      assert.deepStrictEqual(yield* violations, [])
    }
    assert.strictEqual(yield* does(() => page.evaluate("document.documentElement.scrollWidth")), 360)
    yield* does(() => page.reload())
    yield* finds(tab, ".facts bdi", "utxo")
    assert.strictEqual(yield* themeOf(tab), "dark")
    yield* does(() => page.getByRole("button", { name: "Settings" }).press("Enter"))
    yield* does(() => page.getByLabel("Theme").selectOption("system"))
    yield* does(() => page.goBack())
  })

/** Opens a history by a link, with short pages, and loads all pages by scrolling. */
export const loadsMore = (tab: Tab, link: string) =>
  Effect.gen(function* () {
    const { page } = tab
    const sent: Array<Readonly<Record<string, unknown>>> = []
    yield* does(() =>
      page.route("**/history", (route) => {
        const body = { ...route.request().postDataJSON(), limit: 2 }
        sent.push(body)
        return route.continue({ postData: JSON.stringify(body) })
      })
    )
    yield* does(() => page.getByRole("link", { name: link }).first().click())
    // Pages are loaded while the end of the list is visible.
    yield* finds(tab, ".entry")
    yield* does(() => page.locator(".timeline[aria-busy=false]").waitFor())
    for (let steps = 0; (yield* does(() => page.getByRole("button", { name: "Load more" }).count())) > 0; steps++) {
      assert.isBelow(steps, 2_000, "scrolling loads nothing")
      yield* does(async () => {
        await page.mouse.wheel(0, 10_000)
        await page.evaluate("new Promise(requestAnimationFrame)")
      })
    }
    yield* does(() => page.locator(".coverage > summary").press("Enter"))
    const [first, ...others] = sent.map(({ cursors }) => Object.keys(cursors ?? {}).length)
    assert.strictEqual(first, 0)
    assert.isNotEmpty(others)
    assert.isTrue(others.every((count) => count > 0))
    yield* finds(tab, ".coverage", "complete, first transaction on")
  })

/** In a history: exports it as a file, by a link or, with an API key, by a button. */
export const savesFile = ({ page }: Tab, role: "link" | "button", holder: string) =>
  Effect.gen(function* () {
    const download = page.waitForEvent("download")
    yield* does(() => page.getByRole(role, { name: "history.csv" }).click())
    const file = yield* does(() => download)
    assert.strictEqual(file.suggestedFilename(), "history.csv")
    const text = yield* does(async () => readFile(await file.path(), "utf8"))
    assert.include(text, holder)
    assert.match(text, /^[a-z]+,.*\r\n/i)
  })

const attack = "<img src=x onerror=alert(1)>\u202e<script>alert(1)</script>"

/** In a portfolio of hostile rows: checks that parts fail separately and show hostile texts as text. */
export const meetsHostileParts = (tab: Tab) =>
  Effect.gen(function* () {
    const { page } = tab
    const refused = { status: 400, json: { detail: attack, type: attack } }
    yield* does(() => page.route("**/portfolio/chart", (route) => route.fulfill(refused)))
    yield* does(() => page.getByRole("button", { name: "7 days" }).click())
    yield* finds(tab, ".overview [role=alert]")
    yield* finds(tab, ".group")
    yield* does(() => page.route("**/utils/fees/*", (route) => route.fulfill(refused)))
    const context = { family: attack, [attack]: attack, list: Array(500).fill({ deep: attack }) }
    yield* does(() =>
      page.route("**/utils/transaction-context", (route) =>
        route.fulfill({
          json: {
            ethereum: {
              "0x57a46e5757a46e5757a46e5757a46e5757a46e57": { context },
              "0x0000000057a46e5757a46e5757a46e5757a46e57": { context: null, error: attack }
            }
          }
        })
      )
    )
    const link = page.url()
    yield* does(() =>
      page.goto(
        `${link.slice(0, link.indexOf("#"))}#/network/ethereum,0x57a46e5757a46e5757a46e5757a46e5757a46e57,0x0000000057a46e5757a46e5757a46e5757a46e57`
      )
    )
    yield* finds(tab, ".problems [role=alert]")
    yield* finds(tab, ".facts dd", "<img src=x onerror=alert(1)>")
    yield* finds(tab, ".facts", "500 entries")
    yield* finds(tab, ".missing", "<img src=x onerror=alert(1)>")
    const shown = yield* does(() => page.locator("main").textContent())
    assert.notInclude(shown, "\u202e")
    assert.strictEqual(yield* does(() => page.locator("main img:not([src^='/icon/']), main script").count()), 0)
    yield* does(() => page.goBack())
  })

/** Opens the API reference, which has the colours and the header of the page, and goes back. */
export const readsReference = (tab: Tab) =>
  Effect.gen(function* () {
    const { page, violations } = tab
    yield* does(() => page.getByRole("button", { name: "Settings" }).press("Enter"))
    yield* does(() => page.getByRole("link", { name: "API reference" }).click())
    yield* finds(tab, ".route", "/utils/fees/{network}")
    assert.deepStrictEqual(yield* violations, [])
    const width = page.viewportSize()?.width
    assert.strictEqual(yield* does(() => page.evaluate<number>("document.documentElement.scrollWidth")), width)
    yield* does(() => page.locator(".site").getByRole("link", { name: "Status" }).click())
    yield* finds(tab, ".readiness", "The service is ready.")
  })
