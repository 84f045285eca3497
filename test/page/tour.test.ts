import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Route } from "playwright-core"
import { screenshot } from "../../scripts/screenshots.ts"
import { Browser, listening, type Tab } from "../support/browser.ts"
import { isMissing } from "../support/tools.ts"
import { fitting, hostile, hostileHistory } from "./hostile.ts"
import { layoutFaults, layoutShift } from "./layout.ts"
import { does, finds } from "./steps.ts"
import { addresses, otherViews, views } from "./views.ts"

const wallet = addresses.join(",")

/** Also those of the screenshots in the documents, which scripts/screenshots.ts takes at the same elements. */
const allViews = [...Object.values(views), ...otherViews]

/** The narrowest supported screen (also a wide one at 200% or 400% zoom), a phone, a tablet and a desktop. */
const widths = [320, 390, 768, 1440]

const still = { reducedMotion: "reduce", viewport: { width: 390, height: 844 } } as const

class Service extends Context.Tag("test/page/tour/Service")<Service, string>() {
  static readonly layer = Layer.scoped(Service, listening())
}

const opened = (path: string, options: Parameters<Browser["Type"]["open"]>[2] = {}) =>
  Effect.gen(function* () {
    return yield* (yield* Browser).open(yield* Service, `/${path}`, { ...still, ...options })
  })

/** Opens another view in the same tab. */
const goes = ({ page }: Tab, path: string) => does(() => page.evaluate(`location.hash = ${JSON.stringify(path)}`))

/** Checks the layout at these widths. */
const fits = ({ page }: Tab, of: string, at: ReadonlyArray<number> = widths) =>
  Effect.forEach(at, (width) =>
    Effect.gen(function* () {
      yield* does(() => page.setViewportSize({ width, height: 844 }))
      const faults = yield* does(() => page.evaluate<ReadonlyArray<string>>(layoutFaults))
      assert.deepStrictEqual(faults, [], `${of} at ${width} px`)
    })
  )

const accessible = ({ page, violations }: Tab, of: string, colorScheme: "light" | "dark") =>
  Effect.gen(function* () {
    yield* does(() => page.emulateMedia({ colorScheme }))
    assert.deepStrictEqual(yield* violations, [], `${of}, ${colorScheme}`)
  })

const answers = ({ page }: Tab, url: string, answer: (route: Route) => unknown) =>
  does(() => page.route(url, (route) => void answer(route)))

const timeout = 600_000

describe.skipIf(isMissing("chromium"))("a tour of the page", () => {
  layer(Layer.merge(Browser.layer, Service.layer), { excludeTestServices: true })((it) => {
    /** A test whose tab must have no faults at the end: no console error, and no request to another host. */
    const tour = (name: string, use: Effect.Effect<Tab, unknown, Browser | Service | Scope.Scope>) =>
      it.scoped(name, () => Effect.map(use, ({ faults }) => assert.deepStrictEqual(faults, [])), timeout)

    tour(
      "finds every view readable at every width, in both themes",
      Effect.gen(function* () {
        const tab = yield* opened("")
        for (const { complete, path } of allViews) {
          yield* goes(tab, path)
          yield* finds(tab, complete)
          yield* fits(tab, path)
          const picture = yield* does(() => screenshot(tab.page))
          assert.strictEqual(picture.toString("latin1", 8, 12), "WEBP")
          assert.isAbove(picture.length, 5_000, path)
        }
        // The journeys of page.test.ts check the other views; these checks are slow.
        for (const { complete, path } of [views.home, ...otherViews.slice(0, 2)]) {
          yield* goes(tab, path)
          yield* finds(tab, complete)
          for (const scheme of ["light", "dark"] as const) yield* accessible(tab, path, scheme)
        }
        return tab
      })
    )

    tour(
      "finds that content does not move while a view loads",
      Effect.gen(function* () {
        const tab = yield* opened("")
        for (const { complete, path } of [views.portfolio, views.activity]) {
          yield* goes(tab, path)
          yield* does(() => tab.page.reload())
          yield* finds(tab, complete)
          const { moved, sum } = yield* does(() =>
            tab.page.evaluate<{ readonly sum: number; readonly moved: ReadonlyArray<string> }>(layoutShift)
          )
          assert.isBelow(sum, 0.05, `${path}: ${moved.join(", ")}`)
        }
        return tab
      })
    )

    tour(
      "finds a print of a dark view light, complete and without controls",
      Effect.gen(function* () {
        const tab = yield* opened(views.coin.path, { colorScheme: "dark" })
        const { page } = tab
        yield* finds(tab, "canvas")
        yield* does(() => page.emulateMedia({ media: "print" }))
        yield* fits(tab, "a print", [718])
        const [scheme, ...shown] = yield* does(() =>
          page.evaluate<ReadonlyArray<string>>(`[
            getComputedStyle(document.documentElement).colorScheme,
            ...[...document.querySelectorAll("header, button, input, h1, canvas")].flatMap((element) =>
              element.checkVisibility() ? element.nodeName : [])
          ]`)
        )
        assert.deepStrictEqual([scheme, ...shown], ["light", "H1", "CANVAS"])
        return tab
      })
    )

    tour(
      "finds long texts of other languages readable",
      Effect.gen(function* () {
        const tab = yield* opened("", { locale: "de-DE" })
        yield* finds(tab, "nav", "Aktivität")
        for (const { complete, path } of Object.values(views)) {
          yield* goes(tab, path)
          yield* finds(tab, complete)
          yield* fits(tab, path, [320])
        }
        return tab
      })
    )

    tour(
      "finds a placeholder and never a zero while data is loading",
      Effect.gen(function* () {
        const tab = yield* opened("")
        yield* answers(tab, "**/balance", () => undefined)
        yield* answers(tab, "**/history", () => undefined)
        for (const path of [`#/${wallet}`, `#/history/${wallet}`]) {
          yield* goes(tab, path)
          yield* finds(tab, ".skeleton")
          const text = yield* does(() => tab.page.locator("main").textContent())
          assert.notMatch(text ?? "", /[$€]\s*0|\b0[.,]00/, path)
          yield* fits(tab, `loading ${path}`)
        }
        yield* accessible(tab, "loading", "dark")
        return tab
      })
    )

    tour(
      "finds empty addresses said to be empty",
      Effect.gen(function* () {
        const tab = yield* opened("")
        yield* answers(tab, "**/balance", (route) =>
          route.fulfill({ contentType: "application/x-ndjson", body: '{"done":true,"failures":0}\n' })
        )
        yield* answers(tab, "**/history", (route) => {
          const { networks } = route.request().postDataJSON()
          const all = <A>(value: A) =>
            Object.fromEntries(
              Object.entries<ReadonlyArray<string>>(networks).map(([network, list]) => [
                network,
                Object.fromEntries(list.map((address) => [address, value]))
              ])
            )
          const meta = { complete: true, oldest: null, next: null, sources: [], missing: [] }
          const body = `${JSON.stringify({ data: all([]), meta: all(meta) })}\n{"done":true,"failures":0}\n`
          return route.fulfill({ contentType: "application/x-ndjson", body })
        })
        yield* goes(tab, `#/history/${addresses[0]}`)
        yield* finds(tab, ".empty", "No transactions.")
        yield* fits(tab, "an empty history", [320])
        yield* goes(tab, "#/nonsense")
        yield* finds(tab, ".remarks", "fits no network")
        yield* fits(tab, "an unknown address", [320])
        return tab
      })
    )

    tour(
      "finds unknown values in their place, with the reason one tap away",
      Effect.gen(function* () {
        const tab = yield* opened("")
        const { page } = tab
        const row = (network: string, holderAddress: string) => ({
          blockchain: network,
          holderAddress,
          coinId: network,
          tokenName: `Coin of ${network}`,
          tokenSymbol: "COIN",
          tokenDecimals: 8,
          contractAddress: null,
          tokenType: "NATIVE",
          thumbnail: "",
          balance: "2",
          balanceUsd: "20",
          tokenPrice: "10"
        })
        const unknown = {
          balance: null,
          balanceUsd: null,
          error: "litecoin-esplora timed out",
          errorCode: "timeout",
          lastKnown: { balance: "7", balanceUsd: "700", at: Date.now() - 7_200_000 }
        }
        yield* answers(tab, "**/balance", (route) => {
          const lines = Object.entries<ReadonlyArray<string>>(route.request().postDataJSON().networks).flatMap(
            ([network, list]) =>
              list.map((address) =>
                JSON.stringify({ ...row(network, address), ...(network === "litecoin" ? unknown : {}) })
              )
          )
          return route.fulfill({
            contentType: "application/x-ndjson",
            body: `${lines.join("\n")}\n{"done":true,"failures":0}\n`
          })
        })
        yield* goes(tab, `#/${wallet}`)
        yield* finds(tab, ".total", /^at least\s+\$\d/)
        // The unknown value was the largest.
        yield* finds(tab, ".group:first-child", /Coin of litecoin.*\$700\.00.*2 hours ago/)
        yield* does(() => page.locator(".group > summary").first().press("Enter"))
        yield* finds(tab, ".group .missing", "no response in time")
        yield* does(() => page.locator(".problems > summary").press("Enter"))
        yield* finds(tab, ".problems", "Litecoin: litecoin-esplora timed out")
        yield* finds(tab, ".overview canvas")
        yield* fits(tab, "unknown values")
        yield* accessible(tab, "unknown values", "light")
        return tab
      })
    )

    tour(
      "finds the reason in every view while the service cannot be reached, and the data afterwards",
      Effect.gen(function* () {
        const tab = yield* opened("")
        yield* finds(tab, ".live .spark path")
        const isData = ({ pathname }: URL) => !pathname.startsWith("/page/")
        yield* does(() => tab.page.route(isData, (route) => void route.abort()))
        for (const { path } of [views.portfolio, views.coin, views.status]) {
          yield* goes(tab, path)
          yield* finds(tab, "main", "The service cannot be reached")
          yield* fits(tab, `without service, ${path}`, [320])
        }
        yield* accessible(tab, "without service", "light")
        yield* does(() => tab.page.unroute(isData))
        yield* goes(tab, views.portfolio.path)
        yield* finds(tab, ".group")
        return tab
      })
    )

    tour(
      "finds hostile names within the screen",
      Effect.gen(function* () {
        const tab = yield* opened("")
        yield* answers(tab, "**/address/*", (route) => route.fulfill({ json: fitting(route.request().url()) }))
        yield* answers(tab, "**/balance", (route) => route.fulfill(hostile(route.request().postDataJSON(), 3)))
        yield* answers(tab, "**/history", (route) => route.fulfill(hostileHistory))
        yield* goes(tab, "#/stranger")
        yield* finds(tab, ".group")
        yield* does(() => tab.page.locator(".group > summary").first().press("Enter"))
        yield* fits(tab, "hostile names")
        yield* goes(tab, "#/history/stranger")
        yield* does(() => tab.page.locator(".folded > summary").press("Enter"))
        yield* does(() => tab.page.locator(".entry > summary").press("Enter"))
        yield* fits(tab, "a hostile history")
        return tab
      })
    )

    tour(
      "works by keyboard alone",
      Effect.gen(function* () {
        const tab = yield* opened("")
        const { page } = tab
        yield* finds(tab, ".live .spark path")
        /** Presses Tab until an element that matches the selector has the focus. */
        const tabsTo = (selector: string) =>
          does(async () => {
            for (let presses = 0; presses < 60; presses++) {
              await page.keyboard.press("Tab")
              if (await page.evaluate<boolean>(`document.activeElement.matches(${JSON.stringify(selector)})`)) return
            }
            assert.fail(`Tab does not reach ${selector}`)
          })
        const presses = (key: string) => does(() => page.keyboard.press(key))
        yield* tabsTo("#addresses")
        yield* does(() => page.keyboard.type(addresses[0] ?? ""))
        yield* presses("Enter")
        yield* finds(tab, "[role=status]", /^Done: /)
        yield* tabsTo(".overview .choices button:last-child")
        yield* presses("Enter")
        yield* finds(tab, ".overview .choices button:last-child[aria-pressed=true]")
        yield* finds(tab, ".overview canvas")
        yield* tabsTo(".group > summary")
        yield* presses("Enter")
        yield* tabsTo(".holding a[href^='#/coin/']")
        yield* presses("Enter")
        yield* finds(tab, ".coin-head", "Bitcoin")
        yield* does(() => page.evaluate("document.querySelector('.skip').focus()"))
        yield* tabsTo("nav a[href^='#/history']")
        yield* presses("Enter")
        yield* finds(tab, ".entry")
        yield* tabsTo(".entry > summary")
        yield* presses("Enter")
        yield* finds(tab, ".entry .facts")
        return tab
      })
    )
  })
})
