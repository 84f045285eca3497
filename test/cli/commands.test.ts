import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import manifest from "../../package.json" with { type: "json" }
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { folder, run, runApart } from "../support/command.ts"
import { sources } from "../support/sources.ts"

/** The variables that there are in any case; those that come with an adapter are found in its source. */
const always = ["HOST", "PORT", "APP_NAME", "UPSTREAMS", "CACHE", "SQLITE_PATH", "REQUEST_DEADLINE_MS"]
  .concat(["UPSTREAM_TIMEOUT_MS", "MAX_BODY_BYTES", "MAX_ADDRESSES", "API_KEYS", "RATE_LIMIT_PER_MINUTE"])
  .concat(["CORS_ORIGINS", "TRUST_PROXY", "LOG_LEVEL", "LOG_FORMAT", "OTLP_URL", "EXTRA_EVM_NETWORKS"])
  .concat(["COINGECKO_URL", "COINGECKO_API_KEY", "COINGECKO_TOKENS_URL", "DEFILLAMA_URL", "PRICE_MAX_AGE_MS"])

describe.concurrent("wallet-data config", () => {
  it.live("lists every variable with its meaning, what is allowed and its default", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["config"], { EXTRA_EVM_NETWORKS: "gnosis:100" })
      assert.strictEqual(code, 0)
      assert.strictEqual(stderr, "")
      const listed = [...stdout.matchAll(/^([A-Z0-9_]+)=.*\n {2}\S.*\n {2}allowed: \S/gm)].map(([, name]) => name)
      assert.deepStrictEqual(listed, [...new Set(listed)].sort())
      const readers = sources.filter(({ path }) => !/^(sandbox|catalogue)\//.test(path))
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
      const missing = [...always, ...declared, ...nodes, "GNOSIS_RPC_URLS"].filter((item) => !listed.includes(item))
      assert.deepStrictEqual(missing, [])
      const paced = listed.flatMap((name) => /^(.+)_PER_SECOND$/.exec(name ?? "")?.[1] ?? [])
      assert.includeMembers(
        paced,
        ["COINGECKO", "DEFILLAMA", "KOIOS", "RIPPLE_RPC", "TRONGRID"].concat([
          // Also those that are not used without a key.
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
    })
  )

  it.live("shows what is set, secrets and keys in addresses excepted", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["config"], {
        PORT: "8080",
        API_KEYS: "secret-one,secret-two",
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
  )

  it.live("names every value that is not allowed, and what would be, and exits with 1", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["config"], {
        PORT: "eighty",
        LOG_LEVEL: "loud",
        MAX_ADDRESSES: "0",
        BASE_RPC_URLS: "ftp://secret.example",
        EXTRA_EVM_NETWORKS: "nothing:99999999999"
      })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^PORT: "eighty" .*; allowed: a whole number from 0 to 65535$/m)
      assert.match(stderr, /^LOG_LEVEL: "loud" .*; allowed: trace, debug, info, warning, error, none$/m)
      assert.match(stderr, /^MAX_ADDRESSES: "0" .*; allowed: a whole number from 1 to 100000$/m)
      assert.match(stderr, /^EXTRA_EVM_NETWORKS: "nothing:99999999999": viem\/chains has no such chain/m)
      assert.strictEqual(stderr.match(/^PORT:/gm)?.length, 1)
      assert.include(stdout, "MAX_BODY_BYTES=1048576")
      const node = yield* run(["config"], { BASE_RPC_URLS: "https://good.example,ftp://secret.example" })
      assert.strictEqual(node.code, 1)
      assert.match(node.stderr, /^BASE_RPC_URLS: address 2 of 2 .*; allowed: http:\/\/ or https:/m)
      assert.notInclude(node.stderr, "secret.example")
    })
  )

  it.live("warns of an unknown variable, and says which may have been meant", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["config"], { ETHERUM_RPC_URLS: "https://node.example" })
      assert.strictEqual(code, 0)
      assert.match(stdout, /ETHERUM_RPC_URLS is set, but no variable is called that: was ETHEREUM_RPC_URLS meant\?/)
    })
  )

  it.live("prints the variables as markdown tables with --markdown, and no value", () =>
    Effect.gen(function* () {
      const { stdout: paragraphs } = yield* run(["config"], { EXTRA_EVM_NETWORKS: "gnosis:100" })
      const { code, stderr, stdout } = yield* run(["config", "--markdown"], {
        EXTRA_EVM_NETWORKS: "gnosis:100",
        PORT: "8080",
        API_KEYS: "secret-one",
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
      assert.match(stdout, /^\| `PORT` \| `3000` \| Where to listen/m)
      assert.match(stdout, /^\| `KOIOS_PER_SECOND`, `KOIOS_PER_MONTH` \| 10 \| 0 \|$/m)
      for (const value of ["8080", "secret-one", "<1 set>", "ETHERUM"]) assert.notInclude(stdout, value)
    })
  )

  it.live("with --markdown names what is not allowed too, and exits with 1", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["config", "--markdown"], { PORT: "eighty" })
      assert.strictEqual(code, 1)
      assert.match(stderr, /^PORT: "eighty" .*; allowed: a whole number from 0 to 65535$/m)
      assert.include(stdout, "| `PORT` | `3000` |")
    })
  )

  it.live("refuses an option that it does not have", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* run(["config", "--json"])
      assert.strictEqual(code, 1)
      assert.match(stderr, /^--json is not an option of config\n\nusage: /)
      assert.strictEqual(stdout, "")
    })
  )

  it.live("reads the .env of the working directory", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      writeFileSync(join(cwd, ".env"), "APP_NAME=from-a-file\nPORT=4000\n")
      const { stdout } = yield* runApart(["config"], { PORT: "5000" }, cwd)
      assert.match(stdout, /^APP_NAME=from-a-file$/m)
      assert.match(stdout, /^PORT=5000$/m)
      assert.deepStrictEqual(readdirSync(cwd), [".env"])
    }).pipe(Effect.scoped)
  )
})

describe.concurrent("wallet-data check", () => {
  it.live("tries every address of every upstream, and exits with 0 where all answer", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const environment = { UPSTREAMS: "sandbox", CACHE: "memory", EXTRA_EVM_NETWORKS: "gnosis:100" }
      const { code, stderr, stdout } = yield* runApart(["check"], environment, cwd)
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^upstream +host +key +state +time +why\n/)
      for (const name of ["coingecko", "coingecko-tokens", "defillama", "ethereum-rpc", "gnosis-rpc"])
        assert.match(stdout, new RegExp(`^${name} +\\S+ +no key +up +\\d+ ms$`, "m"))
      assert.notInclude(stdout, "zkevm")
      const [, up, all] = /^(\d+) of (\d+) addresses work$/m.exec(stdout) ?? []
      assert.strictEqual(up, all)
      assert.deepStrictEqual(readdirSync(cwd), [])
    }).pipe(Effect.scoped)
  )

  it.live("says which address is down and why, and exits with 1", () =>
    Effect.gen(function* () {
      const cwd = yield* folder
      const { code, stdout } = yield* run(["check"], {
        UPSTREAMS: `replay:${cwd}`,
        CACHE: "memory",
        COINGECKO_API_KEY: "secret-key",
        ETHEREUM_RPC_URLS: "https://operator:secret-word@node.example:8545/secret-path"
      })
      assert.strictEqual(code, 1)
      assert.match(stdout, /^ethereum-rpc +node\.example:8545 +no key +DOWN +\d+ ms +could not be reached$/m)
      assert.match(stdout, /^coingecko +api\.coingecko\.com +key +DOWN/m)
      assert.match(stdout, /^0 of \d+ addresses work$/m)
      assert.notInclude(stdout, "secret")
    }).pipe(Effect.scoped)
  )
})

describe.concurrent("the other commands", () => {
  it.live("openapi prints the document under the operator's name of the charts", () =>
    Effect.gen(function* () {
      const { code, stdout } = yield* run(["openapi"], { APP_NAME: "purse" })
      assert.strictEqual(code, 0)
      const document = JSON.parse(stdout)
      assert.match(document.openapi, /^3\.1\./)
      assert.strictEqual(document.info.version, manifest.version)
      assert.includeMembers(Object.keys(document.paths), ["/balance", "/purse/mdata"])
      const wrong = yield* run(["openapi"], { APP_NAME: "a/b" })
      assert.strictEqual(wrong.code, 1)
      assert.match(wrong.stderr, /^APP_NAME: "a\/b" .*; allowed: letters, digits/)
    })
  )

  it.live("version prints name and version", () =>
    Effect.gen(function* () {
      for (const word of ["version", "--version"])
        assert.deepStrictEqual(yield* runApart([word]), {
          code: 0,
          stderr: "",
          stdout: `${manifest.name} ${manifest.version}\n`
        })
    })
  )

  it.live("help lists the commands, and an unknown one is refused with the list", () =>
    Effect.gen(function* () {
      const help = yield* run(["--help"])
      assert.strictEqual(help.code, 0)
      for (const name of ["serve", "check", "config", "openapi", "version"])
        assert.match(help.stdout, new RegExp(`^  ${name} `, "m"))
      const unknown = yield* runApart(["sevre"])
      assert.strictEqual(unknown.code, 1)
      assert.strictEqual(unknown.stdout, "")
      assert.strictEqual(unknown.stderr, `sevre is not a command\n\n${help.stdout}`)
    })
  )

  it.live("a start with a value that is not allowed says so in one line", () =>
    Effect.gen(function* () {
      const { code, stderr, stdout } = yield* runApart(["serve"], { CACHE: "shelf", UPSTREAMS: "sandbox" })
      assert.strictEqual(code, 1)
      assert.strictEqual(stdout, "")
      assert.match(stderr, /^CACHE: "shelf" .*; allowed: memory, sqlite.*\n$/)
    })
  )
})

describe.concurrent("the manifest", () => {
  it("starts what the commands are", () => {
    const { scripts } = manifest
    for (const script of [scripts.start, scripts.demo]) assert.match(script, / scripts\/run\.ts serve$/)
    assert.include(readFileSync("scripts/run.ts", "utf8"), 'import("../src/main.ts")')
  })
})
