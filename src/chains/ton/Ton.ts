import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { ton } from "../../catalogue/ton.ts"
import type { Token } from "../../domain/Token.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { Seconds } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { fullySpendable } from "../Breakdown.ts"
import { Chain, type Holding, type HoldingsResult, type ReadFailure } from "../Chain.ts"
import * as Contexts from "../Contexts.ts"
import { newestBlock } from "../currentHead.ts"
import { byTime, positioned } from "../heights.ts"
import { type Scalings, scaled } from "../scaled.ts"
import { follow, invalidToken, missingTokens, unread, unregistered } from "../tokenList.ts"
import type { Jetton, TonReading } from "./Client.ts"
import * as Client from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as Multipliers from "./Multipliers.ts"
import * as TonAddress from "./TonAddress.ts"
import { tokens as platformTokens, standardDecimals } from "./TonAddress.ts"
import * as TonRpc from "./TonRpc.ts"
import * as TonTransactions from "./TonTransactions.ts"
import * as TransactionStatus from "./TransactionStatus.ts"
import * as TonApi from "./tonapi/TonApi.ts"
import * as Toncenter from "./toncenter/Toncenter.ts"

// TON: addresses by TEP-2, jettons by TEP-64 and TEP-74 (github.com/ton-blockchain/TEPs), read from indexers.

/** The registered jettons with a balance. Skips a token that represents the native coin, which would be counted twice. */
const listed = (
  facts: NetworkFacts,
  tokenList: Option.Option<TokenList>,
  { jettons }: TonReading
): ReadonlyArray<readonly [Token, Jetton]> => {
  if (Option.isNone(tokenList) || jettons === undefined || Either.isLeft(jettons)) return []
  return [...jettons.right].flatMap(([master, jetton]) => {
    const token = tokenList.value.byAddress.get(master)
    const isCounted = token !== undefined && token.coinId !== facts.native.coinId && jetton.amount !== 0n
    return isCounted ? [[token, jetton] as const] : []
  })
}

/** Returns the native coin, then the registered jettons with a balance; left if neither could be read. */
const toHoldings = (
  reading: TonReading,
  jettons: ReturnType<typeof listed>,
  scalings: Scalings
): HoldingsResult["addresses"][number] =>
  Either.isLeft(reading.native) && (reading.jettons === undefined || Either.isLeft(reading.jettons))
    ? Either.left(unread(reading.native.left))
    : Either.right([
        { asset: "native", amount: Either.mapLeft(reading.native, unread) },
        ...jettons.map(([token, jetton]) => toHolding(token, jetton, scalings))
      ])

/**
 * Nine decimals in the token list may be a default, so decimals that the jetton declares take precedence: six read as
 * nine would show a thousandth of the balance. Any other number in the list must equal the declared decimals.
 */
const decimalsOf = (token: Token, { amount, decimals }: Jetton): Option.Option<number> =>
  Option.fromNullable(decimals ?? (token.decimals === standardDecimals && amount !== 0n ? undefined : token.decimals))

export const toHolding = (token: Token, jetton: Jetton, scalings: Scalings = new Map()): Holding => {
  if (jetton.decimals !== undefined && token.decimals !== standardDecimals && token.decimals !== jetton.decimals)
    return { asset: token, amount: Either.left(otherDecimals) }
  const scaling =
    jetton.multiplier === undefined ? scalings.get(token.address) : Multipliers.scalingIn(jetton.multiplier)
  return Option.match(decimalsOf(token, jetton), {
    onNone: (): Holding => ({ asset: token, amount: Either.left(noDecimals) }),
    onSome: (decimals) =>
      scaled(
        { ...token, decimals },
        Either.fromNullable(jetton.amount, () => impossible),
        scaling
      )
  })
}

/** The masters whose multipliers did not come with the balances. */
const mastersToRead = (all: ReadonlyArray<readonly [Token, Jetton]>): ReadonlyArray<string> =>
  all.flatMap(([token, { multiplier }]) => (multiplier === undefined ? [token.address] : []))

const noDecimals: ReadFailure = { reason: "bad_answer", message: "the decimals of the jetton are unknown" }
const otherDecimals: ReadFailure = {
  reason: "bad_answer",
  message: "the indexer and the token list report different decimals of the jetton"
}
const impossible: ReadFailure = {
  reason: "bad_answer",
  message: "the jetton's balance is impossible, or listed twice with different amounts"
}

const make = Effect.gen(function* () {
  const clients = [yield* Toncenter.make, yield* TonApi.make] as const
  const nodes = yield* TonRpc.make(clients[0].upstream)
  const scalings = yield* Multipliers.make(clients)
  const historyTime = Deadline.make(yield* requestDeadline).share("read")
  const tokens = yield* follow(
    platformTokens,
    clients.map(({ name }) => name)
  )

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* tokens.list
      const readings = yield* Client.read(clients, addresses, Option.isSome(tokenList))
      const jettons = readings.map((reading) => listed(ton, tokenList, reading))
      const found = yield* scalings(mastersToRead(jettons.flat()))
      return {
        addresses: readings.map((reading, index) => toHoldings(reading, jettons[index] ?? [], found)),
        missing: missingTokens(tokenList),
        unreadTokens: readings.map(({ jettons }) =>
          jettons !== undefined && Either.isLeft(jettons) ? unread(jettons.left) : undefined
        )
      }
    }).pipe(span("Ton.holdings", { attributes: { addresses: addresses.length } }))

  /** An amount needs its decimals: if they are not returned with it, they are read from the master. */
  const token = (address: string, master: string) =>
    Effect.gen(function* () {
      const registered = Option.flatMapNullable(yield* tokens.list, (tokenList) => tokenList.byAddress.get(master))
      const jetton = yield* Client.firstSuccess(clients, (client) => client.jetton(address, master))
      const certain = Option.match(registered, {
        onNone: () => Option.fromNullable(jetton.decimals),
        onSome: (listed) => decimalsOf(listed, jetton)
      })
      const decimals = Option.isSome(certain) ? certain.value : yield* Client.decimals(clients, master)
      const asset = Option.getOrElse(registered, () => unregistered(master)(decimals))
      return toHolding(asset, { ...jetton, decimals }, yield* scalings(mastersToRead([[asset, jetton]])))
    })

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Option.match(text, {
      onNone: () => native(clients, address),
      onSome: (given) =>
        Effect.flatMap(Either.mapLeft(TonAddress.parse(given), invalidToken), (master) => token(address, master))
    }).pipe(Effect.mapError(unread))

  const history = (query: HistoryQuery<Seconds>) =>
    Client.history(clients, query, historyTime).pipe(Effect.mapError(unread), span("Ton.history"))

  return {
    facts: ton,
    address: TonAddress.parse,
    addressForm: TonAddress.formOf,
    batchSize: 100,
    holdings,
    holding,
    scalings,
    breakdown: fullySpendable,
    ...positioned({ ...byTime(ton), tolerance: Client.tolerance }, history),
    ...nodes,
    transactionContexts: Contexts.batched((addresses) => Client.contexts(clients, addresses)),
    rawTransactions: TonTransactions.finding(clients),
    newestBlock: newestBlock(ton, clients, ({ head }) => head),
    statuses: yield* TransactionStatus.make(clients),
    fees: Fees.make(clients),
    abilities: Effect.map(tokens.abilities, (served) => ({
      ...served,
      history: served.balance,
      rawTransactions: served.balance,
      fees: served.balance,
      transactionContext: served.balance
    }))
  } satisfies Chain["Type"]
})

const native = (clients: Client.Clients, address: string) =>
  Effect.flatMap(Client.balances(clients, [address]), ([reading]) =>
    reading === undefined
      ? Effect.dieMessage("an address was not read")
      : Either.map(reading, (amount): Holding => ({ asset: "native", amount: Either.right(amount) }))
  )

export const layer = Layer.scoped(Chain, make)
