import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { decoded, notUnderstood } from "./decoded.ts"
import * as Holdings from "./Holdings.ts"
import { commitment, token, token2022 } from "./programs.ts"

/** The balances of an address: lamports, and tokens by mint. */
export interface SolanaBalances {
  readonly native: bigint
  readonly tokens: ReadonlyMap<string, Option.Option<bigint>>
}

/** The maximum that `getMultipleAccounts` accepts. */
const accountsPerCall = 100

/** Each owner costs two calls of one method; public nodes allow 40 in ten seconds. */
const ownersPerBatch = 10

/** The hash of the main network's genesis block. */
const genesis = "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d"

const accountsOf = (owners: ReadonlyArray<string>): Client.ClientCall => ({
  method: "getMultipleAccounts",
  params: [owners, { commitment, encoding: "base64", dataSlice: { offset: 0, length: 0 } }]
})

/** Accounts of the Token program need only their first bytes; a Token-2022 mint may scale the displayed amount. */
const tokensOf = (owner: string): ReadonlyArray<Client.ClientCall> => [
  byOwner(owner, { programId: token }, { encoding: "base64", dataSlice: { offset: 0, length: Holdings.accountHead } }),
  byOwner(owner, { programId: token2022 }, { encoding: "jsonParsed" })
]

const byOwner = (owner: string, filter: object, form: object): Client.ClientCall => ({
  method: "getTokenAccountsByOwner",
  params: [owner, filter, { commitment, ...form }]
})

/** Whether a node serves the main network. */
export const canary = (node: Endpoint) =>
  Effect.flatMap(callAll(node, [{ method: "getGenesisHash", params: [] }]), ([answer]) =>
    Either.getOrUndefined(decoded(Schema.String, answer)) === genesis
      ? Effect.void
      : Effect.fail(node.fault({ reason: "bad_answer", detail: "the node belongs to another network" }))
  )

const exact = { exact: true }

/**
 * Reads all balances of each address; a batch that fails at one node goes to the next. An address with one unreadable
 * token program fails as a whole, because a partial list would look complete.
 */
export const holdings = (
  nodes: Upstream,
  owners: ReadonlyArray<string>,
  withTokens: boolean
): Effect.Effect<ReadonlyArray<Either.Either<SolanaBalances, UpstreamError>>> =>
  Effect.map(
    each(Arr.chunksOf(owners, withTokens ? ownersPerBatch : accountsPerCall), (chunk) =>
      Effect.catchAll(
        nodes.over((node) => readBatch(node, chunk, withTokens)),
        (error) => Effect.succeed(chunk.map(() => Either.left(error)))
      )
    ),
    (chunks) => chunks.flat()
  )

const readBatch = (node: Endpoint, owners: ReadonlyArray<string>, withTokens: boolean) =>
  Effect.gen(function* () {
    const [first, ...more] = yield* callAll(
      node,
      [accountsOf(owners), ...(withTokens ? owners.flatMap(tokensOf) : [])],
      exact
    )
    const native = yield* Effect.mapError(Either.map(decoded(Holdings.Accounts, first), Holdings.lamports), node.fault)
    if (native.length !== owners.length) return yield* node.fault(notUnderstood)
    const programs = withTokens ? 2 : 0
    const read = native.map((lamports, index) => {
      const answers = more.slice(index * programs, (index + 1) * programs)
      return Either.mapBoth(Either.all(answers.map((answer) => decoded(Holdings.TokenAccounts, answer))), {
        onLeft: node.fault,
        onRight: (accounts): SolanaBalances => ({ native: lamports, tokens: Holdings.amounts(accounts) })
      })
    })
    // A node that returned the tokens of no owner does not serve them; another node may.
    const fault = read[0]
    return fault !== undefined && Either.isLeft(fault) && read.every(Either.isLeft) ? yield* fault.left : read
  })

/** The native balance of one address. */
export const native = (nodes: Upstream, owner: string): Effect.Effect<bigint, UpstreamError> =>
  nodes.over((node) =>
    Effect.flatMap(callAll(node, [{ method: "getBalance", params: [owner, { commitment }] }], exact), ([answer]) =>
      Either.mapBoth(decoded(Holdings.Balance, answer), { onLeft: node.fault, onRight: ({ value }) => BigInt(value) })
    )
  )

/** The balance of an address in one mint, and the mint's decimals if they are requested. */
export const holding = (nodes: Upstream, owner: string, mint: string, decimals: Option.Option<number>) =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [accounts, account] = yield* callAll(
        node,
        [
          byOwner(owner, { mint }, { encoding: "jsonParsed" }),
          ...(Option.isSome(decimals)
            ? []
            : [{ method: "getAccountInfo", params: [mint, { commitment, encoding: "jsonParsed" }] }])
        ],
        exact
      )
      if (accounts !== undefined && isNoMint(accounts)) return yield* node.fault(noToken)
      const amount = yield* Either.mapLeft(decoded(Holdings.TokenAccounts, accounts), node.fault)
      const places = Option.isSome(decimals)
        ? decimals
        : Holdings.decimals(yield* Either.mapLeft(decoded(Holdings.Account, account), node.fault))
      if (Option.isNone(places)) return yield* node.fault(noToken)
      const holding = Holdings.amounts([amount]).get(mint) ?? Option.some(0n)
      if (Option.isNone(holding)) return yield* node.fault({ ...noToken, detail: "the balance is not a number" })
      return { amount: holding.value, decimals: places.value }
    })
  )

/** Invalid parameters: after our validation, this means that the account is not a mint, or does not exist. */
const isNoMint = (outcome: Client.Outcome) => Either.isLeft(outcome) && outcome.left.code === -32602

const noToken: Fault = { reason: "bad_answer", detail: "this address is not a token", final: true }
