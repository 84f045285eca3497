import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as proxies from "../../src/settings/proxies.ts"
import { type Environment, Settings } from "../../src/settings/Settings.ts"
import { assert, describe, it } from "../support/vitest.ts"

const lines = (environment: Environment) =>
  Effect.either(Effect.provide(proxies.proxies, Settings.layer(environment))).pipe(
    Effect.map(Either.mapLeft(({ message }) => message)),
    Effect.map(
      Either.map((all) => all.map((line) => line.replace(/ addresses are called through the proxy|, except.*/g, "")))
    )
  )

describe("the proxies of the runtime", () => {
  it("are named for each scheme, without credentials", function* () {
    for (const [environment, shown] of [
      [{}, []],
      [{ HTTP_PROXY: "", http_proxy: "" }, []],
      [{ HTTP_PROXY: "http://one:3128" }, ["http:// one:3128 (HTTP_PROXY)"]],
      [{ HTTPS_PROXY: "https://user:secret@two.example/path" }, ["https:// two.example (HTTPS_PROXY)"]],
      [{ HTTP_PROXY: "http://one:1", http_proxy: "one:2" }, ["http:// one:2 (http_proxy)"]],
      [{ ALL_PROXY: "10.0.0.1:8080" }, ["http:// 10.0.0.1:8080 (ALL_PROXY)", "https:// 10.0.0.1:8080 (ALL_PROXY)"]],
      [
        { ALL_PROXY: "socks5://one", HTTP_PROXY: "http://two", https_proxy: "http://three" },
        ["http:// two (HTTP_PROXY)", "https:// three (https_proxy)"]
      ]
    ] as const)
      assert.deepStrictEqual(yield* lines(environment), Either.right([...shown]))
  })

  it("must be usable", function* () {
    for (const address of [
      "not a url",
      "socks5://secret",
      "http://",
      " http://secret",
      '"http://secret"',
      "ftp://secret"
    ])
      for (const variable of ["HTTP_PROXY", "https_proxy", "ALL_PROXY"])
        assert.deepStrictEqual(
          yield* lines({ [variable]: address }),
          Either.left(`${variable}: is not the http:// or https:// address of a proxy`)
        )
  })

  it("are not used for local hosts, nor for the exceptions of the operator", () => {
    const local =
      "localhost,0.0.0.0,127.0.0.0/8,10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,169.254.0.0/16,::1,fc00::/7,fe80::/10"
    const listOf = (environment: Environment) => proxies.exceptLocalHosts(environment)
    assert.deepStrictEqual(listOf({}), { NO_PROXY: local, no_proxy: local })
    const own = `a.example,.b.example,${local}`
    for (const environment of [
      { NO_PROXY: "a.example, .b.example" },
      { NO_PROXY: "a.example,.b.example", no_proxy: "" },
      { NO_PROXY: "c.example", no_proxy: "a.example,.b.example," }
    ])
      assert.deepStrictEqual(listOf(environment), { NO_PROXY: own, no_proxy: own })
    assert.deepStrictEqual(listOf(listOf({})), listOf({}))
  })
})
