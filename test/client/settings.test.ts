import { assert, describe, it } from "@effect/vitest"
import { make, WalletDataError } from "../../src/client/Client.ts"
import { failure } from "./failure.ts"

const base = "http://wallet.test"

/** The error that `make` throws. */
const refusal = (options: Parameters<typeof make>[0]): Error => {
  try {
    make(options)
  } catch (error) {
    if (error instanceof TypeError) return error
    throw error
  }
  throw new Error(`accepted: ${JSON.stringify(options)}`)
}

const shown = (error: Error) => `${error.message} ${error.stack} ${JSON.stringify({ ...error, cause: error.cause })}`

describe("a bad setting", () => {
  for (const baseUrl of [
    "127.0.0.1:9",
    "ftp://wallet.test",
    " http://wallet.test",
    "http://wallet .test",
    "http://user:PASSW@wallet.test",
    "http://wallet.test?PASSW",
    "http://wallet.test/#PASSW",
    "http://wallet.test:99999",
    "http://",
    "//wallet.test",
    undefined as unknown as string
  ])
    it(`is the base URL ${JSON.stringify(baseUrl)}`, () => {
      const error = refusal({ baseUrl })
      assert.match(error.message, /baseUrl/)
      assert.notInclude(shown(error), "PASSW")
      assert.notInclude(error.message, "wallet")
    })

  for (const apiKey of ["SECRET\nx", "SECRET\r\n", "SECRET ", "SECRÈT", "SECRET\u0000", ""])
    it(`is the key ${JSON.stringify(apiKey)}`, () => {
      const error = refusal({ baseUrl: base, apiKey })
      assert.match(error.message, /apiKey/)
      assert.notMatch(shown(error), /SECR/)
    })

  it("is a URL also in engines without URL.canParse", () => {
    const { canParse } = URL
    try {
      URL.canParse = undefined as never
      assert.match(refusal({ baseUrl: "http://wallet.test:99999" }).message, /baseUrl/)
      assert.isFunction(make({ baseUrl: base }).networks)
    } finally {
      URL.canParse = canParse
    }
  })

  it("is named, and its value is not", () => {
    for (const appName of ["", ".", "..", "a/b", "SECR\ud800", null as never, 5 as never])
      assert.match(refusal({ baseUrl: base, appName }).message, /^appName must be [^SECR]+$/)
    for (const name of ["timeout", "maxBytes", "retries", "retryDelay", "maxRetryDelay"] as const)
      for (const value of [Number.NaN, -7, "7" as never, {} as never])
        assert.strictEqual(refusal({ baseUrl: base, [name]: value }).message, `${name} must be a number of at least 0`)
    assert.match(refusal({ baseUrl: base, apiKey: null as never }).message, /^apiKey/)
    for (const options of [null, undefined] as never[]) assert.match(refusal(options).message, /^baseUrl must be/)
  })

  it("is none of these", () => {
    for (const baseUrl of [
      "",
      "/",
      "/below",
      `${base}/`,
      "HTTPS://Wallet.Test/a/b//",
      "http://[::1]:3000",
      "http://é.test"
    ])
      assert.strictEqual(typeof make({ baseUrl, apiKey: "Key-._~+/=!{}" }).networks, "function", baseUrl)
  })
})

describe("what could not leave", () => {
  const acts = [
    (client: ReturnType<typeof make>) => client.networks(),
    (client: ReturnType<typeof make>) => client.transactions.send({ network: "litecoin", transaction: "00" }),
    (client: ReturnType<typeof make>) => client.balances.stream({ networks: {} }).next()
  ]

  it("was not sent, is not tried again, and has a separate kind", async () => {
    for (const act of acts) {
      let attempts = 0
      const fetch = () => {
        attempts += 1
        throw new TypeError("no such protocol")
      }
      assert.deepInclude(await failure(act(make({ baseUrl: base, fetch, retryDelay: 0 }))), {
        kind: "invalid",
        mayHaveArrived: false,
        message: "The request could not be sent: no such protocol"
      })
      assert.strictEqual(attempts, 1)
    }
  })

  it("fails outside of a page, and in a page that has no origin", async () => {
    const page = globalThis as { location?: unknown }
    try {
      for (const location of [undefined, { protocol: "file:" }, { protocol: "blob:" }, { protocol: "about:" }]) {
        page.location = location
        for (const act of acts)
          assert.deepInclude(await failure(act(make({ baseUrl: "" }))), { kind: "invalid", mayHaveArrived: false })
      }
      page.location = { protocol: "https:" }
      const { kind } = await failure(make({ baseUrl: "", retries: 0 }).networks())
      assert.strictEqual(kind, "network")
    } finally {
      delete page.location
    }
  })

  it("includes a request to a port that fetch blocks", async () => {
    for (const act of acts) {
      let attempts = 0
      const fetch = () => {
        attempts += 1
        return Promise.reject(new TypeError("fetch failed", { cause: new Error("bad port") }))
      }
      assert.deepInclude(await failure(act(make({ baseUrl: base, fetch, retryDelay: 0 }))), {
        kind: "invalid",
        mayHaveArrived: false
      })
      assert.strictEqual(attempts, 1)
    }
  })
})

describe("an argument that is missing", () => {
  const none = null as never
  let attempts = 0
  const client = make({
    baseUrl: base,
    retryDelay: 0,
    fetch: async () => {
      attempts += 1
      return Response.json({})
    }
  })
  const networks = { ethereum: ["0x1"] }
  const acts: ReadonlyArray<() => PromiseLike<unknown>> = [
    ...[none, undefined as never].flatMap((absent) => [
      () => client.balances(absent),
      () => client.balances.token(absent),
      () => client.balances.stream(absent).next(),
      () => client.history(absent),
      () => client.history.stream(absent).next(),
      () => client.history.export(absent).next(),
      () => client.history.exportFile(absent),
      () => client.history.pages(absent).next(),
      () => client.portfolio.chart(absent),
      () => client.prices.coin(absent),
      () => client.prices.chain(absent),
      () => client.prices.marketChart(absent, 1),
      () => client.prices.nativeDetails(absent),
      () => client.prices.tokenDetails("ethereum", absent),
      () => client.nodes.rpc(absent, {} as never),
      () => client.nodes.rpc("base", absent),
      () => client.transactions.send(absent),
      () => client.transactions.byHash("base", absent),
      () => client.charts.item("bitcoin", absent),
      () => client.charts.list(absent, 1),
      () => client.fees(absent),
      () => client.blocks.newest(absent),
      () => client.addresses.lookUp(absent),
      () => client.faucet.fund(absent)
    ]),
    () => client.history.pages({ networks, cursors: none }).next()
  ]

  it("fails the promise with the error of the client, and nothing is sent", async () => {
    for (const act of acts)
      assert.deepInclude(await failure(act()), { kind: "invalid", mayHaveArrived: false }, String(act))
    assert.strictEqual(attempts, 0)
  })

  it("fails a URL with it too", () => {
    for (const url of [
      () => client.balances.eventsUrl(none),
      () => client.history.eventsUrl(none),
      () => client.history.exportUrl(none),
      () => client.iconUrl(none)
    ])
      assert.throws(url, WalletDataError)
  })

  it("fails with options that are null, or of another type", async () => {
    for (const options of [null, { timeout: Number.NaN }, { timeout: -7 }, { timeout: null }, { signal: 7 }] as never[])
      for (const act of [
        () => client.networks(options),
        () => client.balances({ networks }, options),
        () => client.balances.stream({ networks }, options).next(),
        () => client.history.pages({ networks }, options).next(),
        () => client.history.export({ networks }, options).next(),
        () => client.history.exportFile({ networks }, "csv", options),
        () => client.prices.coin(["a"], options),
        () => client.prices.chain([1], options),
        () => client.prices.marketChart(["a"], 1, options),
        () => client.fees("base", options),
        () => client.addresses.lookUp("0x1", options),
        () => client.transactions.send({ network: "base", transaction: "0x" }, options)
      ]) {
        const error = await failure(act())
        assert.deepInclude(error, { kind: "invalid", mayHaveArrived: false }, String(act))
        assert.notInclude(error.message, "7")
      }
    assert.strictEqual(attempts, 0)
    await client.networks({ signal: undefined, timeout: undefined })
  })
})
