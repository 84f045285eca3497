import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as SuiJsonRpc from "@mysten/sui/jsonRpc"
import * as SolanaKit from "@solana/kit"
import * as Ton from "@ton/ton"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ethers from "ethers"
import openapiFetch from "openapi-fetch"
import * as viem from "viem"
import * as EffectClient from "../src/effectClient/WalletData.ts"
import { Service } from "./support/app.ts"
import { clientOver, execute, programsIn } from "./support/programs.ts"
import { Proxy } from "./support/proxy.ts"
import { assert, describe, layer } from "./support/vitest.ts"

// Other tests run the programs of docs/start.md and docs/testing.md.

const ethereum = ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"]
const networks = { ethereum }

const [
  nodes = "",
  first = "",
  response = "",
  stream = "",
  pages = "",
  failure = "",
  effect = "",
  generated = "",
  source = "",
  ...others
] = programsIn("docs/client.md")
const [packaged = "", ...more] = programsIn("packages/client/README.md")

const context = Effect.map(Service, ({ handler }) => {
  // Fragments are not sent.
  const fetch = (url: string | URL, init?: RequestInit) => handler(new Request(String(url).replace(/#.*/, ""), init))
  const shown: Array<ReadonlyArray<unknown>> = []
  const warned: Array<ReadonlyArray<unknown>> = []
  const wallet = clientOver(fetch)
  const client = wallet.make({ baseUrl: "http://localhost:3000" })
  const show = (...values: ReadonlyArray<unknown>) => void shown.push(values)
  const warn = (...values: ReadonlyArray<unknown>) => void warned.push(values)
  return {
    fetch,
    shown,
    warned,
    modules: { "wallet-data/client": wallet, "wallet-data-client": wallet },
    values: { client, networks, show, warn, console: { log: show } }
  }
})

layer(Service.layer(), { excludeTestServices: true, timeout: "60 seconds" })("a sample of docs/client.md", (it) => {
  for (const [name, program] of [
    ["the JavaScript client", first],
    ["the package of the client", packaged]
  ] as const)
    it(`shows balances by ${name}`, function* () {
      assert.deepStrictEqual([others, more], [[], []])
      const { shown, ...surroundings } = yield* context
      yield* execute(program, surroundings)
      const ether = shown.find(([symbol]) => symbol === "ETH")
      assert.match(String(ether?.[1]), /^\d+(\.\d+)?$/)
      assert.isAbove(shown.length, 1)
    })

  it("shows the missing parts of a history", function* () {
    const { warned, ...surroundings } = yield* context
    const { data, requestId } = yield* execute(response, surroundings)
    assert.isArray((data as Record<string, Record<string, unknown>>).ethereum?.[ethereum[0] ?? ""])
    assert.isString(requestId)
    for (const [line] of warned) assert.match(String(line), /^ethereum 0x/)
  })

  it("reads streams, pages and whole histories", function* () {
    const { shown, ...surroundings } = yield* context
    yield* execute(stream, surroundings)
    assert.deepInclude(shown[0]?.[0], { blockchain: "ethereum", tokenSymbol: "ETH" })
    const rows = shown.length
    yield* execute(pages, surroundings)
    const of = (isRow: (values: ReadonlyArray<unknown>) => boolean) => shown.slice(rows).filter(isRow).length
    assert.isAtLeast(
      of((values) => values.length === 2),
      1
    )
    assert.isAtLeast(
      of(([network, address]) => network === "ethereum" && address === ethereum[0]),
      2
    )
  })

  it("shows which part of a request was wrong", function* () {
    const { shown, ...surroundings } = yield* context
    yield* execute(failure, surroundings)
    assert.deepStrictEqual(shown, [["network_ids.1", shown[0]?.[1]]])
  })

  it("reads balances by the Effect client", function* () {
    const { fetch } = yield* context
    const modules = {
      "@effect/platform/FetchHttpClient": FetchHttpClient,
      "effect/Effect": Effect,
      "effect/Layer": Layer,
      "wallet-data/effect": EffectClient
    }
    const { live, program } = yield* execute(effect, { modules })
    const rows = yield* (program as Effect.Effect<ReadonlyArray<{ readonly tokenSymbol: string }>>).pipe(
      Effect.provide(live as Layer.Layer<never>),
      Effect.provideService(FetchHttpClient.Fetch, fetch as typeof globalThis.fetch)
    )
    assert.strictEqual(rows[0]?.tokenSymbol, "ETH")
  })

  it("reads balances and both forms of a history by a generated client", function* () {
    const { fetch } = yield* context
    const createClient = (options: object) =>
      openapiFetch({ ...options, fetch: (request: Request) => fetch(request.url, request) })
    const found = yield* execute(generated, { modules: { "openapi-fetch": { default: createClient } } })
    assert.isUndefined(found.error)
    assert.strictEqual((found.rows as ReadonlyArray<{ readonly tokenSymbol: string }>)[0]?.tokenSymbol, "ETH")
    assert.isArray((found.lists as Record<string, Record<string, unknown>>).ethereum?.[ethereum[0] ?? ""])
    assert.hasAllKeys(found.withMeta, ["data", "meta"])
  })
})

/** Events of a stream by the fields of the HTML standard, as an `EventSource` dispatches them. */
const eventSource = (fetch: (url: string) => Promise<Response>, done: () => void) =>
  class {
    readonly listeners = new Map<string, (event: { readonly data: string }) => void>()
    constructor(url: string) {
      void fetch(url)
        .then((response) => response.text())
        .then((text) => {
          for (const [, name = "", data = ""] of text.matchAll(/event: (.+)\n(?:id: .+\n)?data: (.+)\n\n/g))
            this.listeners.get(name)?.({ data })
        })
    }
    addEventListener(name: string, listener: (event: { readonly data: string }) => void) {
      this.listeners.set(name, listener)
    }
    close() {
      done()
    }
  }

layer(Service.layer(), { excludeTestServices: true, timeout: "60 seconds" })("a sample with events", (it) => {
  it("shows the balances until the end", function* () {
    const { fetch, shown, ...surroundings } = yield* context
    const bitcoin = "bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq"
    const program = source.replace("0x…", ethereum[0] ?? "").replace("bc1…", bitcoin)
    yield* Effect.async<void>((resume) => {
      const EventSource = eventSource(fetch, () => resume(Effect.void))
      Effect.runFork(execute(program, { ...surroundings, values: { ...surroundings.values, EventSource } }))
    })
    const symbols = shown.map(([row]) => (row as { readonly tokenSymbol: string }).tokenSymbol)
    assert.includeMembers(symbols, ["ETH", "BTC"])
  })
})

describe("the samples of node access", () => {
  layer(Proxy.layer, { excludeTestServices: true, timeout: "60 seconds" })(
    "with the libraries that they name",
    (it) => {
      it("read the newest block of each network", function* () {
        const { url } = yield* Proxy
        const program = nodes
          .replaceAll("http://localhost:3000", url)
          .replace(/^(?=\w)/gm, "made(")
          .replace(/\)(?= +\/\/)/gm, "))")
        const clients: Array<unknown> = []
        const made = (client: unknown) => void clients.push(client)
        const { TonClient } = Ton
        const { SuiJsonRpcClient } = SuiJsonRpc
        yield* execute(program, {
          modules: {},
          values: { ...viem, ...ethers, ...SolanaKit, TonClient, SuiJsonRpcClient, made }
        })
        const [evm, polygon, solana, ton, sui] = clients as [
          viem.PublicClient,
          ethers.JsonRpcProvider,
          ReturnType<typeof SolanaKit.createSolanaRpc>,
          Ton.TonClient,
          SuiJsonRpc.SuiJsonRpcClient
        ]
        const [block, number, slot, masterchain, checkpoint] = yield* Effect.promise(() =>
          Promise.all([
            evm.getBlockNumber(),
            polygon.getBlockNumber(),
            solana.getSlot().send(),
            ton.getMasterchainInfo(),
            sui.getLatestCheckpointSequenceNumber()
          ])
        )
        polygon.destroy()
        for (const height of [block, number, slot, masterchain.latestSeqno, checkpoint])
          assert.isAbove(Number(height), 0)
      })
    }
  )
})
