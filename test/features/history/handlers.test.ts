import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import { HistoryEntry, HistoryWithMeta } from "../../../src/contract/HistoryApi.ts"
import { collectibles, notListed } from "../../../src/domain/history/Gap.ts"
import { height } from "../../../src/domain/units.ts"
import * as HistoryRoutes from "../../../src/features/history/handlers.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { assert, describe, layer } from "../../support/vitest.ts"
import { chain, dai, friend, holder, network, over, part, transaction } from "./histories.ts"

const down: ReadFailure = { reason: "upstream_error", message: "explorer: “kaputt”" }

const ethereum = network(
  "ethereum",
  chain(() => [
    transaction(1, {
      type: "Send",
      fee: 441_000_000_000_000n,
      block: height(90),
      nonce: 7,
      from: [{ address: holder, amount: 1_500_000_000_000_000_000n, token: dai.address }],
      to: [{ address: friend, amount: 1_500_000_000_000_000_000n, token: dai.address }]
    }),
    transaction(2, { fee: null, from: [{ address: friend, amount: 9_007_199_254_740_993n }], to: [] }),
    transaction(3, {
      type: "Send",
      from: [{ address: holder, amount: 0n, token: "0x99" }],
      to: [{ address: friend, amount: 0n, token: "0x99" }]
    })
  ])
)
const optimism = network("optimism", () => Effect.succeed({ ...part([transaction(4)]), gaps: [collectibles("NFTs")] }))
const base = network("base", () => Effect.fail(down))
const arbitrum = network("arbitrum", () => {
  const read = part([transaction(5)], { missing: ["internal transfers"] })
  return Effect.succeed({ ...read, gaps: [...read.gaps, notListed("withdrawals")] })
})

const routes = Layer.provide(
  HistoryRoutes.layer,
  Layer.provide(over(ethereum, base, arbitrum, optimism), Layer.fresh(Memory.layer()))
)

type Data = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Record<string, unknown>>>>>>

const post = (sent: unknown, headers?: Readonly<Record<string, string>>) =>
  Effect.flatMap(Service, (service) => service.post("/history", sent, headers))

const streamedLines = Effect.fnUntraced(function* (sent: unknown) {
  const response = yield* post(sent, { accept: "application/x-ndjson" })
  assert.strictEqual(response.status, 200)
  const text = yield* textOf(response)
  return text
    .trimEnd()
    .split("\n")
    .map((line): unknown => JSON.parse(line))
})

const unheard = {
  network: "unheard",
  message: '"unheard" is not a network of this service',
  errorCode: "unknown_network"
}

describe("POST /history", () => {
  layer(Service.layerWith("history", routes, { MAX_ADDRESSES: "4" }), {
    excludeTestServices: true
  })((it) => {
    it("returns histories under the names of the request, with exact amounts as text and the facts of tokens", function* () {
      const shouted = holder.toUpperCase().replace("0X", "0x")
      const response = yield* post({ networks: { Ethereum: [shouted], unheard: ["x"] } })
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(JSON.parse(response.headers.get("x-partial-failures") ?? "[]"), [unheard])
      const data = yield* body<Data>(response)
      assert.deepStrictEqual(Object.keys(data), ["Ethereum"])
      const [entries = []] = Object.values(data.Ethereum ?? {})
      for (const entry of entries) Schema.decodeUnknownSync(HistoryEntry)(entry)
      const currency = {
        img: dai.thumbnail,
        coinId: "dai",
        address: dai.address,
        decimals: 18,
        price: 1.01,
        symbol: "dai"
      }
      assert.deepStrictEqual(entries[0], {
        hash: "0x1",
        explorer: "https://etherscan.io/tx/0x1",
        type: "Send",
        fee: "441000000000000",
        status: "Success",
        timestamp: 1_792_999_999,
        block: height(90),
        confirmations: null,
        nonce: 7,
        // Spelled as in the request.
        from: [{ address: shouted, amount: "1500000000000000000", currency }],
        to: [{ address: friend, amount: "1500000000000000000", currency }]
      })
      assert.deepInclude(entries[1], {
        fee: null,
        block: null,
        confirmations: null,
        nonce: null,
        from: [{ address: friend, amount: "9007199254740993" }]
      })
      assert.deepInclude(entries[2], {
        from: [{ address: shouted, amount: "0", currency: "0x99" }],
        flags: ["zero-value", "unknown-token"]
      })
    })

    it("returns at most `limit` transactions", function* () {
      const data = yield* body<Data>(yield* post({ networks: { ethereum: [holder] }, limit: 2 }))
      assert.strictEqual(data.ethereum?.[holder]?.length, 2)
    })

    it("reports the completeness of each list if `meta` is set", function* () {
      const response = yield* post({
        networks: { ethereum: [holder], arbitrum: [holder], base: [holder], optimism: [holder] },
        meta: true
      })
      const { data, meta } = Schema.decodeUnknownSync(HistoryWithMeta)(yield* body<unknown>(response))
      assert.deepStrictEqual(Object.keys(data), ["ethereum", "arbitrum", "base", "optimism"])
      assert.deepStrictEqual(meta, {
        ethereum: {
          [holder]: { complete: true, oldest: 1_792_999_997, next: null, sources: ["explorer"], missing: [] }
        },
        arbitrum: {
          [holder]: {
            complete: false,
            oldest: 1_792_999_995,
            next: null,
            sources: ["explorer"],
            missing: ["internal transfers", "withdrawals"],
            unlisted: ["withdrawals"]
          }
        },
        base: { [holder]: { complete: false, oldest: null, next: null, sources: [], missing: [down.message] } },
        // NFTs have no amounts.
        optimism: {
          [holder]: {
            complete: true,
            oldest: 1_792_999_996,
            next: null,
            sources: ["explorer"],
            missing: ["NFTs"],
            unlisted: ["NFTs"]
          }
        }
      })
    })

    it("continues from the cursor in `meta`, in responses and streams, and rejects an invalid cursor with its path", function* () {
      const requested = { networks: { ethereum: [holder] }, limit: 1, meta: true }
      const metaOf = (text: unknown) => Schema.decodeUnknownSync(HistoryWithMeta)(text).meta.ethereum?.[holder]
      const first = metaOf(yield* body(yield* post(requested)))
      const next = first?.next ?? ""
      const cursors = { ethereum: { [holder]: next } }
      const second = Schema.decodeUnknownSync(HistoryWithMeta)(yield* body(yield* post({ ...requested, cursors })))
      assert.deepStrictEqual(
        second.data.ethereum?.[holder]?.map(({ hash }) => hash),
        ["0x2"]
      )
      const [line] = yield* streamedLines({ ...requested, cursors })
      assert.deepStrictEqual(metaOf(line), second.meta.ethereum?.[holder])
      const { get } = yield* Service
      const query = `addresses=ethereum:${holder}&limit=1&meta=true&cursors=ethereum:${holder}:${next}`
      const events = yield* textOf(yield* get(`/history/stream?${query}`))
      assert.include(events, '"hash":"0x2"')
      for (const [refused, path] of [
        [{ ethereum: { [holder]: `${next}x` } }, `cursors.ethereum.${holder}`],
        [{ ethereum: { [friend]: next } }, `cursors.ethereum.${friend}`],
        [{ base: { [holder]: next } }, `cursors.base.${holder}`],
        [{ ethereum: { [holder]: 5 } }, `cursors.ethereum.${holder}`]
      ] as const) {
        const response = yield* post({ ...requested, cursors: refused })
        assert.strictEqual(response.status, 400)
        const { issues } = yield* body<{ readonly issues: ReadonlyArray<{ readonly path: string }> }>(response)
        assert.deepStrictEqual(
          issues.map((issue) => issue.path),
          [path]
        )
      }
    })

    it("names the failed histories in an ASCII header, and returns the others", function* () {
      const response = yield* post({ networks: { base: [holder], ethereum: ["nonsense", holder] } })
      assert.strictEqual(response.status, 200)
      const header = response.headers.get("x-partial-failures") ?? ""
      assert.match(header, /^[\x20-\x7e]+$/)
      assert.deepStrictEqual(JSON.parse(header), [
        { network: "base", address: holder, message: down.message, errorCode: down.reason },
        {
          network: "ethereum",
          address: "nonsense",
          message: "an address starts with 0x",
          errorCode: "invalid_address"
        }
      ])
      const data = yield* body<Data>(response)
      assert.deepStrictEqual(data.base, { [holder]: [] })
      assert.deepStrictEqual(data.ethereum?.nonsense, [])
      assert.strictEqual(data.ethereum?.[holder]?.length, 3)
    })

    it("returns 502 if every read failed, and 200 if no read was necessary", function* () {
      const lost = yield* post({ networks: { base: [holder, "nonsense"] } })
      assert.strictEqual(lost.status, 502)
      assert.strictEqual(lost.headers.get("content-type"), "application/problem+json")
      assert.strictEqual((yield* post({ networks: { base: ["nonsense"] } })).status, 200)
      for (const networks of [{}, { unheard: [holder] }]) {
        const response = yield* post({ networks })
        assert.deepStrictEqual([response.status, yield* body<Data>(response)], [200, {}])
      }
    })

    it("keeps the header short for addresses of any length", function* () {
      const networks = { base: ["x".repeat(7_000), "nonsense"], ethereum: ["y".repeat(5_900), holder] }
      const response = yield* post({ networks })
      const header = response.headers.get("x-partial-failures") ?? ""
      assert.isBelow(header.length, 6_200)
      assert.deepStrictEqual(
        (JSON.parse(header) as ReadonlyArray<{ readonly network: string; readonly message: string }>).map(
          ({ message, network }) => [network, message]
        ),
        [
          ["base", "invalid_address"],
          ["*", "and 2 more"]
        ]
      )
    })

    it("rejects more addresses than the limit", function* () {
      const response = yield* post({ networks: { ethereum: [holder, holder], base: [holder, holder, holder] } })
      assert.strictEqual(response.status, 413)
    })

    it("streams the part of each network as a line or an event", function* () {
      const networks = { ethereum: [holder, "nonsense"], base: [holder], arbitrum: [], unheard: ["x"] }
      const whole = yield* body<Data>(yield* post({ networks }))
      const lines = yield* streamedLines({ networks })
      assert.deepStrictEqual(lines.pop(), { done: true, failures: 3 })
      const failures = lines.flatMap((line) => (line as { readonly failures?: ReadonlyArray<unknown> }).failures ?? [])
      assert.sameDeepMembers(failures, [
        unheard,
        { network: "base", address: holder, message: down.message, errorCode: "upstream_error" },
        {
          network: "ethereum",
          address: "nonsense",
          message: "an address starts with 0x",
          errorCode: "invalid_address"
        }
      ])
      // A line without failures has no field `failures`.
      assert.deepInclude(lines, { arbitrum: {} })
      const { failures: _, ...data } = Object.assign({}, ...lines)
      assert.deepStrictEqual(data, whole)
      const events = yield* textOf(yield* post({ networks, meta: true }, { accept: "text/event-stream" }))
      assert.isTrue(events.endsWith('\n\nevent: done\ndata: {"done":true,"failures":3}\n\n'))
      const returned = [...events.matchAll(/^data: (.+)\n\n/gm)].map(([, json = ""]): unknown => JSON.parse(json))
      assert.deepStrictEqual(returned.pop(), { done: true, failures: 3 })
      assert.strictEqual(returned.length, 4)
      for (const response of returned) Schema.decodeUnknownSync(HistoryWithMeta)(response)
      assert.strictEqual(events.match(/"failures":\[\{/g)?.length, 3)
    })

    it("ends every stream with a closing line, and returns 200 even if every read failed", function* () {
      assert.deepStrictEqual(yield* streamedLines({ networks: {} }), [{ done: true, failures: 0 }])
      assert.deepStrictEqual(yield* streamedLines({ networks: { unheard: [holder] } }), [
        { failures: [unheard] },
        { done: true, failures: 1 }
      ])
      const failures = [{ network: "base", address: holder, message: down.message, errorCode: "upstream_error" }]
      assert.deepStrictEqual(yield* streamedLines({ networks: { base: [holder] } }), [
        { base: { [holder]: [] }, failures },
        { done: true, failures: 1 }
      ])
      const [part] = yield* streamedLines({ networks: { base: [holder] }, meta: true })
      assert.deepInclude(part, { data: { base: { [holder]: [] } }, failures })
    })

    it("has an empty record for a network without addresses", function* () {
      const networks = { ethereum: [], unheard: [], base: [] }
      assert.deepStrictEqual(yield* body<unknown>(yield* post({ networks })), { ethereum: {}, base: {} })
      assert.deepStrictEqual(yield* body<unknown>(yield* post({ networks, meta: true })), {
        data: { ethereum: {}, base: {} },
        meta: { ethereum: {}, unheard: {}, base: {} }
      })
      assert.sameDeepMembers(yield* streamedLines({ networks }), [
        { failures: [unheard] },
        { ethereum: {} },
        { base: {} },
        { done: true, failures: 1 }
      ])
    })
  })
})
