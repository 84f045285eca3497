import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { orderOf } from "../netChanges.ts"
import { commitment, token, token2022 } from "./programs.ts"
import { decoded } from "./responses.ts"
import * as TransactionWire from "./TransactionWire.ts"

/** The signatures of an address and of its token accounts, the newest first, each once. */
export interface Listed {
  readonly signatures: ReadonlyArray<TransactionWire.Signature>
  /** What orders each of them. */
  readonly orders: ReadonlyArray<number>
  readonly missing: ReadonlyArray<string>
  /** The token accounts among them. */
  readonly accounts: ReadonlySet<string>
}

export interface SignatureOptions {
  /** How long may be asked for it all, ms. */
  readonly patience: number
  /** So many token accounts are looked at. */
  readonly mostAccounts: number
  /** Which of more than these are looked at. */
  readonly tokens: Effect.Effect<Option.Option<TokenList>>
}

/** Of that time, what token accounts may take: without them there is something to tell. */
const complement = 1 / 3

/** The most signatures that a call brings. */
const pageSize = 1_000

const signaturesOf = (account: string, limit: number, before?: string): Client.ClientCall => ({
  method: "getSignaturesForAddress",
  params: [account, { commitment, limit: Math.min(limit, pageSize), ...(before === undefined ? {} : { before }) }]
})

const accountsOf = (owner: string): ReadonlyArray<Client.ClientCall> =>
  [token, token2022].map((programId) => ({
    method: "getTokenAccountsByOwner",
    params: [
      owner,
      { programId },
      { commitment, encoding: "base64", dataSlice: { offset: 0, length: TransactionWire.head } }
    ]
  }))

/**
 * One more than wanted of each account, to know whether there are more. Tokens that come in touch only the token account,
 * so those of today are asked as well; those that were closed since are known from the transactions that closed them.
 */
export const list = (
  nodes: Upstream,
  { mostAccounts, patience, tokens }: SignatureOptions,
  { address, limit }: HistoryQuery
) => {
  const wanted = limit + 1
  const alone = (node: Endpoint) =>
    Effect.flatMap(callAll(node, [signaturesOf(address, wanted)]), ([answer]) => page(node, address, wanted, answer))
  const whole = (node: Endpoint) =>
    Effect.gen(function* () {
      const [first, ...more] = yield* callAll(node, [signaturesOf(address, wanted), ...accountsOf(address)])
      const own = yield* page(node, address, wanted, first)
      const accounts = Either.mapLeft(
        Either.all(more.map((outcome) => decoded(TransactionWire.TokenAccounts, outcome))),
        node.fault
      )
      const found = Either.map(accounts, (answers) => answers.flatMap(({ value }) => value))
      const other = yield* Effect.flatMap(found, (all) =>
        Effect.flatMap(ranked(all, mostAccounts, tokens), (chosen) =>
          Effect.map(ofAccounts(node, chosen, wanted), (lists) => ({ chosen, lists, left: all.length - chosen.length }))
        )
      ).pipe(timeoutFail({ duration: complement * patience, onTimeout: () => node.fault(late) }), Effect.either)
      return Either.match(other, {
        onLeft: (error) => listed([own], [`incoming token transfers: ${error.message}`]),
        onRight: ({ chosen, left, lists }) =>
          listed(
            [own, ...lists],
            left === 0 ? [] : [`incoming transfers to ${left} further token accounts: there are too many of them`],
            chosen
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
const ranked = (
  accounts: ReadonlyArray<TransactionWire.TokenAccount>,
  most: number,
  tokens: SignatureOptions["tokens"]
) =>
  Effect.gen(function* () {
    const known = accounts.length > most ? Option.getOrUndefined(yield* tokens) : undefined
    const rank = (item: TransactionWire.TokenAccount) =>
      (known?.byAddress.has(TransactionWire.mintOf(item)) === true ? 0 : 2) + (TransactionWire.isEmpty(item) ? 1 : 0)
    return [...accounts]
      .sort((a, b) => rank(a) - rank(b))
      .slice(0, most)
      .map(({ pubkey }) => pubkey)
  })

const ofAccounts = (node: Endpoint, accounts: ReadonlyArray<string>, wanted: number) =>
  Effect.flatMap(
    callAll(
      node,
      accounts.map((account) => signaturesOf(account, wanted))
    ),
    (answers) => each(accounts, (account, index) => page(node, account, wanted, answers[index]))
  )

/** A page, and those behind it until there are as many as wanted. */
const page = (
  node: Endpoint,
  account: string,
  wanted: number,
  answer: Client.Outcome | undefined
): Effect.Effect<ReadonlyArray<TransactionWire.Signature>, UpstreamError> =>
  Effect.gen(function* () {
    const read = yield* Either.mapLeft(decoded(TransactionWire.Signatures, answer), node.fault)
    const last = read.at(-1)
    const left = wanted - read.length
    if (last === undefined || left <= 0 || read.length < Math.min(wanted, pageSize)) return read
    const [next] = yield* callAll(node, [signaturesOf(account, left, last.signature)])
    return [...read, ...(yield* page(node, account, left, next))]
  })

/** With the signatures of token accounts that are no more; cannot fail. */
export const withClosed = (
  nodes: Upstream,
  before: Listed,
  closed: ReadonlyArray<string>,
  { mostAccounts }: SignatureOptions,
  { limit }: HistoryQuery,
  duration: number
): Effect.Effect<Listed> =>
  nodes
    .over((node) => ofAccounts(node, closed.slice(0, mostAccounts), limit + 1))
    .pipe(
      timeoutFail({ duration, onTimeout: () => nodes.fault(late) }),
      Effect.map((lists) => ({ lists, left: closed.length - Math.min(closed.length, mostAccounts) })),
      Effect.match({
        onFailure: ({ message }) => ({
          ...before,
          missing: [...before.missing, `incoming transfers to ${closed.length} closed token accounts: ${message}`]
        }),
        onSuccess: ({ left, lists }) =>
          listed(
            [before.signatures, ...lists],
            left === 0
              ? before.missing
              : [...before.missing, `incoming transfers to ${left} closed token accounts: there are too many of them`],
            [...before.accounts, ...closed]
          )
      })
    )

const listed = (
  lists: ReadonlyArray<ReadonlyArray<TransactionWire.Signature>>,
  missing: ReadonlyArray<string>,
  accounts: Iterable<string> = []
): Listed => {
  const unique = new Map(lists.flat().map((item) => [item.signature, item]))
  const signatures = [...unique.values()].filter(TransactionWire.isSignature).sort((a, b) => b.slot - a.slot)
  const odd = unique.size - signatures.length
  return {
    signatures,
    orders: orderOf(signatures, ({ slot }) => slot),
    missing: odd === 0 ? missing : [...missing, `${odd} transactions: with a signature in an unexpected format`],
    accounts: new Set(accounts)
  }
}

const late: Fault = { reason: "timeout", detail: "timed out before the full history was read" }
