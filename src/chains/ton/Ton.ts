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
import { scaled } from "../scaled.ts"
import { confirming, follow, invalidToken, missingTokens, unread, unregistered, withDecimals } from "../tokenList.ts"
import type { Jetton, JettonInfo, TonReading } from "./Client.ts"
import * as Client from "./Client.ts"
import * as Fees from "./Fees.ts"
import * as FindTransaction from "./FindTransaction.ts"
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
  if (Option.isNone(tokenList) || jettons === undefined) return []
  return [...jettons].flatMap(([master, jetton]) => {
    const token = tokenList.value.byAddress.get(master)
    const isCounted = token !== undefined && token.coinId !== facts.native.coinId && jetton.amount !== 0n
    return isCounted ? [[token, jetton] as const] : []
  })
}

/** Returns the native coin, then the registered jettons with a balance; left if neither could be read. */
const toHoldings = (
  reading: TonReading,
  jettons: ReturnType<typeof listed>,
  infos: Multipliers.JettonInfos
): HoldingsResult["addresses"][number] =>
  Either.isLeft(reading.native) && reading.jettons === undefined
    ? Either.left(unread(reading.native.left))
    : Either.right([
        { asset: "native", amount: Either.mapLeft(reading.native, unread) },
        ...jettons.map(([token, jetton]) => toHolding(token, jetton, infos.get(token.address)))
      ])

/**
 * Nine decimals in the token list may be a default: six read as nine would show a thousandth of the balance. Any other
 * number in the list must equal the decimals that the jetton declares.
 */
const agrees = (token: Token, decimals: number): boolean =>
  token.decimals === standardDecimals || token.decimals === decimals

/** The decimals of the list, if they are certain enough for an amount. */
const listedDecimals = (token: Token, { amount }: Jetton): number | undefined =>
  token.decimals === standardDecimals && amount !== 0n ? undefined : token.decimals

/** The holding of a jetton. Its master's decimals and multiplier count if none came with the balance. */
export const toHolding = (token: Token, jetton: Jetton, info?: Either.Either<JettonInfo, ReadFailure>): Holding => {
  const declared = jetton.decimals ?? (info && Option.getOrUndefined(Either.getRight(info))?.decimals)
  if (declared !== undefined && !agrees(token, declared)) return { asset: token, amount: Either.left(otherDecimals) }
  const decimals = declared ?? listedDecimals(token, jetton)
  if (decimals === undefined) return { asset: token, amount: Either.left(noDecimals) }
  const multiplier = jetton.multiplier ?? (info && Either.map(info, (found) => found.multiplier))
  return scaled(
    { ...token, decimals },
    Either.fromNullable(jetton.amount, () => impossible),
    multiplier && Multipliers.scalingIn(multiplier)
  )
}

/** The masters whose multipliers or decimals did not come with the balances. */
const mastersToRead = (all: ReadonlyArray<readonly [Token, Jetton]>): ReadonlyArray<string> =>
  all.flatMap(([token, jetton]) =>
    jetton.multiplier === undefined || (jetton.decimals ?? listedDecimals(token, jetton)) === undefined
      ? [token.address]
      : []
  )

/** The decimals that came with the balances, by master. */
const declaredIn = (all: ReadonlyArray<readonly [Token, Jetton]>): ReadonlyMap<string, number> =>
  new Map(all.flatMap(([{ address }, { decimals }]) => (decimals === undefined ? [] : [[address, decimals] as const])))

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
  const historyTime = Deadline.make(yield* requestDeadline).share("read")
  const tokens = yield* follow(
    platformTokens,
    clients.map(({ name }) => name)
  )
  const { confirm, confirmAll, infos, scalings } = yield* declarations(clients, tokens)

  const holdings: Chain["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const tokenList = yield* tokens.list
      const readings = yield* Client.read(clients, addresses, Option.isSome(tokenList))
      const jettons = readings.map((reading) => listed(ton, tokenList, reading))
      const found = yield* infos(mastersToRead(jettons.flat()))
      const read = readings.map((reading, index) => toHoldings(reading, jettons[index] ?? [], found))
      yield* confirm(declaredIn(jettons.flat()))
      return {
        addresses: read,
        missing: missingTokens(tokenList),
        unreadTokens: readings.map((reading) => reading.unread && unread(reading.unread))
      }
    }).pipe(span("Ton.holdings", { attributes: { addresses: addresses.length } }))

  /** An amount needs its decimals: if they are not returned with it, they are read from the master. */
  const token = (address: string, master: string) =>
    Effect.gen(function* () {
      const registered = Option.flatMapNullable(yield* tokens.list, (tokenList) => tokenList.byAddress.get(master))
      const jetton = yield* Client.firstSuccess(clients, (client) => client.jetton(address, master))
      const certain = Option.flatMapNullable(registered, (listed) => listedDecimals(listed, jetton))
      const decimals = jetton.decimals ?? Option.getOrUndefined(certain) ?? (yield* Client.decimals(clients, master))
      const asset = Option.getOrElse(registered, () => unregistered(master)(decimals))
      const found = jetton.multiplier === undefined ? yield* infos([master]) : new Map()
      return toHolding(asset, { ...jetton, decimals }, found.get(master))
    })

  const holding: Chain["Type"]["holding"] = (address, text) =>
    Option.match(text, {
      onNone: () => native(clients, address),
      onSome: (given) =>
        Effect.flatMap(Either.mapLeft(TonAddress.parse(given), invalidToken), (master) => token(address, master))
    }).pipe(Effect.mapError(unread))

  const history = (query: HistoryQuery<Seconds>) =>
    Client.history(clients, query, historyTime).pipe(
      Effect.tap(({ decimals }) => confirm(decimals)),
      Effect.mapBoth({ onFailure: unread, onSuccess: ({ part }) => part }),
      span("Ton.history")
    )

  return {
    facts: ton,
    address: TonAddress.parse,
    addressForm: TonAddress.formOf,
    batchSize: 100,
    holdings,
    holding,
    scalings,
    breakdown: fullySpendable,
    ...positioned({ ...byTime(ton), tolerance: Client.tolerance }, withDecimals(history, tokens.list, confirmAll)),
    ...nodes,
    transactionContexts: Contexts.batched((addresses) => Client.contexts(clients, addresses)),
    rawTransactions: TonTransactions.finding(clients),
    newestBlock: newestBlock(ton, clients, ({ head }) => head),
    statuses: yield* TransactionStatus.make(clients),
    transaction: confirming(FindTransaction.make(clients, history), tokens.list, confirmAll),
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

/** Reads the declarations of masters, and confirms decimals. */
const declarations = (clients: Client.Clients, tokens: Effect.Effect.Success<ReturnType<typeof follow>>) =>
  Effect.gen(function* () {
    /** Confirms decimals that do not contradict the list. */
    const confirm = (decimals: ReadonlyMap<string, number>) =>
      Effect.flatMap(decimals.size === 0 ? Effect.succeedNone : tokens.list, (known) => {
        const isPossible = ([master, own]: readonly [string, number]) => {
          const token = Option.getOrUndefined(known)?.byAddress.get(master)
          return token !== undefined && agrees(token, own)
        }
        return tokens.confirm(new Map([...decimals].filter(isPossible)))
      })
    const { infos, scalings } = yield* Multipliers.make(clients, confirm)
    const confirmAlone = (master: string) =>
      Client.decimals(clients, master).pipe(
        Effect.flatMap((decimals) => confirm(new Map([[master, decimals]]))),
        Effect.catchAll(({ message }) => Effect.logDebug(`decimals of jettons: ${message}`))
      )
    return {
      confirm,
      infos,
      scalings,
      /** Confirms the decimals of these masters, each alone if they do not come with its multiplier. Cannot fail. */
      confirmAll: (masters: ReadonlyArray<string>) =>
        Effect.flatMap(infos(masters), (found) => {
          const open = masters.filter((master) => {
            const info = found.get(master)
            return info === undefined || Either.isLeft(info) || info.right.decimals === undefined
          })
          return Effect.forEach(open, confirmAlone, { concurrency: 4, discard: true })
        })
    }
  })

const native = (clients: Client.Clients, address: string) =>
  Effect.flatMap(Client.balances(clients, [address]), ([reading]) =>
    reading === undefined
      ? Effect.dieMessage("an address was not read")
      : Either.map(reading, (amount): Holding => ({ asset: "native", amount: Either.right(amount) }))
  )

export const layer = Layer.scoped(Chain, make)
