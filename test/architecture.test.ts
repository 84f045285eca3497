import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import manifest from "../package.json" with { type: "json" }
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { argumentsOf, filesIn, importsOf, type Source, source, sources, wordless } from "./support/sources.ts"

// Each rule is also held against code that breaks it: one that finds nothing there would find nothing anywhere.

const violations = (rule: (item: Source) => ReadonlyArray<string>, files: ReadonlyArray<Source>) =>
  files.flatMap((file) => rule(file).map((what) => `${file.path}: ${what}`))

const holds = (rule: (item: Source) => ReadonlyArray<string>) => assert.deepStrictEqual(violations(rule, sources), [])

const refuses = (rule: (item: Source) => ReadonlyArray<string>, path: string, code: string) =>
  assert.isNotEmpty(rule(source(path, code)), `${path}: ${code}`)

const accepts = (rule: (item: Source) => ReadonlyArray<string>, path: string, code: string) =>
  assert.deepStrictEqual(rule(source(path, code)), [], `${path}: ${code}`)

const ground = ["domain", "settings", "kernel"]
const clients = [...ground, "storage", "upstream", "jsonrpc", "providers"]
const chains = [...clients, "catalogue", "chains"]
/** Below the use cases: what networks can do, and how all of them are read. */
const adapters = [...chains, "features/reading.ts"]
const features = [
  "addresses",
  "balances",
  "charts",
  "faucet",
  "fees",
  "history",
  "nodes",
  "portfolio",
  "prices",
  "simulation",
  "status",
  "transactions"
].map((name) => `features/${name}`)

/** What each part of src may import besides itself. */
const below: Readonly<Record<string, ReadonlyArray<string>>> = {
  domain: [],
  settings: ["kernel"],
  kernel: [],
  catalogue: ["domain"],
  contract: ["domain", "catalogue", "kernel"],
  storage: ground,
  upstream: [...ground, "storage"],
  jsonrpc: [...ground, "upstream"],
  providers: [...ground, "storage", "upstream"],
  chains: [...clients, "catalogue"],
  "features/reading.ts": chains,
  "features/prices/sources": [...ground, "providers", "upstream", "features/prices/PriceSource.ts"],
  "features/prices": [...adapters, "features/prices/sources"],
  "features/balances": [...adapters, "features/prices"],
  "features/addresses": adapters,
  "features/fees": [...adapters, "features/prices"],
  "features/history": [...adapters, "features/prices"],
  "features/portfolio": [...adapters, "features/prices", "features/balances", "features/history"],
  "features/charts": adapters,
  "features/nodes": adapters,
  "features/transactions": adapters,
  "features/simulation": adapters,
  "features/faucet": adapters,
  "features/status": [...adapters, "contract", "telemetry", "workers", "http/Health.ts"],
  telemetry: ["kernel", "settings", "package.json"],
  workers: ["kernel"],
  http: [...ground, "contract", "storage", "telemetry", "workers", "package.json"],
  sandbox: ["domain", "kernel", "catalogue", "chains", "upstream"],
  /** The handlers of all routes. */
  "handlers.ts": features,
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
  /** The public library: what it exports, it only names. */
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
    "http",
    "kernel",
    "settings",
    "telemetry",
    "upstream",
    "workers",
    "package.json"
  ],
  "main.ts": ["cli", "settings"],
  /** For browsers: nothing but itself, and no package (see below). */
  client: [],
  /** For browsers too: the client is its one way to the service. */
  page: ["client"],
  effectClient: ["contract", "client"]
}

/** Files besides the handlers of a group that know the wire: they handle requests and responses that HttpApi cannot describe. */
const wireToo = ["features/history/export/exportedAs.ts", "features/transactions/transactionRequest.ts"]

const partOf = (path: string): string => {
  if (path.endsWith("package.json")) return "package.json"
  const [first = path, second = "", third = ""] = path.split("/")
  if (first !== "features") return first
  return `${second}/${third}` === "prices/sources" ? `${first}/${second}/${third}` : `${first}/${second}`
}

/** What handlers use of the contract and of the server. */
const wire = ["contract", "http/response", "http/RawRoutes.ts"]

const isWire = (path: string) => wire.some((text) => path === text || path.startsWith(`${text}/`))

/** Where responses are made of what a use case returns: the handlers, and what is apart from them for its size. */
const isHandler = (path: string) => /^features\/\w+\/(handlers|toWire|entries|\w+Handlers)\.ts$/.test(path)

const layering = (item: Source) => {
  const part = partOf(item.path)
  const allowed = [part, ...(below[part] ?? [])]
  const knowsWire = isHandler(item.path) || wireToo.includes(item.path)
  return importsOf(item).flatMap(({ of, ours }) => {
    if (!ours || allowed.includes(of) || (knowsWire && isWire(of))) return []
    if (of.endsWith("/handlers.ts")) return item.path === "handlers.ts" ? [] : [`imports the handlers of ${of}`]
    return allowed.includes(partOf(of)) ? [] : [`imports ${of}`]
  })
}

const networkOf = (path: string) => /^catalogue\/(?:\w+\/)?([a-z]\w*)\.ts$/.exec(path)?.[1]

/** The facts of a network are known to the list of all, and to its family where it is the only one of it. */
const separateNetworks = (item: Source) =>
  importsOf(item).flatMap(({ of }) => {
    const network = networkOf(of)
    const isAllowed = item.path === "catalogue/Catalogue.ts" || item.path.startsWith(`chains/${network}/`)
    return network === undefined || isAllowed ? [] : [`imports ${of}`]
  })

/**
 * Layers of the same folder, of a package, and the whole service in a command may be provided anywhere; the kit for tests
 * puts whole services together, as App.ts does.
 */
const joining = (item: Source) => {
  if (item.path === "App.ts" || item.path.startsWith("testing/")) return []
  const others = importsOf(item).flatMap(({ names, of, ours }) =>
    ours && of !== "App.ts" && partOf(of) !== partOf(item.path) ? names : []
  )
  return argumentsOf(item.code, ["Layer.provide", "Layer.provideMerge", "Effect.provide"]).flatMap((given) =>
    others.filter((name) => new RegExp(`\\b${name}\\b`).test(given)).map((name) => `provides ${name}`)
  )
}

const isClient = ({ path }: Source) => path.startsWith("client/")

const isPage = ({ path }: Source) => path.startsWith("page/")

/** What runs in browsers has no Effect: its time, promises and errors are the platform's own. */
const serviceSources = sources.filter((item) => !isClient(item) && !isPage(item))

/** What only some of the runtimes have that the client is for. */
const ofOneRuntime = /\b(Bun|Deno|process|Buffer|require|window|document|navigator|localStorage|console)\b(?=[.(])/

const portable = (item: Source) => {
  if (!isClient(item)) return []
  const others = importsOf(item).filter(({ of, ours }) => !ours || !of.startsWith("client/"))
  return [...others.map(({ of }) => `imports ${of}`), ...(wordless(item).match(ofOneRuntime) ?? [])]
}

/** What the page is made with; it is bundled into the service, which needs none of it to run. */
const pagePackages = /^(preact(\/hooks)?|uplot)$/

/** Ways past the client, and ways by which a text of a stranger could become markup or code. */
const unsafe =
  /(?<!\w)fetch\(|\b(XMLHttpRequest|EventSource|WebSocket|innerHTML|outerHTML|insertAdjacentHTML|eval)\b|dangerouslySet|document\.write/

const safePage = (item: Source) => {
  if (!isPage(item)) return []
  const others = importsOf(item).filter(({ of, ours }) => !ours && !pagePackages.test(of))
  return [...others.map(({ of }) => `imports ${of}`), ...(wordless(item).match(unsafe) ?? [])]
}

describe("the layering of the source", () => {
  it("every part is in the table of who may import whom", () => {
    const parts = new Set(sources.map(({ path }) => partOf(path)))
    assert.deepStrictEqual(
      [...parts].filter((part) => below[part] === undefined),
      []
    )
  })

  it("the page has one way to the service, and none from a text to markup or code", () => {
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

  it("every file imports only what is below it", () => {
    holds(layering)
    for (const [path, imported] of [
      ["domain/Amount.ts", "../settings/Settings.ts"],
      ["contract/BalancesApi.ts", "../../package.json"],
      ["contract/BalancesApi.ts", "../features/balances/Portfolio.ts"],
      ["settings/Settings.ts", "../domain/CoinId.ts"],
      ["kernel/caught.ts", "../domain/CoinId.ts"],
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

  it("the promise client imports nothing but itself, and uses what every runtime has", () => {
    holds(portable)
    for (const code of [
      'import * as Effect from "effect/Effect"',
      'import type { Balance } from "../domain/Balance.ts"',
      'import { readFileSync } from "node:fs"',
      "const key = process.env.KEY",
      "await Bun.sleep(1)"
    ])
      refuses(portable, "client/Transport.ts", code)
    accepts(portable, "client/Transport.ts", 'import { guard } from "./guard.ts"')
    accepts(portable, "features/balances/Portfolio.ts", 'import * as Effect from "effect/Effect"')
  })

  it("a start loads the code of no family of networks, and not the sandbox", () => {
    const importsAt = (path: string) => importsOf(sources.find((item) => item.path === path) ?? source(path, ""))
    const families = importsAt("chains/Networks.ts").flatMap(({ of }) => (/^chains\/\w+\/[A-Z]/.test(of) ? [of] : []))
    assert.strictEqual(families.length, 9)
    const later = [...families, "sandbox/Sandbox.ts", "chains/evm/chains.ts"]
    const loaded = new Set<string>()
    const load = (path: string) => {
      if (loaded.has(path)) return
      loaded.add(path)
      // What is imported for its types, or when it is needed, has no name.
      for (const { names, of, ours } of importsAt(path)) if (ours && names.length > 0) load(of)
    }
    load("main.ts")
    assert.isAbove(loaded.size, 300)
    assert.deepStrictEqual(
      later.filter((path) => loaded.has(path)),
      []
    )
  })

  it("only the registry knows a network by its file", () => {
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
  /** The files that have a reason, and the reason. */
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
      "main.ts": "where the process begins",
      "kernel/timeout.ts": "one fiber for what has a time limit, where Effect.timeoutTo takes three",
      "upstream/Probes.ts": "sends the call that tests an address before another source is called, where a fork waits",
      "upstream/hedge.ts": "one fiber for every call to an upstream, where Effect.raceWith takes five",
      "kernel/each.ts": "one cheap fiber for each of several items, where Effect.forEach forks the whole of its parent",
      "kernel/TimeLimit.ts":
        "each call to an upstream is a fiber of its own: as a child of its caller it costs twice as much",
      "kernel/Fibers.ts": "does what FiberSet.makeRuntime does, without its Set",
      "http/response/ResponseCache.ts": "makes a response once a second, where no Effect runs for the request"
    }
  },
  {
    what: "calls fetch",
    pattern: /(?<!\w)fetch\(/,
    bad: ["fetch(url)", "globalThis.fetch(url)"],
    good: ["prefetch(url)"],
    except: { "upstream/FetchClient.ts": "the one way out of the process" }
  },
  {
    what: "reads the clock of the machine",
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/,
    bad: ["Date.now()", "new Date()"],
    good: ["new Date(now)"],
    except: { "kernel/Scheduler.ts": "measures how long fibers have run, which is no time of theirs" }
  },
  {
    what: "has a timer of its own",
    pattern: /\bset(Timeout|Interval|Immediate)\b|\bBun\.sleep/,
    bad: ["setTimeout(f, 10)", "setInterval(f, 10)"],
    good: ["Effect.sleep(10)"],
    except: {
      "kernel/timeout.ts": "a timer of the live clock in place of a fiber that sleeps",
      "kernel/Scheduler.ts": "runs the fibers, so it cannot be one"
    }
  },
  {
    what: "limits time by itself, which takes three fibers",
    pattern: /\bEffect\.timeout/,
    bad: ["Effect.timeoutFail(effect, late)", "Effect.timeout(1)"],
    good: ["timeoutFail(effect, late)"],
    except: {
      "chains/utxo/Histories.ts": "what was read is counted when the reading is interrupted, so that is waited for",
      "storage/Sqlite.ts": "the file is closed next, so the last write has to be over"
    }
  },
  {
    what: "reads the process",
    pattern: /\bprocess\.|\bBun\.env\b|\bimport\.meta\.env\b/,
    bad: ["process.env.PORT", "process.exit(1)", "Bun.env.PORT"],
    good: ["processed.length"],
    except: {
      "main.ts": "hands the environment and the name of the command on",
      "telemetry/ProcessMetrics.ts": "measures it",
      "upstream/response/BodyBudget.ts": "measures its memory",
      "http/page/bundle.ts": "a macro: runs where the service is translated or built",
      "workers/processes.ts":
        "starts this program again, is the channel between a worker and its parent, and receives a signal"
    }
  },
  {
    what: "writes to the console",
    pattern: /\bconsole\./,
    bad: ["console.log(1)"],
    good: ["Console.log(1)"]
  },
  {
    what: "catches by itself",
    pattern: /\btry\s*\{/,
    bad: ["try {\n  f()"],
    good: ["Effect.try({ try: f })"],
    except: {
      "storage/SqliteFile.ts": "closes a file that cannot be used, inside of an Effect.try",
      "kernel/caught.ts": "for what runs several times for each request"
    }
  },
  {
    what: "waits for a promise by itself",
    pattern: /(?<!\.)\bawait\b|\basync (\(|\w+ =>|function)/,
    bad: ["await promise", "async () => 1"],
    good: ["Deferred.await(first)", "{ async: true }"]
  },
  {
    what: "lets many wait for a semaphore of effect, which wakes all of them for each permit",
    pattern: /\bmakeSemaphore\(/,
    bad: ["Effect.makeSemaphore(32)"],
    good: ["Permits.make(32)"],
    except: {
      "features/faucet/Faucet.ts": "one transfer of an operator's own test network at a time",
      "features/faucet/Claims.ts": "the same"
    }
  },
  { what: "throws dice", pattern: /\bMath\.random\b/, bad: ["Math.random()"], good: ["Random.next"] },
  {
    what: "calls Bun",
    pattern: /\bBun\./,
    bad: ["Bun.file(path)"],
    good: ["BunFileSystem.layer"],
    except: {
      "http/Server.ts": "the socket; the server of @effect/platform-bun does not wait for requests in flight",
      "upstream/response/BodyBudget.ts": "collects garbage, which the platform does not do",
      "workers/processes.ts": "starts processes with a channel between them, which the platform does not have",
      "http/response/Compression.ts": "zstd, which the platform does not have",
      "http/page/bundle.ts": "a macro: runs where the service is translated or built"
    }
  }
]

describe("the habits of the source", () => {
  for (const { bad, except = {}, good, pattern, what } of banned)
    it(`nothing ${what}`, () => {
      const rule = (item: Source) =>
        except[item.path] === undefined ? (wordless(item).match(new RegExp(pattern, "g")) ?? []) : []
      assert.deepStrictEqual(violations(rule, serviceSources), [])
      for (const sample of bad) refuses(rule, "features/balances/Portfolio.ts", sample)
      for (const sample of [
        ...good,
        ...bad.map((element) => `// ${element}`),
        ...bad.map((current) => `"${current.replace(/\s/g, " ")}"`)
      ])
        accepts(rule, "features/balances/Portfolio.ts", sample)
      for (const path of Object.keys(except)) {
        const excepted = sources.find((one) => one.path === path)
        assert.match(excepted === undefined ? "" : wordless(excepted), pattern, `${path} needs no exception any more`)
      }
    })

  it("imports name one module of effect, never all of them", () => {
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

  it("only kernel/ uses effect/Cache, which interrupts all who joined a look-up with its first caller", () => {
    const rule = (item: Source) =>
      item.path.startsWith("kernel/")
        ? []
        : importsOf(item).flatMap(({ of }) => (of === "effect/Cache" ? [`imports ${of}`] : []))
    holds(rule)
    refuses(rule, "chains/cardano/AssetMetadata.ts", 'import * as Cache from "effect/Cache"')
    accepts(rule, "kernel/collections/lookups.ts", 'import * as Cache from "effect/Cache"')
  })

  it("relative imports end in .ts", () => {
    const rule = (one: Source) =>
      importsOf(one).flatMap(({ of, ours }) => (ours && !/\.tsx?$|package\.json$/.test(of) ? [`imports ${of}`] : []))
    holds(rule)
    refuses(rule, "features/balances/Portfolio.ts", 'import { layer } from "./Http"')
  })

  it("nothing outside of catalogue/ and chains/ tells networks apart by their ids", () => {
    const ids = Catalogue.all.map(({ id }) => id)
    const any = ids.join("|")
    const named = new RegExp(`["'](${any})["']|(?<=[{,\\s])(${any}):`, "g")
    const chosen = new RegExp(`(case|[!=]==) ["'](${any})["']|["'](${any})["'] [!=]==`)
    /** The words of the contract and its examples; families, of which some have one network and its
     * name; coins by CoinGecko's own ids and platforms, which are no networks.
     */
    const except = [
      "domain/Balance.ts",
      "contract/TransactionsApi.ts",
      "domain/Ohlc.ts",
      "domain/Currency.ts",
      "contract/wire.ts",
      "contract/fees/networkFees.ts",
      "domain/fees/Fees.ts",
      "sandbox/world/coins.ts",
      "providers/Binance.ts",
      "page/coin/candleCoins.ts"
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

  it("no file is longer than 400 lines", () => {
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
  it("every package that the service depends on is imported, and no other is", () => {
    const imported = new Set(
      sources
        .filter((item) => !isPage(item))
        .flatMap(importsOf)
        .flatMap(({ of, ours }) => {
          const [scope = "", name = ""] = of.split("/")
          return ours || /^(node|bun):|^bun$/.test(of) ? [] : [scope.startsWith("@") ? `${scope}/${name}` : scope]
        })
    )
    assert.deepStrictEqual([...imported].sort(), Object.keys(manifest.dependencies).sort())
  })

  it("no file names a registry of packages or a path of somebody's machine", () => {
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
