import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { polkadot } from "../../../src/catalogue/polkadot.ts"
import { heightsOf } from "../../../src/chains/kit/history/heights.ts"
import * as Polkadot from "../../../src/chains/polkadot/Polkadot.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import type { HistoryQuery, Transaction } from "../../../src/domain/Transaction.ts"
import { distance, height, position, type Seconds, seconds } from "../../../src/domain/units.ts"
import type * as PageCursor from "../../../src/features/history/pages/PageCursor.ts"
import { rangeAfter, selectPage } from "../../../src/features/history/pages/selectPage.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { chainOver } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { sums } from "../../support/histories.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import {
  account,
  alice,
  aliceText,
  bob,
  bobText,
  environment,
  historyOf,
  network,
  type Rows,
  type SubscanRequest,
  subscanWith,
  success
} from "./subscan.ts"

const hashFor = (block: number) => `0x${block.toString(16).padStart(64, "0")}`

const transfer = (block: number, more: object = {}) => ({
  from: aliceText,
  to: bobText,
  extrinsic_index: `${block}-2`,
  event_idx: 4,
  success: true,
  hash: hashFor(block),
  block_num: block,
  block_timestamp: 1_700_000_000 + block,
  module: "balances",
  amount: "1.5",
  amount_v2: "15000000000",
  fee: "160",
  asset_symbol: "DOT",
  asset_type: "builtin",
  asset_unique_id: "DOT",
  ...more
})

/** 5 November 2025: from then on all balances are on Asset Hub. */
const moved = 1_762_300_800

const extrinsic = (block: number, more: object = {}) => ({
  block_num: block,
  block_timestamp: 1_700_000_000 + block,
  extrinsic_index: `${block}-2`,
  extrinsic_hash: hashFor(block),
  call_module: "balances",
  call_module_function: "transfer_keep_alive",
  account_display: { address: aliceText },
  success: true,
  fee: "200",
  fee_used: "160",
  finalized: true,
  ...more
})

const shown = (rows: Rows, holder: string = alice) =>
  Effect.map(
    Effect.flatMap(network(subscanWith(rows)), (chain) => historyOf(chain, holder)),
    ({ missing, transactions }) => ({ missing, transactions: transactions.map(({ order: _, ...rest }) => rest) })
  )

describe("the first page of a Polkadot history", () => {
  it("does not come from a Subscan that is behind", function* () {
    yield* TestClock.adjust("1 day")
    const of = Effect.fnUntraced(function* (blocks: unknown, query: Partial<HistoryQuery> = {}) {
      const head = Effect.sync(() => Response.json(success(blocks)))
      const { history } = yield* network(subscanWith({ transfers: [transfer(9)] }), subscanWith({}), head)
      const part = history?.({ address: alice, limit: 50, ...query }) ?? Effect.die("no history")
      return yield* settled(
        Effect.match(part, {
          onFailure: ({ message }) => message,
          onSuccess: ({ transactions }) => transactions.length
        })
      )
    })
    const at = (hours: number) => ({ blocks: [{ block_num: 5, block_timestamp: 3_600 * hours }], count: 5 })
    const behind = "subscan: the node is behind the network"
    assert.strictEqual(yield* of(at(24)), 1)
    assert.strictEqual(yield* of(at(1)), behind)
    assert.strictEqual(yield* of(at(1), { before: { height: position(1_700_000_100), last: "1-1", returned: 1 } }), 1)
    // A newest block that cannot be read excludes nothing.
    for (const unread of [null, { blocks: [] }, { blocks: [{ block_num: -1, block_timestamp: 0 }] }])
      assert.strictEqual(yield* of(unread), 1)
  })
})

const payment = {
  hash: hashFor(9),
  fee: 160n,
  status: "Success" as const,
  timestamp: seconds(1_700_000_009),
  block: height(9),
  from: [{ address: aliceText, amount: 15_000_000_000n }],
  to: [{ address: bobText, amount: 15_000_000_000n }]
}

describe("the explorer page of a Polkadot transaction", () => {
  it("is the page of the extrinsic, or of the event if there is no extrinsic", () => {
    const page = "https://assethub-polkadot.subscan.io"
    assert.strictEqual(polkadot.explorer(`0x${"ab".repeat(32)}`), `${page}/extrinsic/0x${"ab".repeat(32)}`)
    assert.strictEqual(polkadot.explorer("4092619-2"), `${page}/extrinsic/4092619-2`)
    assert.strictEqual(polkadot.explorer("4092619-event-3"), `${page}/event/4092619-3`)
  })
})

describe("Polkadot history", () => {
  it("joins a transfer and its extrinsic, for the sender and for the receiver", function* () {
    const rows = { transfers: [transfer(9)], extrinsics: [extrinsic(9, { nonce: 3 })] }
    assert.deepStrictEqual(yield* shown(rows), { missing: [], transactions: [{ ...payment, nonce: 3, type: "Send" }] })
    assert.deepStrictEqual(yield* shown({ transfers: [transfer(9)] }, bob), {
      missing: [],
      transactions: [{ ...payment, type: "Receive" }]
    })
  })

  it("writes addresses with Polkadot's prefix, whatever prefix they are returned with", function* () {
    const { transactions } = yield* shown(
      {
        transfers: [
          transfer(9, {
            from: "HoZJVj7LLje2TVVc3tTqBF5MY5hYTNReocEVsVhFnE7CsJp",
            to: "0xe745c2c869615d270bf5eaf86e3efe4c857594628e67ddf8010e32aa8cb9b8a6"
          })
        ]
      },
      "0xe745c2c869615d270bf5eaf86e3efe4c857594628e67ddf8010e32aa8cb9b8a6"
    )
    const written = "16EEnWeJZkzBiLgZnz8R5NiE4Zo7S67PGvVyGWD6L538e2bB"
    assert.deepStrictEqual(
      transactions.map(({ from, to }) => [from[0]?.address, to[0]?.address]),
      [[written, written]]
    )
  })

  it("identifies assets by their id, and never by a symbol", function* () {
    const asset = (more: object) =>
      transfer(9, { module: "assets", asset_type: "assets", asset_symbol: "DOT", ...more })
    const tokenOf = (more: object) =>
      Effect.map(shown({ transfers: [asset(more)] }), ({ transactions }) => transactions[0]?.to[0]?.token)
    assert.strictEqual(yield* tokenOf({ asset_unique_id: "standard_assets/1984" }), "1984")
    assert.strictEqual(yield* tokenOf({ asset_unique_id: "foreign_assets/0x1234" }), "foreign_assets/0x1234")
    assert.strictEqual(yield* tokenOf({ asset_unique_id: "" }), "Unknown")
  })

  it("reads base units if they are returned, and whole coins only for DOT", function* () {
    const amountOf = (more: object) =>
      Effect.map(shown({ transfers: [transfer(9, more)] }), ({ missing, transactions }) => [
        transactions[0]?.to[0]?.amount,
        missing.length
      ])
    assert.deepStrictEqual(yield* amountOf({ amount: "233.1933730001", amount_v2: "0" }), [2_331_933_730_001n, 0])
    assert.deepStrictEqual(yield* amountOf({ amount: "9007199254.7409930001", amount_v2: undefined }), [
      90_071_992_547_409_930_001n,
      0
    ])
    assert.deepStrictEqual(yield* amountOf({ amount: "0", amount_v2: "0" }), [0n, 0])
    const asset = { module: "assets", asset_type: "assets", asset_unique_id: "standard_assets/1984" }
    assert.deepStrictEqual(yield* amountOf({ ...asset, amount: "11", amount_v2: "11000000" }), [11_000_000n, 0])
    assert.deepStrictEqual(yield* amountOf({ ...asset, amount: "11", amount_v2: "0" }), [undefined, 1])
    assert.deepStrictEqual(yield* amountOf({ ...asset, amount: "11", amount_v2: "12000000" }), [undefined, 1])
    assert.deepStrictEqual(yield* amountOf({ ...asset, amount: "0", amount_v2: "12000000" }), [undefined, 1])
  })

  it("shows the direction of a transfer without an amount in base units", function* () {
    const unclear = { module: "assets", asset_type: "assets", asset_unique_id: "standard_assets/1", amount_v2: "0" }
    const typeOf = (more: object) =>
      Effect.map(
        shown({ transfers: [transfer(9, { ...unclear, ...more })] }),
        ({ transactions }) => transactions[0]?.type
      )
    assert.strictEqual(yield* typeOf({}), "Send")
    assert.strictEqual(yield* typeOf({ from: bobText, to: aliceText }), "Receive")
  })

  it("adds up the transfers of a batch, including a transfer to the sender itself", function* () {
    const { transactions } = yield* shown({
      transfers: [
        transfer(9, { event_idx: 5 }),
        transfer(9, { event_idx: 4 }),
        transfer(9, { event_idx: 3, to: aliceText })
      ],
      extrinsics: [extrinsic(9, { call_module: "utility", call_module_function: "batch_all" })]
    })
    assert.deepStrictEqual(transactions, [
      {
        ...payment,
        type: "Send",
        from: [{ address: aliceText, amount: 45_000_000_000n }],
        to: [
          { address: bobText, amount: 30_000_000_000n },
          { address: aliceText, amount: 15_000_000_000n }
        ]
      }
    ])
  })

  it("shows a call without transfers with the network's name for it and its signer", function* () {
    const { transactions } = yield* shown({
      extrinsics: [extrinsic(9, { call_module: "staking", call_module_function: "bond_extra" })]
    })
    assert.deepStrictEqual(transactions, [
      { ...payment, type: "staking.bond_extra", from: [{ address: aliceText, amount: 0n }], to: [] }
    ])
  })

  it("counts a repeated row once, and leaves out rows of the same event that differ", function* () {
    const repeated = { transfers: [transfer(9), transfer(9), transfer(8)], extrinsics: [extrinsic(9), extrinsic(9)] }
    const once = { transfers: [transfer(9), transfer(8)], extrinsics: [extrinsic(9)] }
    assert.deepStrictEqual((yield* shown(repeated)).transactions, (yield* shown(once)).transactions)
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9), transfer(9, { to: aliceText }), transfer(8)]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashFor(8)]
    )
    assert.deepStrictEqual(missing, ["2 transfers: subscan returned them in an unexpected format"])
  })

  it("leaves out a call with a row that cannot be decoded, because the others alone would be wrong, and shows the rest", function* () {
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9), transfer(8), transfer(8, { event_idx: 5, to: null }), transfer(7)],
      extrinsics: [extrinsic(8), extrinsic(6, { block_timestamp: "soon" })]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashFor(9), hashFor(7)]
    )
    assert.deepStrictEqual(missing, [
      "1 transfers: subscan returned them in an unexpected format",
      "1 calls: subscan returned them in an unexpected format"
    ])
  })

  it("leaves out a received transfer with the hash of a call that the holder signed", function* () {
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9), transfer(8, { from: bobText, to: aliceText, hash: hashFor(9) })],
      extrinsics: [extrinsic(9)]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash, type }) => [hash, type]),
      [[hashFor(9), "Send"]]
    )
    assert.deepStrictEqual(missing, ["1 transfers: subscan returned them with the hash of another call"])
  })

  it("shows the call of a transfer as a Send if the list of transfers does not have it", function* () {
    const { transactions } = yield* shown({ extrinsics: [extrinsic(9), extrinsic(8, { call_module: "nfts" })] })
    assert.deepStrictEqual(
      transactions.map(({ type }) => type),
      ["Send", "nfts.transfer_keep_alive"]
    )
  })

  it("shows the fee of a failed transfer, and amounts of zero", function* () {
    const failed = { ...payment, type: "Send", status: "Failed" as const, from: [{ address: aliceText, amount: 0n }] }
    const { transactions } = yield* shown({ extrinsics: [extrinsic(9, { success: false })] })
    assert.deepStrictEqual(transactions, [{ ...failed, to: [] }])
    const listed = yield* shown({
      transfers: [transfer(9, { success: false })],
      extrinsics: [extrinsic(9, { success: false })]
    })
    assert.deepStrictEqual(listed.transactions, [{ ...failed, to: [{ address: bobText, amount: 0n }] }])
  })

  it("leaves out calls that are marked as failed, but succeeded according to their events", function* () {
    const failed = (event_id: string) => ({ success: false, event: [{ module_id: "system", event_id, params: "[]" }] })
    const { missing, transactions } = yield* shown({
      extrinsics: [extrinsic(9, failed("ExtrinsicFailed")), extrinsic(8, failed("ExtrinsicSuccess"))]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash, status }) => [hash, status]),
      [[hashFor(9), "Failed"]]
    )
    assert.deepStrictEqual(missing, ["1 calls: subscan returned them in an unexpected format"])
  })

  it("leaves out rows without the member for the hash, which is empty for a transfer that no call made", function* () {
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9, { hash: undefined }), transfer(8)],
      extrinsics: [extrinsic(7, { extrinsic_hash: null })]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashFor(8)]
    )
    assert.deepStrictEqual(missing, [
      "1 transfers: subscan returned them in an unexpected format",
      "1 calls: subscan returned them in an unexpected format"
    ])
  })

  it("identifies a transfer without a hash by its position, and also the older of two with equal hashes", function* () {
    const { transactions } = yield* shown({
      transfers: [transfer(9, { hash: "" }), transfer(8, { hash: "", extrinsic_index: "", event_idx: 3 })],
      extrinsics: [extrinsic(7, { extrinsic_hash: hashFor(1) }), extrinsic(6, { extrinsic_hash: hashFor(1) })]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["9-2", "8-event-3", hashFor(1), "6-2"]
    )
  })

  const many = (count: number, row: (block: number) => unknown) =>
    Array.from({ length: count }, (_, index) => row(count - index))

  const newer =
    (row: (block: number, more?: object) => unknown) =>
    (block: number): unknown =>
      row(block, { block_timestamp: moved + block })

  it("takes two calls for up to 100 rows, and 12 for 500", function* () {
    for (const [count, limit, calls] of [
      [0, 50, 2],
      [3, 50, 2],
      [150, 50, 2],
      [700, 500, 12]
    ] as const) {
      const chain = yield* network(
        subscanWith({ transfers: many(count, newer(transfer)), extrinsics: many(count, newer(extrinsic)) })
      )
      const { missing, more, sources, transactions } = yield* historyOf(chain, alice, limit)
      assert.deepStrictEqual(
        transactions.map(({ hash }) => hash),
        Array.from({ length: Math.min(count, limit) }, (_, index) => hashFor(count - index))
      )
      // Older transactions than those of Asset Hub are on the relay chain.
      const relay = count > limit ? [] : ["subscan-relay"]
      assert.deepStrictEqual([more, missing, sources], [count > limit, [], ["subscan", ...relay]])
      assert.deepStrictEqual([chain.requests.length, chain.relayRequests.length], [calls, 2 * relay.length])
      assert.isTrue(chain.requests.every(({ address, row }) => row === 100 && address === aliceText))
    }
  })

  it("is incomplete if fewer rows are returned than counted, and reports how many are missing", function* () {
    const counting =
      (counts: Readonly<Record<string, number>>): EvmNodes.SimulatedHost =>
      (_, { text, url }) =>
        Effect.sync(() => {
          const { page } = JSON.parse(text) as { readonly page: number }
          const name = url.pathname.split("/").at(-1) ?? ""
          const all = name === "transfers" ? many(3, transfer) : many(3, extrinsic)
          return Response.json(success({ count: counts[name], [name]: page === 0 ? all : null }))
        })
    const cases = [
      [{ transfers: 72, extrinsics: 3 }, ["69 of 72 transfers: subscan returns no more"]],
      [{ transfers: 3, extrinsics: 4 }, ["1 of 4 calls: subscan returns no more"]],
      [{ transfers: 2, extrinsics: 3 }, []],
      [{}, []]
    ] as const
    for (const [counts, expected] of cases) {
      const { missing, more, transactions } = yield* historyOf(yield* network(counting(counts)))
      assert.deepStrictEqual([transactions.length, missing as ReadonlyArray<string>], [3, expected])
      assert.strictEqual(more, expected.length > 0)
    }
  })

  it("reads further pages only of the list that does not reach back far enough", function* () {
    const received = many(350, (block) => transfer(1_000 + block, { from: bobText, to: aliceText }))
    const chain = yield* network(subscanWith({ transfers: received, extrinsics: many(150, extrinsic) }))
    const { transactions } = yield* historyOf(chain, alice, 300)
    assert.strictEqual(transactions.length, 300)
    assert.deepStrictEqual(chain.requests.map(({ page, path }) => `${path.split("/").at(-1)} ${page}`).sort(), [
      "extrinsics 0",
      "transfers 0",
      "transfers 1",
      "transfers 2",
      "transfers 3"
    ])
  })

  it("stops at the `since` time", function* () {
    const chain = yield* network(subscanWith({ transfers: many(700, transfer), extrinsics: many(700, extrinsic) }))
    const { more, transactions } = yield* historyOf(chain, alice, 500, seconds(1_700_000_691))
    assert.deepStrictEqual([transactions.length, more, chain.requests.length], [10, false, 2])
    const fewer = yield* historyOf(chain, alice, 4, seconds(1_700_000_691))
    assert.deepStrictEqual([fewer.transactions.length, fewer.more], [4, true])
  })

  it("does not list a known transfer again if it lacks its hash once", function* () {
    const known = new Set([hashFor(500)])
    const chain = yield* network(
      subscanWith({
        transfers: [
          transfer(600, { hash: "" }),
          transfer(501),
          transfer(500, { hash: "" }),
          transfer(400, { extrinsic_index: "", hash: "" })
        ]
      })
    )
    const { transactions } = yield* settled(
      chain.history?.({
        address: alice,
        limit: 50,
        since: seconds(1_700_000_590),
        late: { after: seconds(0), known }
      }) ?? Effect.die("no history")
    )
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      ["600-2", hashFor(501), "400-event-4"]
    )
  })

  it("returns one list if the other fails", function* () {
    const whole = subscanWith({ transfers: [transfer(9)], extrinsics: [extrinsic(9), extrinsic(8)] })
    const without =
      (name: string): EvmNodes.SimulatedHost =>
      (body, request) =>
        request.url.pathname.endsWith(name)
          ? EvmNodes.always("{}", { status: 502 })(body, request)
          : whole(body, request)
    const first = yield* historyOf(yield* network(without("transfers")))
    assert.deepStrictEqual([first.transactions.length, first.missing], [2, ["transfers: subscan: returned HTTP 502"]])
    const second = yield* historyOf(yield* network(without("extrinsics")))
    assert.deepStrictEqual(
      [second.transactions.length, second.missing],
      [1, ["calls without transfers: subscan: returned HTTP 502"]]
    )
  })

  it("returns the rows read before the deadline", function* () {
    const whole = subscanWith({ transfers: many(300, transfer), extrinsics: many(300, extrinsic) })
    const chain = yield* network((body, request) =>
      request.text.includes('"page":2') ? Effect.never : whole(body, request)
    )
    const { missing, more, transactions } = yield* historyOf(chain, alice, 300)
    // The transfers of the last extrinsic of a page may continue on the next page.
    assert.deepStrictEqual([transactions.length, more], [199, true])
    assert.isNotEmpty(missing)
  })

  it("requires an API key, and reports if it is missing", function* () {
    const { layer } = EvmNodes.clientOver({})
    const { chain } = yield* chainOver(Polkadot.layer, layer, { environment: { POLKADOT_RPC_URLS: "http://hub.test" } })
    const unread = yield* Effect.flip(historyOf(chain))
    assert.strictEqual(unread.reason, "not_configured")
    assert.match(unread.message, /SUBSCAN_API_KEY/)
    assert.deepStrictEqual((yield* chain.abilities).history, Either.left(unread.message))
    const keyed = yield* network(subscanWith({}))
    assert.deepStrictEqual((yield* keyed.abilities).history, Either.right(["subscan"]))
  })

  it("fails with a reason for each failure", function* () {
    for (const [node, reason] of [
      ...Object.values(faultyHosts),
      [EvmNodes.always("{}"), "bad_answer"],
      [EvmNodes.always('{"code":429,"message":"API rate limit exceeded"}'), "rate_limited"],
      [EvmNodes.always('{"code":10001,"message":"Internal error"}'), "upstream_error"]
    ] as const) {
      const unread = yield* Effect.flip(historyOf(yield* network(node)))
      assert.strictEqual(unread.reason as string, reason)
      assert.notMatch(unread.message, /secret|http/)
    }
  })

  it("adds up to the simulated balance of every asset", function* () {
    const { chain } = yield* chainOver(Polkadot.layer, Sandbox.layer([polkadot]), { environment })
    for (const holder of samples(polkadot, 25)) {
      const part = yield* historyOf(chain, holder, 500)
      assert.deepStrictEqual([part.more, part.missing], [false, []])
      const balances = sums(PolkadotAddress.format(holder), part.transactions)
      assert.strictEqual(balances.get("native") ?? 0n, World.native(polkadot, holder))
      for (const contract of World.contractsOn("polkadot"))
        assert.strictEqual(balances.get(contract.address) ?? 0n, World.tokenBalance(polkadot, contract, holder))
      const some = yield* historyOf(chain, holder, 3)
      assert.deepStrictEqual(some.transactions, part.transactions.slice(0, 3))
    }
  })
})

describe("relay chain transactions", () => {
  const asset = { module: "assets", asset_type: "assets", asset_unique_id: "standard_assets/1984" }
  const at = (seconds: number, more: object = {}) => ({ block_timestamp: moved + seconds, ...more })

  it("are merged by time with those of Asset Hub, each with its own position, fee and explorer page but no block", function* () {
    const chain = yield* network(
      subscanWith({
        transfers: [
          transfer(900, at(5)),
          transfer(300, at(-20, asset)),
          transfer(200, at(-40, { hash: "", ...asset }))
        ],
        extrinsics: [extrinsic(900, at(5))]
      }),
      subscanWith({
        // The same block and index as on Asset Hub.
        transfers: [transfer(5_000, at(-10)), transfer(200, at(-30, { hash: "", fee: "77" }))],
        extrinsics: [extrinsic(5_000, at(-10, { fee_used: "99" })), extrinsic(199, at(-50, { success: false }))]
      })
    )
    const { missing, more, sources, transactions } = yield* historyOf(chain)
    assert.deepStrictEqual([missing, more, sources], [[], false, ["subscan", "subscan-relay"]])
    const [hub, relay] = ["https://assethub-polkadot.subscan.io", "https://polkadot.subscan.io"]
    assert.deepStrictEqual(
      transactions.map(({ block, fee, hash, order, status, timestamp }) => [
        distance(seconds(moved), timestamp),
        block,
        hash,
        fee,
        status,
        polkadot.explorer(hash, order)
      ]),
      [
        [5, 900, hashFor(900), 160n, "Success", `${hub}/extrinsic/${hashFor(900)}`],
        [-10, undefined, hashFor(5_000), 99n, "Success", `${relay}/extrinsic/${hashFor(5_000)}`],
        [-20, 300, hashFor(300), 160n, "Success", `${hub}/extrinsic/${hashFor(300)}`],
        [-30, undefined, "relay-200-2", 77n, "Success", `${relay}/extrinsic/200-2`],
        [-40, 200, "200-2", 160n, "Success", `${hub}/extrinsic/200-2`],
        [-50, undefined, hashFor(199), 160n, "Failed", `${relay}/extrinsic/${hashFor(199)}`]
      ]
    )
    assert.deepStrictEqual(transactions[1]?.to, [{ address: bobText, amount: 15_000_000_000n }])
    assert.strictEqual(polkadot.explorer("relay-9-event-3", -1), `${relay}/event/9-3`)
  })

  it("are not read if those of Asset Hub suffice, or if only newer transactions are requested", function* () {
    const calls = Effect.fnUntraced(function* (limit: number, since?: Seconds) {
      const transfers = [transfer(9, at(9)), transfer(8, at(8)), transfer(7, at(-7))]
      const chain = yield* network(subscanWith({ transfers }), subscanWith({ transfers: [transfer(6, at(-6))] }))
      const { more, transactions } = yield* historyOf(chain, alice, limit, since)
      return [transactions.length, more, chain.relayRequests.length]
    })
    assert.deepStrictEqual(yield* calls(2), [2, true, 0])
    assert.deepStrictEqual(yield* calls(3), [3, true, 2])
    assert.deepStrictEqual(yield* calls(4), [4, false, 2])
    assert.deepStrictEqual(yield* calls(9, seconds(moved)), [2, false, 0])
    assert.deepStrictEqual(yield* calls(9, seconds(moved - 1)), [2, false, 2])
  })

  it("may exist, so that `more` is true, if Asset Hub has exactly as many as requested", function* () {
    const chain = yield* network(subscanWith({ transfers: [transfer(9, at(9))] }))
    const { more } = yield* historyOf(chain, alice, 1)
    assert.deepStrictEqual([more, chain.relayRequests.length], [true, 0])
  })

  it("end at the time when the balances moved", function* () {
    const relay = [transfer(9, at(0)), transfer(8, at(-1))]
    const { missing, more, transactions } = yield* historyOf(
      yield* network(subscanWith({}), subscanWith({ transfers: relay }))
    )
    assert.deepStrictEqual([transactions.map(({ hash }) => hash), more, missing], [[hashFor(8)], false, []])
  })

  it("are read as far back as those of Asset Hub, and vice versa", function* () {
    const rows = (first: number) => Array.from({ length: 250 }, (_, index) => transfer(first - index, at(-2 * index)))
    const odd = rows(3_000).map((row) => ({ ...row, block_timestamp: row.block_timestamp - 1 }))
    const chain = yield* network(subscanWith({ transfers: rows(9_000) }), subscanWith({ transfers: odd }))
    const { more, transactions } = yield* historyOf(chain, alice, 300)
    assert.isTrue(more)
    assert.deepStrictEqual(
      transactions.map(({ timestamp }) => distance(timestamp, seconds(moved))),
      Array.from({ length: 300 }, (_, index) => index)
    )
    const transfers = (all: ReadonlyArray<SubscanRequest>) =>
      all.filter(({ path }) => path.endsWith("transfers")).length
    assert.deepStrictEqual([transfers(chain.requests), transfers(chain.relayRequests)], [2, 2])
  })

  it("are on the pages after those of Asset Hub, and each chain is read from where its part ended", function* () {
    const hub = [900, 800, 700].map((block, index) => transfer(block, at(10 - 20 * index, index === 0 ? {} : asset)))
    // Two in the same second, and one in the same second as a token transfer.
    const relay = [5_002, 5_001, 5_000, 4_000].map((block, index) =>
      transfer(block, at([-5, -10, -10, -30][index] ?? 0, { extrinsic_index: `${block}-${9 - index}` }))
    )
    const chain = yield* network(subscanWith({ transfers: hub }), subscanWith({ transfers: relay }))
    const whole = yield* historyOf(chain)
    for (const size of [1, 2, 3]) {
      const pages: Array<Transaction> = []
      let cursor: PageCursor.PageCursor | undefined
      do {
        const before = cursor === undefined ? { limit: size } : rangeAfter(cursor, size)
        const part = yield* settled(chain.history?.({ address: alice, ...before }) ?? Effect.die("no history"))
        const page = selectPage(part, cursor, size, heightsOf(chain))
        pages.push(...page.transactions)
        cursor = page.next
      } while (cursor !== undefined)
      assert.deepStrictEqual(
        pages.map(({ hash }) => hash),
        whole.transactions.map(({ hash }) => hash),
        `pages of ${size}`
      )
    }
    chain.requests.length = 0
    chain.relayRequests.length = 0
    const before = {
      height: position(moved - 10),
      last: hashFor(800),
      returned: 3,
      blocks: { hub: height(800), relay: height(5_001) }
    }
    yield* settled(chain.history?.({ address: alice, limit: 5, before }) ?? Effect.die("no history"))
    assert.deepStrictEqual(
      [chain.requests, chain.relayRequests].map((all) => all.map(({ block_range }) => block_range)),
      [
        ["0-800", "0-800"],
        ["0-5001", "0-5001"]
      ]
    )
  })

  it("are reported as missing if their list fails, and a page that starts with them fails with the reason", function* () {
    const whole = subscanWith({ transfers: [transfer(5_000, at(-10))] })
    const down = EvmNodes.always("{}", { status: 502 })
    const without =
      (...names: ReadonlyArray<string>): EvmNodes.SimulatedHost =>
      (body, request) =>
        (names.some((name) => request.url.pathname.endsWith(name)) ? down : whole)(body, request)
    const hub = subscanWith({ transfers: [transfer(900, at(5)), transfer(300, at(-20, asset))] })
    const hashes = (relay: EvmNodes.SimulatedHost) =>
      Effect.map(
        Effect.flatMap(network(hub, relay), (chain) => historyOf(chain)),
        ({ missing, transactions }) => [transactions.map(({ hash }) => hash), missing]
      )
    assert.deepStrictEqual(yield* hashes(without("transfers")), [
      [hashFor(900), hashFor(300)],
      ["transfers on the relay chain: subscan-relay: returned HTTP 502"]
    ])
    assert.deepStrictEqual(yield* hashes(without("extrinsics")), [
      [hashFor(900), hashFor(5_000), hashFor(300)],
      ["calls without transfers on the relay chain: subscan-relay: returned HTTP 502"]
    ])
    const chain = yield* network(subscanWith({}), without("transfers", "extrinsics"))
    const before = {
      height: position(moved - 10),
      last: hashFor(5_000),
      returned: 1,
      blocks: { relay: height(5_000) }
    }
    const page = chain.history?.({ address: alice, limit: 5, before }) ?? Effect.die("no history")
    assert.strictEqual((yield* Effect.flip(settled(page))).message, "subscan-relay: returned HTTP 502")
  })

  it("are not read if both lists of Asset Hub fail", function* () {
    const relay = subscanWith({ transfers: [transfer(5_000, at(-10))] })
    const chain = yield* network(EvmNodes.down, relay)
    assert.strictEqual((yield* Effect.flip(historyOf(chain))).reason, "upstream_error")
    assert.lengthOf(chain.relayRequests, 0)
    for (const name of ["transfers", "extrinsics"]) {
      const half: EvmNodes.SimulatedHost = (body, request) =>
        (request.url.pathname.endsWith(name) ? EvmNodes.down : subscanWith({}))(body, request)
      const { missing, transactions } = yield* historyOf(yield* network(half, relay))
      assert.deepStrictEqual([transactions.map(({ hash }) => hash), missing.length], [[hashFor(5_000)], 1])
    }
  })

  it("share the call budget of Asset Hub", function* () {
    const { layer } = EvmNodes.clientOver({ "subscan.test": subscanWith({}), "relay.test": subscanWith({}) })
    const { chain, upstreams } = yield* chainOver(Polkadot.layer, layer, { environment })
    yield* historyOf(chain)
    const used = (yield* upstreams.states).flatMap(({ budget, name }) =>
      name.startsWith("subscan") ? [budget?.usedThisMonth] : []
    )
    // Two lists of each chain, and the newest block of Asset Hub.
    assert.deepStrictEqual(used, [5, 5])
  })

  it("have amounts only in base units before August 2020, when DOT got 10 decimals", function* () {
    const amounts = Effect.fnUntraced(function* (seconds: number, more: object) {
      const listed = transfer(9, { block_timestamp: seconds, amount: "1.5", ...more })
      const { missing, transactions } = yield* historyOf(
        yield* network(subscanWith({}), subscanWith({ transfers: [listed] }))
      )
      return [transactions[0]?.to[0]?.amount, missing.length]
    })
    const since = Date.UTC(2020, 7, 22) / 1000
    assert.deepStrictEqual(yield* amounts(since - 1, {}), [15_000_000_000n, 0])
    assert.deepStrictEqual(yield* amounts(since - 1, { amount_v2: "0" }), [undefined, 1])
    assert.deepStrictEqual(yield* amounts(since, { amount_v2: "0" }), [15_000_000_000n, 0])
  })
})

describe("impossible Subscan responses", () => {
  it("have rows of other accounts or in another format, which are left out and reported as missing", function* () {
    const others = { from: bobText, to: PolkadotAddress.format(account(3)) }
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9), transfer(9), transfer(8, others), transfer(7, { hash: "\ufffd" })],
      extrinsics: [extrinsic(9), extrinsic(6, { account_display: { address: bobText } })]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash, to }) => [hash, to[0]?.amount]),
      [[hashFor(9), 15_000_000_000n]]
    )
    assert.includeMembers(
      [...missing],
      [
        "2 transfers: subscan returned them in an unexpected format",
        "1 calls: subscan returned them in an unexpected format"
      ]
    )
  })

  it("lack a failed call with a successful transfer, and say so", function* () {
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9), transfer(8, { success: false })],
      extrinsics: [extrinsic(9, { success: false }), extrinsic(8, { success: false })]
    })
    assert.deepStrictEqual(
      transactions.map(({ hash }) => hash),
      [hashFor(8)]
    )
    assert.deepStrictEqual(missing, ["1 transactions: subscan returned different results of them"])
  })

  it("have no estimated fee in place of the fee that was paid", function* () {
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9)],
      extrinsics: [extrinsic(9, { fee_used: null }), extrinsic(8, { fee_used: null })]
    })
    assert.deepStrictEqual(
      transactions.map(({ fee }) => fee),
      [160n, null]
    )
    assert.deepStrictEqual(missing, ["the fees of 1 transactions: subscan does not return them"])
  })

  it("have amounts and fees above the supply of DOT, which are left out", function* () {
    const much = String(10n ** 21n)
    const { missing, transactions } = yield* shown({
      transfers: [transfer(9, { amount: "100000000000", amount_v2: much })],
      extrinsics: [extrinsic(9, { fee: much, fee_used: much })]
    })
    assert.deepStrictEqual([transactions[0]?.from, transactions[0]?.fee], [[{ address: aliceText, amount: 0n }], 160n])
    assert.match(missing.join(), /amounts of 1 transfers/)
  })

  for (const body of [{ code: 0 }, { code: 0, data: {} }])
    it(`like ${JSON.stringify(body)} are an error, not an empty history`, function* () {
      const chain = yield* network(() => Effect.sync(() => Response.json(body)))
      const requests = chain.history?.({ address: alice, limit: 50 }) ?? Effect.die("no history")
      assert.isTrue(Either.isLeft(yield* settled(Effect.either(requests))))
    })
})
