import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import manifest from "../../package.json" with { type: "json" }
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { capacityOf, missingAbilities } from "../../src/cli/check.ts"
import { commands } from "../../src/cli/commands.ts"
import { banner } from "../../src/cli/serve.ts"
import { hashOf } from "../../src/http/access/ApiKey.ts"
import { parse } from "../../src/http/access/KeyFile.ts"
import { run, runInProcess } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { sources } from "../support/sources.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Variables that always exist; the variables of adapters are read from their sources. */
const always = ["HOST", "PORT", "APP_NAME", "UPSTREAMS", "CACHE", "SQLITE_PATH", "REQUEST_DEADLINE_MS"]
  .concat(["UPSTREAM_TIMEOUT_MS", "MAX_BODY_BYTES", "MAX_ADDRESSES", "API_KEYS", "RATE_LIMIT_PER_MINUTE"])
  .concat(["CORS_ORIGINS", "TRUST_PROXY", "LOG_LEVEL", "LOG_FORMAT", "OTLP_URL", "EXTRA_EVM_NETWORKS"])
  .concat(["COINGECKO_URL", "COINGECKO_API_KEY", "COINGECKO_TOKENS_URL", "DEFILLAMA_URL", "PRICE_MAX_AGE_MS"])

/** A folder with an exchange that no upstream needs. */
const oneExchange = Effect.tap(folder, (path) =>
  Effect.sync(() => {
    const request = { method: "GET", path: "/nothing", query: {}, body: null }
    const provenance = { kind: "made", note: "" }
    const response = { status: 200, body: null }
    writeFileSync(join(path, "nothing.json"), JSON.stringify({ provider: "nobody", request, response, provenance }))
  })
)

describe.concurrent("wallet-data config", () => {
  it.live("lists every variable with its meaning, allowed values and default", function* () {
    const { code, stderr, stdout } = yield* run(["config"], { EXTRA_EVM_NETWORKS: "gnosis:100" })
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    const listed = [...stdout.matchAll(/^([A-Z0-9_]+)=.*\n {2}\S.*\n {2}allowed: \S/gm)].map(([, name]) => name)
    assert.deepStrictEqual(listed, [...new Set(listed)].sort())
    const readers = sources.filter(({ path }) => !/^(sandbox|catalogue|page)\//.test(path))
    const declared = readers.flatMap(({ code }) =>
      [...code.matchAll(/\bname: "([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)*)",/g)].map(([, name]) => name)
    )
    const ofFamily = (family: string, ending: string) =>
      Catalogue.all.flatMap((info) =>
        info.family === family ? [`${info.id.toUpperCase().replaceAll("-", "_")}_${ending}`] : []
      )
    const nodes = [
      ...ofFamily("evm", "RPC_URLS"),
      ...ofFamily("utxo", "BLOCKBOOK_URLS"),
      ...ofFamily("utxo", "ESPLORA_URLS"),
      ...["SOLANA_RPC_URLS", "RIPPLE_RPC_URLS", "POLKADOT_RPC_URLS", "SUI_GRAPHQL_URLS", "BITCOIN_ESPLORA_URLS"],
      ...["TRONGRID_URL", "TRONGRID_API_KEY", "TONCENTER_URL", "TONCENTER_API_KEY"],
      ...["KOIOS_URL", "BLOCKFROST_URL", "BLOCKFROST_PROJECT_ID"]
    ]
    const missing = [...always, ...declared, ...nodes, "GNOSIS_RPC_URLS"].filter(
      (variable) => !listed.includes(variable)
    )
    assert.deepStrictEqual(missing, [])
    const paced = listed.flatMap((name) => /^(.+)_PER_SECOND$/.exec(name ?? "")?.[1] ?? [])
    assert.includeMembers(
      paced,
      ["COINGECKO", "DEFILLAMA", "KOIOS", "RIPPLE_RPC", "TRONGRID"].concat([
        // These upstreams are only used with a key, but are listed too.
        ...["ETHERSCAN", "BLOCKSCOUT", "ROUTESCAN", "SUBSCAN", "BLOCKFROST", "TONCENTER", "TONAPI"]
      ])
    )
    assert.includeMembers(
      listed,
      paced.map((source) => `${source}_PER_MONTH`)
    )
    assert.match(stdout, /^COINGECKO_PER_MONTH=10000 {2}\(default\)$/m)
    assert.match(stdout, /^KOIOS_PER_MONTH=0 {2}\(default\)$/m)
    assert.match(stdout, /^PORT=3000 {2}\(default\)$/m)
    assert.match(stdout, /^MEMORY_MB=auto {2}\(default\)\n.*\n.*\n {2}here: \d+ MB$/m)
  })

  it.live("shows values that are set, except secrets and keys in addresses", function* () {
    const { code, stdout } = yield* run(["config"], {
      PORT: "8080",
      API_KEYS: "secret-one-of-a-test,secret-two-of-a-test",
      COINGECKO_API_KEY: "secret-three",
      ETHEREUM_RPC_URLS:
        "https://secret-user:secret-four@node.example/v2/secret-five,https://other.example?key=secret-six"
    })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^PORT=8080\n.*\n.*\n {2}default: 3000$/m)
    assert.match(stdout, /^API_KEYS=<2 set>$/m)
    assert.match(stdout, /^COINGECKO_API_KEY=<set>$/m)
    assert.match(stdout, /^ETHEREUM_RPC_URLS=https:\/\/…@node\.example\/…,https:\/\/other\.example\/…$/m)
    assert.notInclude(stdout, "secret-")
  })

  it.live("lists every invalid value with the allowed values, and exits with 1", function* () {
    const { code, stderr, stdout } = yield* run(["config"], {
      PORT: "eighty",
      LOG_LEVEL: "loud",
      MAX_ADDRESSES: "0",
      BASE_RPC_URLS: "ftp://secret.example",
      EXTRA_EVM_NETWORKS: "nothing:99999999999"
    })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^PORT: "eighty" .*; allowed: a whole number from 0 to 65535$/m)
    assert.match(
      stderr,
      /^LOG_LEVEL: "loud" .*; allowed: all, trace, debug, info, warning, warn, error, fatal, none, off$/m
    )
    assert.match(stderr, /^MAX_ADDRESSES: "0" .*; allowed: a whole number from 1 to 100000$/m)
    assert.match(stderr, /^EXTRA_EVM_NETWORKS: "nothing:99999999999": viem\/chains has no such chain/m)
    assert.strictEqual(stderr.match(/^PORT:/gm)?.length, 1)
    assert.include(stdout, "MAX_BODY_BYTES=1048576")
    const node = yield* run(["config"], { BASE_RPC_URLS: "https://good.example,ftp://secret.example" })
    assert.strictEqual(node.code, 1)
    assert.match(node.stderr, /^BASE_RPC_URLS: address 2 of 2 .*; allowed: http:\/\/ or https:/m)
    assert.notInclude(node.stderr, "secret.example")
  })

  it.live("shows the default of a variable with an invalid value, and marks it", function* () {
    const { code, stderr, stdout } = yield* run(["config"], { PORT: "many" })
    assert.strictEqual(code, 1)
    assert.match(stdout, /^PORT=3000 {2}\(the default: the value that is set is not allowed\)$/m)
    assert.match(stderr, /^PORT: "many"/m)
  })

  it.live("warns about an unknown variable, and suggests a similar name", function* () {
    const { code, stdout } = yield* run(["config"], { ETHERUM_RPC_URLS: "https://node.example" })
    assert.strictEqual(code, 0)
    assert.match(stdout, /ETHERUM_RPC_URLS is set but is not a known variable: did you mean ETHEREUM_RPC_URLS\?/)
  })

  it.scopedLive("with --set shows only variables that are set, and the place where", function* () {
    const cwd = yield* folder
    writeFileSync(join(cwd, ".env"), "LOG_LEVEL=warn\nPORT=1\n")
    writeFileSync(join(cwd, "key"), "secret-of-a-file")
    const environment = { PORT: "8080", COINGECKO_API_KEY_FILE: join(cwd, "key"), ETHERUM_RPC_URLS: "a" }
    const { code, stdout } = yield* runInProcess(["config", "--set"], environment, cwd)
    assert.strictEqual(code, 0)
    assert.deepStrictEqual(
      [...stdout.matchAll(/^([A-Z_]+)=(.*)$|^ {2}from: (.*)$/gm)].map(([, name, value, from]) => from ?? [name, value]),
      [
        ["COINGECKO_API_KEY", "<set>"],
        "COINGECKO_API_KEY_FILE",
        ["LOG_LEVEL", "warn"],
        ".env",
        ["PORT", "8080"],
        "environment"
      ]
    )
    assert.match(stdout, /\n\nETHERUM_RPC_URLS is set but is not a known variable/)
    const { stdout: json } = yield* runInProcess(["config", "--set", "--json"], environment, cwd)
    const { problems, unknown, variables } = JSON.parse(json)
    assert.deepStrictEqual([problems, unknown.length, variables.length], [[], 1, 3])
    assert.deepInclude(variables[2], { name: "PORT", value: "8080", default: "3000", set: true, from: "environment" })
    assert.notInclude(stdout + json, "secret-")
  })

  it.live("with --check prints only what is wrong", function* () {
    const good = yield* run(["config", "--check"], { PORT: "8080" })
    assert.deepStrictEqual([good.code, good.stdout, good.stderr], [0, "all values are allowed\n", ""])
    const bad = yield* run(["config", "--check"], { PORT: "many" })
    assert.deepStrictEqual([bad.code, bad.stdout], [1, ""])
    assert.match(bad.stderr, /^\nPORT: "many" .*\n$/)
    // What prevents the start, with the same words.
    const without = yield* run(["config", "--check"], { CACHE: "redis" })
    assert.deepStrictEqual([without.code, without.stdout], [1, ""])
    assert.strictEqual(without.stderr, "\nREDIS_URL: CACHE=redis needs the address of a server\n")
    const { code, stdout } = yield* run(["config", "--check"], { ETHERUM_RPC_URLS: "a" })
    assert.strictEqual(code, 0)
    assert.match(stdout, /^ETHERUM_RPC_URLS is set .*\nall values are allowed\n$/)
  })

  it.live("with --markdown prints the variables as tables without their values", function* () {
    const { stdout: paragraphs } = yield* run(["config"], { EXTRA_EVM_NETWORKS: "gnosis:100" })
    const { code, stderr, stdout } = yield* run(["config", "--markdown"], {
      EXTRA_EVM_NETWORKS: "gnosis:100",
      PORT: "8080",
      API_KEYS: "secret-one-of-a-test",
      ETHERUM_RPC_URLS: "https://node.example"
    })
    assert.strictEqual(code, 0)
    assert.strictEqual(stderr, "")
    const names = [...paragraphs.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = ""]) => name)
    const rows = stdout.split("\n").filter((line) => line.startsWith("| `"))
    const named = rows.flatMap((line) =>
      [...(line.split(" | ")[0] ?? "").matchAll(/`([^`]+)`/g)].map(([, name]) => name)
    )
    assert.deepStrictEqual(named.sort(), names)
    const widths = [...stdout.matchAll(/^\|[-|]+$/gm)].map(([line]) => line.split("|").length)
    assert.isAtLeast(widths.length, 4)
    for (const line of rows) assert.include(widths, line.split(/(?<!\\)\|/).length, line)
    assert.match(stdout, /^\| `PORT` \| `3000` \| Port to listen on/m)
    assert.match(stdout, /^\| `KOIOS_PER_SECOND`, `KOIOS_PER_MONTH` \| 10 \| 0 \|$/m)
    for (const value of ["8080", "secret-one-of-a-test", "<1 set>", "ETHERUM"]) assert.notInclude(stdout, value)
  })

  it.live("with --markdown reports invalid values too, and exits with 1", function* () {
    const { code, stderr, stdout } = yield* run(["config", "--markdown"], { PORT: "eighty" })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^PORT: "eighty" .*; allowed: a whole number from 0 to 65535$/m)
    assert.include(stdout, "| `PORT` | `3000` |")
  })

  it.live("rejects an unknown option", function* () {
    const { code, stderr, stdout } = yield* run(["config", "--jsn"])
    assert.strictEqual(code, 1)
    assert.match(stderr, /^config: Unknown option '--jsn'\n\nusage: wallet-data config /)
    assert.strictEqual(stdout, "")
  })
})

describe.concurrent("wallet-data check", () => {
  it.scopedLive("calls every address of every upstream, and exits with 0 if all respond", function* () {
    const cwd = yield* folder
    const environment = { UPSTREAMS: "sandbox", CACHE: "memory", EXTRA_EVM_NETWORKS: "gnosis:100" }
    const { code, stderr, stdout } = yield* runInProcess(["check"], environment, cwd)
    assert.strictEqual(code, 0, stderr)
    assert.match(stdout, /^trying \d+ addresses of \d+ upstreams, each for up to 10 s\n\n/)
    for (const name of ["coingecko", "coingecko-tokens", "defillama", "ethereum-rpc", "gnosis-rpc"])
      assert.match(stdout, new RegExp(`^${name} +no key +up +(\\d) of \\1 +\\d+ ms$`, "m"))
    assert.match(stdout, /^no source of balance on zkevm: /m)
    const [, up, all] = /^(\d+) of (\d+) addresses work$/m.exec(stdout) ?? []
    assert.strictEqual(up, all)
    assert.deepStrictEqual(readdirSync(cwd), [])
  })

  it.scopedLive(
    "reports which addresses are down and why, and which abilities have no upstream, and exits with 1",
    function* () {
      const { code, stdout } = yield* run(["check"], {
        UPSTREAMS: `replay:${yield* oneExchange}`,
        CACHE: "memory",
        COINGECKO_API_KEY: "secret-key",
        ETHEREUM_RPC_URLS: "https://operator:secret-word@node.example:8545/secret-path"
      })
      assert.strictEqual(code, 1)
      assert.match(
        stdout,
        /^ethereum-rpc +no key +DOWN +0 of 1 +node\.example:8545: could not be reached; set ETHEREUM_RPC_URLS$/m
      )
      assert.match(stdout, /^coingecko +key +DOWN +0 of 1 +api\.coingecko\.com: /m)
      assert.match(stdout, /^0 of \d+ addresses work$/m)
      assert.match(stdout, /^no rpc on ethereum: ethereum-rpc is down$/m)
      assert.match(stdout, /^no balance on cardano: koios is down$/m)
      assert.notMatch(stdout, /zkevm-\w+ +no key/)
      assert.notInclude(stdout, "secret")
    }
  )

  it.scopedLive("with --json prints the result as JSON", function* () {
    const environment = { UPSTREAMS: `replay:${yield* oneExchange}`, CACHE: "memory" }
    const { stdout } = yield* run(["check", "--json"], environment)
    const { missing, ok, upstreams } = JSON.parse(stdout)
    assert.isFalse(ok)
    assert.deepInclude(missing, { network: "cardano", ability: "balance", upstreams: ["koios"] })
    const [first] = upstreams
    const callsOf = (name: string) =>
      upstreams.find((upstream: { readonly name: string }) => upstream.name === name).calls
    assert.includeDeepMembers(callsOf("koios"), [
      { endpoint: "POST /address_info", perOpen: { balance: 1 } },
      { endpoint: "POST /submittx", perOpen: {} }
    ])
    assert.isUndefined(callsOf("binance"))
    assert.deepInclude(first, { name: "coingecko", keyed: false })
    assert.deepInclude(first.addresses[0], {
      host: "api.coingecko.com",
      works: false,
      problem: "could not be reached"
    })
  })

  it.live("with --network calls only the upstreams of one network", function* () {
    const environment = { UPSTREAMS: "sandbox", CACHE: "memory" }
    const { code, stdout } = yield* run(["check", "--network", "LTC"], environment)
    assert.strictEqual(code, 0)
    assert.match(stdout, /^trying 2 addresses of 2 upstreams,/)
    assert.deepStrictEqual([...stdout.matchAll(/^(\S+) +no key/gm)].map(([, name]) => name).sort(), [
      "litecoin-blockbook",
      "litecoin-esplora"
    ])
    assert.match(stdout, /^opening a wallet \(balances and histories on LTC\) costs at least 2 calls;/m)
    const moved = { ...environment, ETHERSCAN_URL: "http://explorer.invalid" }
    assert.match((yield* run(["check", "--network", "bsc"], moved)).stdout, /^etherscan +key +up +1 of 1 /m)
    const other = yield* run(["check", "--network", "nowhere"], environment)
    assert.deepStrictEqual([other.code, other.stdout], [1, ""])
    assert.match(other.stderr, /^--network: "nowhere" is not a network;/)
  })

  it("reports an ability as missing only if none of its upstreams works", () => {
    const upstream = (name: string, ...works: ReadonlyArray<boolean>) => ({
      name,
      keyed: false,
      calls: [],
      addresses: works.map((isUp) => ({ host: "a.example", works: isUp, ms: 1 }))
    })
    const upstreams = [upstream("one", false, true), upstream("two", false), upstream("three", false)]
    const missing = missingAbilities(
      [
        {
          network: "base",
          family: "evm",
          served: [
            ["balance", ["one"]],
            ["history", ["two", "one"]],
            ["tokens", ["two", "three"]],
            ["rpc", []],
            ["other", ["not tried"]]
          ]
        }
      ],
      upstreams
    )
    assert.deepStrictEqual(missing, [{ network: "base", ability: "tokens", upstreams: ["two", "three"] }])
  })

  it("estimates the opens per hour that the first working upstreams allow", () => {
    const evm = (network: string) => ({
      network,
      family: "evm",
      served: [
        ["balance", [`${network}-rpc`]],
        ["history", ["down", "shared"]],
        ["fees", [`${network}-rpc`]]
      ] as const
    })
    const networks = [evm("base"), evm("linea"), { network: "own", family: "custom", served: [] }]
    const works = (name: string) => name !== "down"
    const budgets = new Map([
      ["shared", 1_300],
      ["down", 1],
      ["base-rpc", 500]
    ])
    assert.deepStrictEqual(capacityOf(networks, works, budgets), {
      callsPerOpen: 2 * (1 + 3),
      opensPerHour: 216,
      firstLimit: { upstream: "shared", callsPerOpen: 6, perHour: 1_300 }
    })
    assert.deepStrictEqual(capacityOf(networks, works, new Map()), {
      callsPerOpen: 8,
      opensPerHour: null,
      firstLimit: null
    })
  })
})

describe.concurrent("the other commands", () => {
  it.live("openapi prints the document, with APP_NAME in the chart routes", function* () {
    const { code, stdout } = yield* run(["openapi"], { APP_NAME: "purse" })
    assert.strictEqual(code, 0)
    const document = JSON.parse(stdout)
    assert.match(document.openapi, /^3\.1\./)
    assert.strictEqual(document.info.version, manifest.version)
    assert.includeMembers(Object.keys(document.paths), ["/balance", "/purse/mdata"])
    const generators = yield* runInProcess(["openapi", "--generators"])
    assert.strictEqual(JSON.parse(generators.stdout).openapi, "3.0.3")
    const wrong = yield* run(["openapi"], { APP_NAME: "a/b" })
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /^APP_NAME: "a\/b" .*; allowed: letters, digits/)
  })

  it.live("version prints name, version, commit and runtime", function* () {
    const stdout = `${manifest.name} ${manifest.version} (commit unknown, bun ${Bun.version})\n`
    const printed = { code: 0, stderr: "", stdout }
    assert.deepStrictEqual(yield* run(["version"]), printed)
    assert.deepStrictEqual(yield* runInProcess(["--version"]), printed)
  })

  it.live("help lists the commands; an unknown command is rejected with this list", function* () {
    const help = yield* run(["--help"])
    assert.strictEqual(help.code, 0)
    for (const name of Object.keys(commands)) {
      assert.match(help.stdout, new RegExp(`^  ${name} `, "m"))
      const own = yield* run([name, "-h"])
      assert.strictEqual(own.code, 0)
      assert.match(own.stdout, new RegExp(`^usage: wallet-data ${name} .*\n\n  \\S`))
      for (const option of Object.keys(commands[name]?.options ?? {})) assert.include(own.stdout, `--${option}`)
      assert.deepStrictEqual(yield* run(["help", name]), own)
      assert.match((yield* run([name, "--version"])).stdout, /^wallet-data \d/)
      const strange = yield* run([name, "--strange"])
      assert.strictEqual(strange.code, 1)
      assert.match(strange.stderr, new RegExp(`^${name}: Unknown option '--strange'.*\n\nusage: wallet-data ${name} `))
    }
    for (const words of [["help"], ["-h"]]) assert.deepStrictEqual(yield* run(words), help)
    const unknown = yield* run(["sevre"])
    assert.strictEqual(unknown.code, 1)
    assert.strictEqual(unknown.stdout, "")
    assert.strictEqual(unknown.stderr, `sevre is not a command; did you mean serve?\n\n${help.stdout}`)
  })

  it.live("every command rejects misspelt or missing arguments", function* () {
    for (const [words, problem] of [
      [["check", "--timout", "5"], "check: Unknown option '--timout'"],
      [["check", "--timeout"], "check: Option '--timeout <value>' argument missing"],
      [["check", "--strict=yes"], "check: Option '--strict' does not take an argument"],
      [["check", "now"], "check: Unexpected argument 'now'. This command does not take positional arguments"],
      [["record"], "record needs DIR"],
      [["record", "a", "b"], "record: Unexpected argument 'b'"],
      [["--prot", "80"], "serve: Unknown option '--prot'"],
      [["serve", "--port="], "serve: Option '--port' has an empty value"],
      [["constructor"], "constructor is not a command"],
      [["health", "-x"], "health: Unknown option '-x'"]
    ] as const) {
      const { code, stderr, stdout } = yield* run(words)
      assert.deepStrictEqual([code, stdout], [1, ""], problem)
      assert.strictEqual(stderr.split("\n\nusage: ")[0], problem)
    }
    const ambiguous = yield* run(["serve", "--port", "--host"])
    assert.strictEqual(ambiguous.code, 1)
    assert.match(ambiguous.stderr, /^serve: Option '--port' argument is ambiguous/)
    for (const words of [
      ["check", "--timeout", "0"],
      ["health", "--timeout=soon"]
    ])
      assert.match(
        (yield* run(words, { CACHE: "memory" })).stderr,
        /^--timeout: ".*" is not allowed; allowed: seconds, above 0/
      )
    assert.match((yield* run(["--port", "eighty"], { CACHE: "memory" })).stderr, /^PORT: "eighty" is not allowed/)
  })

  it.live("key generates a different key each time, with an entry that API_KEYS_FILE accepts", function* () {
    const made = yield* Effect.replicateEffect(run(["key", "shop"]), 2)
    const keys = made.map(({ stdout }) => {
      const [, text = "", entry = ""] =
        /client alone: +(wd_[\w-]{32})\nentry, for API_KEYS_FILE: +(.*)\n$/.exec(stdout) ?? []
      assert.deepStrictEqual(
        Either.getOrThrow(parse(`[${entry}]`)).map(({ hash, name }) => [name, hash]),
        [["shop", hashOf(text)]]
      )
      return text
    })
    assert.strictEqual(new Set(keys).size, 2)
    const refused = yield* run(["key", "a b"])
    assert.match(refused.stderr, /^NAME: must be 1 to 64 letters/)
    assert.strictEqual(refused.code, 1)
  })

  it.scopedLive("health reports whether the local service is ready, or with --live whether it runs", function* () {
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          fetch: ({ url }) => new Response("", { status: url.endsWith("/health/live") ? 200 : 503 })
        })
      ),
      (listening) => Effect.promise(() => listening.stop(true))
    )
    const port = String(server.port)
    const live = yield* run(["health", "--live"], { PORT: port, HOST: "127.0.0.1" })
    assert.deepStrictEqual(live, { code: 0, stderr: "", stdout: "live\n" })
    const ready = yield* run(["health", "--port", port])
    assert.deepStrictEqual([ready.code, ready.stderr], [1, ""])
    assert.strictEqual(ready.stdout, `not ready: http://127.0.0.1:${port}/health/ready responded with status 503\n`)
    const nobody = yield* run(["health", "--port", "1"])
    assert.deepStrictEqual(nobody, {
      code: 1,
      stdout: "",
      stderr: "no response from http://127.0.0.1:1/health/ready\n"
    })
  })

  it("the banner shows the page, whether data is simulated, and how to stop", () => {
    const text = banner({ url: "http://0.0.0.0:4000", sandbox: true, page: true })
    for (const part of ["http://localhost:4000/\n", "http://localhost:4000/docs", "invented", "Ctrl-C"])
      assert.include(text, part)
    assert.notInclude(banner({ url: "http://[::1]:4000", sandbox: false, page: true }), "invented")
    assert.include(banner({ url: "http://[::1]:4000", sandbox: false, page: true }), " http://[::1]:4000/\n")
    const withoutPage = banner({ url: "http://0.0.0.0:4000", sandbox: false, page: false })
    assert.include(withoutPage, "http://localhost:4000/docs")
    assert.notInclude(withoutPage, "http://localhost:4000/\n")
  })

  it.live("serve reports an invalid value in one line", function* () {
    const { code, stderr, stdout } = yield* runInProcess(["serve"], { CACHE: "shelf", UPSTREAMS: "sandbox" })
    assert.strictEqual(code, 1)
    assert.strictEqual(stdout, "")
    assert.match(stderr, /^CACHE: "shelf" .*; allowed: memory, sqlite.*\n$/)
  })
})

describe.concurrent("the manifest", () => {
  it("starts the service through scripts/run.ts", () => {
    const { scripts } = manifest
    for (const script of [scripts.start, scripts.demo]) assert.match(script, / scripts\/run\.ts serve$/)
    assert.include(readFileSync("scripts/run.ts", "utf8"), 'import("../src/main.ts")')
  })
})
