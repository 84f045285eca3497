import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { HistoryQuestion } from "../../domain/Transaction.ts"
import type { TokenList } from "../../tokens/TokenRegistry.ts"
import { callAll } from "../../upstreams/callAll.ts"
import type * as JsonRpc from "../../upstreams/JsonRpc.ts"
import type { Address, Upstream } from "../../upstreams/Upstream.ts"
import type { UpstreamError } from "../../upstreams/UpstreamError.ts"
import { orderOf } from "../netChanges.ts"
import { decoded } from "./answers.ts"
import { commitment, token, token2022 } from "./programs.ts"
import * as Wire from "./transactionWire.ts"

/** The signatures of an address and of its token accounts, the newest first, each once. */
export interface Listed {
  readonly signatures: ReadonlyArray<Wire.Signature>
  /** What orders each of them. */
  readonly orders: ReadonlyArray<number>
  readonly missing: ReadonlyArray<string>
}

/** The most signatures that a call brings. */
const pageSize = 1_000

/** Each costs a call of one method, of which public nodes grant 40 in ten seconds. */
const mostAccounts = 25

const signaturesOf = (account: string, limit: number, before?: string): JsonRpc.Call => ({
  method: "getSignaturesForAddress",
  params: [account, { commitment, limit: Math.min(limit, pageSize), ...(before === undefined ? {} : { before }) }]
})

const accountsOf = (owner: string): ReadonlyArray<JsonRpc.Call> =>
  [token, token2022].map((programId) => ({
    method: "getTokenAccountsByOwner",
    params: [owner, { programId }, { commitment, encoding: "base64", dataSlice: { offset: 0, length: Wire.head } }]
  }))

type Tokens = Effect.Effect<Option.Option<TokenList>>

/**
 * One more than wanted of each account, to know whether there are more. Tokens that come in touch only the token account,
 * so those of today are asked as well; those that were closed since are not known to anybody.
 */
export const list = (nodes: Upstream, tokens: Tokens, { address, limit }: HistoryQuestion) => {
  const wanted = limit + 1
  const alone = (node: Address) =>
    Effect.flatMap(callAll(node, [signaturesOf(address, wanted)]), ([answer]) => page(node, address, wanted, answer))
  const whole = (node: Address) =>
    Effect.gen(function* () {
      const [first, ...more] = yield* callAll(node, [signaturesOf(address, wanted), ...accountsOf(address)])
      const own = yield* page(node, address, wanted, first)
      const accounts = Either.mapLeft(Either.all(more.map((one) => decoded(Wire.TokenAccounts, one))), node.fault)
      const other = yield* Effect.either(
        Either.isLeft(accounts)
          ? accounts.left
          : ofAccounts(
              node,
              accounts.right.flatMap(({ value }) => value),
              wanted,
              tokens
            )
      )
      return Either.match(other, {
        onLeft: (error) => listed([own], [`incoming token transfers: ${error.message}`]),
        onRight: ({ left, lists }) =>
          listed(
            [own, ...lists],
            left === 0 ? [] : [`incoming transfers to ${left} further token accounts: there are too many of them`]
          )
      })
    })
  return Effect.catchIf(
    nodes.over(whole),
    ({ reason }) => reason === "rate_limited",
    (error) => Effect.map(nodes.over(alone), (own) => listed([own], [`incoming token transfers: ${error.message}`]))
  )
}

/** Accounts with tokens of the registry first, then others that are not empty. */
const ofAccounts = (node: Address, accounts: ReadonlyArray<Wire.TokenAccount>, wanted: number, tokens: Tokens) =>
  Effect.gen(function* () {
    const known = accounts.length > mostAccounts ? Option.getOrUndefined(yield* tokens) : undefined
    const rank = (one: Wire.TokenAccount) =>
      (known?.byAddress.has(Wire.mintOf(one)) === true ? 0 : 2) + (Wire.isEmpty(one) ? 1 : 0)
    const chosen = [...accounts].sort((a, b) => rank(a) - rank(b)).slice(0, mostAccounts)
    const answers = yield* callAll(
      node,
      chosen.map(({ pubkey }) => signaturesOf(pubkey, wanted))
    )
    const lists = yield* Effect.forEach(chosen, ({ pubkey }, index) => page(node, pubkey, wanted, answers[index]), {
      concurrency: "unbounded"
    })
    return { lists, left: accounts.length - chosen.length }
  })

/** A page, and those behind it until there are as many as wanted. */
const page = (
  node: Address,
  account: string,
  wanted: number,
  answer: JsonRpc.Outcome | undefined
): Effect.Effect<ReadonlyArray<Wire.Signature>, UpstreamError> =>
  Effect.gen(function* () {
    const read = yield* Either.mapLeft(decoded(Wire.Signatures, answer), node.fault)
    const last = read.at(-1)
    const left = wanted - read.length
    if (last === undefined || left <= 0 || read.length < Math.min(wanted, pageSize)) return read
    const [next] = yield* callAll(node, [signaturesOf(account, left, last.signature)])
    return [...read, ...(yield* page(node, account, left, next))]
  })

const listed = (lists: ReadonlyArray<ReadonlyArray<Wire.Signature>>, missing: ReadonlyArray<string>): Listed => {
  const unique = new Map(lists.flat().map((one) => [one.signature, one]))
  const signatures = [...unique.values()].sort((a, b) => b.slot - a.slot)
  return { signatures, orders: orderOf(signatures, ({ slot }) => slot), missing }
}
