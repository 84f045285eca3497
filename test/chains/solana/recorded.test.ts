import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { type Exchange, fixture, recorded, replyOf, sample } from "../../support/fixtures.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { chain, filterOf, key, mintAccount, network, programs, replaying, token, valued } from "./nodes.ts"

const owner = "7pFGok3zuvacRP797Ke3bUZqbq24PbVQNLvwopfErvih"

/** Recorded reply without its id. */
const answer = (name: string): EvmNodes.Reply => {
  const { id: _, ...rest } = fixture("solana", name).response.body as EvmNodes.Reply & { readonly id: unknown }
  return rest
}

const bonk = token("Hv69wUkD225TYq111eAar9CtjhNpzBTRFpHkpY3pbonk", "bonk")
const frozen = token("ByqVeGqR8VzvJG67E92rijxvuCzkLrbqotx2kPPo6eot", "frozen", 0)
const empty = token("JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", "jupiter")
const newer = token("7atgF8KQo4wJrD5ATGX7t1V2zVvykPJbFfNeVf1icFv1", "newer")

/** Checks that a rejection is a failure, and that the next node is called. `ready` returns a balance. */
const refusals = (
  of: (name: string) => Exchange,
  ready: () => EvmNodes.Reply,
  expected: Readonly<Record<string, readonly [reason: ReadFailure["reason"], message: string]>>
) => {
  for (const [name, [reason, message]] of Object.entries(expected))
    it(`${name} is a failure, not a balance of zero, and the next node is called`, function* () {
      const { response } = of(name)
      const refusing = EvmNodes.always(JSON.stringify(response.body), { status: response.status })
      const alone = yield* network(refusing, [])
      assert.deepStrictEqual(yield* settled(Effect.flip(alone.holding(owner, Option.none()))), { reason, message })
      assert.deepStrictEqual(yield* settled(alone.holdings([owner])), [Either.left({ reason, message })])
      const followed = yield* network(refusing, [], EvmNodes.rpcNode(ready))
      assert.isTrue(Either.isRight((yield* settled(followed.holding(owner, Option.none()))).amount))
    })
}

recorded("recorded Solana responses:", () => {
  it("two wallets have native balances and the tokens of both programs, including frozen tokens", function* () {
    const node = EvmNodes.rpcNode((call) => {
      if (call.method === "getAccountInfo") return answer("mint-account-token2022-extensions")
      if ((call.params[1] as { readonly encoding?: string }).encoding === "jsonParsed")
        return valued(
          (call.params[0] as ReadonlyArray<string>).map((mint) =>
            mint.startsWith("Sysvar") ? null : mintAccount(mint === frozen.address ? 0 : 6)
          )
        )
      if (call.method === "getMultipleAccounts") return answer("getmultipleaccounts-two")
      return answer(
        filterOf(call).programId === programs.token
          ? "token-accounts-by-owner-base64-frozen"
          : "token-accounts-by-owner-token2022-base64"
      )
    })
    const { holdings } = yield* network(node, [bonk, frozen, empty, newer])
    const read = yield* settled(holdings([owner, "FkzRQKW8Mzip4xXHamibLZB28sjqN9ZLFacQdbuVEYxa"]))
    const tokens = [
      { asset: frozen, amount: Either.right(1n) },
      { asset: bonk, amount: Either.right(233884967632n) },
      { asset: newer, amount: Either.right(11n) }
    ]
    assert.deepStrictEqual(
      read.map(Either.getOrThrow) as unknown,
      [3063908962n, 564503502n].map((native) => [{ asset: "native", amount: Either.right(native) }, ...tokens])
    )
  })

  for (const mint of ["mint-account-spl", "mint-account-token2022-extensions"])
    it(`a single token is read with the decimals of ${mint}`, function* () {
      const node = EvmNodes.rpcNode(({ method }) =>
        answer(method === "getAccountInfo" ? mint : "token-accounts-by-owner-jsonparsed")
      )
      const { holding } = yield* network(node, [])
      const address = "2zMMhcVQEXDtdE6vsFS7S7D5oUodfJHE8vd1gnBouauv"
      assert.deepStrictEqual((yield* settled(holding(owner, Option.some(address)))) as unknown, {
        asset: { address, decimals: 6, name: "", symbol: "", thumbnail: "" },
        amount: Either.right(75071408n)
      })
    })

  it("an account that does not exist is not a token", function* () {
    const node = EvmNodes.rpcNode(({ method }) =>
      method === "getAccountInfo" ? answer("getaccountinfo-null") : EvmNodes.result({ value: [] })
    )
    const { holding } = yield* network(node, [])
    const unread = yield* settled(Effect.flip(holding(owner, Option.some(bonk.address))))
    assert.deepStrictEqual(unread, { reason: "bad_answer", message: "solana-rpc: this address is not a token" })
  })

  refusals(
    (name) => fixture("solana", name),
    () => answer("getbalance"),
    {
      "error-32005-node-behind": ["upstream_error", "solana-rpc: the node is behind the network"],
      "error-32015-tx-version": ["upstream_error", "solana-rpc: the node rejected the call (-32015)"],
      "error-429-rpc-call": ["rate_limited", "solana-rpc: rate limit reached (HTTP 429)"]
    }
  )

  it("the error code 429 is a rate limit with any HTTP status", function* () {
    const { holdings } = yield* network(
      EvmNodes.rpcNode(() => answer("error-429-rpc-call")),
      []
    )
    const [read] = yield* settled(holdings([owner]))
    assert.deepStrictEqual(read, Either.left({ reason: "rate_limited", message: "solana-rpc: rate limit reached" }))
  })
})

const of = (name: string) => sample("solana", name)

describe("sample Solana responses:", () => {
  const [alice, bob] = [key(61), key(62)]
  const [many, nft, unparsed] = [token(key(71), "many"), token(key(72), "nft", 0), token(key(75), "unparsed")]
  const amountOf = (asset: unknown, amount: bigint) => ({ asset, amount: Either.right(amount) })

  it("lamports and tokens of both programs retain all digits, even frozen tokens and data of any length", function* () {
    const lists = replaying(of("accounts-one-missing"), of("token-accounts-bytes"), of("token-accounts-2022"))
    const mints = EvmNodes.rpcNode(chain({}, { [many.address]: 6, [nft.address]: 0, [unparsed.address]: 6 }))
    // The lists are a batch.
    const node: EvmNodes.SimulatedHost = (body, request) => (Array.isArray(body) ? lists : mints)(body, request)
    const { holdings, seen } = yield* network(node, [many, nft, unparsed])
    const tokens = [amountOf(many, 9_223_372_454_932_011_727n), amountOf(nft, 1n), amountOf(unparsed, 19n)]
    assert.deepStrictEqual((yield* settled(holdings([alice, bob]))) as unknown, [
      Either.right([amountOf("native", 9_007_199_254_740_995n), ...tokens]),
      Either.right([amountOf("native", 0n), ...tokens])
    ])
    assert.lengthOf(seen, 2)
  })

  for (const mint of ["mint", "mint-2022"])
    it(`a single token is read with the decimals of ${mint}, and its amount from the string, not from the float`, function* () {
      const { holding } = yield* network(replaying(of("token-accounts-parsed"), of(mint)), [])
      const asset = { address: key(76), decimals: 6, name: "", symbol: "", thumbnail: "" }
      assert.deepStrictEqual(
        (yield* settled(holding(alice, Option.some(asset.address)))) as unknown,
        amountOf(asset, 9_007_199_254_740_995n)
      )
    })

  it("an account that does not exist is not a token", function* () {
    const { holding } = yield* network(replaying(of("token-accounts-parsed"), of("account-null")), [])
    const unread = yield* settled(Effect.flip(holding(alice, Option.some(key(77)))))
    assert.deepStrictEqual(unread, { reason: "bad_answer", message: "solana-rpc: this address is not a token" })
  })

  refusals(of, () => replyOf(of("balance")), {
    "error-node-behind": ["upstream_error", "solana-rpc: the node is behind the network"],
    "error-transaction-version": ["upstream_error", "solana-rpc: the node rejected the call (-32015)"],
    "error-limited": ["rate_limited", "solana-rpc: rate limit reached (HTTP 429)"]
  })
})
