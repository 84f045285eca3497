import type * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, DetailedBalance, ReadFailure } from "../../src/chains/Chain.ts"
import { fullySpendable } from "../../src/chains/kit/holdings/Breakdown.ts"
import { toDetail as solanaDetail } from "../../src/chains/solana/breakdown.ts"
import * as EvmNodes from "../support/EvmNodes.ts"
import { json, type Reply, type SentRequest } from "../support/http.ts"
import { settled } from "../support/settled.ts"
import * as TronNodes from "../support/TronNodes.ts"
import { assert, describe, it } from "../support/vitest.ts"
import * as Ripple from "./ripple/ripple.ts"
import * as Solana from "./solana/nodes.ts"
import * as Sui from "./sui/hosts.ts"
import * as Tron from "./tron/tron.ts"

// Response bodies follow the documentation of each API, with invented numbers.

type Detail = Either.Either<DetailedBalance, ReadFailure>

const read = ({ chain }: { readonly chain: Context.Tag.Service<Chain> }, ...addresses: ReadonlyArray<string>) => {
  const { breakdown } = chain
  if (breakdown === undefined || breakdown === fullySpendable) throw new Error("needs no call")
  return settled(breakdown.read(addresses)) as Effect.Effect<ReadonlyArray<Detail>>
}

const found = (detail: Detail | undefined): DetailedBalance => {
  if (detail === undefined) throw new Error("absent")
  return Either.getOrThrow(detail)
}

describe("reserves of the XRP Ledger", () => {
  const validated = { age: 2, reserve_base_xrp: 1, reserve_inc_xrp: 0.2, seq: 98_430_992 }
  const node =
    (accounts: Readonly<Record<string, object>>, info: object = { validated_ledger: validated }) =>
    ({ body }: SentRequest): Reply => {
      const { method, params } = JSON.parse(body) as {
        readonly method: string
        readonly params: ReadonlyArray<{ readonly account: string }>
      }
      if (method === "server_info") return json({ result: { info, status: "success" } })
      const account = accounts[params[0]?.account ?? ""]
      return json({
        result:
          account === undefined
            ? { error: "actNotFound", status: "error" }
            : { account_data: { Account: params[0]?.account, ...account }, validated: true, status: "success" }
      })
    }

  it("are the base plus an increment per object, capped at the balance; the rates are requested once", function* () {
    const network = yield* Ripple.network(
      node({
        [Ripple.alice]: { Balance: "25000000", OwnerCount: 7 },
        [Ripple.bob]: { Balance: "1100000", OwnerCount: 3 }
      })
    )
    const unused = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
    const all = yield* read(network, Ripple.alice, Ripple.bob, unused)
    assert.deepStrictEqual(all.map(found), [
      { amount: 25_000_000n, parts: { spendable: 22_600_000n, reserved: 2_400_000n } },
      { amount: 1_100_000n, parts: { spendable: 0n, reserved: 1_100_000n } },
      { amount: 0n, parts: { spendable: 0n, reserved: 0n } }
    ])
    yield* read(network, Ripple.alice)
    const serverInfoRequests = network.requests.filter(({ body }) => body.includes("server_info"))
    assert.strictEqual(serverInfoRequests.length, 1)
  })

  it("are missing without an owner count, and the read fails without the reserve rates", function* () {
    const accounts = { [Ripple.alice]: { Balance: "25000000" } }
    const [uncounted] = yield* read(yield* Ripple.network(node(accounts)), Ripple.alice)
    assert.deepStrictEqual(found(uncounted).parts, {})
    assert.strictEqual(found(uncounted).missing?.reason, "bad_answer")
    const [unknown] = yield* read(yield* Ripple.network(node(accounts, {})), Ripple.alice)
    assert.isTrue(unknown !== undefined && Either.isLeft(unknown))
  })
})

describe("stakes on Tron", () => {
  const node =
    (account: object, reward: object = {}) =>
    (request: SentRequest): Reply => {
      if (request.url.pathname === "/wallet/getaccount") return json(account)
      if (request.url.pathname === "/wallet/getReward") return json(reward)
      return TronNodes.speaking({ trx: { [Tron.alice]: 0n }, tokens: {} })(request)
    }

  it("sum frozen, delegated and unfreezing amounts of both staking versions; rewards are separate", function* () {
    const network = yield* Tron.network(
      node(
        {
          address: Tron.alice,
          balance: 1_000_000,
          frozen: [{ frozen_balance: 1, expire_time: 1_600_000_000_000 }],
          frozenV2: [{ amount: 20 }, { type: "ENERGY", amount: 300 }, { type: "TRON_POWER" }],
          unfrozenV2: [{ type: "ENERGY", unfreeze_amount: 4_000, unfreeze_expire_time: 1_900_000_000_000 }],
          delegated_frozen_balance_for_bandwidth: 50_000,
          delegated_frozenV2_balance_for_bandwidth: 600_000,
          account_resource: {
            frozen_balance_for_energy: { frozen_balance: 7_000_000, expire_time: 1_600_000_000_000 },
            delegated_frozen_balance_for_energy: 80_000_000,
            delegated_frozenV2_balance_for_energy: 900_000_000
          }
        },
        { reward: 42 }
      )
    )
    const [detail] = yield* read(network, Tron.alice)
    assert.deepStrictEqual(found(detail), {
      amount: 1_000_000n,
      parts: { spendable: 1_000_000n, staked: 987_654_321n, rewards: 42n }
    })
  })

  it("are zero for an account without stakes, and the read fails if the account data is invalid", function* () {
    const plain = yield* Tron.network(node({ address: Tron.alice, balance: 5 }))
    assert.deepStrictEqual(found((yield* read(plain, Tron.alice))[0]).parts, {
      spendable: 5n,
      staked: 0n,
      rewards: 0n
    })
    const unfreezing = { unfreeze_amount: 4_000, unfreeze_expire_time: 1_900_000_000_000 }
    const unused = yield* Tron.network(node({}))
    assert.deepStrictEqual(found((yield* read(unused, Tron.alice))[0]).amount, 0n)
    for (const wrong of [
      { address: Tron.bob, balance: 5 },
      { address: Tron.alice, frozenV2: [{ amount: -1 }] },
      { address: Tron.alice, unfrozenV2: [unfreezing, unfreezing] }
    ]) {
      const [detail] = yield* read(yield* Tron.network(node(wrong)), Tron.alice)
      assert.isTrue(detail !== undefined && Either.isLeft(detail), JSON.stringify(wrong))
    }
  })

  it("are returned even if the rewards cannot be read", function* () {
    const network = yield* Tron.network(node({ address: Tron.alice, balance: 5 }, { reward: -1 }))
    const { missing, parts } = found((yield* read(network, Tron.alice))[0])
    assert.deepStrictEqual(parts, { spendable: 5n, staked: 0n })
    assert.strictEqual(missing?.reason, "bad_answer")
  })
})

describe("rent and stakes on Solana", () => {
  const [alice, bob] = [Solana.key(1), Solana.key(2)]
  const stake = (pubkey: string, lamports: number) => ({ pubkey, account: { lamports } })
  const node = (stakes: (owner: string) => EvmNodes.Reply) =>
    EvmNodes.rpcNode(({ method, params }) => {
      if (method === "getMinimumBalanceForRentExemption") return EvmNodes.result(890_880)
      if (method === "getMultipleAccounts")
        return Solana.valued([{ lamports: 5_000_000_000, space: 0 }, null].slice(0, (params[0] as []).length))
      const { filters } = params[1] as {
        readonly filters: ReadonlyArray<{ readonly memcmp?: { readonly bytes: string } }>
      }
      return stakes(filters[1]?.memcmp?.bytes ?? "")
    })

  it("are the rent minimum of an account without data, and all stakes that the address may withdraw", function* () {
    const network = yield* Solana.network(
      node((owner) => EvmNodes.result(owner === alice ? [stake("a", 7), stake("b", 8), stake("a", 7)] : [])),
      undefined
    )
    assert.deepStrictEqual((yield* read(network, alice, bob)).map(found), [
      { amount: 5_000_000_000n, parts: { spendable: 4_999_109_120n, reserved: 890_880n, staked: 15n } },
      { amount: 0n, parts: { spendable: 0n, reserved: 0n, staked: 0n } }
    ])
  })

  it("do not come from a node that returns the accounts in another order", function* () {
    const reordered = EvmNodes.rpcNode(({ method }) => {
      if (method === "getMinimumBalanceForRentExemption") return EvmNodes.result(890_880)
      if (method !== "getMultipleAccounts") return EvmNodes.result([])
      return Solana.valued([
        { lamports: 1, space: 40, data: ["", "base64"] },
        { lamports: 8, space: 0 }
      ])
    })
    const [first] = yield* read(yield* Solana.network(reordered, undefined), alice)
    assert.isTrue(first !== undefined && Either.isLeft(first) && first.left.reason === "bad_answer")
  })

  it("are those of the other addresses if an account cannot be read", function* () {
    const odd = EvmNodes.rpcNode(({ method, params }) => {
      if (method === "getMinimumBalanceForRentExemption") return EvmNodes.result(890_880)
      if (method !== "getMultipleAccounts") return EvmNodes.result([])
      return Solana.valued(
        [
          { lamports: 5_000_000_000, space: 0 },
          { lamports: -1, space: 0 }
        ].slice(0, (params[0] as []).length)
      )
    })
    const [first, second] = yield* read(yield* Solana.network(odd, undefined), alice, bob)
    assert.deepInclude(found(first), { amount: 5_000_000_000n })
    assert.isTrue(second !== undefined && Either.isLeft(second) && second.left.reason === "bad_answer")
  })

  it("include the rent even if the node does not support the search for stakes", function* () {
    const network = yield* Solana.network(
      node(() => EvmNodes.error("excluded from account secondary indexes", -32010)),
      undefined
    )
    const { missing, parts } = found((yield* read(network, alice))[0])
    assert.deepStrictEqual(parts, { spendable: 4_999_109_120n, reserved: 890_880n })
    assert.strictEqual(missing?.reason, "upstream_error")
  })

  it("omit the rent of an account with data, and cap it at a smaller balance", () => {
    assert.deepStrictEqual(solanaDetail({ lamports: 9n, space: 80 }, 5n, Either.right(1n)).parts, { staked: 1n })
    assert.deepStrictEqual(solanaDetail({ lamports: 3n, space: 0 }, 5n, Either.right(0n)).parts, {
      spendable: 0n,
      reserved: 3n,
      staked: 0n
    })
  })
})

describe("stakes on Sui", () => {
  const [owner = ""] = Sui.owners(1)
  const stake = (address: string, principal: unknown) => ({ address, contents: { json: { principal } } })
  const host = (pages: ReadonlyArray<ReadonlyArray<unknown>>, then: unknown = null) =>
    Sui.answering(({ variables: { after } }) => {
      const index = after === null ? 0 : Number(after)
      const nodes = pages[index]
      const hasNextPage = index + 1 < pages.length
      return {
        data: {
          chainIdentifier: "35834a8a",
          address: {
            balance: { totalBalance: "100" },
            objects:
              nodes === undefined
                ? then
                : { nodes, pageInfo: { hasNextPage, endCursor: hasNextPage ? String(index + 1) : null } }
          }
        }
      }
    })

  it("sum the principals of all pages in both formats, and count each object once", function* () {
    const network = yield* Sui.network(
      host([
        [stake("a", "5"), stake("b", { value: "6" })],
        [stake("b", { value: "6" }), stake("c", "7")]
      ]),
      undefined
    )
    assert.deepStrictEqual(found((yield* read(network, owner))[0]), {
      amount: 100n,
      parts: { spendable: 100n, staked: 18n }
    })
  })

  it("are missing if an object cannot be read or has two principals, and the balance is still returned", function* () {
    for (const pages of [[[stake("a", "-5")]], [[stake("a", "5")], [stake("a", "6")]]]) {
      const network = yield* Sui.network(host(pages), undefined)
      const { missing, parts } = found((yield* read(network, owner))[0])
      assert.deepStrictEqual(parts, { spendable: 100n })
      assert.strictEqual(missing?.reason, "bad_answer")
    }
  })
})
