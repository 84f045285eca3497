import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as World from "../../src/sandbox/world/World.ts"
import { Browser, listening } from "../support/browser.ts"
import { isMissing } from "../support/tools.ts"
import { layoutFaults } from "./layout.ts"
import { does } from "./steps.ts"

const holder = World.airdropped("ethereum") ?? ""

describe.skipIf(isMissing("chromium"))("the tokens that no list has", () => {
  layer(Browser.layer, { excludeTestServices: true })((it) => {
    it.scoped("are read when they are opened, suspicious ones are folded, and a token says what its contract is", () =>
      Effect.gen(function* () {
        const url = yield* listening({})
        const { faults, page, violations } = yield* (yield* Browser).open(url, `/#/${holder}`, {
          reducedMotion: "reduce",
          viewport: { width: 390, height: 844 }
        })
        const requested: Array<string> = []
        page.on("request", (request) => requested.push(new URL(request.url()).pathname))
        const text = (selector: string) =>
          Effect.map(
            does(() => page.locator(selector).textContent()),
            (found) => found ?? ""
          )
        const tokens = ".unlisted > .rows > .row"
        yield* does(() => page.getByText("Tokens that are in no list").click())
        yield* does(() => page.locator(tokens).first().waitFor())
        assert.match(yield* text(".unlisted > .rows"), /Harbour Token/)
        assert.notMatch(yield* text(".unlisted > .rows"), /claim/)
        const before = requested.length
        yield* does(() => page.locator(`${tokens} > summary`).first().click())
        yield* does(() => page.locator(`${tokens} dl dt`).first().waitFor())
        assert.deepStrictEqual(
          requested.slice(before).map((path) => path.split("/")[1]),
          ["token"]
        )
        assert.match(yield* text(`${tokens}[open]`), /It is in no token list\..*ERC-20/)
        yield* does(() => page.locator(".unlisted .folded > summary").click())
        assert.match(yield* text(".unlisted .folded"), /look like frauds.*Visit usdt-claim\.example/)
        assert.deepStrictEqual(yield* violations, [])
        assert.deepStrictEqual(yield* does(() => page.evaluate(layoutFaults)), [])
        assert.deepStrictEqual(faults, [])
      })
    )
  })
})
