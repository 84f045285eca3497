import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import type { Route } from "playwright-core"
import { screenshot } from "../../scripts/screenshots.ts"
import { Browser, listening, type Tab } from "../support/browser.ts"
import { isAll } from "../support/tier.ts"
import { isMissing } from "../support/tools.ts"
import { fitting, hostile, hostileHistory } from "./hostile.ts"
import { layoutFaults } from "./layout.ts"
import { does, finds, stays, timeOf } from "./steps.ts"
import { addresses, otherViews, views } from "./views.ts"

const wallet = addresses.join(",")

/** Also those of the screenshots in the documents, which scripts/screenshots.ts takes at the same elements. */
const allViews = [...Object.values(views), ...otherViews]

const [start, coins, , networks] = otherViews

const mistyped = { path: `#/nonsense,${wallet}`, complete: ".overview canvas" }

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

/** A tab for all states of the data: to load the page costs more than to answer its requests in another way. */
class States extends Context.Tag("test/page/tour/States")<States, Tab>() {
  static readonly layer = Layer.scoped(States, opened(""))
}

/** The tab for all states, without the answers of the state before. */
const fresh = Effect.gen(function* () {
  const tab = yield* States
  yield* does(() => tab.page.unrouteAll())
  yield* goes(tab, "#/")
  yield* does(() => tab.page.setViewportSize(still.viewport))
  return tab
})

/** Opens another view in the same tab. */
const goes = ({ page }: Tab, path: string) => does(() => page.evaluate(`location.hash = ${JSON.stringify(path)}`))

/**
 * The states whose accessibility each run checks. It takes up to two seconds of each state: the second tier checks all.
 */
const always = [
  ...[views.home, views.activity, start, coins, networks].map(({ path }) => path),
  `loading #/history/${wallet}`,
  "an empty portfolio",
  "#/nonsense",
  "unknown values",
  ...[views.home, views.portfolio, views.network, views.status].map(({ path }) => `without service, ${path}`)
]

/** Checks accessibility in a light view, and the colours of the same view in the dark. */
const accessible = ({ contrast, page, violations }: Tab, of: string) =>
  Effect.gen(function* () {
    yield* does(() => page.emulateMedia({ colorScheme: "light" }))
    assert.deepStrictEqual(yield* violations, [], `${of}, light`)
    yield* does(() => page.emulateMedia({ colorScheme: "dark" }))
    assert.deepStrictEqual(yield* contrast, [], `${of}, dark`)
  })

/** Checks the layout of a state at these widths, then its accessibility. */
const fits = (tab: Tab, of: string, at: ReadonlyArray<number> = widths) =>
  Effect.gen(function* () {
    for (const width of at) {
      yield* does(() => tab.page.setViewportSize({ width, height: 844 }))
      const faults = yield* does(() => tab.page.evaluate<ReadonlyArray<string>>(layoutFaults))
      assert.deepStrictEqual(faults, [], `${of} at ${width} px`)
    }
    if (isAll || always.includes(of)) yield* accessible(tab, of)
  })

/** Ends the timer after which the page shows incomplete data, as it does on a busy machine: later rows move the others. */
const showsWhole = `{
  const start = setTimeout
  window.setTimeout = (run, time, ...rest) => start(run, time === 1_000 ? 600_000 : time, ...rest)
}`

/** Requests for data, not for files of the page. */
const data = ({ pathname }: URL) => pathname !== "/" && !pathname.startsWith("/page/")

/** Answers requests of this URL; a later answer replaces an earlier one. */
const answers = ({ page }: Tab, url: string | typeof data, answer: (route: Route) => unknown) =>
  does(() => page.route(url, (route) => void answer(route)))

/** Answers requests for data one after another, each after the page has shown the answer before. */
const oneByOne = (tab: Tab) => {
  let last: Promise<unknown> = Promise.resolve()
  return answers(tab, data, (route) => {
    if (route.request().resourceType() !== "fetch") return route.continue()
    last = last
      .then(async () => {
        await route.fulfill({ response: await route.fetch() })
        await tab.page.evaluate("new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))")
      })
      .catch(() => undefined)
  })
}

/** Changes every part of the real response: `change` gets the key and the value of each member. */
const changes = (tab: Tab, url: string, change: (key: string, value: unknown) => unknown) =>
  answers(tab, url, async (route) => {
    // Without the tag of the browser: a response without content cannot be changed.
    const { "if-none-match": _, ...headers } = route.request().headers()
    const response = await route.fetch({ headers })
    await route.fulfill({ response, json: JSON.parse(await response.text(), change) })
  })

/** Answers requests for balances with a row for each address; `change` has other members of a row. `failures` are of no row. */
const answersRows = (tab: Tab, change: (network: string) => object, failures = 0) =>
  answers(tab, "**/balance", (route) => {
    const rows = Object.entries<ReadonlyArray<string>>(route.request().postDataJSON().networks).flatMap(
      ([network, list]) => list.map((holderAddress) => ({ ...rowOf(network), holderAddress, ...change(network) }))
    )
    const missing = Array(failures).fill({ network: "bitcoin", message: "no tokens", errorCode: "timeout" })
    const lines = [...rows, { failures: missing }, { done: true, failures }].map((line) => JSON.stringify(line))
    return route.fulfill({ contentType: "application/x-ndjson", body: `${lines.join("\n")}\n` })
  })

/** Answers requests for histories with an empty one for each address on some networks, and nothing for the others. */
const answersHistories = (tab: Tab, isAnswered: (network: string) => boolean, meta: object) =>
  answers(tab, "**/history", (route) => {
    const all = <A>(value: A) =>
      Object.fromEntries(
        Object.entries<ReadonlyArray<string>>(route.request().postDataJSON().networks)
          .filter(([network]) => isAnswered(network))
          .map(([network, list]) => [network, Object.fromEntries(list.map((address) => [address, value]))])
      )
    const line = { data: all([]), meta: all({ oldest: null, next: null, sources: [], ...meta }) }
    const body = `${JSON.stringify(line)}\n{"done":true,"failures":0}\n`
    return route.fulfill({ contentType: "application/x-ndjson", body })
  })

const rowOf = (network: string) => ({
  blockchain: network,
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

const timeout = 600_000

describe.skipIf(isMissing("chromium"))("a tour of the page", () => {
  const all = Layer.provideMerge(States.layer, Layer.merge(Browser.layer, Service.layer))
  layer(all, { excludeTestServices: true })((it) => {
    /** A test whose tab must have no faults at the end: no console error, and no request to another host. */
    const tour = (name: string, use: Effect.Effect<Tab, unknown, Browser | Service | States | Scope.Scope>) =>
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
        return tab
      })
    )

    tour(
      "finds that content does not move while the data of a view arrives, one answer after another",
      Effect.gen(function* () {
        const tab = yield* opened("")
        const { page } = tab
        yield* does(() => page.addInitScript(showsWhole))
        yield* does(() => page.reload())
        yield* finds(tab, views.home.complete)
        yield* stays(tab, "the page")
        yield* oneByOne(tab)
        for (const width of isAll ? [390, 1440] : [390]) {
          yield* does(() => page.setViewportSize({ width, height: 844 }))
          for (const { complete, path } of [...allViews, mistyped]) {
            const since = yield* timeOf(tab)
            yield* goes(tab, path)
            yield* finds(tab, complete)
            yield* stays(tab, `${path} at ${width} px`, since)
          }
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
        const tab = yield* fresh
        yield* answers(tab, "**/balance", () => undefined)
        yield* answers(tab, "**/history", () => undefined)
        for (const path of [`#/${wallet}`, `#/history/${wallet}`]) {
          yield* goes(tab, path)
          yield* finds(tab, ".skeleton")
          const text = yield* does(() => tab.page.locator("main").textContent())
          assert.notMatch(text ?? "", /[$€]\s*0|\b0[.,]00/, path)
          yield* fits(tab, `loading ${path}`)
        }
        yield* answers(tab, data, () => undefined)
        for (const { path } of [views.home, views.coin, views.network, views.status, ...otherViews.slice(1)]) {
          yield* goes(tab, path)
          // Without the networks that the page knows.
          if (path === networks.path) yield* does(() => tab.page.reload())
          yield* finds(tab, ".view .skeleton")
          const text = yield* does(() => tab.page.locator("main").textContent())
          assert.notMatch(text ?? "", /[$€]\s*0|\b0[.,]00/, path)
          yield* fits(tab, `loading ${path}`)
        }
        return tab
      })
    )

    tour(
      "finds empty addresses said to be empty",
      Effect.gen(function* () {
        const tab = yield* fresh
        yield* answersRows(tab, () => ({ balance: "0", balanceUsd: "0" }))
        yield* answersHistories(tab, () => true, { complete: true, missing: [] })
        yield* goes(tab, `#/history/${addresses[0]}`)
        yield* finds(tab, ".empty", "No transactions.")
        yield* fits(tab, "an empty history")
        yield* goes(tab, `#/${addresses[0]}`)
        yield* finds(tab, ".empty", /^These addresses hold nothing yet, on 1 network\.$/)
        yield* finds(tab, ".total", "$0.00")
        yield* finds(tab, ".progress", "Updated at")
        assert.strictEqual(yield* does(() => tab.page.getByRole("button", { name: /small holding/ }).count()), 0)
        yield* fits(tab, "an empty portfolio")
        const nothing = [
          ["#/nonsense", ".remarks", "fits no network"],
          ["#/coin/nonsense", ".empty", "No source has prices"],
          ["#/network/nonsense", ".problem", "does not exist"],
          ["#/status/nonsense", ".problem", "does not exist"]
        ] as const
        for (const [path, selector, text] of nothing) {
          yield* goes(tab, path)
          yield* finds(tab, selector, text)
          yield* fits(tab, path)
        }
        return tab
      })
    )

    tour(
      "finds that failed balances are not said to be nothing, and when to try again",
      Effect.gen(function* () {
        const tab = yield* fresh
        const problem = { status: 429, type: "urn:problem-type:too-many", detail: "Too many requests." }
        const limited = { status: 429, headers: { "retry-after": "30" }, contentType: "application/problem+json" }
        const failures = [
          [(route: Route) => route.abort(), "The service cannot be reached: the connection failed."],
          [(route: Route) => route.fulfill({ status: 503 }), ""],
          [
            (route: Route) => route.fulfill({ ...limited, body: JSON.stringify(problem) }),
            "Too many requests. Try again in 30 s."
          ]
        ] as const
        for (const [answer, text] of failures) {
          yield* answers(tab, "**/balance", answer)
          yield* goes(tab, "#/")
          yield* goes(tab, `#/${addresses[0]}`)
          yield* finds(tab, ".empty", `No balance could be loaded. ${text}`.trim())
          yield* finds(tab, ".total", "not known")
          assert.strictEqual(yield* does(() => tab.page.locator(".progress").textContent()), "")
          yield* does(() => tab.page.getByRole("button", { name: "Retry 1 address" }).waitFor())
          yield* fits(tab, "failed balances")
        }
        yield* does(() => tab.page.unroute("**/balance"))
        yield* does(() => tab.page.getByRole("button", { name: "Retry 1 address" }).press("Enter"))
        yield* finds(tab, ".group")
        yield* finds(tab, ".progress", "Updated at")
        yield* does(() => tab.page.getByLabel("Filter").fill("zzz"))
        yield* finds(tab, ".empty", /^Nothing matches “zzz”\.$/)
        yield* fits(tab, "a filter without matches")
        const few = "All of these holdings are small."
        const unsure = "No holding is known, though there may be some: not every balance could be loaded."
        for (const [change, failures, text] of [
          [{ balance: "1", balanceUsd: "0.5" }, 0, few],
          [{ balance: "0", balanceUsd: "0" }, 1, unsure]
        ] as const) {
          yield* answersRows(tab, () => change, failures)
          yield* goes(tab, "#/")
          yield* goes(tab, `#/${addresses[0]}`)
          yield* finds(tab, ".empty", text)
          assert.strictEqual(yield* does(() => tab.page.locator(".empty").textContent()), text)
        }
        yield* answers(tab, "**/history", (route) => route.abort())
        yield* goes(tab, `#/history/${addresses[0]}`)
        const none = "No activity could be loaded. The service cannot be reached: the connection failed."
        yield* finds(tab, ".empty", none)
        yield* does(() => tab.page.getByRole("button", { name: "Retry" }).waitFor())
        yield* fits(tab, "a failed history")
        return tab
      })
    )

    tour(
      "finds unknown values in their place, with the reason one tap away",
      Effect.gen(function* () {
        const tab = yield* fresh
        const { page } = tab
        const unknown = {
          balance: null,
          balanceUsd: null,
          error: "litecoin-esplora timed out",
          errorCode: "timeout",
          lastKnown: { balance: "7", balanceUsd: "700", at: Date.now() - 7_200_000 }
        }
        yield* answersRows(tab, (network) => (network === "litecoin" ? unknown : {}))
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
        yield* changes(tab, "**/price/coin?*", (key, value) => (/^price/.test(key) ? null : value))
        yield* answers(tab, "**/price/market_chart?*", (route) => route.fulfill({ status: 400, json: {} }))
        const noFee = { error: "bitcoin-blockbook timed out", errorCode: "timeout" }
        yield* changes(tab, "**/utils/fees/*", (key, value) => {
          if (/^transferFee|^satPer/.test(key)) return null
          return /^(slow|standard|fast)$/.test(key) ? { ...(value as object), ...noFee } : value
        })
        yield* changes(tab, "**/networks", (key, value) =>
          key === "balance" ? { available: false, upstreams: [{ name: "any-rpc", state: "down" }] } : value
        )
        yield* answersHistories(tab, (network) => network !== "litecoin", { complete: false, missing: ["tokens"] })
        const unknowns = [
          [views.activity.path, ".problems", "1 history could not be loaded."],
          ["#/coin", ".coin-row .number", "not known"],
          ["#/coin/bitcoin", ".coin-head .total", "not known"],
          [views.network.path, ".fees .missing", "bitcoin-blockbook timed out"],
          ["#/", ".live .coin-row .number", "not known"],
          ["#/status", ".readiness", /\d+ features fail/]
        ] as const
        for (const [path, selector, text] of unknowns) {
          yield* goes(tab, path)
          yield* finds(tab, selector, text)
          yield* fits(tab, `unknown values, ${path}`)
        }
        return tab
      })
    )

    tour(
      "finds the reason in every view while the service cannot be reached, and the data afterwards",
      Effect.gen(function* () {
        const tab = yield* fresh
        yield* finds(tab, ".live .spark path")
        yield* answers(tab, data, (route) => route.abort())
        for (const { path } of [...Object.values(views).slice(1), views.home, ...otherViews.slice(1)]) {
          yield* goes(tab, path)
          // Without the networks that the page knows.
          if (path === networks.path) yield* does(() => tab.page.reload())
          yield* finds(tab, "main", "The service cannot be reached")
          yield* fits(tab, `without service, ${path}`)
        }
        yield* goes(tab, views.activity.path)
        yield* finds(tab, "main", "3 histories could not be loaded.")
        yield* does(() => tab.page.unroute(data))
        yield* does(() => tab.page.getByRole("button", { name: "Retry" }).press("Enter"))
        yield* finds(tab, ".entry")
        yield* goes(tab, views.portfolio.path)
        yield* finds(tab, ".group")
        return tab
      })
    )

    tour(
      "finds hostile names within the screen",
      Effect.gen(function* () {
        const tab = yield* fresh
        yield* answers(tab, "**/address/*", (route) => route.fulfill({ json: fitting(route.request().url()) }))
        yield* answers(tab, "**/balance", (route) => route.fulfill(hostile(route.request().postDataJSON(), 3)))
        yield* answers(tab, "**/history", (route) => route.fulfill(hostileHistory))
        yield* goes(tab, "#/0x57a46e5757a46e5757a46e5757a46e5757a46e57")
        yield* finds(tab, ".group")
        yield* does(() => tab.page.locator(".group > summary").first().press("Enter"))
        yield* fits(tab, "hostile names")
        yield* goes(tab, "#/history/0x57a46e5757a46e5757a46e5757a46e5757a46e57")
        yield* does(() => tab.page.locator(".folded > summary").press("Enter"))
        yield* does(() => tab.page.locator(".entry > summary").press("Enter"))
        yield* fits(tab, "a hostile history")
        const attack = `<img src=x onerror=alert(1)>${"W".repeat(500)}\u202e`
        const isText = /^(name|symbol|description|error|reason|kind|message|detail|url|lastFailure)$/
        for (const url of ["**/networks", "**/health/ready", "**/price/coin?*", "**/utils/fees/*"])
          yield* changes(tab, url, (key, value) => (isText.test(key) && typeof value === "string" ? attack : value))
        yield* does(() => tab.page.reload())
        for (const { complete, path } of allViews.filter(({ path }) => !path.includes(wallet))) {
          yield* goes(tab, path)
          yield* finds(tab, complete)
          yield* fits(tab, `hostile names, ${path}`)
        }
        assert.strictEqual(yield* does(() => tab.page.locator("img:not([src^='/icon/'])").count()), 0)
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
        yield* finds(tab, ".holding a[href^='#/coin/']")
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
