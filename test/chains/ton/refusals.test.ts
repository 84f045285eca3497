import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { contextsOf } from "../../../src/chains/ton/context.ts"
import { readingsOf } from "../../../src/chains/ton/holdings.ts"
import type { TonProvider } from "../../../src/chains/ton/Provider.ts"
import * as TonApi from "../../../src/chains/ton/providers/tonapi/TonApi.ts"
import * as Toncenter from "../../../src/chains/ton/providers/toncenter/Toncenter.ts"
import { json, type Reply, refused, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { adapterNeeds, addresses, calls, elector, holder, metadata, states, toncenter, usdt, wallets } from "./ton.ts"

const reading = Effect.fnUntraced(function* (
  make: typeof Toncenter.make | typeof TonApi.make,
  hosts: Parameters<typeof adapterNeeds>[0]
) {
  const { requests, layer } = adapterNeeds(hosts)
  const provider: TonProvider = yield* Effect.provide(make, layer)
  const [result] = yield* settled(readingsOf([provider], [holder], true))
  const { jettons, native, unread } = result ?? assert.fail("no result")
  const all = Either.all({ native, jettons: unread === undefined ? Either.right(jettons) : Either.left(unread) })
  return {
    result: Either.mapLeft(all, ({ reason }): string => reason),
    calls: calls(requests)
  }
})

const fine = json(states({ [holder]: "1" }))
const none = json(wallets([]))
const other = addresses(1)[0] ?? ""

/** Replies that make a read fail, and the expected reason. They apply to both calls. */
const failingReplies: Readonly<Record<string, readonly [Reply, string]>> = {
  "a rate limit": [json({ ok: false, result: "Ratelimit exceed", code: 429 }, { status: 429 }), "rate_limited"],
  "a rate limit with HTTP 200": [json({ ok: false, result: "Ratelimit exceed", code: 429 }), "rate_limited"],
  "a rate limit that only the code shows": [json({ ok: false, error: "slow down", code: 429 }), "rate_limited"],
  "a rate limit that only the text shows": [json({ error: "Rate limit exceeded" }), "rate_limited"],
  "an HTML page with a rate limit": [text("<html>429</html>", { status: 429 }), "rate_limited"],
  "an error with HTTP 200": [json({ ok: false, error: "LITE_SERVER_UNKNOWN", code: 500 }), "upstream_error"],
  "an error without a code": [json({ ok: false, error: "no" }), "upstream_error"],
  "an error of the indexer": [json({ error: "timeout: context canceled" }, { status: 500 }), "upstream_error"],
  "an error of the indexer with HTTP 200": [json({ error: "timeout", code: 500 }), "upstream_error"],
  "a rejected request": [json({ error: "maximum 1000 addresses allowed" }, { status: 422 }), "upstream_error"],
  "a refused API key": [
    json({ ok: false, error: "API key does not exist", code: 401 }, { status: 401 }),
    "upstream_error"
  ],
  "an HTML page": [text("<html>welcome</html>"), "bad_answer"],
  "an HTML page of a gateway": [text("<html>502 Bad Gateway</html>", { status: 502 }), "upstream_error"],
  "an unknown route": [text("Cannot GET /", { status: 404 }), "upstream_error"],
  "an empty body": [text(""), "bad_answer"],
  "another format": [json({ result: [] }), "bad_answer"],
  "a list": [json([]), "bad_answer"],
  "no response because the connection is refused": [refused, "upstream_error"]
}

const row = { owner: holder, jetton: usdt, balance: "7" }

const ofStates: Readonly<Record<string, unknown>> = {
  "balances as numbers": { accounts: [{ address: holder, balance: 5, status: "active" }] },
  "a negative balance": states({ [holder]: "-1" }),
  "a broken balance": states({ [holder]: "1.5" }),
  "an account without a balance": { accounts: [{ address: holder, balance: null, status: "active" }] },
  "accounts that were not requested": states({ [other]: "5" }),
  "accounts without an address": states({ "": "5" }),
  "no accounts at all": { accounts: [], address_book: {} },
  "an elector without a coin": states({ [elector]: "0" })
}

const ofWallets: Readonly<Record<string, unknown>> = {
  "owners that were not requested": wallets([{ ...row, owner: other }]),
  "wallets without a jetton": { jetton_wallets: [{ owner: holder, balance: "7" }] }
}

describe("a read from TON Center", () => {
  for (const [name, [reply, reason]] of Object.entries(failingReplies))
    it(`that returns ${name} fails with ${reason}`, function* () {
      for (const routes of [
        { accountStates: reply, "jetton/wallets": none },
        { accountStates: fine, "jetton/wallets": reply }
      ]) {
        const { result } = yield* reading(Toncenter.make, { "toncenter.test": toncenter(routes) })
        assert.deepStrictEqual(result, Either.left(reason))
      }
    })

  for (const [name, body] of Object.entries(ofStates))
    it(`that returns ${name} fails with bad_answer`, function* () {
      const routes = { accountStates: json(body), "jetton/wallets": none }
      const { result } = yield* reading(Toncenter.make, { "toncenter.test": toncenter(routes) })
      assert.deepStrictEqual(result, Either.left("bad_answer"))
    })

  for (const [name, body] of Object.entries(ofWallets))
    it(`that returns ${name} fails with bad_answer`, function* () {
      const routes = { accountStates: fine, "jetton/wallets": json(body) }
      const { result } = yield* reading(Toncenter.make, { "toncenter.test": toncenter(routes) })
      assert.deepStrictEqual(result, Either.left("bad_answer"))
    })

  it("returns the balances whatever the metadata of a jetton contains", function* () {
    for (const odd of [null, 5, "text", [], metadata(null), { token_info: {} }]) {
      const body = wallets([row], { [usdt.toUpperCase()]: odd, nonsense: odd })
      const routes = { accountStates: fine, "jetton/wallets": json(body) }
      const { result } = yield* reading(Toncenter.make, { "toncenter.test": toncenter(routes) })
      assert.deepStrictEqual(
        result,
        Either.right({ native: 1n, jettons: new Map([[usdt, { amount: 7n, decimals: undefined }]]) })
      )
    }
  })

  it("sends the operator's key, and every address in user-friendly form", function* () {
    const { requests, layer } = adapterNeeds(
      { "toncenter.test": toncenter({ accountStates: fine, "jetton/wallets": none }) },
      { tokens: undefined, environment: { TONCENTER_API_KEY: "a-secret-key" } }
    )
    const provider = yield* Effect.provide(Toncenter.make, layer)
    yield* settled(readingsOf([provider], [holder], true))
    assert.deepStrictEqual(
      requests.map(({ headers }) => headers["x-api-key"]),
      ["a-secret-key", "a-secret-key", "a-secret-key"]
    )
    const queries = requests.map(({ url }) => `${url.pathname}${url.search}`).sort()
    assert.deepStrictEqual(queries, [
      "/api/v3/accountStates?address=EQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXzyiQ&address=Ef8zMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzMzM0vF&include_boc=false",
      "/api/v3/jetton/wallets?owner_address=EQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXzyiQ&limit=1000&offset=0",
      "/api/v3/masterchainInfo"
    ])
  })
})

describe("TonAPI", () => {
  const answers = (bulk: Reply, jettons: Reply) => ({
    "tonapi.test": ({ url }: { readonly url: URL }) => (url.pathname === "/v2/accounts/_bulk" ? bulk : jettons)
  })
  const account = json({ accounts: [{ address: holder, balance: 1 }] })
  const nothing = json({ balances: [] })

  const faults: Readonly<Record<string, readonly [Reply, string]>> = {
    "a rate limit": [json({ error: "rate limit: free tier" }, { status: 429 }), "rate_limited"],
    "an error": [json({ error: "internal error" }, { status: 500 }), "upstream_error"],
    "an unknown route": [text("<html>Not Found</html>", { status: 404 }), "upstream_error"],
    "an HTML page": [text("<html>welcome</html>"), "bad_answer"],
    "another format": [json({ accounts: {}, balances: {} }), "bad_answer"],
    "a fraction": [json({ accounts: [{ address: holder, balance: 1.5 }] }), "bad_answer"],
    "a negative number": [json({ accounts: [{ address: holder, balance: -1 }] }), "bad_answer"],
    "another account": [json({ accounts: [{ address: other, balance: 1 }] }), "bad_answer"]
  }
  for (const [name, [reply, reason]] of Object.entries(faults))
    it(`that returns ${name} fails with ${reason}`, function* () {
      for (const hosts of [answers(reply, nothing), answers(account, reply)])
        assert.deepStrictEqual((yield* reading(TonApi.make, hosts)).result, Either.left(reason))
    })

  it("returns the reason why the seqno of a wallet could not be read", function* () {
    const wallet = { address: holder, balance: 1, status: "active", interfaces: ["wallet_v4r2"] }
    const hosts = answers(json({ accounts: [wallet] }), json({ error: "unauthorized" }, { status: 401 }))
    const { layer } = adapterNeeds(hosts)
    const provider: TonProvider = yield* Effect.provide(TonApi.make, layer)
    const [context] = yield* settled(contextsOf([provider], [holder]))
    const error = yield* Effect.flip(context ?? Effect.die("no context"))
    assert.deepInclude(error, { reason: "upstream_error", upstream: "tonapi", status: 401 })
  })
})
