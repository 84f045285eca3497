import { assert, describe, it } from "@effect/vitest"
import { make } from "../../src/client/Client.ts"
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

  it("fails outside of a page, which has no origin", async () => {
    for (const act of acts)
      assert.deepInclude(await failure(act(make({ baseUrl: "" }))), { kind: "invalid", mayHaveArrived: false })
  })
})
