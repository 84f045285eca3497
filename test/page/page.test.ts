import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { assert, describe, layer } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"
import { Browser, listening, type Tab } from "../support/browser.ts"
import { holder } from "../support/sandbox.ts"
import { isMissing } from "../support/tools.ts"
import { fitting, hostile, hostileHistory } from "./hostile.ts"
import {
  does,
  finds,
  loadsMore,
  looksAtNetwork,
  meetsHostileParts,
  opensDetails,
  readsReference,
  savesFile,
  stays,
  timeOf
} from "./steps.ts"

const bitcoin = "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"
const litecoin = "ltc1qpm594ntjq6ayqjngf6t9td2dxtey9d7985eept"

/** The sandbox, where Bitcoin responds only after the gate opens, and Litecoin is unreachable while it is broken. */
const world = Effect.gen(function* () {
  const gate = yield* Deferred.make<void>()
  const state = { isBroken: true }
  const upstreams = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, (others) =>
      FetchClient.client((request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          if (name.startsWith("bitcoin-")) return Effect.zipRight(Deferred.await(gate), others.execute(request))
          return name.startsWith("litecoin-") && state.isBroken
            ? new HttpClientError.RequestError({ request, reason: "Transport" })
            : others.execute(request)
        })
      )
    )
  ).pipe(Layer.provide(Sandbox.layer(Catalogue.all)))
  return { gate, state, upstreams }
})

/** Limit for hangs, ms. Each step of a journey has its own limit, but a sequence of steps has no limit. */
const timeout = 600_000

const textOf = ({ page }: Tab, selector: string) =>
  Effect.map(
    does(() => page.locator(selector).first().textContent()),
    (text) => text ?? ""
  )

const counts = ({ page }: Tab, selector: string) => does(() => page.locator(selector).count())

const rows = ".group"

/** Replaces the addresses by those in the text, by keyboard. */
const enters = ({ page }: Tab, text: string) =>
  does(async () => {
    const edit = page.getByRole("button", { name: "Edit" })
    if (await edit.isVisible()) await edit.press("Enter")
    const field = page.getByLabel("Addresses", { exact: true })
    const before = await page.locator(".chip").count()
    for (let chip = 0; chip < before; chip++) await field.press("Backspace")
    await field.fill(text)
    await field.press("Enter")
  })

/** Opens the row that starts with this text. */
const opensRow = ({ page }: Tab, hasText: string | RegExp) =>
  does(() => page.locator(`${rows} > summary`, { hasText }).first().press("Enter"))

const still = { reducedMotion: "reduce" } as const

const narrowAndDark = { ...still, colorScheme: "dark", viewport: { width: 360, height: 740 } } as const

const portfolioPath = `/#/${bitcoin},${litecoin},${holder(1)}`

/** URLs of two services for all tests of this file: one without API keys, and one that requires a key. */
class Services extends Context.Tag("test/page/Services")<
  Services,
  { readonly open: string; readonly withKey: string }
>() {
  static readonly layer = Layer.scoped(
    Services,
    Effect.all({ open: listening(), withKey: listening({ API_KEYS: "the-right-key-of-a-test" }) })
  )
}

/** A new tab at a path of the service without API keys. */
const opened = (path: string, options: Parameters<Browser["Type"]["open"]>[2] = still) =>
  Effect.gen(function* () {
    const { open } = yield* Services
    return yield* (yield* Browser).open(open, path, options)
  })

const portfolio = (options: Parameters<Browser["Type"]["open"]>[2] = still) =>
  Effect.tap(opened(portfolioPath, options), (tab) => finds(tab, "[role=status]", /^Done: \d+ holdings/))

const enterKey = ({ page }: Tab, key: string) =>
  does(async () => {
    await page.getByLabel("API key", { exact: true }).fill(key)
    await page.keyboard.press("Enter")
  })

/** Checks accessibility in a light wide view, then in a dark narrow view. */
const readable = ({ page, violations }: Tab) =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* violations, [])
    yield* does(() => page.emulateMedia({ colorScheme: "dark" }))
    yield* does(() => page.setViewportSize({ width: 360, height: 740 }))
    assert.deepStrictEqual(yield* violations, [])
    assert.strictEqual(yield* does(() => page.evaluate("document.documentElement.scrollWidth")), 360)
  })

describe.skipIf(isMissing("chromium"))("the page in a browser", () => {
  layer(Layer.merge(Browser.layer, Services.layer), { excludeTestServices: true })((it) => {
    /** A test whose tab must have no faults at the end. */
    const journey = (name: string, use: Effect.Effect<Tab, unknown, Browser | Services | Scope.Scope>) =>
      it.scoped(name, () => Effect.map(use, ({ faults }) => assert.deepStrictEqual(faults, [])), timeout)

    journey(
      "shows balances as networks respond, and retries failed networks",
      Effect.gen(function* () {
        const { gate, state, upstreams } = yield* world
        const url = yield* listening({}, upstreams)
        const tab = yield* (yield* Browser).open(url, "/", { ...still, colorScheme: "light" })
        const { page } = tab
        yield* does(() => page.getByRole("button", { name: "Show", exact: true }).click())
        yield* finds(tab, "[role=alert]", "Enter at least one address.")
        yield* enters(tab, `${bitcoin};\n"${litecoin}", ${holder(1)} nonsense`)

        // Bitcoin has not responded yet; all other networks have.
        yield* finds(tab, rows)
        yield* finds(tab, ".progress", "Waiting for Bitcoin")
        assert.match(yield* textOf(tab, ".total"), /^at least\s*\$[1-9]/)
        assert.match(yield* textOf(tab, ".remarks"), /nonsense fits no network/)
        const left = yield* timeOf(tab)
        yield* does(() => page.getByRole("link", { name: "Activity", exact: true }).click())
        yield* finds(tab, ".entry")
        yield* stays(tab, "the activity", left)
        yield* does(() => page.goBack())
        yield* finds(tab, rows)
        yield* finds(tab, ".progress", /Waiting for Bitcoin …$/)
        const waiting = yield* timeOf(tab)
        yield* Deferred.succeed(gate, undefined)
        yield* finds(tab, "[role=status]", /^Done: \d+ holdings on \d+ networks\.$/)
        yield* stays(tab, "late rows", waiting)
        assert.strictEqual(yield* counts(tab, ".progress progress"), 0)
        yield* finds(tab, rows, "BTC")

        const failed = page.locator(rows, { hasText: "Litecoin" })
        yield* opensRow(tab, "Litecoin")
        yield* finds(tab, rows, /Litecoin.*could not be reached/)
        yield* finds(tab, ".problems", "1 value could not be loaded")
        state.isBroken = false
        yield* does(() => page.locator(".problems > summary").press("Enter"))
        yield* does(() => page.getByRole("button", { name: "Retry 1 address" }).click())
        yield* does(() => failed.locator("data").first().waitFor())
        assert.notMatch((yield* does(() => failed.textContent())) ?? "", /could not be reached/)
        // The network that was shut down is no failure, but a remark.
        yield* does(() => page.locator(".problems").waitFor({ state: "detached" }))
        assert.match(yield* textOf(tab, ".total"), /^\$[1-9]/)
        assert.match(yield* textOf(tab, ".remarks"), /was shut down: balances there cannot be loaded/)

        // The route is a link; going back shows the first view, which remembers the wallet.
        const link = page.url()
        assert.include(link, `/#/${bitcoin},${litecoin},`)
        yield* does(() => page.goBack())
        yield* does(() => page.locator(rows).first().waitFor({ state: "detached" }))
        yield* finds(tab, ".recent", "bc1qrfr4…6fglqj")
        yield* does(() => page.getByRole("button", { name: "Forget all" }).click())
        assert.strictEqual(yield* counts(tab, ".recent"), 0)
        yield* does(() => page.goto(link))
        yield* finds(tab, rows, "BTC")
        return tab
      })
    )

    journey(
      "sorts, filters and copies",
      Effect.gen(function* () {
        const tab = yield* portfolio()
        const { page } = tab
        const names = () => does(() => page.locator(`${rows} .amount bdi`).allTextContents())
        const values = yield* does(() => page.locator(`${rows} .value`).allTextContents())
        const known = values.map((text) => Number(text.replace(/[^\d.]/g, "")))
        assert.deepStrictEqual(
          known,
          known.toSorted((a, b) => b - a)
        )
        yield* does(() => page.getByLabel("Sort by").selectOption("Name"))
        const sorted = yield* names()
        assert.deepStrictEqual(
          sorted,
          sorted.toSorted((a, b) => a.toLowerCase().localeCompare(b.toLowerCase()))
        )
        const all = yield* counts(tab, rows)
        yield* does(() => page.getByLabel("Filter").fill("litecoin"))
        yield* does(() => page.locator(rows).nth(1).waitFor({ state: "detached" }))
        assert.strictEqual(yield* counts(tab, rows), 1)
        yield* does(() => page.getByLabel("Filter").fill(""))
        yield* does(() => page.getByRole("button", { name: /^Show \d+ small holding/ }).click())
        yield* does(() => page.locator(rows).nth(all).waitFor())
        yield* does(() => page.getByRole("button", { name: "Networks", exact: true }).click())
        yield* finds(tab, rows, /^BIBitcoin1 asset/)
        yield* does(() => page.getByRole("button", { name: "Addresses", exact: true }).click())
        yield* finds(tab, rows, /bc1qrf…glqj1 network/)
        yield* does(() => page.getByRole("button", { name: "Assets", exact: true }).click())
        // An asset on several networks has a line for each, which opens its details; one on a single network has them open.
        const ether = page.locator(rows, { hasText: /^ETHEthereum/ })
        yield* opensRow(tab, /^ETHEthereum/)
        yield* does(() => ether.locator(".holding").nth(1).waitFor())
        assert.strictEqual(yield* does(() => ether.locator(".holding a").count()), 0)
        yield* does(() => ether.locator(".holding > details > summary").first().press("Enter"))
        yield* does(() => ether.locator(".holding a", { hasText: "Explorer" }).waitFor())
        const decimals = (yield* does(() => ether.locator(".numbers data").allTextContents())).map(
          (text) => text.split(".")[1]?.length
        )
        assert.strictEqual(new Set(decimals).size, 1, decimals.join())
        yield* opensRow(tab, /^ETHEthereum/)
        yield* opensRow(tab, /^BTCBitcoin/)
        const explorer = page.getByRole("link", { name: "at an explorer of Bitcoin" })
        assert.strictEqual(yield* does(() => explorer.getAttribute("href")), `https://mempool.space/address/${bitcoin}`)
        assert.strictEqual(yield* does(() => explorer.getAttribute("rel")), "noopener noreferrer")
        yield* does(() => page.context().grantPermissions(["clipboard-read", "clipboard-write"]))
        yield* does(() => page.getByRole("button", { name: /^Copy the address bc1/ }).click())
        yield* finds(tab, "[role=status]", /^Copied the address/)
        assert.strictEqual(yield* does(() => page.evaluate<string>("navigator.clipboard.readText()")), bitcoin)
        return tab
      })
    )

    journey(
      "shows the value over time and the breakdown of a balance",
      Effect.gen(function* () {
        const tab = yield* portfolio({ ...still, colorScheme: "light" })
        yield* opensDetails(tab)
        // Few rows, because the accessibility check is slow.
        yield* does(() => tab.page.getByLabel("Filter").fill("bitcoin"))
        yield* does(() => tab.page.locator(rows).nth(2).waitFor({ state: "detached" }))
        // The code of an own address is loaded when it is opened.
        yield* does(() => tab.page.getByRole("button", { name: "Receive" }).press("Enter"))
        yield* finds(tab, ".receive", /bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj.*Receives on: Bitcoin\./)
        yield* does(() => tab.page.getByRole("img", { name: "QR code of the address bc1qrfr4…6fglqj" }).waitFor())
        yield* does(() => tab.page.locator(".receive select").selectOption("1"))
        yield* finds(tab, ".receive", /ltc1qpm594.*Receives on: Litecoin\./)
        yield* readable(tab)
        return tab
      })
    )

    journey(
      "shows the data for signing on a network, in both themes",
      Effect.tap(portfolio(narrowAndDark), (tab) => Effect.zipRight(opensRow(tab, /^BTCBitcoin/), looksAtNetwork(tab)))
    )

    journey(
      "loads a history page by page and exports it",
      Effect.gen(function* () {
        const tab = yield* portfolio(narrowAndDark)
        yield* opensRow(tab, /^BTCBitcoin/)
        yield* loadsMore(tab, "Activity of bc1")
        yield* finds(tab, ".entry", "BTC")
        assert.deepStrictEqual(yield* tab.violations, [])
        yield* savesFile(tab, "link", bitcoin)
        return tab
      })
    )

    journey(
      "shows a chart in another currency",
      Effect.gen(function* () {
        const tab = yield* portfolio(narrowAndDark)
        const { page, violations } = tab
        yield* does(() => page.getByRole("button", { name: "Settings" }).press("Enter"))
        yield* does(() => page.getByLabel("Currency").selectOption("EUR"))
        yield* does(() => page.keyboard.press("Escape"))
        yield* finds(tab, ".totals", "€")
        yield* opensRow(tab, /^BTCBitcoin/)
        yield* does(() => page.getByRole("link", { name: "Chart of BTC" }).click())
        yield* finds(tab, "canvas")
        yield* finds(tab, "figcaption", /price €[1-9]/)
        // The field for a comparison suggests own holdings, and finds coins by their symbol.
        yield* does(() => page.locator("#coin").focus())
        yield* finds(tab, "[role=option]", "Litecoin")
        yield* does(() => page.locator("#coin").fill("ltc"))
        yield* does(() => page.keyboard.press("ArrowDown"))
        yield* finds(tab, "[role=option][aria-selected=true]", "LTC")
        assert.deepStrictEqual(yield* violations, [])
        yield* does(() => page.keyboard.press("Enter"))
        yield* finds(tab, ".compared", "litecoin")
        assert.isTrue(page.url().endsWith("#/coin/bitcoin,litecoin"))
        yield* does(() => page.goBack())
        yield* finds(tab, "figcaption", /price €[1-9]/)
        yield* does(() => page.getByRole("button", { name: "30 days" }).click())
        yield* does(() => page.getByRole("button", { name: "Candles" }).click())
        yield* finds(tab, "figcaption", /open \$[1-9].* close \$[1-9]/)
        const newest = yield* textOf(tab, "figcaption")
        yield* does(() => page.getByRole("slider").press("ArrowLeft"))
        yield* does(() => page.locator("figcaption").filter({ hasNotText: newest }).waitFor())
        assert.deepStrictEqual(yield* violations, [])
        yield* does(() => page.getByText(/^Table, \d+ rows$/).press("Enter"))
        yield* finds(tab, "details td", /^\$[1-9]/)
        assert.strictEqual(yield* does(() => page.evaluate("document.documentElement.scrollWidth")), 360)
        yield* does(() => page.goBack())
        yield* finds(tab, rows, "BTC")
        return tab
      })
    )

    journey(
      "prompts for an API key, and continues with an accepted key",
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open((yield* Services).withKey, `/#/${bitcoin}`, still)
        yield* finds(tab, "h1", "This service needs an API key")
        yield* stays(tab, "the prompt")
        assert.deepStrictEqual(yield* tab.violations, [])
        const gate = yield* Deferred.make<void>()
        const held = "**/price/currencies"
        yield* does(() =>
          tab.page.route(held, (route) => Effect.runPromise(Deferred.await(gate)).then(() => route.continue()))
        )
        yield* enterKey(tab, "a-wrong-key")
        yield* finds(tab, "[role=alert]", "The service does not accept this key.")
        yield* enterKey(tab, "the-right-key-of-a-test")
        yield* finds(tab, rows, "BTC")
        // A late rejection of the wrong key does not affect the right key.
        const late = tab.page.waitForResponse((response) => response.status() === 403)
        yield* Deferred.succeed(gate, undefined)
        yield* does(() => late)
        yield* does(() => tab.page.unroute(held))
        assert.strictEqual(yield* counts(tab, "form.key"), 0)
        yield* does(() => tab.page.reload())
        yield* finds(tab, rows, "BTC")
        yield* does(() => tab.page.getByRole("link", { name: "Activity", exact: true }).click())
        yield* savesFile(tab, "button", bitcoin)
        return tab
      })
    )

    journey(
      "shows the status and the API reference of a service that requires a key",
      Effect.gen(function* () {
        const tab = yield* (yield* Browser).open((yield* Services).withKey, "/#/status", {
          ...still,
          colorScheme: "light"
        })
        const { page } = tab
        yield* enterKey(tab, "the-right-key-of-a-test")
        yield* finds(tab, ".readiness", "The service is ready.")
        yield* does(() => page.locator("summary", { hasText: /Cardano\d feature/ }).press("Enter"))
        yield* finds(tab, ".abilities li", /^koios/)
        assert.isAbove(yield* counts(tab, ".upstreams tbody tr"), 20)
        yield* does(() => page.locator(".requests > summary").press("Enter"))
        yield* does(() => page.locator("summary", { hasText: "status.ready" }).press("Enter"))
        yield* finds(tab, ".requests pre", "YOUR_API_KEY")
        yield* finds(tab, ".requests pre", /^curl/)
        const shown = yield* textOf(tab, ".requests")
        assert.match(shown, /curl 'http:[^']*\/health\/ready'[^']*'x-api-key: YOUR_API_KEY'/)
        assert.match(shown, /client\.status\.ready\(\).*"status": "ready"/s)
        assert.notInclude(shown, "the-right-key-of-a-test")
        yield* readable(tab)
        yield* readsReference(tab)
        return tab
      })
    )

    /** A portfolio with this number of holdings, in which every text is an attack. */
    const strangers = (count: number) =>
      Effect.gen(function* () {
        const tab = yield* opened("/")
        const { page } = tab
        yield* does(() =>
          page.route("**/address/*", (route) => route.fulfill({ json: fitting(route.request().url()) }))
        )
        yield* does(() =>
          page.route("**/balance", (route) => route.fulfill(hostile(route.request().postDataJSON(), count)))
        )
        yield* enters(tab, "0x57a46e5757a46e5757a46e5757a46e5757a46e57")
        yield* finds(tab, "[role=status]", `Done: ${count} holdings on 1 network.`)
        return tab
      })

    journey(
      "shows hostile names as text, and many rows",
      Effect.gen(function* () {
        const tab = yield* strangers(260)
        const { page } = tab
        assert.strictEqual(yield* counts(tab, rows), 100)
        yield* does(() => page.getByRole("button", { name: "Show 100 more of 160" }).click())
        yield* does(() => page.getByRole("button", { name: "Show 60 more of 60" }).click())
        yield* does(() => page.locator(rows).nth(259).waitFor())
        assert.strictEqual(yield* textOf(tab, `${rows} .symbol`), "<img src=x onerror=alert(1)>…")
        assert.strictEqual(
          yield* counts(tab, "main img:not([src^='/icon/']), main script, main a[href^=javascript]"),
          0
        )
        assert.notInclude(yield* textOf(tab, rows), "\u202e")
        yield* does(() => page.locator(".requests > summary").press("Enter"))
        yield* does(() => page.locator("summary", { hasText: "balances.stream" }).press("Enter"))
        yield* finds(tab, ".requests pre", /"tokenName": "<img src=x onerror=alert\(1\)>\\u202e/)
        yield* finds(tab, ".requests figcaption", "the first 50 of 260 values")
        assert.strictEqual(yield* counts(tab, "main img:not([src^='/icon/']), main script"), 0)
        yield* enters(tab, Array.from({ length: 501 }, (_, index) => `a${index}.example`).join(" "))
        yield* finds(tab, "[role=alert]", "At most 500 addresses")
        return tab
      })
    )

    journey("shows hostile charts, fees and contexts as text", Effect.tap(strangers(3), meetsHostileParts))

    journey(
      "shows a hostile history as text",
      Effect.gen(function* () {
        const tab = yield* strangers(3)
        const { page } = tab
        yield* does(() => page.route("**/history", (route) => route.fulfill(hostileHistory)))
        yield* does(() => page.getByRole("link", { name: "Activity", exact: true }).click())
        yield* finds(tab, ".folded", "1 transaction hidden: its sender imitates an address that you have used.")
        yield* does(() => page.locator(".folded > summary").press("Enter"))
        yield* does(() => page.locator(".entry > summary").press("Enter"))
        yield* finds(tab, ".entry dd", "<img src")
        yield* finds(tab, ".entry dd", "25,900,000, 2 confirmations")
        yield* does(() => page.locator(".coverage > summary").press("Enter"))
        yield* finds(tab, ".coverage", "read back to")
        assert.strictEqual(
          yield* counts(tab, "main img:not([src^='/icon/']), main script, main a[href^=javascript]"),
          0
        )
        // A flagged address has no copy button; the hash and the own address have one.
        assert.strictEqual(yield* counts(tab, ".entry .parties button"), 0)
        assert.strictEqual(yield* counts(tab, ".entry .facts button"), 2)
        return tab
      })
    )

    journey(
      "removes an address by a key pressed as soon as the field for addresses is open",
      Effect.gen(function* () {
        const tab = yield* opened(`/#/${litecoin}`)
        yield* finds(tab, rows, "LTC")
        const left = yield* does(() =>
          tab.page.evaluate<number>(`(async () => {
            document.querySelector(".wallet-line > .quiet").click()
            while (document.querySelector("#addresses") === null) await undefined
            const key = new KeyboardEvent("keydown", { key: "Backspace", bubbles: true })
            document.querySelector("#addresses").dispatchEvent(key)
            await new Promise((drawn) => requestAnimationFrame(() => setTimeout(drawn)))
            return document.querySelectorAll(".chip").length
          })()`)
        )
        assert.strictEqual(left, 0)
        return tab
      })
    )

    journey(
      "says how old live data is while offline, and that a network fails and works again",
      Effect.gen(function* () {
        const tab = yield* opened("/")
        const { page } = tab
        yield* finds(tab, ".live .spark path")
        yield* finds(tab, ".live .detail", /^Block [\d,]+$/)
        yield* does(() => page.context().setOffline(true))
        yield* finds(tab, ".notices [role=alert]", "You are offline")
        yield* finds(tab, ".live section:first-child > .missing", /^Read (now|\d+ \w+ ago)\.$/)
        yield* finds(tab, ".live section:last-child > .missing", /^Read (now|\d+ \w+ ago)\.$/)
        yield* finds(tab, ".live .number .detail", /^(now|\d+ \w+ ago)$/)
        yield* does(() =>
          page.route("**/networks", async (route) => {
            const [first, ...others] = await (await route.fetch()).json()
            const balance = { available: false, upstreams: [{ name: "ethereum-rpc", state: "down" }] }
            await route.fulfill({ json: [{ ...first, abilities: { ...first.abilities, balance } }, ...others] })
          })
        )
        yield* does(() => page.context().setOffline(false))
        yield* finds(tab, ".notices", /^\s*Ethereum does not respond: its data may be out of date\.$/)
        yield* finds(tab, "[role=status]", "Ethereum does not respond")
        yield* does(() => page.locator(".live .missing").first().waitFor({ state: "detached" }))
        assert.deepStrictEqual(yield* tab.violations, [])
        yield* does(() => page.unroute("**/networks"))
        yield* does(() => page.context().setOffline(true))
        yield* does(() => page.context().setOffline(false))
        yield* finds(tab, ".notices .back", "Ethereum works again.")
        yield* stays(tab, "notices")
        yield* does(() => page.getByRole("button", { name: "Close the notice about Ethereum" }).press("Enter"))
        yield* does(() => page.locator(".notices").waitFor({ state: "detached" }))
        return tab
      })
    )

    journey(
      "says that the service cannot be reached, and retries",
      Effect.gen(function* () {
        const tab = yield* opened(`/#/${litecoin}`)
        const { page } = tab
        yield* finds(tab, rows, "LTC")
        yield* does(() => page.context().setOffline(true))
        yield* enters(tab, bitcoin)
        yield* finds(tab, ".remarks", "The service cannot be reached")
        yield* finds(tab, ".notices [role=alert]", "You are offline")
        yield* finds(tab, ".problems")
        assert.strictEqual(yield* counts(tab, ".totals"), 0)
        yield* does(() => page.context().setOffline(false))
        yield* does(() => page.locator(".notices").waitFor({ state: "detached" }))
        yield* does(() => page.locator(".problems > summary").press("Enter"))
        yield* does(() => page.getByRole("button", { name: "Retry 1 address" }).click())
        yield* finds(tab, rows, "BTC")
        yield* enters(tab, "nonsense")
        yield* finds(tab, ".addresses .problem", "nonsense: fits no network")
        yield* finds(tab, rows, "BTC")
        yield* does(() => page.evaluate('location.hash = "#/nonsense"'))
        yield* finds(tab, ".remarks", "nonsense fits no network")
        yield* does(() => page.locator(`.totals, ${rows}`).first().waitFor({ state: "detached" }))
        return tab
      })
    )
  })
})
