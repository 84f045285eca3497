import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { ripple } from "../../catalogue/ripple.ts"
import type { Token } from "../../domain/Token.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import { type LedgerIndex, ledgerIndex, numberOf } from "../../domain/units.ts"
import { lookups } from "../../kernel/collections/lookups.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { BreakdownReader, DetailedBalance } from "../Breakdown.ts"
import { Chain, type Heights, type Holding, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { maxHeightOf, newestBlock } from "../currentHead.ts"
import { positioned } from "../heights.ts"
import { follow, invalidToken, missingTokens, unread, unreadTokensOf } from "../tokenList.ts"
import * as AccountTx from "./AccountTx.ts"
import type { Decimal } from "./amount.ts"
import * as Client from "./Client.ts"
import { call, type RippleClient, type TrustLine } from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
import { heightOf } from "./history.ts"
import * as IssuedToken from "./IssuedToken.ts"
import {
  currencyOf,
  type IssuedCurrency,
  keyOf,
  tokens as platformTokens,
  symbolOf,
  usualDecimals
} from "./IssuedToken.ts"
import * as RawTransactions from "./RawTransactions.ts"
import * as Recipient from "./Recipient.ts"
import * as RippleAddress from "./RippleAddress.ts"
import * as TransactionContext from "./TransactionContext.ts"
import * as TransactionStatus from "./TransactionStatus.ts"

// xrpl.org/docs/concepts/accounts/reserves: an account needs a base reserve, plus an increment per object that it owns.
// Validators vote on both amounts; server_info returns them in XRP.

/** The reserve requirements, drops. */
interface Reserves {
  readonly base: bigint
  readonly perObject: bigint
}

/** XRP with up to six decimals; no reserve was ever above 200 XRP. */
const Xrp = Schema.Number.pipe(Schema.between(0, 10_000))
const drops = (xrp: number) => BigInt(Math.round(xrp * 1e6))

const ServerInfo = Schema.Struct({
  info: Schema.Struct({ validated_ledger: Schema.Struct({ reserve_base_xrp: Xrp, reserve_inc_xrp: Xrp }) })
})

const readReserves = (nodes: Upstream) =>
  nodes.over((node) =>
    Effect.flatMap(call(node, "server_info", {}, ServerInfo), (response) =>
      Option.match(response, {
        onNone: () => node.fault({ reason: "bad_answer", detail: "did not return the reserves" }),
        onSome: ({ info: { validated_ledger: ledger } }) =>
          Effect.succeed<Reserves>({ base: drops(ledger.reserve_base_xrp), perObject: drops(ledger.reserve_inc_xrp) })
      })
    )
  )

/** Splits a balance; the reserve is capped at the balance, because a raised reserve may exceed it. */
const toDetail = (
  { drops: amount, objects }: { readonly drops: bigint; readonly objects: number | undefined },
  { base, perObject }: Reserves
): DetailedBalance => {
  if (amount === 0n) return { amount, parts: { spendable: 0n, reserved: 0n } }
  if (objects === undefined) return { amount, parts: {}, missing: uncounted }
  const wanted = base + BigInt(objects) * perObject
  const reserved = wanted < amount ? wanted : amount
  return { amount, parts: { spendable: amount - reserved, reserved } }
}

const uncounted: ReadFailure = { reason: "bad_answer", message: "the node did not return the number of owned objects" }

/** Reads reserves with one call per account, plus one call for the ledger's requirements, cached for ten minutes. */
const breakdownOf = (client: RippleClient): Effect.Effect<BreakdownReader> =>
  Effect.map(
    lookups({
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0),
      lookup: (_: "reserves") => readReserves(client.nodes)
    }),
    (reserves) => ({
      parts: ["spendable", "reserved"],
      read: (addresses) =>
        each(addresses, (address) =>
          Effect.zipWith(client.account(address, false), reserves("reserves"), toDetail, { concurrent: true }).pipe(
            Effect.mapError(unread),
            Effect.either
          )
        )
    })
  )

/** Converts an amount to base units, with the token's decimals, or with more if the amount needs them. */
const toHolding = (token: Token, { digits, scale }: Decimal): Holding => {
  const decimals = Math.max(token.decimals, scale)
  const asset = decimals === token.decimals ? token : { ...token, decimals }
  return { asset, amount: Either.right(digits * 10n ** BigInt(decimals - scale)) }
}

/** Registered tokens among the lines. A negative balance is an issuer's debt and does not count as a holding. */
const fromLines = (lines: ReadonlyArray<TrustLine>, { byAddress }: TokenList): ReadonlyArray<Holding> =>
  lines.flatMap((line) => {
    const key = Either.map(currencyOf(line.currency), (currency) => keyOf({ issuer: line.account, currency }))
    const token = Either.isRight(key) ? byAddress.get(key.right) : undefined
    return token === undefined || line.balance.digits <= 0n ? [] : [toHolding(token, line.balance)]
  })

/** The balance of a currency on the trust line to its issuer; zero without a line, or if the balance is negative. */
const ofCurrency = (lines: ReadonlyArray<TrustLine>, { currency, issuer }: IssuedCurrency): Decimal => {
  const line = lines.find(
    (trustLine) => trustLine.account === issuer && Either.getOrUndefined(currencyOf(trustLine.currency)) === currency
  )
  return line === undefined || line.balance.digits <= 0n ? { digits: 0n, scale: 0 } : line.balance
}

/** A token that is not in the list. */
const unregistered = (issued: IssuedCurrency): Token => ({
  address: keyOf(issued),
  decimals: usualDecimals,
  name: "",
  symbol: symbolOf(issued.currency),
  thumbnail: ""
})

// The XRP Ledger, read from its nodes; Client.ts names the documentation. The XRP balance includes the reserve of the
// account (1 XRP, plus 0.2 XRP per object that it owns), although the reserve cannot be sent. Tokens are trust lines,
// identified by issuer and currency.

const make = Effect.gen(function* () {
  const client = yield* Client.make
  const maxWait = Deadline.make(yield* requestDeadline).share("read")
  const tokens = yield* follow(platformTokens, [client.name])

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* tokens.list
      const accounts = yield* each(addresses, (address) =>
        Effect.either(Effect.mapError(client.account(address, Option.isSome(tokenList)), unread))
      )
      return {
        addresses: accounts.map(
          Either.map(({ drops, lines }): ReadonlyArray<Holding> => {
            const found = Either.getOrElse(lines, () => [])
            const tokens = Option.map(tokenList, (list) => fromLines(found, list))
            return [native(drops), ...Option.getOrElse(tokens, () => [])]
          })
        ),
        missing: missingTokens(tokenList),
        unreadTokens: unreadTokensOf(accounts, ({ lines }) => Option.getOrUndefined(Either.getLeft(lines)))
      }
    }).pipe(span("Ripple.holdings", { attributes: { addresses: addresses.length } }))

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Effect.gen(function* () {
      if (Option.isNone(text)) return native((yield* client.account(address, false)).drops)
      const issued = yield* Either.mapLeft(IssuedToken.parse(text.value), invalidToken)
      const registered = Option.flatMapNullable(yield* tokens.list, ({ byAddress }) =>
        byAddress.get(IssuedToken.keyOf(issued))
      )
      const lines = yield* client.linesTo(address, issued.issuer)
      const token = Option.getOrElse(registered, () => unregistered(issued))
      return toHolding(token, ofCurrency(lines, issued))
    }).pipe(Effect.mapError(unread))

  const history = Effect.fnUntraced(
    function* (query: HistoryQuery<LedgerIndex>) {
      const until = (yield* Clock.currentTimeMillis) + maxWait
      const [tokenList, reading] = yield* Effect.all([tokens.list, AccountTx.read(client, query, until)], {
        concurrency: 2
      })
      return AccountTx.toPart(client.nodes, query, reading, Option.getOrUndefined(tokenList)?.byAddress)
    },
    Effect.mapError(unread),
    span("Ripple.history")
  )

  return {
    facts: ripple,
    address: RippleAddress.parse,
    addressForm: RippleAddress.formOf,
    canonicalToken: platformTokens.canonical,
    batchSize: 5,
    holdings,
    holding,
    breakdown: yield* breakdownOf(client),
    ...positioned(heights, history),
    ...RawTransactions.make(client.nodes),
    transactionContexts: Contexts.withShared(
      () => TransactionContext.network(client.nodes),
      (address, network) => TransactionContext.read(client.nodes, address, network)
    ),
    newestBlock: newestBlock(ripple, client.nodes.addresses, Client.headOf),
    statuses: yield* TransactionStatus.make(client.nodes),
    transaction: FindTransaction.make(
      client.nodes,
      Effect.map(tokens.list, (list) => AccountTx.decimalsFrom(Option.getOrUndefined(list)?.byAddress))
    ),
    recipient: (address) => Effect.mapError(Recipient.read(client.nodes, address), unread),
    fees: Fees.make(client.nodes),
    abilities: Effect.map(tokens.abilities, (abilities) => ({
      ...abilities,
      history: Either.right([client.name]),
      rawTransactions: Either.right([client.name]),
      fees: Either.right([client.name]),
      transactionContext: Either.right([client.name])
    }))
  } satisfies Chain["Type"]
})

/** Separates pages by ledgers. */
const heights: Heights<LedgerIndex> = {
  of: heightOf,
  max: (clock) => ledgerIndex(numberOf(maxHeightOf(ripple, clock)))
}

export const layer = Layer.effect(Chain, make)

const native = (drops: bigint): Holding => ({ asset: "native", amount: Either.right(drops) })
