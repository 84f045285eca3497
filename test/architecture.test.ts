import { readdirSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../package.json" with { type: "json" }
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import {
  argumentsOf,
  filesIn,
  type Import,
  importsOf,
  type Source,
  source,
  sources,
  wordless
} from "./support/sources.ts"

// Each rule is also tested with code that breaks it, to prove that the rule finds violations.

const violations = (rule: (file: Source) => ReadonlyArray<string>, files: ReadonlyArray<Source>) =>
  files.flatMap((file) => rule(file).map((what) => `${file.path}: ${what}`))

const holds = (rule: (file: Source) => ReadonlyArray<string>) => assert.deepStrictEqual(violations(rule, sources), [])

const refuses = (rule: (file: Source) => ReadonlyArray<string>, path: string, code: string) =>
  assert.isNotEmpty(rule(source(path, code)), `${path}: ${code}`)

const accepts = (rule: (file: Source) => ReadonlyArray<string>, path: string, code: string) =>
  assert.deepStrictEqual(rule(source(path, code)), [], `${path}: ${code}`)

const ground = ["domain", "settings", "kernel"]
const clients = [...ground, "storage", "upstream", "jsonrpc", "providers"]
const chains = [...clients, "catalogue", "chains"]
/** The layers below the use cases: networks, and reading from them. */
const adapters = [...chains, "features/reading.ts"]
const features = readdirSync("src/features", { withFileTypes: true }).flatMap((entry) =>
  entry.isDirectory() ? [`features/${entry.name}`] : []
)

/** The parts that each part of src may import, in addition to itself. */
const below: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  settings: ["kernel", "package.json"],
  kernel: [],
  catalogue: ["domain"],
  contract: ["domain", "catalogue", "kernel"],
  storage: ground,
  upstream: [...ground, "storage"],
  jsonrpc: [...ground, "storage", "upstream"],
  providers: [...ground, "storage", "upstream"],
  chains: [...clients, "catalogue"],
  ...Object.fromEntries(features.map((feature) => [feature, adapters])),
  "features/reading.ts": chains,
  "features/prices/sources": [...ground, "providers", "upstream", "features/prices/PriceSource.ts"],
  "features/prices": [...adapters, "features/prices/sources"],
  "features/balances": [...adapters, "features/prices", "features/tokens"],
  "features/facts": [...adapters, "features/prices"],
  "features/fees": [...adapters, "features/prices"],
  "features/icons": [...adapters, "features/prices"],
  "features/history": [...adapters, "features/prices", "features/blocks"],
  "features/portfolio": [...adapters, "features/prices", "features/balances", "features/history"],
  "features/token": [...adapters, "features/prices", "features/balances", "features/tokens"],
  "features/tokens": [...adapters, "features/prices"],
  "features/sending": adapters,
  "features/decoding": adapters,
  "features/byHash": [
    ...adapters,
    "features/blocks",
    "features/history",
    "features/sending",
    "features/transactionStatus"
  ],
  "features/recipient": [...adapters, "features/history"],
  "features/nodes": [...adapters, "features/sending"],
  "features/transactions": [...adapters, "features/sending"],
  "features/transactionStatus": [...adapters, "features/blocks", "features/sending"],
  "features/status": [...adapters, "contract", "telemetry", "workers", "http/Health.ts"],
  telemetry: ["kernel", "settings"],
  workers: ["kernel", "settings"],
  http: [...ground, "contract", "storage", "telemetry", "workers"],
  sandbox: ["domain", "kernel", "catalogue", "chains", "upstream"],
  /** The handlers of all routes. */
  "handlers.ts": [...features, "contract"],
  "App.ts": [
    "Parts.ts",
    "handlers.ts",
    ...adapters,
    ...features,
    "features/prices/sources",
    "http",
    "telemetry",
    "sandbox",
    "workers"
  ],
  testing: [
    "App.ts",
    "Parts.ts",
    "handlers.ts",
    ...adapters,
    ...features,
    "features/prices/sources",
    "contract",
    "http",
    "sandbox"
  ],
  /** The public library, which only re-exports. */
  "index.ts": [
    "App.ts",
    "Parts.ts",
    "testing",
    ...adapters,
    ...features,
    "features/prices/sources",
    "contract",
    "http"
  ],
  "Parts.ts": ["storage", "chains", "features/prices/sources"],
  cli: [
    "App.ts",
    "catalogue",
    "chains",
    "contract",
    "features/facts",
    "http",
    "kernel",
    "settings",
    "telemetry",
    "upstream",
    "workers"
  ],
  "main.ts": ["cli", "settings"],
  /** For browsers: imports only itself, and no package (see below). */
  client: [],
  /** For browsers too: calls the service only through the client. */
  page: ["client"],
  effectClient: ["contract", "client"]
}

/** More files that may use the wire types: they handle requests and responses that HttpApi cannot describe. */
const wireToo = ["features/history/export/exportedAs.ts"]

const partOf = (path: string): string => {
  if (path.endsWith("package.json")) return "package.json"
  const [first = path, second = "", third = ""] = path.split("/")
  if (first !== "features") return first
  return `${second}/${third}` === "prices/sources" ? `${first}/${second}/${third}` : `${first}/${second}`
}

/** The parts of the contract and the server that handlers may use. */
const wire = ["contract", "http/response", "http/RawRoutes.ts"]

const isWire = (path: string) => wire.some((text) => path === text || path.startsWith(`${text}/`))

/** True for handlers, and for files that were split from handlers because of their size. */
const isHandler = (path: string) => /^features\/\w+\/(handlers|toWire|entries|\w+Handlers)\.ts$/.test(path)

const layering = (file: Source) => {
  const part = partOf(file.path)
  const allowed = [part, ...(below[part] ?? [])]
  const knowsWire = isHandler(file.path) || wireToo.includes(file.path)
  return importsOf(file).flatMap(({ of, ours }) => {
    if (!ours || allowed.includes(of) || (knowsWire && isWire(of))) return []
    if (of.endsWith("/handlers.ts")) return file.path === "handlers.ts" ? [] : [`imports the handlers of ${of}`]
    return allowed.includes(partOf(of)) ? [] : [`imports ${of}`]
  })
}

const networkOf = (path: string) => /^catalogue\/(?:\w+\/)?([a-z]\w*)\.ts$/.exec(path)?.[1]

/** Only the catalogue may import the facts of a network, and the family of that name if it has only this network. */
const separateNetworks = (file: Source) =>
  importsOf(file).flatMap(({ of }) => {
    const network = networkOf(of)
    const isAllowed = file.path === "catalogue/Catalogue.ts" || file.path.startsWith(`chains/${network}/`)
    return network === undefined || isAllowed ? [] : [`imports ${of}`]
  })

/**
 * Reports layers of other folders that a file provides. Layers of the same folder or of a package, and the whole
 * service in a command, may be provided anywhere; the test kit builds whole services, as App.ts does.
 */
const joining = (file: Source) => {
  if (file.path === "App.ts" || file.path.startsWith("testing/")) return []
  const others = importsOf(file).flatMap(({ names, of, ours }) =>
    ours && of !== "App.ts" && partOf(of) !== partOf(file.path) ? names : []
  )
  return argumentsOf(file.code, ["Layer.provide", "Layer.provideMerge", "Effect.provide"]).flatMap((given) =>
    others.filter((name) => new RegExp(`\\b${name}\\b`).test(given)).map((name) => `provides ${name}`)
  )
}

const isClient = ({ path }: Source) => path.startsWith("client/")

const isPage = ({ path }: Source) => path.startsWith("page/")

/** Sources with programs for browsers and for readers, as texts. */
const programs: ReadonlyArray<string> = ["http/reference/script.ts", "http/reference/samples.ts"]

/** Sources without the parts for browsers, which use the platform's timers, promises and errors instead of Effect. */
const serviceSources = sources.filter((file) => !isClient(file) && !isPage(file) && !programs.includes(file.path))

/** Globals that only some runtimes of the client have. */
const ofOneRuntime = /\b(Bun|Deno|process|Buffer|require|window|document|navigator|localStorage|console)\b(?=[.(])/

const portable = (file: Source) => {
  if (!isClient(file)) return []
  const others = importsOf(file).filter(({ of, ours }) => !ours || !of.startsWith("client/"))
  return [...others.map(({ of }) => `imports ${of}`), ...(wordless(file).match(ofOneRuntime) ?? [])]
}

/** The packages of the page. They are bundled into the service, which does not need them at run time. */
const pagePackages = /^(preact(\/hooks)?|qr|uplot)$/

/** APIs that bypass the client, or that could turn foreign text into markup or code. */
const unsafe =
  /(?<!\w)fetch\(|\b(XMLHttpRequest|EventSource|WebSocket|innerHTML|outerHTML|insertAdjacentHTML|eval)\b|dangerouslySet|document\.write/

const safePage = (file: Source) => {
  if (!isPage(file)) return []
  const others = importsOf(file).filter(({ of, ours }) => !ours && !pagePackages.test(of))
  return [...others.map(({ of }) => `imports ${of}`), ...(wordless(file).match(unsafe) ?? [])]
}

describe("the layering of the source", () => {
  it("every part is in the table of allowed imports", () => {
    const parts = new Set(sources.map(({ path }) => partOf(path)))
    assert.deepStrictEqual(
      [...parts].filter((part) => below[part] === undefined),
      []
    )
  })

  it("the page calls the service only through the client, and never turns text into markup or code", () => {
    holds(safePage)
    for (const code of [
      'import { make } from "effect/Effect"',
      'fetch("/networks")',
      "element.innerHTML = name",
      "<b dangerouslySetInnerHTML={{ __html: name }} />"
    ])
      refuses(safePage, "page/portfolio/HoldingRow.tsx", code)
    accepts(safePage, "page/portfolio/HoldingRow.tsx", 'import { useState } from "preact/hooks"')
    refuses(layering, "page/portfolio/HoldingRow.tsx", 'import { foreign } from "../../domain/Amount.ts"')
  })

  it("every file imports only layers below it", () => {
    holds(layering)
    for (const [path, imported] of [
      ["domain/Amount.ts", "../settings/Settings.ts"],
      ["contract/BalancesApi.ts", "../../package.json"],
      ["contract/BalancesApi.ts", "../features/balances/Portfolio.ts"],
      ["settings/Settings.ts", "../domain/CoinId.ts"],
      ["kernel/tryOrElse.ts", "../domain/CoinId.ts"],
      ["storage/Store.ts", "../upstream/Upstream.ts"],
      ["upstream/Upstream.ts", "../providers/TokenRegistry.ts"],
      ["upstream/Upstream.ts", "../jsonrpc/Client.ts"],
      ["providers/TokenRegistry.ts", "../chains/Chain.ts"],
      ["chains/evm/Evm.ts", "../../features/prices/Pricing.ts"],
      ["chains/evm/Evm.ts", "../../contract/wire.ts"],
      ["features/prices/sources/DefiLlamaPrices.ts", "../Pricing.ts"],
      ["features/prices/Pricing.ts", "../balances/Portfolio.ts"],
      ["features/prices/Pricing.ts", "../../contract/PricesApi.ts"],
      ["features/balances/Portfolio.ts", "../../contract/BalancesApi.ts"],
      ["features/balances/Portfolio.ts", "../history/History.ts"],
      ["features/balances/handlers.ts", "../../http/Server.ts"],
      ["features/status/handlers.ts", "../balances/Portfolio.ts"],
      ["http/Server.ts", "../features/balances/handlers.ts"],
      ["telemetry/Metrics.ts", "../http/Server.ts"],
      ["upstream/Transport.ts", "../sandbox/Sandbox.ts"],
      ["cli/check.ts", "../sandbox/Sandbox.ts"],
      ["cli/serve.ts", "../features/balances/Portfolio.ts"],
      ["App.ts", "./cli/serve.ts"],
      ["main.ts", "./App.ts"]
    ] as const)
      for (const form of [`import { X } from "${imported}"`, `import type * as X from "${imported}"`])
        refuses(layering, path, form)
    refuses(layering, "features/balances/Portfolio.ts", 'const one = import("../../contract/Api.ts")')
    refuses(layering, "features/balances/Portfolio.ts", 'export { row } from "../../contract/BalancesApi.ts"')
    accepts(layering, "features/balances/handlers.ts", 'import { Api } from "../../contract/Api.ts"')
    accepts(layering, "handlers.ts", 'import * as Balance from "./features/balances/handlers.ts"')
  })

  it("the promise client imports only itself, and uses only globals that every runtime has", () => {
    holds(portable)
    for (const code of [
      'import * as Effect from "effect/Effect"',
      'import type { Balance } from "../domain/Balance.ts"',
      'import { readdirSync, readFileSync } from "node:fs"',
      "const key = process.env.KEY",
      "await Bun.sleep(1)"
    ])
      refuses(portable, "client/Transport.ts", code)
    accepts(portable, "client/Transport.ts", 'import { guard } from "./guard.ts"')
    accepts(portable, "features/balances/Portfolio.ts", 'import * as Effect from "effect/Effect"')
  })

  it("a start again loads nothing but the limits of the runtime", () => {
    const importsAt = (path: string) => importsOf(sources.find((file) => file.path === path) ?? source(path, ""))
    // Dynamic imports have no names.
    const loadedBy = (path: string) => importsAt(path).flatMap(({ names, of }) => (names.length > 0 ? [of] : []))
    assert.deepStrictEqual(loadedBy("main.ts"), ["settings/runtime.ts", "settings/signals.ts"])
    assert.deepStrictEqual(loadedBy("settings/runtime.ts"), ["kernel/tryOrElse.ts"])
    assert.deepStrictEqual(loadedBy("settings/signals.ts"), ["node:fs", "node:tty"])
    assert.deepStrictEqual(loadedBy("kernel/tryOrElse.ts"), [])
  })

  it("a start loads neither the code of network families nor the sandbox", () => {
    const importsAt = (path: string) => importsOf(sources.find((file) => file.path === path) ?? source(path, ""))
    const isFamily = ({ names, of }: Import) => names.length === 0 && /^chains\/\w+\/[A-Z]/.test(of)
    const families = importsAt("chains/Networks.ts").flatMap((one) => (isFamily(one) ? [one.of] : []))
    assert.strictEqual(families.length, 9)
    const later = [...families, "sandbox/Sandbox.ts", "chains/evm/chains.ts"]
    const loaded = new Set<string>()
    const load = (path: string) => {
      if (loaded.has(path)) return
      loaded.add(path)
      // Type imports and dynamic imports have no names.
      for (const { names, of, ours } of importsAt(path)) if (ours && names.length > 0) load(of)
    }
    load("cli/main.ts")
    assert.isAbove(loaded.size, 300)
    assert.deepStrictEqual(
      later.filter((path) => loaded.has(path)),
      []
    )
  })

  it("only the catalogue imports networks by file", () => {
    holds(separateNetworks)
    refuses(separateNetworks, "catalogue/evm/base.ts", 'import { info } from "./ethereum.ts"')
    refuses(separateNetworks, "features/balances/Portfolio.ts", 'import { info } from "../../catalogue/base.ts"')
  })

  it("only App.ts joins layers of different folders", () => {
    holds(joining)
    const imports = 'import { Pricing } from "../prices/Pricing.ts"\n'
    refuses(joining, "features/balances/Portfolio.ts", `${imports}layer.pipe(Layer.provide(Pricing.layer))`)
    refuses(
      joining,
      "features/balances/Portfolio.ts",
      `${imports}layer.pipe(Layer.provideMerge(Layer.fresh(Pricing.layer)))`
    )
    refuses(joining, "features/balances/Portfolio.ts", `${imports}effect.pipe(\n  Effect.provide(\n    Pricing.layer))`)
    accepts(
      joining,
      "features/balances/Portfolio.ts",
      'import type { Pricing } from "../prices/Pricing.ts"\nLayer.provide(Pricing)'
    )
  })
})

interface Banned {
  readonly what: string
  readonly pattern: RegExp
  readonly bad: ReadonlyArray<string>
  readonly good: ReadonlyArray<string>
  /** Files that are exempt, with the reason. */
  readonly except?: Readonly<Record<string, string>>
}

const banned: ReadonlyArray<Banned> = [
  {
    what: "runs an Effect",
    pattern: /\brun(Main|Promise|PromiseExit|Sync|SyncExit|Fork|Callback)\b|\bManagedRuntime\b|\btoWebHandler\(/,
    bad: [
      "Effect.runPromise(program)",
      "BunRuntime.runMain(program)",
      "Runtime.runFork(runtime)",
      "Effect.runSync(one)"
    ],
    good: ["Effect.runtime()", "database.run(sql)"],
    except: {
      "cli/main.ts": "the entry point of all commands",
      "kernel/timeout.ts": "uses one fiber for a time limit; Effect.timeoutTo uses three",
      "upstream/Probes.ts": "sends the probe of an address at once, before another source is called; a fork would wait",
      "upstream/hedge.ts": "uses one fiber per call to an upstream; Effect.raceWith uses five",
      "kernel/each.ts": "uses one cheap fiber per item; Effect.forEach copies the whole state of its parent",
      "upstream/endpoint/HttpExchange.ts": "its calls belong to the upstream and not to the fiber of a caller",
      "http/response/ResponseCache.ts": "builds a response once per second, outside of the Effect of a request",
      "testing/Upstreams.ts": "gives the function of a mock, which may know only promises, the response without it"
    }
  },
  {
    what: "calls fetch",
    pattern: /(?<!\w)fetch\(/,
    bad: ["fetch(url)", "globalThis.fetch(url)"],
    good: ["prefetch(url)"],
    except: {
      "upstream/FetchClient.ts": "the only HTTP client of configured upstreams",
      "upstream/guarded/PublicHosts.ts": "calls public hosts that third parties choose"
    }
  },
  {
    what: "reads the system clock",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/,
    bad: ["Date.now()", "new Date()"],
    good: ["new Date(now)"],
    except: {
      "kernel/Scheduler.ts": "measures how long fibers run, which does not depend on the clock of tests",
      "kernel/timeout.ts": "notices a pause of the process"
    }
  },
  {
    what: "uses timers directly",
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bBun\.sleep/,
    bad: ["setTimeout(f, 10)", "setInterval(f, 10)"],
    good: ["Effect.sleep(10)"],
    except: {
      "cli/main.ts": "keeps the process alive while its fiber waits",
      "kernel/timeout.ts": "uses a timer of the live clock instead of a sleeping fiber",
      "kernel/Scheduler.ts": "runs the fibers, so it cannot be one"
    }
  },
  {
    what: "uses Effect.timeout, which needs three fibers",
    pattern: /\bEffect\.timeout/,
    bad: ["Effect.timeoutFail(effect, late)", "Effect.timeout(1)"],
    good: ["timeoutFail(effect, late)"],
    except: {
      "chains/utxo/history.ts": "waits until an interrupted read has ended, to count the rows that were read",
      "storage/Sqlite.ts": "must wait for the last write, because the file is closed next"
    }
  },
  {
    what: "uses `process` or the environment",
    pattern: /\bprocess\.|\bBun\.env\b|\bimport\.meta\.env\b/,
    bad: ["process.env.PORT", "process.exit(1)", "Bun.env.PORT"],
    good: ["processed.length"],
    except: {
      "main.ts": "passes on the arguments",
      "cli/main.ts": "passes on the environment and the arguments",
      "cli/quickHealth.ts": "checks the service without the modules of the service",
      "settings/runtime.ts":
        "starts the process again with other limits of the runtime, before anything else is loaded",
      "telemetry/ProcessMetrics.ts": "measures the process",
      "upstream/response/BodyBudget.ts": "measures its memory",
      "http/page/bundle.ts": "a macro, which runs when the service is transpiled or built",
      "workers/processes.ts":
        "starts workers, exchanges messages between a worker and its parent, and receives a signal",
      "workers/systemd.ts": "reads the variables of systemd",
      "settings/signals.ts": "receives the signals of the whole life of the process"
    }
  },
  {
    what: "writes to the console",
    pattern: /\bconsole\./,
    bad: ["console.log(1)"],
    good: ["Console.log(1)"]
  },
  {
    what: "uses try and catch",
    pattern: /\btry\s*\{/,
    bad: ["try {\n  f()"],
    good: ["Effect.try({ try: f })"],
    except: {
      "storage/SqliteFile.ts": "closes an unusable file inside of Effect.try",
      "storage/sqliteIdentity.ts": "closes a file that it only looks at, inside of Effect.try",
      "kernel/tryOrElse.ts": "for code that runs several times per request"
    }
  },
  {
    what: "uses async functions or await",
    pattern: /(?<!\.)\bawait\b|\basync (\(|\w+ =>|function)/,
    bad: ["await promise", "async () => 1"],
    good: ["Deferred.await(first)", "{ async: true }"]
  },
  {
    what: "uses Effect.makeSemaphore, which wakes all waiters for each permit",
    pattern: /\bmakeSemaphore\(/,
    bad: ["Effect.makeSemaphore(32)"],
    good: ["Permits.make(32)"],
    except: {
      "features/faucet/Faucet.ts": "allows one transfer at a time on an operator's test network"
    }
  },
  {
    what: "uses Effect.cached, which returns the interruption of its first caller to all later callers",
    pattern: /\bEffect\.cached\b/,
    bad: ["yield* Effect.cached(load)", "load.pipe(Effect.cached)"],
    good: ["yield* madeOnce(load)", "Effect.cachedWithTTL(health, 1)"],
    except: { "kernel/madeOnce.ts": "caches a fiber that no caller interrupts" }
  },
  { what: "uses Math.random", pattern: /\bMath\.random\b/, bad: ["Math.random()"], good: ["Random.next"] },
  {
    what: "uses Bun's API",
    pattern: /\bBun\./,
    bad: ["Bun.file(path)"],
    good: ["BunFileSystem.layer"],
    except: {
      "http/Server.ts":
        "listens itself, because the server of @effect/platform-bun does not wait for requests in flight",
      "upstream/FetchClient.ts": "keeps the connections of each host apart, which only the runtime's sessions do",
      "upstream/response/BodyBudget.ts": "collects garbage, which @effect/platform does not support",
      "workers/processes.ts": "starts processes with a message channel, which @effect/platform does not support",
      "settings/runtime.ts": "names the program that runs",
      "settings/build.ts": "names the version of Bun",
      "http/response/Compression.ts": "uses zstd, which @effect/platform does not support",
      "http/page/bundle.ts": "a macro: runs where the service is translated or built"
    }
  }
]

describe("the source", () => {
  for (const { bad, except = {}, good, pattern, what } of banned)
    it(`no file ${what}, except where the table allows it`, () => {
      const rule = (file: Source) =>
        except[file.path] === undefined ? (wordless(file).match(new RegExp(pattern, "g")) ?? []) : []
      assert.deepStrictEqual(violations(rule, serviceSources), [])
      for (const sample of bad) refuses(rule, "features/balances/Portfolio.ts", sample)
      for (const sample of [
        ...good,
        ...bad.map((words) => `// ${words}`),
        ...bad.map((words) => `"${words.replace(/\s/g, " ")}"`)
      ])
        accepts(rule, "features/balances/Portfolio.ts", sample)
      for (const path of Object.keys(except)) {
        const excepted = sources.find((one) => one.path === path)
        assert.match(excepted === undefined ? "" : wordless(excepted), pattern, `${path} no longer needs an exception`)
      }
    })

  it("races no promises: a promise keeps the values of all its races as long as it lives", () => {
    const rule = (one: Source) => wordless(one).match(/\bPromise\s*\.\s*race\b|\brace\b[^=]*=\s*Promise\b/g) ?? []
    holds(rule)
    for (const code of ["Promise.race([expired, promise])", "const { race } = Promise", "globalThis.Promise.race(all)"])
      refuses(rule, "client/guard.ts", code)
    accepts(rule, "upstream/hedge.ts", "Effect.race(first, second)")
  })

  it("imports single modules of effect, never the whole package", () => {
    const rule = (one: Source) =>
      importsOf(one).flatMap(({ of }) => (/^(effect|@effect\/[a-z-]+|viem)$/.test(of) ? [`imports ${of}`] : []))
    const types = (one: Source) => rule({ ...one, code: one.code.replace(/import type [^"]+"viem"/g, "") })
    holds(types)
    for (const name of ["effect", "@effect/platform", "@effect/platform-bun", "@effect/opentelemetry"])
      refuses(types, "features/balances/Portfolio.ts", `import { Effect } from "${name}"`)
    refuses(types, "chains/evm/Evm.ts", 'import { numberToHex } from "viem"')
    accepts(types, "chains/evm/Evm.ts", 'import type { Hex } from "viem"')
    accepts(types, "features/balances/Portfolio.ts", 'import * as Effect from "effect/Effect"')
  })

  it("uses effect/Cache only in kernel/, because interrupting the first caller interrupts all waiting callers", () => {
    const rule = (file: Source) =>
      file.path.startsWith("kernel/")
        ? []
        : importsOf(file).flatMap(({ of }) => (of === "effect/Cache" ? [`imports ${of}`] : []))
    holds(rule)
    refuses(rule, "chains/cardano/AssetMetadata.ts", 'import * as Cache from "effect/Cache"')
    accepts(rule, "kernel/collections/lookups.ts", 'import * as Cache from "effect/Cache"')
  })

  it("has relative imports that end in .ts", () => {
    const rule = (one: Source) =>
      importsOf(one).flatMap(({ of, ours }) => (ours && !/\.tsx?$|package\.json$/.test(of) ? [`imports ${of}`] : []))
    holds(rule)
    refuses(rule, "features/balances/Portfolio.ts", 'import { layer } from "./Http"')
  })

  it("distinguishes networks by id only in catalogue/ and chains/", () => {
    const ids = Catalogue.all.map(({ id }) => id)
    const any = ids.join("|")
    const named = new RegExp(`["'](${any})["']|(?<=[{,\\s])(${any}):`, "g")
    const chosen = new RegExp(`(case|[!=]==) ["'](${any})["']|["'](${any})["'] [!=]==`)
    /**
     * The contract and its examples; families, of which some have the name of their only network; coins and platforms
     * by CoinGecko id, which are not networks.
     */
    const except = [
      "domain/Balance.ts",
      "contract/TransactionsApi.ts",
      "domain/charts/Ohlc.ts",
      "domain/Currency.ts",
      "contract/wire.ts",
      "contract/fees/networkFees.ts",
      "domain/fees/Fees.ts",
      "domain/TransactionContext.ts",
      "sandbox/world/busy.ts",
      "sandbox/world/coins.ts",
      "providers/Binance.ts",
      "page/coin/candleCoins.ts",
      "page/state/knownNetworks.ts",
      "page/transaction/hashes.ts",
      "page/transaction/signed.ts"
    ]
    const rule = (one: Source) => {
      const names = new Set([...one.code.matchAll(named)].map(([, text, key]) => text ?? key))
      if (/^(catalogue|chains)\//.test(one.path) || except.includes(one.path)) return []
      return names.size > 1 || chosen.test(one.code) ? [`names ${[...names].join(", ")}`] : []
    }
    holds(rule)
    refuses(rule, "features/balances/Portfolio.ts", 'switch (id) {\n  case "base":\n    return 1\n}')
    refuses(rule, "features/balances/Portfolio.ts", 'const fee = info.id === "optimism" ? 1 : 0')
    refuses(rule, "features/balances/Portfolio.ts", "const decimals = { ethereum: 18, polygon: 18 }")
    refuses(rule, "features/balances/Portfolio.ts", 'const rollups = ["optimism", "base"]')
    accepts(rule, "chains/evm/Evm.ts", 'const rollups = ["optimism", "base"]')
    accepts(rule, "features/balances/Portfolio.ts", "const url = { base: 1 }")
  })

  it("has no file longer than 400 lines", () => {
    const long = (text: string) => text.split("\n").length - 1 > 400
    assert.isTrue(long("\n".repeat(401)))
    assert.isFalse(long("\n".repeat(400)))
    assert.deepStrictEqual(
      sources.map(({ path }) => path).filter((path) => long(readFileSync(`src/${path}`, "utf8"))),
      []
    )
  })
})

describe("the repository", () => {
  it("imports exactly the packages that the manifest lists as dependencies", () => {
    const imported = new Set(
      sources
        .filter((file) => !isPage(file))
        .flatMap(importsOf)
        .flatMap(({ of, ours }) => {
          const [scope = "", name = ""] = of.split("/")
          return ours || /^(node|bun):|^bun$/.test(of) ? [] : [scope.startsWith("@") ? `${scope}/${name}` : scope]
        })
    )
    assert.deepStrictEqual([...imported].sort(), Object.keys(manifest.dependencies).sort())
  })

  it("names no package registry and no path of a developer's machine", () => {
    const registry = /\b(registry|npm|artifactory|verdaccio|nexus)[a-z0-9-]*\.[a-z0-9-]+\.(org|com|io|net|dev|pkg)\b/i
    const machine = /(^|["'`\s=(])(\/(home|Users|root|work|workspaces?|mnt|srv)\/[\w.-]|[A-Z]:\\\\?\w)/m
    const rule = (text: string) => [registry, machine].flatMap((pattern) => pattern.exec(text)?.[0] ?? [])
    assert.deepStrictEqual(
      filesIn(".").flatMap((path) => rule(readFileSync(path, "utf8")).map((found) => `${path}: ${found}`)),
      []
    )
    const slash = "/"
    for (const bad of [
      `"https:${slash}${slash}${["registry", "npmjs", "org"].join(".")}/effect"`,
      `registry=https:${slash}${slash}${["registry", "company", "com"].join(".")}`,
      `const path = "${slash}${["home", "me", "project"].join("/")}"`,
      `cd ${slash}${["work", "project"].join("/")}`,
      ["C:", "Users", "me"].join("\\")
    ])
      assert.isNotEmpty(rule(bad), bad)
    for (const good of [
      "the token registry.",
      'get("/networks")',
      '"https://api.example/home/page"',
      "registry.follow(one)"
    ])
      assert.deepStrictEqual(rule(good), [], good)
  })
})
