import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as UrlParams from "@effect/platform/UrlParams"
import { assert, describe, it } from "@effect/vitest"
import * as Redacted from "effect/Redacted"
import { credentials } from "../../../src/upstream/endpoint/HttpExchange.ts"

const key = (name: string) => [name, Redacted.make(`secret of ${name}`)] as const
const request = HttpClientRequest.get("/blocks?page=2")

describe("a request with the credentials of an address", () => {
  it("has its path below the path of the address, and the query parameters of both", () => {
    const { prepare } = credentials("https://host.example/v1/?plan=free", [], [key("token")])
    const { url, urlParams } = prepare(request)
    assert.strictEqual(url, "https://host.example/v1/blocks?page=2")
    assert.strictEqual(UrlParams.toString(urlParams), "plan=free&token=secret+of+token")
  })

  it("has the keys in header fields, which replace an Authorization header", () => {
    const { prepare } = credentials("https://user:password@host.example", [key("authorization"), key("x-key")], [])
    const { headers } = prepare(request)
    assert.deepStrictEqual(
      { ...headers },
      { authorization: "secret of authorization", "x-key": "secret of x-key", "user-agent": "wallet-data" }
    )
  })
})

describe("the secrets of an address", () => {
  it("are the user part, long path segments, query values and the keys", () => {
    const address = "https://user:password@host.example/v1/0123456789abcdef?plan=free"
    const { isKeyless, secrets } = credentials(address, [key("x-key")], [key("token")])
    assert.isFalse(isKeyless)
    assert.deepStrictEqual(secrets.map(Redacted.value), [
      "user:password",
      "password",
      "0123456789abcdef",
      "free",
      "secret of x-key",
      "secret of token"
    ])
  })

  it("are absent if it contains none, but even a short user name counts as a key", () => {
    assert.isTrue(credentials("https://host.example/v1", [], []).isKeyless)
    assert.isFalse(credentials("https://u@host.example/v1", [], []).isKeyless)
  })
})
