import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Browser, listening } from "../support/browser.ts"
import { isMissing } from "../support/tools.ts"
import { does, finds } from "./steps.ts"
import { addresses } from "./views.ts"

const evm = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const [bitcoin] = addresses
const hash = "5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"

/** Entered texts and the addresses that they open. */
const opening = [
  [`bitcoin:${bitcoin}?amount=0.1`, bitcoin],
  [`ethereum:${evm}@1?value=1`, evm],
  [`eip155:1:${evm}`, evm],
  [`eth:${evm}`, `eth:${evm}`],
  ["solana:9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM?amount=1", "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"],
  [`https://mempool.space/address/${bitcoin}`, bitcoin]
] as const

/** Entered texts that stay in the field, and the reasons. */
const staying = [
  ["vitalik.eth", "vitalik.eth: names are not supported yet: enter the address."],
  ["https://example.com/about", "a link or a request without an address."],
  [evm.slice(0, 40), "fits no network: an address has 40 hexadecimal digits after 0x, not 38: some may be missing."],
  [`${bitcoin}q`, "fits no network: its checksum is wrong: a character may be mistyped or missing."],
  ["hello-world", "fits no network: it may be mistyped, or of a network that this service does not have."]
] as const

describe.skipIf(isMissing("chromium"))("the field for addresses", () => {
  layer(Browser.layer, { excludeTestServices: true })((it) => {
    it.scoped(
      "understands what people paste, and keeps what fits nothing with the reason",
      () =>
        Effect.gen(function* () {
          const url = yield* listening()
          const tab = yield* (yield* Browser).open(url, "/", { reducedMotion: "reduce" })
          const { page, violations } = tab
          yield* finds(tab, ".live .spark path")
          const looked: Array<string> = []
          page.on("request", (request) => {
            if (request.url().includes("/address/")) looked.push(decodeURIComponent(request.url()))
          })
          const enters = (text: string) =>
            does(async () => {
              await page.locator("#addresses").fill(text)
              await page.locator("#addresses").press("Enter")
            })
          const starts = Effect.gen(function* () {
            yield* does(() => page.evaluate('location.hash = "#/"'))
            yield* finds(tab, ".hero #addresses")
          })
          for (const [text, reason] of staying) {
            yield* enters(text)
            yield* finds(tab, ".addresses .problem", reason)
            assert.strictEqual(page.url(), `${url}/`, text)
            assert.strictEqual(yield* does(() => page.locator("#addresses").inputValue()), text)
          }
          yield* does(() => page.setViewportSize({ width: 320, height: 844 }))
          assert.strictEqual(yield* does(() => page.evaluate("document.documentElement.scrollWidth")), 320)
          assert.deepStrictEqual(yield* violations, [])
          for (const part of ["vitalik", "etherscan", "example", hash])
            assert.isEmpty(looked.filter((request) => request.includes(part)))
          for (const [text, address] of opening) {
            yield* enters(text)
            yield* finds(tab, ".wallet-line")
            assert.strictEqual(page.url(), `${url}/#/${encodeURIComponent(address)}`, text)
            yield* starts
            // As a part of the URL, plain or encoded.
            for (const [view, written] of [
              ["", text],
              ["history/", encodeURIComponent(text)]
            ] as const) {
              yield* does(() => page.evaluate(`location.hash = ${JSON.stringify(`#/${view}${written}`)}`))
              yield* finds(tab, ".wallet-line")
              assert.strictEqual(decodeURIComponent(page.url()), `${url}/#/${view}${address}`, text)
            }
            yield* starts
          }
          for (const [text, id] of [
            ["BTC", "bitcoin"],
            ["usdc", "usd-coin"]
          ] as const) {
            yield* enters(text)
            yield* finds(tab, ".coin-head")
            assert.strictEqual(page.url(), `${url}/#/coin/${id}`)
            yield* starts
          }
          yield* enters(`https://etherscan.io/tx/0x${hash} vitalik.eth`)
          yield* finds(tab, ".addresses .problem", "a transaction: enter it alone to open it.")
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )

    it.scoped(
      "recognises a text that is being typed, and sends no beginning of a key",
      () =>
        Effect.gen(function* () {
          const url = yield* listening()
          const tab = yield* (yield* Browser).open(url, "/", { reducedMotion: "reduce" })
          const { page } = tab
          yield* finds(tab, ".live .spark path")
          const looked: Array<string> = []
          page.on("request", (request) => {
            if (request.url().includes("/address/")) looked.push(decodeURIComponent(request.url()))
          })
          const field = page.locator("#addresses")
          const help = (text: string) => finds(tab, "#addresses-help", text)
          for (const [text, says] of [
            [bitcoin, "Bitcoin"],
            ["vitalik.eth", "names are not supported yet"],
            ["usdt", "Coin: Tether"]
          ] as const) {
            yield* does(() => field.fill(text))
            yield* help(says)
          }
          assert.lengthOf(looked, 1)
          // The beginnings of private keys have the form of an address.
          for (const beginning of [`0x${hash.slice(0, 40)}`, "K3x9QmZ7RtUvWy2Ap4Bs6Cd8Ef1Gh5JkLn"]) {
            yield* does(() => field.fill(beginning))
            yield* help("One or more addresses")
          }
          yield* does(() => field.fill("toly.sol"))
          yield* help("names are not supported yet")
          assert.lengthOf(looked, 1)
          assert.deepStrictEqual(tab.faults, [])
        }),
      600_000
    )
  })
})
