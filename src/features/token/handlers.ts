import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { assetId } from "../../catalogue/Caip.ts"
import type { ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { notLoaded } from "../../chains/kit/holdings/tokenList.ts"
import { Api } from "../../contract/Api.ts"
import { NotFound } from "../../contract/Problem.ts"
import { withoutResult } from "../../contract/problem/issues.ts"
import type { TokenDescription } from "../../contract/tokens/TokenApi.ts"
import type { Converted, MissingBalance } from "../../domain/Balance.ts"
import type { Currency } from "../../domain/Currency.ts"
import * as Multiplier from "../../domain/Multiplier.ts"
import type { Price } from "../../domain/Price.ts"
import type { TokenFacts } from "../../domain/tokens/TokenFacts.ts"
import { type Judgement, signs, type VerdictReason } from "../../domain/tokens/Verdict.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { type RegisteredToken, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { conversionOf, converted } from "../balances/inCurrency.ts"
import { priceOf, value } from "../balances/rows.ts"
import { ExchangeRates } from "../prices/currencies/ExchangeRates.ts"
import { noPrice } from "../prices/Prices.ts"
import { Pricing } from "../prices/Pricing.ts"
import { type AnyNetwork, guarded, NoResult, notValid, readDisplayedPrices, supporting } from "../reading.ts"
import { judging } from "../tokens/verdict.ts"

interface TokenQuery {
  readonly path: { readonly network: string; readonly contract: string }
  readonly urlParams: { readonly currency?: Currency | undefined }
}

type OwnFacts = Omit<TokenFacts, "standard"> & { readonly standard: string | null }

/** A token of which only the list is known. */
const unreadFacts = (unread: ReadFailure): OwnFacts => ({
  standard: null,
  name: null,
  symbol: null,
  decimals: null,
  supply: null,
  powers: {},
  unread
})

const noToken: ReadFailure = { reason: "bad_answer", message: "the chain has no token at this address" }

/** The canonical form of a token in the client's spelling. */
const canonical = ({ address, canonicalToken }: AnyNetwork, text: string): Either.Either<string, string> =>
  canonicalToken === undefined
    ? address(text)
    : Either.fromOption(canonicalToken(text), () => "must be the address or id of a token of this network")

/** Why values are null: all reasons in one text, with the code of the first. */
const errorOf = (failures: ReadonlyArray<ReadFailure | undefined>): Pick<TokenDescription, "error" | "errorCode"> => {
  const found = failures.flatMap((failure) => (failure === undefined ? [] : [failure]))
  const [first] = found
  return first === undefined
    ? {}
    : { error: [...new Set(found.map(({ message }) => message))].join("; "), errorCode: first.reason }
}

/** Signs in the contract that are reasons for its verdict, or for caution. */
const signsOf = ({
  inconsistent,
  powers
}: Pick<TokenFacts, "inconsistent" | "powers">): ReadonlyArray<VerdictReason> => [
  ...(inconsistent === true ? (["inconsistent"] as const) : []),
  ...(powers.take === true ? (["can-be-taken"] as const) : [])
]

interface Tools {
  readonly pricing: typeof Pricing.Service
  readonly rates: typeof ExchangeRates.Service
}

/** The supply of a token and its price; the price is for the displayed unit. */
const pricedBy = ({ pricing, rates }: Tools) =>
  Effect.fnUntraced(function* (
    network: AnyNetwork,
    listed: RegisteredToken | undefined,
    { decimals, scaling, supply, unread }: Pick<TokenFacts, "decimals" | "scaling" | "supply" | "unread">,
    currency: Currency | undefined,
    left: number
  ) {
    const coin = listed?.coinId
    const inForce = Multiplier.inForce(scaling)
    const scaled =
      listed === undefined || inForce === undefined || coin === undefined
        ? []
        : [{ address: listed.address, coinId: coin, multiplier: inForce }]
    const [prices, displayed, conversion] = yield* Effect.all(
      [
        pricing.prices(coin === undefined ? [] : [coin], left),
        readDisplayedPrices(network, scaled, left),
        conversionOf(rates, currency, left)
      ],
      { concurrency: "unbounded" }
    )
    const units = scaling === undefined ? {} : { scaling }
    const price = priceOf(prices, coin, units, displayed.get(listed?.address ?? ""))
    const noSupply = unread ?? { reason: "bad_answer" as const, message: "its supply could not be read" }
    const amount = supply === null || decimals === null ? Either.left(noSupply) : Either.right(supply)
    const numbers = value(amount, decimals ?? 0, price, scaling)
    const inOther: Partial<Converted> & MissingBalance =
      conversion === undefined ? {} : converted(conversion, { ...numbers, balance: null })
    return { numbers, price, inOther }
  })

type PricedToken = Effect.Effect.Success<ReturnType<ReturnType<typeof pricedBy>>>

/** The numbers of a token, and the reasons why some are null. */
const numbersOf = (own: OwnFacts, { inOther, numbers, price }: PricedToken) => {
  const { balance, rawBalance: _, balanceUsd: __, error, errorCode, worth: ___, ...shown } = numbers
  const inForce = Multiplier.inForce(own.scaling)
  const failures: ReadonlyArray<ReadFailure | undefined> = [
    own.unread,
    errorCode && { reason: errorCode, message: error ?? "" },
    Either.isLeft(price) && errorCode !== price.left ? { reason: price.left, message: noPrice(price.left) } : undefined,
    inOther.errorCode && { reason: inOther.errorCode, message: inOther.error ?? "" }
  ]
  const { change24h, changePercent24h, updatedAt } = Either.getOrElse(price, (): Partial<Price> => ({}))
  return {
    failures,
    members: {
      decimals: own.decimals,
      supply: balance,
      rawSupply: own.supply === null ? null : String(own.supply),
      ...(inForce === undefined ? {} : { multiplier: Multiplier.format(inForce) }),
      ...shown,
      ...(updatedAt === undefined ? {} : { updatedAt }),
      ...(change24h === undefined ? {} : { priceChange24h: change24h }),
      ...(changePercent24h === undefined ? {} : { priceChangePercent24h: changePercent24h }),
      ...(inOther.currency === undefined ? {} : { currency: inOther.currency, price: inOther.price ?? null })
    }
  }
}

/** The verdict while it is not known whether a list has the token: it may be the one that it looks like. */
const undecided = ({ reasons }: Judgement): Judgement => {
  const others: Judgement["reasons"] = reasons.filter((reason) => reason !== "not-listed" && reason !== "lookalike")
  return { verdict: signs.some((sign) => others.includes(sign)) ? "suspicious" : "unknown", reasons: others }
}

/** GET /token: a token by its contract. Ends before the deadline. */
const describing = Effect.gen(function* () {
  const networks = yield* Chains
  const registry = yield* TokenRegistry
  const priced = pricedBy({ pricing: yield* Pricing, rates: yield* ExchangeRates })
  const deadline = Deadline.make(yield* requestDeadline)
  const judgeNow = judging(registry, networks.facts)
  return Effect.fnUntraced(
    function* ({ path, urlParams: { currency } }: TokenQuery) {
      const { ability, network } = yield* supporting(networks, path.network, ({ tokenFacts }) => tokenFacts)
      const contract = yield* Either.mapLeft(canonical(network, path.contract), notValid("contract"))
      if (network.meansNative?.(contract) === true || network.meansNative?.(path.contract) === true)
        return yield* notValid("contract")(`is the coin of ${network.facts.name}, which has no contract`)
      const { remaining } = yield* deadline.start
      const { platform } = network.facts
      const read = yield* Effect.either(guarded(network, yield* remaining("read"), ability(contract)))
      const list = platform === undefined ? undefined : (yield* registry.lists).get(platform)
      const listed = list?.byAddress.get(contract)
      if (listed === undefined && Either.isLeft(read)) return yield* new NoResult(read.left)
      if (listed === undefined && Either.isRight(read) && Option.isNone(read.right))
        return yield* new NotFound({ detail: `There is no token at this address on ${network.facts.name}.` })
      const own: OwnFacts = Either.match(read, {
        onLeft: unreadFacts,
        onRight: Option.getOrElse(() => unreadFacts(noToken))
      })
      const found = yield* priced(network, listed, own, currency, yield* remaining("write"))
      const judge = yield* judgeNow
      const [name, symbol] = [own.name ?? listed?.name ?? null, own.symbol ?? listed?.symbol ?? null]
      const isUnknown = list === undefined && platform !== undefined
      const judgement = judge({
        network: network.facts.id,
        address: contract,
        name: name ?? "",
        symbol: symbol ?? "",
        listed: listed !== undefined,
        hasPrice: Either.isRight(found.price),
        signs: signsOf(own)
      })
      const { reasons, verdict } = isUnknown ? undecided(judgement) : judgement
      const { failures, members } = numbersOf(own, found)
      const description: TokenDescription = {
        network: network.facts.id,
        contract,
        assetId: assetId(network.facts, contract),
        standard: own.standard,
        name,
        symbol,
        ...members,
        listed: isUnknown ? null : listed !== undefined,
        coinId: listed?.coinId ?? null,
        thumbnail: listed?.thumbnail ?? "",
        verdict,
        reasons,
        powers: own.powers,
        ...errorOf([...failures, isUnknown ? { reason: "upstream_error", message: notLoaded } : undefined])
      }
      return description
    },
    span("Tokens.facts"),
    Effect.catchTag("NoResult", (failure) => Effect.fail(withoutResult("The token could not be read: ")(failure)))
  )
})

export const layer = HttpApiBuilder.group(Api, "token", (handlers) =>
  Effect.map(describing, (facts) => handlers.handle("facts", facts))
)
