import * as Effect from "effect/Effect"
import { formatUnits } from "viem/utils"
import { cardano } from "../../../src/catalogue/cardano.ts"
import { ripple } from "../../../src/catalogue/ripple.ts"
import { sui } from "../../../src/catalogue/sui.ts"
import { ton } from "../../../src/catalogue/ton.ts"
import type { AddressContexts } from "../../../src/contract/TransactionsApi.ts"
import type { Balance } from "../../../src/domain/Balance.ts"
import * as Landmarks from "../../../src/sandbox/world/Landmarks.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { assert, layer } from "../../support/vitest.ts"
import type { Network } from "../../walk/walk.ts"
import { listening, unlimited } from "./busyHistory.ts"
import { areSent } from "./sources.ts"

// A busy address holds more than a page of its source lists: registered tokens are on all pages.

const busy = (network: Network) => World.busy(network.id) ?? assert.fail(network.id)

/** Asserts that the balances of an address are those of the world. */
const areBalances = Effect.fnUntraced(function* (network: Network, holder = busy(network)) {
  const { post } = yield* Service
  const response = yield* post("/balance?detail=true", { networks: { [network.id]: [holder] } })
  const rows = yield* body<ReadonlyArray<Balance>>(response)
  const expected = World.contractsOn(network.platform).map((contract) => [
    contract.coin.symbol.toUpperCase(),
    formatUnits(World.tokenBalance(network, contract, holder), contract.decimals)
  ])
  const [native, ...tokens] = rows
  assert.deepStrictEqual(
    [native?.balance, native?.error ?? null],
    [formatUnits(World.native(network, holder), network.native.decimals), null]
  )
  assert.deepStrictEqual(
    tokens.map(({ balance, tokenSymbol }) => [tokenSymbol.toUpperCase(), balance]).sort(),
    expected.filter(([, balance]) => balance !== "0").sort()
  )
  return native
})

/** The context of an address. */
const contextOf = Effect.fnUntraced(function* (network: Network, holder = busy(network)) {
  const { post } = yield* Service
  const response = yield* post("/utils/transaction-context", { networks: { [network.id]: [holder] } })
  const contexts = yield* body<AddressContexts>(response)
  const { context, error } = contexts[network.id]?.[holder] ?? {}
  return context ?? assert.fail(error)
})

/** The result of a method of Sui's former API. */
const rpc = Effect.fnUntraced(function* <A>(method: string, ...params: ReadonlyArray<unknown>) {
  const { post } = yield* Service
  const response = yield* post("/utils/rpc/sui", { jsonrpc: "2.0", id: 1, method, params })
  const { error, result } = yield* body<{ readonly result: A; readonly error?: unknown }>(response)
  assert.isUndefined(error)
  return result
})

/** Asserts that the outputs of an address are many, and as much as it holds. */
const areOutputs = Effect.fnUntraced(function* (holder: string) {
  const context = yield* contextOf(cardano, holder)
  assert(context.family === "cardano")
  // Each has an asset, but for the first.
  assert.deepStrictEqual([context.utxos.length, context.truncated, context.count], [500, true, 1_104])
})

interface SuiPage<A> {
  readonly data: ReadonlyArray<A>
  readonly nextCursor: string | null
  readonly hasNextPage: boolean
}

interface SuiCoin {
  readonly coinObjectId: string
  readonly balance: string
}

/** All pages of a list, by the cursors of a client. */
const allPages = Effect.fnUntraced(function* <A>(method: string, ...params: ReadonlyArray<unknown>) {
  const rows: Array<A> = []
  let page: SuiPage<A> | undefined
  do {
    page = yield* rpc<SuiPage<A>>(method, ...params, page?.nextCursor ?? null)
    rows.push(...page.data)
    assert.isAtMost(rows.length, 1_000)
  } while (page.hasNextPage)
  return rows
})

const total = (amounts: ReadonlyArray<string>) => amounts.reduce((sum, amount) => sum + BigInt(amount), 0n)

/** Coin objects with SUI: as many as in the sandbox. */
const coins = 131

interface Holdings {
  readonly network: Network
  readonly name: string
  readonly settings?: Readonly<Record<string, string>>
  /** An upstream that is unavailable. */
  readonly without?: string
  /** The patterns of requests that continue the lists of holdings, or why no request does. */
  readonly sent: Readonly<Record<string, RegExp | string>>
  readonly reads: Readonly<Record<string, () => Effect.Effect<unknown, unknown, Service>>>
}

const account = Landmarks.busyAccount

/** The sources of long holdings, and the parameters with which each adapter continues a list. */
const holdings: ReadonlyArray<Holdings> = [
  {
    network: ripple,
    name: "ripple-rpc",
    sent: {
      marker: /"account_lines".*"ledger_index":\d+.*"marker":"/,
      "marker of the lines of one issuer": /"account_lines".*"peer":".*"marker":"/
    },
    reads: {
      balances: () => areBalances(ripple),
      "the balance of each token": Effect.fnUntraced(function* () {
        const { post } = yield* Service
        for (const contract of World.contractsOn(ripple.platform)) {
          const token = { networkId: "ripple", address: busy(ripple), tokenAddress: contract.address }
          const { balance } = yield* body<Balance>(yield* post("/balance/token", token))
          const expected = formatUnits(World.tokenBalance(ripple, contract, busy(ripple)), contract.decimals)
          assert.strictEqual(balance, expected, contract.address)
        }
      })
    }
  },
  {
    network: ton,
    name: "toncenter",
    sent: { "offset of jetton wallets": /\/jetton\/wallets\?.*offset=1000/ },
    reads: { balances: () => areBalances(ton) }
  },
  {
    network: sui,
    name: "sui-graphql",
    sent: {
      "after of balances": /balances\(first: 50, after: \$after0\).*"after0":"[^"]/,
      "after of gas coins": /referenceGasPrice.*"after":"[^"]/,
      "after of stakes": /StakedSui.*"after":"[^"]|"after":"[^"].*StakedSui/,
      "after of balances of JSON-RPC": /balances\(first: 50, after: \$after\).*"after":"[^"]/,
      "after of objects of JSON-RPC": /objects\(first: 50, after: \$after, filter: \$filter\).*"after":"[^"]/,
      "after of a client": /objects\(first: \$first, after: \$after.*"after":"[^"]/,
      "after of the transactions of a checkpoint": "a checkpoint of the world has 8"
    },
    reads: {
      "balances and stakes": Effect.fnUntraced(function* () {
        const native = yield* areBalances(sui)
        assert.strictEqual(native?.breakdown?.staked, formatUnits(World.stakeOf(sui, busy(sui)), sui.native.decimals))
      }),
      "gas coins": Effect.fnUntraced(function* () {
        const context = yield* contextOf(sui)
        assert(context.family === "sui")
        assert.deepStrictEqual([context.truncated, context.count, context.gasCoins.length], [false, coins, coins])
        assert.strictEqual(total(context.gasCoins.map(({ balance }) => balance)), World.native(sui, busy(sui)))
      }),
      "balances of JSON-RPC": Effect.fnUntraced(function* () {
        type Row = { readonly coinType: string; readonly totalBalance: string; readonly coinObjectCount: number }
        const rows = yield* rpc<ReadonlyArray<Row>>("suix_getAllBalances", busy(sui))
        assert.strictEqual(new Set(rows.map(({ coinType }) => coinType)).size, rows.length)
        assert.deepStrictEqual(
          rows.filter(({ coinType }) => !coinType.endsWith("::busy::BUSY")).map(({ totalBalance }) => totalBalance),
          [
            World.native(sui, busy(sui)),
            ...World.contractsOn(sui.platform).map((contract) => World.tokenBalance(sui, contract, busy(sui)))
          ]
            .filter((amount) => amount > 0n)
            .map(String)
        )
        assert.deepStrictEqual(
          [...new Set(rows.map(({ coinObjectCount }) => coinObjectCount))].sort((a, b) => a - b),
          [1, coins]
        )
      }),
      "coins by the cursors of a client": Effect.fnUntraced(function* () {
        const rows = yield* allPages<SuiCoin>("suix_getCoins", busy(sui), "0x2::sui::SUI")
        assert.strictEqual(new Set(rows.map(({ coinObjectId }) => coinObjectId)).size, coins)
        assert.strictEqual(total(rows.map(({ balance }) => balance)), World.native(sui, busy(sui)))
      })
    }
  },
  {
    network: cardano,
    name: "koios",
    sent: Object.fromEntries(
      ["address_assets", "account_assets", "address_utxos", "account_utxos"].map((list) => [
        `offset of ${list}`,
        new RegExp(`/${list}\\?.*offset=1000`)
      ])
    ),
    reads: {
      balances: () => areBalances(cardano),
      "balances of an account": () => areBalances(cardano, account),
      outputs: () => areOutputs(busy(cardano)),
      "outputs of an account": () => areOutputs(account)
    }
  },
  {
    network: cardano,
    name: "blockfrost",
    settings: { BLOCKFROST_PROJECT_ID: "k" },
    without: "koios",
    sent: {
      "page of the assets of an account": /\/addresses\/assets\?.*page=12/,
      "page of outputs": /\/addresses\/[^ ]+\/utxos\?.*page=12/,
      "page of the outputs of an account": /\/accounts\/[^ ]+\/utxos\?.*page=12/
    },
    reads: {
      balances: () => areBalances(cardano),
      "balances of an account": () => areBalances(cardano, account),
      outputs: () => areOutputs(busy(cardano)),
      "outputs of an account": () => areOutputs(account)
    }
  }
]

/** Declares the tests of the sources of a network. */
export const busyHoldings = (id: "cardano" | "ripple" | "sui" | "ton") => {
  for (const { name, network, reads, sent, settings = {}, without } of holdings.filter(
    (row) => row.network.id === id
  )) {
    const upstreams = editedSandbox((text, { upstream }) => (upstream === without ? "" : text))
    const { layer: service, requests } = listening({ ...unlimited, ...settings }, upstreams)
    layer(service, { excludeTestServices: true })(`the busy address of ${network.id} at ${name}`, (it) => {
      for (const [what, read] of Object.entries(reads))
        it(`has the holdings of the world: ${what}`, function* () {
          yield* read()
        })

      it("was read by each parameter of a continuation", () => {
        areSent(requests, name, sent)
      })
    })
  }
}
