import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as declare from "../../src/settings/declare.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { memoryBudget, requestDeadline, upstreamTimeout, workers } from "../../src/settings/variables.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Environment = Readonly<Record<string, string | undefined>>
type Read<A> = Effect.Effect<A, { readonly message: string }, Settings>

const meaning = "Something"
const port = declare.integer({ name: "PORT", default: 3000, min: 0, max: 65_535, meaning })
const rate = declare.number({ name: "RATE", default: 0.5, min: 0, max: 10, meaning })
const level = declare.choice({ name: "LEVEL", default: "info", choices: ["info", "debug"], meaning })
const proxy = declare.flag({ name: "PROXY", default: false, meaning })
const name = declare.text({
  name: "APP_NAME",
  default: "app",
  allowed: "letters",
  check: (value) => /^[a-z]+$/i.test(value),
  meaning
})
const free = declare.text({ name: "FREE", default: "", allowed: "anything", meaning })
const origins = declare.list({
  name: "ORIGINS",
  default: ["*"],
  allowed: "origins",
  check: (item) => item.startsWith("http"),
  meaning
})
const keys = declare.secrets({ name: "KEYS", allowed: "any", meaning })
const key = declare.secret({ name: "KEY", allowed: "any", meaning })
const url = declare.url({ name: "BASE_URL", default: "https://default.example/api/v3", meaning })
const urls = declare.urls({ name: "NODE_URLS", default: ["https://a.example/rpc", "https://b.example"], meaning })

/** The value, or the error message. */
const read = <A>(setting: Read<A>, environment: Environment = {}) =>
  setting.pipe(
    Effect.mapError(({ message }) => message),
    Effect.either,
    Effect.map(Either.merge),
    Effect.provide(Settings.layer(environment))
  )

/** The variable as `config` lists it. */
const shown = <A>(setting: Read<A>, environment: Environment = {}) =>
  Effect.gen(function* () {
    yield* setting
    return (yield* (yield* Settings).declared)[0]
  }).pipe(Effect.provide(Settings.layerLenient(environment)))

describe("a variable that is not set", () => {
  it("has its default", function* () {
    assert.strictEqual(yield* read(port), 3000)
    assert.strictEqual(yield* read(level), "info")
    assert.strictEqual(yield* read(proxy), false)
    assert.strictEqual(yield* read(name), "app")
    assert.deepStrictEqual(yield* read(origins), ["*"])
    assert.deepStrictEqual(yield* read(keys), [])
    assert.isUndefined(yield* read(key))
    assert.strictEqual(yield* read(url), "https://default.example/api/v3")
    assert.deepStrictEqual(yield* read(urls), ["https://a.example/rpc", "https://b.example"])
  })

  it("may be present but empty or blank", function* () {
    for (const PORT of ["", " ", "\t\n", undefined]) assert.strictEqual(yield* read(port, { PORT }), 3000)
    assert.isUndefined(yield* read(key, { KEY: "  " }))
    assert.strictEqual((yield* shown(port, { PORT: " " }))?.set, false)
  })

  it("does not get the value of a similar name", function* () {
    assert.strictEqual(yield* read(port, { port: "1", PORT_: "2" }), 3000)
  })
})

describe("a whole number", () => {
  it("may be either bound and anything between", function* () {
    for (const value of [0, 1, 65_535]) assert.strictEqual(yield* read(port, { PORT: ` ${value} ` }), value)
  })

  for (const PORT of ["-1", "65536", "80.5", "1e3", "0x50", "8 0", "eighty", "NaN", "9".repeat(400)])
    it(`is not "${PORT.slice(0, 10)}"`, function* () {
      const message = `PORT: "${PORT}" is not allowed; allowed: a whole number from 0 to 65535`
      assert.strictEqual(yield* read(port, { PORT }), message)
    })

  it("with a fraction is decimal, too", function* () {
    for (const [RATE, value] of Object.entries({ "0.25": 0.25, ".5": 0.5, "7": 7, "7.": 7 }))
      assert.strictEqual(yield* read(rate, { RATE }), value)
    for (const RATE of ["0x1", "1e0", "0b1", "Infinity", "+1", "1_0", "."])
      assert.strictEqual(yield* read(rate, { RATE }), `RATE: "${RATE}" is not allowed; allowed: a number from 0 to 10`)
  })

  it("of workers and megabytes is auto in any case", function* () {
    assert.strictEqual(yield* read(workers, { WORKERS: "AUTO" }), yield* read(workers, { WORKERS: "auto" }))
    const megabytes = (MEMORY_MB: string) => read(memoryBudget, { MEMORY_MB })
    assert.strictEqual(yield* megabytes("Auto"), yield* megabytes("auto"))
  })

  it("has bounds in the timeouts of requests and attempts", function* () {
    assert.deepStrictEqual([yield* read(requestDeadline), yield* read(upstreamTimeout)], [15_000, 5_000])
    assert.match(String(yield* read(requestDeadline, { REQUEST_DEADLINE_MS: "99" })), /^REQUEST_DEADLINE_MS: "99"/)
    assert.match(String(yield* read(upstreamTimeout, { UPSTREAM_TIMEOUT_MS: "0" })), /^UPSTREAM_TIMEOUT_MS: "0"/)
  })
})

describe("a list of secrets", () => {
  for (const KEYS of ["", ",", " , ", "  ", "hush1,", ",hush1", "hush1,,hush2", "\t"])
    it(`stops the start if an item is empty, and is not shown: ${JSON.stringify(KEYS)}`, function* () {
      const message = yield* read(keys, { KEYS })
      assert.match(String(message), /^KEYS: (there is no item in the list|item \d of \d is empty); allowed: any$/)
      const declared = yield* shown(keys, { KEYS })
      assert.deepInclude(declared, { set: true, value: "" })
      assert.notInclude(JSON.stringify(declared), "hush")
    })

  it("counts as not set if it is empty and may be", function* () {
    const lenient = declare.secrets({ name: "KEYS", allowed: "any", meaning: "keys", rejectsBlanks: false })
    for (const KEYS of ["", " "]) assert.deepStrictEqual(yield* read(lenient, { KEYS }), [])
  })
})

describe("a number", () => {
  it("may be either bound and anything between", function* () {
    assert.strictEqual(yield* read(rate), 0.5)
    for (const value of [0, 0.45, 10]) assert.strictEqual(yield* read(rate, { RATE: String(value) }), value)
  })

  for (const RATE of ["-0.1", "10.1", "fast", "NaN", "Infinity", "1,5"])
    it(`is not "${RATE}"`, function* () {
      const message = `RATE: "${RATE}" is not allowed; allowed: a number from 0 to 10`
      assert.strictEqual(yield* read(rate, { RATE }), message)
    })
})

describe("a choice", () => {
  it("is case-insensitive", function* () {
    assert.strictEqual(yield* read(level, { LEVEL: " Debug" }), "debug")
  })

  it("is reported with the allowed words if it is another word", function* () {
    const message = 'LEVEL: "verbose" is not allowed; allowed: info, debug'
    assert.strictEqual(yield* read(level, { LEVEL: "verbose" }), message)
  })
})

describe("a flag", () => {
  it("is true or false", function* () {
    assert.strictEqual(yield* read(proxy, { PROXY: "TRUE" }), true)
    assert.strictEqual(yield* read(proxy, { PROXY: "false" }), false)
  })

  for (const PROXY of ["1", "yes", "on", "truee"])
    it(`is not "${PROXY}"`, function* () {
      const message = `PROXY: "${PROXY}" is not allowed; allowed: true, false`
      assert.strictEqual(yield* read(proxy, { PROXY }), message)
    })
})

describe("free text", () => {
  it("is trimmed", function* () {
    assert.strictEqual(yield* read(name, { APP_NAME: " Wallet " }), "Wallet")
    assert.strictEqual(yield* read(free, { FREE: "a, b=c; 'd'" }), "a, b=c; 'd'")
  })

  it("is reported with the allowed values if the check fails", function* () {
    assert.strictEqual(yield* read(name, { APP_NAME: "a/b" }), 'APP_NAME: "a/b" is not allowed; allowed: letters')
  })
})

describe("a list", () => {
  it("is split at commas, without blanks and empty items", function* () {
    const ORIGINS = " https://a.example , http://b.example,,"
    assert.deepStrictEqual(yield* read(origins, { ORIGINS }), ["https://a.example", "http://b.example"])
    assert.deepStrictEqual(yield* read(origins, { ORIGINS: "," }), [])
  })

  it("reports the invalid item", function* () {
    const message = 'ORIGINS: "ftp://c.example" is not allowed; allowed: origins'
    assert.strictEqual(yield* read(origins, { ORIGINS: "https://a.example,ftp://c.example" }), message)
  })
})

describe("a secret", () => {
  it("is only readable through its Redacted wrapper", function* () {
    const found = yield* Effect.provide(key, Settings.layer({ KEY: "hush" }))
    assert.strictEqual(found === undefined ? "" : Redacted.value(found), "hush")
    const many = yield* Effect.provide(keys, Settings.layer({ KEYS: " hush1, hush2 " }))
    assert.deepStrictEqual(many.map(Redacted.value), ["hush1", "hush2"])
    assert.notInclude(JSON.stringify([found, many]), "hush")
  })

  it("is listed as set, and a list of secrets with its number of items", function* () {
    const lines = [
      yield* shown(key, { KEY: "hush" }),
      yield* shown(key),
      yield* shown(keys, { KEYS: "hush1,hush2" }),
      yield* shown(keys)
    ]
    assert.deepStrictEqual(
      lines.map((line) => [line?.value, line?.set, line?.default]),
      [
        ["<set>", true, ""],
        ["", false, ""],
        ["<2 set>", true, ""],
        ["", false, ""]
      ]
    )
    assert.notInclude(JSON.stringify(lines), "hush")
  })
})

describe("an address", () => {
  it("loses its trailing slashes, but not a slash at the end of a key", function* () {
    for (const [written, meant] of [
      ["https://a.example/", "https://a.example"],
      ["http://127.0.0.1:8545//", "http://127.0.0.1:8545"],
      ["https://a.example/v3/", "https://a.example/v3"],
      ["https://a.example/v3?key=ab/", "https://a.example/v3?key=ab/"]
    ] as const) {
      assert.strictEqual(yield* read(url, { BASE_URL: written }), meant)
      assert.deepStrictEqual(yield* read(urls, { NODE_URLS: ` ${written} ,` }), [meant])
    }
  })

  for (const wrong of [
    "a.example",
    "ftp://a.example/hush",
    "https://",
    "//a.example/hush",
    "wss://hush@a.example",
    "hush"
  ])
    it(`is not "${wrong}", which the error does not repeat because it may contain a key`, function* () {
      assert.strictEqual(
        yield* read(url, { BASE_URL: wrong }),
        "BASE_URL: the value is not an http:// or https:// address; allowed: an http:// or https:// address"
      )
      assert.strictEqual(
        yield* read(urls, { NODE_URLS: `https://hush.example,${wrong}` }),
        "NODE_URLS: address 2 of 2 is not an http:// or https:// address; allowed: http:// or https:// addresses, comma-separated, the preferred one first"
      )
    })

  it("is listed with scheme and host only, because the rest may contain a key", function* () {
    for (const [written, masked] of [
      ["https://a.example", "https://a.example"],
      ["https://a.example:8545/", "https://a.example:8545"],
      ["https://a.example/v3/hush", "https://a.example/…"],
      ["https://a.example?key=hush", "https://a.example/…"],
      ["https://a.example/#hush", "https://a.example"],
      ["https://hush:hush@a.example", "https://…@a.example"],
      ["https://:hush@a.example/x", "https://a.example/…"],
      ["https://hush@a.example/hush?k=hush", "https://…@a.example/…"]
    ] as const) {
      assert.strictEqual((yield* shown(url, { BASE_URL: written }))?.value, masked)
      const listed = yield* shown(urls, { NODE_URLS: `${written},${written}` })
      assert.strictEqual(listed?.value, `${masked},${masked}`)
      assert.notInclude(JSON.stringify(listed), "hush")
    }
  })

  it("is listed in full if it is the default", function* () {
    const base = "https://default.example/api/v3"
    assert.deepInclude(yield* shown(url), { default: base, value: base, set: false })
    const list = "https://a.example/rpc,https://b.example"
    assert.deepInclude(yield* shown(urls), { default: list, value: list, set: false })
  })
})

describe("the list of variables", () => {
  const all = Effect.all([port, level, proxy, keys, url])

  it.effect("is sorted, each with default, value and meaning", () =>
    Effect.gen(function* () {
      yield* all
      const listed = yield* (yield* Settings).declared
      assert.deepStrictEqual(
        listed.map((declared) => [declared.name, declared.default, declared.value, declared.set]),
        [
          ["BASE_URL", "https://default.example/api/v3", "https://default.example/api/v3", false],
          ["KEYS", "", "", false],
          ["LEVEL", "info", "debug", true],
          ["PORT", "3000", "80", true],
          ["PROXY", "false", "false", false]
        ]
      )
      assert.deepStrictEqual(listed[3], {
        name: "PORT",
        meaning,
        allowed: "a whole number from 0 to 65535",
        default: "3000",
        value: "80",
        set: true
      })
    }).pipe(Effect.provide(Settings.layer({ PORT: "80", LEVEL: "DEBUG" })))
  )

  it.effect("continues after invalid values in the lenient layer", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* port, 3000)
      assert.deepStrictEqual(yield* level, "info")
      const listed = yield* (yield* Settings).declared
      assert.deepStrictEqual(
        listed.map(({ name, problem, value }) => [name, value, problem]),
        [
          ["LEVEL", "info", '"x" is not allowed; allowed: info, debug'],
          ["PORT", "3000", '"x" is not allowed; allowed: a whole number from 0 to 65535']
        ]
      )
    }).pipe(Effect.provide(Settings.layerLenient({ PORT: "x", LEVEL: "x" })))
  )
})

describe("a misspelt variable", () => {
  const nodes = ["ETHEREUM", "ETHEREUM_CLASSIC", "BASE", "BSC", "OPTIMISM"].map((network) =>
    declare.urls({ name: `${network}_RPC_URLS`, default: [], meaning })
  )
  const others = [
    "HOST",
    "CACHE",
    "SQLITE_PATH",
    "APP_NAME",
    "LOG_LEVEL",
    "COINGECKO_API_KEY",
    "CORS_ORIGINS",
    "TRUST_PROXY"
  ]
  const texts = others.map((text) => declare.text({ name: text, default: "", allowed: "any", meaning }))

  const strangers = (environment: Environment) =>
    Effect.gen(function* () {
      yield* Effect.all([...nodes, ...texts, port])
      return yield* (yield* Settings).unknown
    }).pipe(Effect.provide(Settings.layerLenient(environment)))

  for (const [written, meant] of [
    ["ETHERUM_RPC_URLS", "ETHEREUM_RPC_URLS"],
    ["ETHEREUM_RPC_URL", "ETHEREUM_RPC_URLS"],
    ["ETHEREUM_RCP_URLS", "ETHEREUM_RPC_URLS"],
    ["ETHEREUMCLASSIC_RPC_URLS", "ETHEREUM_CLASSIC_RPC_URLS"],
    ["COINGECKO_APIKEY", "COINGECKO_API_KEY"],
    ["CORS_ORIGIN", "CORS_ORIGINS"],
    ["APPNAME", "APP_NAME"],
    ["LOGLEVEL", "LOG_LEVEL"],
    ["COINGECKO_API", "COINGECKO_API_KEY"]
  ] as const)
    it(`is found, with the most similar name: ${written}`, function* () {
      assert.deepStrictEqual(yield* strangers({ [written]: "https://hush.example" }), [
        `${written} is set but is not a known variable: did you mean ${meant}?`
      ])
    })

  it("is the shortest known name if it lacks an ending", function* () {
    const found = yield* Effect.provide(
      Effect.gen(function* () {
        for (const name of ["RATE_LIMIT_PER_MINUTE", "RATE_LIMIT_PER_DAY", "RATE_LIMITATION"])
          yield* declare.text({ name, default: "", allowed: "any", meaning })
        return yield* (yield* Settings).unknown
      }),
      Settings.layer({ RATE_LIMIT: "5", RATE: "1" })
    )
    assert.deepStrictEqual(found, ["RATE_LIMIT is set but is not a known variable: did you mean RATE_LIMIT_PER_DAY?"])
  })

  it("is not the only warning: a list without an item is named, because nothing is used instead", function* () {
    const found = yield* Effect.provide(
      Effect.gen(function* () {
        assert.deepStrictEqual(yield* urls, [])
        return yield* (yield* Settings).unknown
      }),
      Settings.layer({ NODE_URLS: " , " })
    )
    assert.deepStrictEqual(found, ["NODE_URLS is a list without an item"])
    const unset = Effect.zipRight(
      urls,
      Effect.flatMap(Settings, ({ unknown }) => unknown)
    )
    assert.deepStrictEqual(yield* Effect.provide(unset, Settings.layer({ NODE_URLS: "" })), [])
  })

  it("is found by its ending if no known variable is similar", function* () {
    assert.deepStrictEqual(yield* strangers({ FANTOM_RPC_URLS: "x", LITECOIN_ESPLORA_URLS: "y" }), [
      "FANTOM_RPC_URLS is set but is not a known variable",
      "LITECOIN_ESPLORA_URLS is set but is not a known variable"
    ])
  })

  it("is not reported for the usual variables of systems", function* () {
    const usual = [
      "HOME PATH PWD OLDPWD SHELL SHLVL TERM USER LOGNAME HOSTNAME LANG LC_ALL TZ TMPDIR EDITOR PAGER DISPLAY MAIL _",
      "NODE_ENV NODE_OPTIONS NODE_PATH NODE_VERSION BUN_INSTALL NO_COLOR FORCE_COLOR COLORTERM CI DEBUG",
      "HTTP_PROXY HTTPS_PROXY NO_PROXY http_proxy https_proxy no_proxy SSL_CERT_FILE SSH_AUTH_SOCK XDG_CACHE_HOME",
      "npm_config_cache npm_package_name npm_lifecycle_event INIT_CWD KUBERNETES_SERVICE_HOST KUBERNETES_PORT",
      "USERNAME USERPROFILE APPDATA SYSTEMROOT COMSPEC PATHEXT TEMP TMP OS"
    ]
    const environment = Object.fromEntries(usual.flatMap((line) => line.split(" ")).map((variable) => [variable, "x"]))
    assert.deepStrictEqual(yield* strangers(environment), [])
  })

  it("is not reported without a value, which counts as not set", function* () {
    assert.deepStrictEqual(yield* strangers({ SOLANA_RPC_URLS: "", ETHERUM_RPC_URLS: " " }), [])
  })

  it("is not reported for known variables", function* () {
    assert.deepStrictEqual(yield* strangers({ PORT: "1", BASE_RPC_URLS: "https://a.example", CACHE: "" }), [])
  })

  it.effect("replaced defaults override declared defaults, but not values that are set", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual([yield* port, yield* level, yield* name], [81, "debug", "app"])
      assert.isDefined(yield* key)
      const listed = yield* (yield* Settings).declared
      assert.deepStrictEqual(
        listed.map((declared) => [declared.name, declared.default, declared.value, declared.set]),
        [
          ["APP_NAME", "app", "app", false],
          ["KEY", "<set>", "<set>", false],
          ["LEVEL", "info", "debug", true],
          ["PORT", "81", "81", false]
        ]
      )
    }).pipe(Effect.provide(Settings.layer({ LEVEL: "debug", KEY: " " }, { PORT: "81", KEY: "hush" })))
  )
})
