import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Ripple from "../../../src/chains/ripple/Ripple.ts"
import { chainOver } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { ledger } from "../../support/RippleNodes.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const issuer = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"

interface Account {
  readonly Flags: number
  readonly RegularKey?: string
}

/** Reads `USD` of an issuer with this account and these obligations, or an error for them. */
const read = Effect.fnUntraced(function* (
  account: Account | undefined,
  obligations: Readonly<Record<string, string>> | undefined | "error"
) {
  const answer = (method: string, now: number) => {
    if (method === "ledger") return { ...ledger, ledger: { close_time: Math.floor(now / 1000) - 946_684_800 } }
    if (account === undefined) return { error: "actNotFound", account: issuer }
    if (method === "account_info") return { account_data: { Account: issuer, ...account }, ...ledger }
    return obligations === "error" ? { error: "internal" } : { account: issuer, obligations, ...ledger }
  }
  const { layer } = EvmNodes.clientOver({
    "one.test": (body) =>
      Effect.clockWith((clock) =>
        Effect.succeed(
          Response.json({ result: answer((body as EvmNodes.RpcCall).method, clock.unsafeCurrentTimeMillis()) })
        )
      )
  })
  const { chain } = yield* chainOver(Ripple.layer, layer, {
    tokens: { xrp: [] },
    environment: { RIPPLE_RPC_URLS: "http://one.test" }
  })
  return yield* settled(Effect.either(chain.tokenFacts?.(`${issuer}.USD`) ?? Effect.die("no tokens")))
})

const facts = (...of: Parameters<typeof read>) =>
  Effect.map(read(...of), (found) => Option.getOrUndefined(Either.getOrThrow(found)))

const usd = {
  standard: "XRPL",
  name: "USD",
  symbol: "USD",
  decimals: 15,
  supply: 1_500_000_000_000_000n,
  powers: { freeze: true, take: false, "transfer-fee": true, pause: true, mint: true }
}
const owed = { USD: "1.5" }

describe("a token of the XRP Ledger", () => {
  it("has the supply that its issuer owes, and the powers of the issuer", function* () {
    assert.deepStrictEqual(yield* facts({ Flags: 0 }, owed), usd)
    assert.deepStrictEqual(yield* facts({ Flags: 0x8020_0000 }, owed), {
      ...usd,
      powers: { ...usd.powers, freeze: false, take: true }
    })
  })

  it("has more decimals if its supply needs them", function* () {
    assert.deepInclude(yield* facts({ Flags: 0 }, { USD: "15e-18" }), { decimals: 18, supply: 15n })
  })

  it("has unknown powers if the issuer has disabled its keys", function* () {
    const disabled = 0x0010_0000
    for (const RegularKey of [undefined, "rrrrrrrrrrrrrrrrrrrrBZbvji"]) {
      const found = yield* facts({ Flags: disabled, ...(RegularKey === undefined ? {} : { RegularKey }) }, owed)
      assert.deepStrictEqual(found?.powers, {
        freeze: null,
        take: false,
        "transfer-fee": null,
        pause: null,
        mint: null
      })
      assert.strictEqual(found?.unread?.reason, "not_listed")
    }
    assert.deepStrictEqual((yield* facts({ Flags: disabled, RegularKey: issuer }, owed))?.powers, usd.powers)
  })

  it("has an unknown supply if nodes refuse to add it up, and is no token if its issuer has no such obligation", function* () {
    const found = yield* facts({ Flags: 0 }, "error")
    assert.deepInclude(found, { supply: null, powers: usd.powers })
    assert.strictEqual(found?.unread?.reason, "upstream_error")
    assert.isUndefined(yield* facts({ Flags: 0 }, { EUR: "5" }))
    assert.isUndefined(yield* facts({ Flags: 0 }, undefined))
    assert.isUndefined(yield* facts(undefined, undefined))
  })
})
