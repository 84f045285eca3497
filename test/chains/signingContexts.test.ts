import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"
import { blockfrostParameters } from "../../src/sandbox/cardano/CardanoParameters.ts"
import { sample } from "../support/fixtures.ts"
import { json, type Reply, type SentRequest, text } from "../support/http.ts"
import { Litecoin } from "../support/networks.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { type Call, failure, first, node, read } from "./contexts.ts"
import { addressOf } from "./utxo/made.ts"

// How each family handles nodes that return wrong data, lag behind or are down. Responses follow the API documentation.

const two = "http://one.test,http://two.test"

describe("the transaction context of an EVM address", () => {
  const address = `0x${"ab".repeat(20)}`
  const evm = (over: Readonly<Record<string, unknown>> = {}) =>
    node(({ method, params }) => {
      const name = params[1] === "pending" ? "pending" : method
      const results: Readonly<Record<string, unknown>> = {
        eth_chainId: "0x3d",
        eth_getTransactionCount: "0x7",
        pending: "0x9",
        eth_getBalance: "0xde0b6b3a7640000",
        eth_gasPrice: "0x3b9aca00",
        eth_getBlockByNumber: { number: "0x10", timestamp: "0x0", baseFeePerGas: "0x7" },
        ...over
      }
      return results[name]
    })
  const environment = { ETHEREUM_CLASSIC_RPC_URLS: two }
  const fromSecond = (one: (request: SentRequest) => Reply) =>
    first("ethereum-classic", [address], { "one.test": one, "two.test": evm() }, environment)

  it("comes from the next node if the first is on another chain, returns inconsistent data or fails", function* () {
    for (const wrong of [
      evm({ eth_chainId: "0x1" }),
      evm({ pending: "0x6" }),
      evm({ eth_getBalance: null }),
      evm({ eth_getTransactionCount: "0x" }),
      evm({ eth_getBlockByNumber: null }),
      evm({ eth_getBlockByNumber: { number: "0x10", timestamp: "0x1000", baseFeePerGas: "0x1" } }),
      evm({ eth_getBlockByNumber: { number: "0x20000000000001", timestamp: "0x0", baseFeePerGas: "0x1" } }),
      evm({ eth_gasPrice: new Error("not supported") })
    ])
      assert.deepInclude(yield* fromSecond(wrong), { chainId: 61, nonce: 7, pendingNonce: 9, baseFeePerGas: "7" })
  })

  it("has a null base fee if the newest block has no base fee", function* () {
    const legacy = evm({ eth_getBlockByNumber: { number: "0x10", timestamp: "0x0" } })
    assert.deepInclude(yield* fromSecond(legacy), { baseFeePerGas: null, gasPrice: "1000000000", block: 16 })
  })

  const named = "0x63c0C19a282a1B52b07dD5a65b58948A07DAE32B"
  const [metaMask, unknown, taker] = [named, `0x${"cd".repeat(20)}`, "0x930fcc37d6042c79211ee18a02857cb1fd7f0d0b"]
  const delegating = (to: string) => `0xef0100${to.slice(2)}`

  it("names the contract that the account has delegated to, also a sweeper and one that is not known", function* () {
    for (const [code, delegatedTo] of [
      ["0x", null],
      [delegating(metaMask), { address: metaMask.toLowerCase(), name: "MetaMask" }],
      [delegating(taker), { address: taker, name: "sweeper" }],
      [delegating(unknown), { address: unknown, name: null }],
      // An undone delegation, other code of the same length, and a longer one.
      [delegating(`0x${"00".repeat(20)}`), null],
      [`0xef0101${"cd".repeat(20)}`, null],
      [`${delegating(unknown)}00`, null]
    ] as const) {
      const one = evm({ eth_getCode: code })
      assert.deepInclude(yield* fromSecond(one), { nonce: 7, delegatedTo })
    }
  })

  it("does not say whether the account has delegated if the node does not return its code", function* () {
    for (const code of [new Error("not supported"), null, "0x1", 5, "code"])
      assert.notProperty(yield* fromSecond(evm({ eth_getCode: code })), "delegatedTo")
  })

  it("takes five calls for 100 addresses, and fails alone", function* () {
    const holders = Array.from({ length: 100 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`)
    const broken = holders[70]
    const isBroken = ({ method, params }: Call) => method === "eth_getBalance" && params[0] === broken
    const good = evm()
    const partly = (request: SentRequest) => {
      const calls = JSON.parse(request.body) as ReadonlyArray<Call>
      const changed = calls.map((call) => (isBroken(call) ? { ...call, method: "unknown" } : call))
      return good({ ...request, body: JSON.stringify(changed) })
    }
    const { requests, results } = yield* read(
      "ethereum-classic",
      holders,
      { "one.test": partly },
      {
        ETHEREUM_CLASSIC_RPC_URLS: "http://one.test"
      }
    )
    assert.strictEqual(requests.length, 5)
    assert.deepStrictEqual(
      holders.filter((_, index) => results[index]?._tag === "Left"),
      [broken]
    )
  })
})

describe("the contexts of many EVM addresses", () => {
  it("are not of a backend that was not checked: each batch has the chain and the newest block", function* () {
    const holders = Array.from({ length: 40 }, (_, index) => `0x${index.toString(16).padStart(40, "0")}`)
    const results = (isGood: boolean) =>
      node(({ method, params }) => {
        const isStale = !isGood && params[0] === holders[39]
        const values: Readonly<Record<string, unknown>> = {
          eth_chainId: "0x3d",
          eth_getTransactionCount: isStale ? "0x5" : "0x7",
          eth_getBalance: "0x1",
          eth_gasPrice: "0x3b9aca00",
          eth_getBlockByNumber: { number: "0x10", timestamp: isGood ? "0x0" : "0x1000" }
        }
        return values[method]
      })
    let requests = 0
    // A balancer in front of a good backend and a wrong one.
    const balanced = (request: SentRequest) => results(requests++ === 0)(request)
    const hosts = { "one.test": balanced, "two.test": results(true) }
    const found = yield* read("ethereum-classic", holders, hosts, { ETHEREUM_CLASSIC_RPC_URLS: two })
    assert.deepStrictEqual(
      found.results
        .map((result) => Either.getOrThrow(result))
        .filter((context) => !("nonce" in context) || context.nonce !== 7),
      []
    )
  })
})

describe("the contexts of addresses of the Bitcoin family", () => {
  it("take one call each, and the newest block once", function* () {
    const hash = "ab".repeat(32)
    const esplora = ({ url }: SentRequest) => {
      if (url.pathname === "/blocks/tip/hash") return text(hash)
      return json(url.pathname === `/block/${hash}` ? { height: 1_000, timestamp: 0 } : [])
    }
    const addresses = Array.from({ length: 5 }, (_, index) => addressOf(Litecoin.info, index))
    const { requests, results } = yield* read(
      "litecoin",
      addresses,
      { "one.test": esplora },
      {
        LITECOIN_ESPLORA_URLS: "http://one.test",
        LITECOIN_BLOCKBOOK_URLS: ","
      }
    )
    assert.isTrue(results.every(Either.isRight))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.pathname).sort(),
      [...addresses.map((address) => `/address/${address}/utxo`), `/block/${hash}`, "/blocks/tip/hash"].sort()
    )
  })
})

describe("the transaction context of an XRP Ledger address", () => {
  const address = "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59"
  const ledger =
    (account: unknown, time?: string) =>
    ({ body }: SentRequest) => {
      const { method } = JSON.parse(body) as { readonly method: string }
      const results: Readonly<Record<string, unknown>> = {
        server_info: {
          info: { time, validated_ledger: { seq: 99_000_000, age: 3, reserve_base_xrp: 1, reserve_inc_xrp: 0.2 } },
          status: "success"
        },
        fee: {
          current_queue_size: "0",
          drops: { base_fee: "10", median_fee: "5000", minimum_fee: "10", open_ledger_fee: "2653937" },
          status: "success"
        },
        account_info: account
      }
      return json({ result: results[method] })
    }
  const data = { Account: address, Balance: "25000000", Sequence: 5, OwnerCount: 3 }

  it("is read from the next node if the clock of a node is an hour behind", function* () {
    const clock = Date.UTC(2026, 2, 3, 3, 4, 46)
    yield* TestClock.setTime(clock)
    const account = (Balance: string) => ({ account_data: { ...data, Balance }, status: "success" })
    const hosts = {
      "one.test": ledger(account("1"), "2026-Mar-03 02:04:46.673396 UTC"),
      "two.test": ledger(account("2"), "2026-Mar-03 03:04:46.673396 UTC")
    }
    const all = { RIPPLE_RPC_URLS: "http://one.test,http://two.test" }
    assert.deepInclude(yield* first("ripple", [address], hosts, all), { ledger: 99_000_000 })
    const late = { RIPPLE_RPC_URLS: "http://one.test" }
    assert.strictEqual((yield* failure("ripple", [address], hosts, late)).reason, "bad_answer")
  })

  it("counts queued transactions and the reserve of owned objects, and rejects another account", function* () {
    const queued = ledger({
      account_data: data,
      queue_data: { txn_count: 2, highest_sequence: 6 },
      status: "success"
    })
    const one = { RIPPLE_RPC_URLS: "http://one.test" }
    const context = yield* first("ripple", [address], { "one.test": queued }, one)
    assert.deepInclude(context, { sequence: 7, reserve: "1600000", openLedgerFee: "2653937", ledger: 99_000_000 })
    const quiet = ledger({ account_data: data, queue_data: { txn_count: 0 }, status: "success" })
    assert.deepInclude(yield* first("ripple", [address], { "one.test": quiet }, one), { sequence: 5 })
    const other = ledger({
      account_data: { ...data, Account: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B" },
      status: "success"
    })
    assert.strictEqual((yield* failure("ripple", [address], { "one.test": other }, one)).reason, "bad_answer")
  })
})

describe("the transaction context of a Tron address", () => {
  const address = "TEB39Rt69QkgD1BKhqaRNqGxfQzCarkRCb"
  const id = `${(77_500_000).toString(16).padStart(16, "0")}${"5f".repeat(24)}`
  const trongrid =
    (over: Readonly<Record<string, unknown>> = {}) =>
    ({ url }: SentRequest) => {
      const name = url.pathname.split("/").at(-1) ?? ""
      const results: Readonly<Record<string, unknown>> = {
        getblock: { blockID: id, block_header: { raw_data: { number: 77_500_000, timestamp: 1_000 } } },
        getaccount: { address, balance: 5 },
        getaccountresource: {
          TotalNetLimit: 43_200_000_000,
          freeNetUsed: 700,
          freeNetLimit: 600,
          EnergyLimit: 900,
          EnergyUsed: 100
        },
        ...over
      }
      return json(results[name] ?? {})
    }
  const environment = { TRONGRID_URL: "http://one.test" }

  it("references a block whose id contains its height, and fails if the block is old or from the future", function* () {
    const context = yield* first("tron", [address], { "one.test": trongrid() }, environment)
    assert.deepInclude(context, { activated: true, balance: "5", freeBandwidth: 0, stakedBandwidth: 0, energy: 800 })
    assert.deepInclude((context as Extract<TransactionContext, { family: "tron" }>).block, {
      refBlockBytes: id.slice(12, 16),
      refBlockHash: "5f".repeat(8)
    })
    const wrong = trongrid({ getblock: { blockID: id, block_header: { raw_data: { number: 5, timestamp: 1_000 } } } })
    assert.strictEqual((yield* failure("tron", [address], { "one.test": wrong }, environment)).reason, "bad_answer")
    yield* TestClock.adjust("1 hour")
    const old = yield* failure("tron", [address], { "one.test": trongrid() }, environment)
    assert.include(old.message, "behind")
    const block = { number: 77_500_000, timestamp: Date.UTC(2126, 0) }
    const future = trongrid({ getblock: { blockID: id, block_header: { raw_data: block } } })
    assert.include((yield* failure("tron", [address], { "one.test": future }, environment)).message, "future")
  })

  for (const [title, resources] of Object.entries({
    "is an error": { message: "internal server error", code: 500 },
    "is empty because there is no account": {}
  }))
    it(`fails if the resources response ${title}`, function* () {
      const wrong = trongrid({ getaccountresource: resources })
      assert.strictEqual((yield* failure("tron", [address], { "one.test": wrong }, environment)).reason, "bad_answer")
    })
})

describe("the transaction contexts of TON wallets", () => {
  const raw = (digit: string) => `0:${digit.repeat(64)}`
  const elector = `-1:${"3".repeat(64)}`
  const environment = { TONCENTER_URL: "http://center.test", TONAPI_URL: "http://api.test" }
  const rows = [
    { address: elector, status: "active", balance: "1", is_wallet: false },
    {
      address: raw("A"),
      status: "active",
      balance: "7",
      is_wallet: true,
      wallet_type: "wallet v5 r1",
      seqno: 3,
      wallet_id: 5
    },
    { address: raw("B"), status: "uninit", balance: "8", is_wallet: false },
    { address: raw("C"), status: "active", balance: "9", is_wallet: false },
    { address: raw("D"), status: "frozen", balance: "0", is_wallet: false }
  ]
  const addresses = ["a", "b", "c", "d", "e"].map(raw)

  /** Newest block of either indexer, with this time in UNIX seconds. Undefined for other requests. */
  const head = ({ url }: SentRequest, seconds = 0): Reply | undefined =>
    url.pathname.endsWith("/masterchainInfo")
      ? json({ last: { seqno: 1, gen_utime: String(seconds) } })
      : url.pathname.endsWith("/masterchain-head")
        ? json({ seqno: 1, gen_utime: seconds })
        : undefined

  /** Reads while the test clock advances, because the indexers allow one call per second. */
  const readWhileTimePasses = Effect.fnUntraced(function* (...requested: Parameters<typeof read>) {
    const fiber = yield* Effect.fork(read(...requested))
    yield* TestClock.adjust("30 seconds")
    return yield* fiber
  })

  it("are read in one call for addresses in any state, after the newest block", function* () {
    const { requests, results } = yield* readWhileTimePasses(
      "ton",
      addresses,
      { "center.test": (request) => head(request) ?? json({ wallets: rows, address_book: {} }) },
      environment
    )
    assert.deepStrictEqual(
      requests.map(({ url }) => url.pathname),
      ["/api/v3/masterchainInfo", "/api/v3/walletStates"]
    )
    assert.deepStrictEqual(
      results.map((result) => {
        const context = Either.getOrThrow(result)
        return context.family === "ton" ? [context.state, context.seqno, context.wallet, context.walletId] : []
      }),
      [
        ["active", 3, "v5r1", 5],
        ["uninit", 0, null, null],
        ["active", null, null, null],
        ["frozen", null, null, null],
        ["nonexist", 0, null, null]
      ]
    )
  })

  it("are read from TonAPI if TON Center omits an address; a failed seqno affects only its address", function* () {
    const tonapi = (request: SentRequest): Reply => {
      const { url } = request
      const [, account = ""] = /\/v2\/wallet\/(.+)\/seqno$/.exec(decodeURIComponent(url.pathname)) ?? []
      if (account !== "") return account === raw("a") ? json({ seqno: 12 }) : json({ error: "no" }, { status: 500 })
      const known = [raw("a"), raw("b")].map((address) => ({
        address,
        balance: 5,
        status: "active",
        interfaces: ["wallet_v4r2"]
      }))
      return head(request) ?? json({ accounts: known })
    }
    const { results } = yield* readWhileTimePasses(
      "ton",
      [raw("a"), raw("b")],
      { "center.test": (request) => head(request) ?? json({ wallets: rows.slice(1) }), "api.test": tonapi },
      environment
    )
    const [a, b] = results
    assert.deepInclude(Either.getOrThrow(a ?? assert.fail("none")), { seqno: 12, wallet: "v4r2", balance: "5" })
    assert.strictEqual(Either.getOrThrow(Either.flip(b ?? assert.fail("none"))).reason, "upstream_error")
  })

  it("fail for an active account without a balance or without its seqno, but not for other addresses", function* () {
    for (const more of [{ balance: null }, { seqno: null }]) {
      const wallets = rows.slice(0, 3).map((row) => (row.address === raw("A") ? { ...row, ...more } : row))
      const hosts = { "center.test": (request: SentRequest) => head(request) ?? json({ wallets }) }
      const [a, b] = (yield* readWhileTimePasses("ton", [raw("a"), raw("b")], hosts, environment)).results
      assert.isTrue(Either.isLeft(a ?? assert.fail("none")))
      assert.isTrue(Either.isRight(b ?? assert.fail("none")))
    }
  })

  for (const [when, seconds] of [
    ["an hour old", -3_600],
    ["from the year 2126", Date.UTC(2126, 0) / 1000]
  ] as const)
    it(`are not read from an indexer whose newest block is ${when}`, function* () {
      const hosts = (center: number, api: number) => ({
        "center.test": (request: SentRequest) => head(request, center) ?? json({ wallets: rows }),
        "api.test": (request: SentRequest) =>
          head(request, api) ??
          (request.url.pathname.endsWith("/seqno")
            ? json({ seqno: 12 })
            : json({
                accounts: [{ address: raw("a"), balance: 5, status: "active", interfaces: ["wallet_v4r2"] }]
              }))
      })
      const [next] = (yield* readWhileTimePasses("ton", [raw("a")], hosts(seconds, 0), environment)).results
      assert.deepInclude(Either.getOrThrow(next ?? assert.fail("none")), { seqno: 12 })
      const [none] = (yield* readWhileTimePasses("ton", [raw("a")], hosts(seconds, seconds), environment)).results
      assert.strictEqual(Either.getOrThrow(Either.flip(none ?? assert.fail("none"))).reason, "bad_answer")
    })
})

describe("the transaction context of a Solana address", () => {
  const address = "8wytzyCBXco7yqgrLDiecpEt452MSuNWRe7xsLgAAX1H"
  const solana = (over: Readonly<Record<string, unknown>> = {}) =>
    node(({ method, params }) => {
      const [, filter] = params as ReadonlyArray<{ readonly programId?: string }>
      const name = filter?.programId?.startsWith("TokenzQ") === true ? "token2022" : method
      const results: Readonly<Record<string, unknown>> = {
        getLatestBlockhash: { context: { slot: 9 }, value: { blockhash: address, lastValidBlockHeight: 150 } },
        getAccountInfo: { context: { slot: 1 }, value: { data: { parsed: { info: { unixTimestamp: 0 } } } } },
        getMinimumBalanceForRentExemption: params[0] === 0 ? 890_880 : 2_039_280,
        getBalance: { context: { slot: 9 }, value: 5 },
        getTokenAccountsByOwner: { value: [] },
        token2022: { value: [] },
        ...over
      }
      return results[name]
    })

  it("comes from the next node if a token program fails, because a partial list would look complete", function* () {
    const hosts = { "one.test": solana({ token2022: new Error("no such program") }), "two.test": solana() }
    const { requests, results } = yield* read("solana", [address], hosts, { SOLANA_RPC_URLS: two })
    assert.deepInclude(Either.getOrThrow(results[0] ?? assert.fail("none")), { slot: 9, balance: "5", count: 0 })
    assert.sameMembers(
      requests.map(({ url }) => url.host),
      ["one.test", "one.test", "two.test"]
    )
  })

  it("comes from the next node if a token account has another owner", function* () {
    const account = (owner: string) => ({
      pubkey: `11${address.slice(2)}`,
      account: {
        owner: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
        data: {
          parsed: {
            info: { mint: address, owner, state: "initialized", tokenAmount: { amount: "7", decimals: 0 } }
          }
        }
      }
    })
    const of = (owner: string) => solana({ getTokenAccountsByOwner: { value: [account(owner)] } })
    const hosts = { "one.test": of(`22${address.slice(2)}`), "two.test": of(address) }
    const { requests, results } = yield* read("solana", [address], hosts, { SOLANA_RPC_URLS: two })
    assert.deepInclude(Either.getOrThrow(results[0] ?? assert.fail("none")), { count: 1 })
    assert.strictEqual(requests.at(-1)?.url.host, "two.test")
  })
})

describe("the transaction context of a Sui address", () => {
  it("comes from the next host if the address balance exceeds the total balance or is not returned", function* () {
    const time = "2026-01-01T00:00:00Z"
    yield* TestClock.setTime(Date.parse(time))
    const host = (addressBalance?: string) => () =>
      json({
        data: {
          chainIdentifier: "35834a8a",
          checkpoint: { timestamp: time },
          epoch: { epochId: 900, referenceGasPrice: "1000" },
          address: {
            balance: { totalBalance: "5", addressBalance },
            objects: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
          }
        }
      })
    for (const wrong of [host("6"), host()]) {
      const hosts = { "one.test": wrong, "two.test": host("5") }
      const context = yield* first("sui", [`0x${"12".repeat(32)}`], hosts, { SUI_GRAPHQL_URLS: two })
      assert.deepInclude(context, { balance: "5", addressBalance: "5" } as never)
    }
  })
})

describe("the transaction context of a Polkadot account", () => {
  const hash = `0x${"1f".repeat(32)}`

  it("is not read from a node of the relay chain, whose accounts are empty", function* () {
    const chain = (first: string, specName: string) =>
      node(({ method }) => {
        const results: Readonly<Record<string, unknown>> = {
          chain_getBlockHash: first,
          chain_getFinalizedHead: hash,
          state_getRuntimeVersion: { specName, specVersion: 5, transactionVersion: 15 },
          chain_getHeader: { number: "0x2a" }
        }
        return results[method]
      })
    const relay = chain("0x91b171bb158e2d3848fa23a9f1c25182fb8e20313b2c1eb49219da7a70ce90c3", "polkadot")
    const account = `0x${"12".repeat(32)}`
    const failed = yield* failure(
      "polkadot",
      [account],
      { "one.test": relay },
      { POLKADOT_RPC_URLS: "http://one.test" }
    )
    assert.deepInclude(failed, { reason: "bad_answer" })
    assert.include(failed.message, "Asset Hub")
  })
})

describe("the unspent outputs", () => {
  const time = 1_596_059_091
  const block = { slot: 4_492_800, height: 4_490_511, time, epoch: 208, hash: "b1".repeat(32) }
  const heights = { block_height: block.height, block_no: block.height }
  const named = { epoch_no: 208, epoch_slot: 0, abs_slot: block.slot, ...heights, block_time: time, hash: block.hash }
  /** Parameters as of the epoch of the block; Koios's are older than the price of reference scripts. */
  const parametersIn = (pathname: string) =>
    pathname.endsWith("/parameters")
      ? json({ ...blockfrostParameters(block.epoch), min_fee_ref_script_cost_per_byte: 15 })
      : json([{ ...(sample("koios", "epoch-params").response.body as readonly [object])[0], epoch_no: block.epoch }])
  const row = () => ({ ...(sample("koios", "block-info").response.body as readonly [object])[0], ...named })

  it("of Cardano have the sizes of their reference scripts, if they are plausible, and the price of a byte", function* () {
    yield* TestClock.setTime(time * 1000)
    const address = "addr1v9ywm0h3r8cnxrs04gfy7c3s2j44utjyvn5ldjdca0c2ltccgqdes"
    const hashes = ["aa", "bb", "cc"].map((byte) => byte.repeat(28))
    const sizes = [83_815, 204_801, undefined]
    const koios = hashes.map((hash, index) => ({
      tx_hash: `${index}`.repeat(64),
      tx_index: index,
      address,
      value: "3000000",
      reference_script: { hash, size: sizes[index] }
    }))
    const blockfrost = [...hashes, hashes[0], "not/a/hash", null].map((hash, index) => ({
      tx_hash: `${index}`.repeat(64),
      output_index: index,
      address,
      amount: [{ unit: "lovelace", quantity: "3000000" }],
      reference_script_hash: hash
    }))
    const looked: Array<string> = []
    const source = ({ url: { host, pathname } }: SentRequest): Reply => {
      const [, hash] = /\/scripts\/(.*)$/.exec(pathname) ?? []
      if (hash !== undefined) {
        looked.push(hash)
        return json({ script_hash: hash, type: "plutusV3", serialised_size: sizes[hashes.indexOf(hash)] ?? null })
      }
      if (pathname.includes("utxos")) return json(host === "koios.test" ? koios : blockfrost)
      if (pathname.endsWith("/blocks/latest")) return json(block)
      return /\/(parameters|epoch_params)$/.test(pathname) ? parametersIn(pathname) : json([row()])
    }
    const read = (key: string) =>
      Effect.map(
        first(
          "cardano",
          [address, address],
          { "blockfrost.test": source, "koios.test": source },
          {
            BLOCKFROST_URL: "http://blockfrost.test",
            KOIOS_URL: "http://koios.test",
            BLOCKFROST_PROJECT_ID: key
          }
        ),
        (context) => {
          if (context.family !== "cardano") return assert.fail(context.family)
          const { minFeeRefScriptCostPerByte: price, utxos } = context
          return [
            price,
            ...utxos.map(({ referenceScript, referenceScriptSize }) => [referenceScript, referenceScriptSize])
          ]
        }
      )
    const [one = "", two = "", three = ""] = hashes
    const sized = [
      [one, 83_815],
      [two, null],
      [three, null]
    ]
    assert.deepStrictEqual(yield* read(""), [null, ...sized])
    assert.deepStrictEqual(yield* read("mainnetKey"), [15, ...sized, [one, 83_815], ["not/a/hash", null], [null, null]])
    assert.deepStrictEqual(looked.sort(), hashes)
  })
})
