import * as BigDecimal from "effect/BigDecimal"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { assetId } from "../../catalogue/Caip.ts"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import type { Holding, ReadFailure, ScaledToken } from "../../chains/Chain.ts"
import * as Amount from "../../domain/Amount.ts"
import type { Balance, MissingBalance, StoredAmount } from "../../domain/Balance.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Scaling } from "../../domain/Multiplier.ts"
import * as Multiplier from "../../domain/Multiplier.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import type { Token } from "../../domain/Token.ts"
import { numberOf } from "../../domain/units.ts"
import { noPrice, unknownUnit } from "../prices/Prices.ts"
import type { Prices } from "../prices/Pricing.ts"

/** The numbers of one asset. A null number has a reason. */
interface Valued extends MissingBalance, StoredAmount {
  readonly balance: string | null
  readonly balanceUsd: string | null
  readonly tokenPrice: string | null
  /** For sorting; `none` without a value. */
  readonly worth: Option.Option<BigDecimal.BigDecimal>
}

type Asset = Omit<Token, "address"> & { readonly address: string | null }

/** The asset of a holding: the coin of the network, or a token. Without a coin id it has no price. */
export const assetOf = ({ native }: ChainFacts, { asset }: Pick<Holding, "asset">): Asset => {
  const { coinId, ...facts } = asset === "native" ? { ...native, address: null } : asset
  return coinId === undefined || `${coinId}` === "" ? facts : { ...facts, coinId }
}

export const unitPrice = (price: Either.Either<Price, Reason>): Either.Either<BigDecimal.BigDecimal, Reason> =>
  Either.flatMap(price, ({ usd }) => Either.fromOption(Amount.price(usd), () => "no_price" as const))

/** Exact: displayed base units times price, without rounding. */
export const value = (
  amount: Either.Either<bigint, ReadFailure>,
  decimals: number,
  price: Either.Either<Price, Reason>,
  scaling?: Scaling
): Valued => {
  const unit = unitPrice(price)
  const tokenPrice = Either.getOrNull(Either.map(unit, Amount.plain))
  if (Either.isLeft(amount))
    return {
      balance: null,
      rawBalance: null,
      balanceUsd: null,
      tokenPrice,
      worth: Option.none(),
      error: amount.left.message,
      errorCode: amount.left.reason
    }
  const multiplier = Multiplier.inForce(scaling)
  const units = Multiplier.displayed(amount.right, multiplier)
  const worth = Option.map(Either.getRight(unit), (bigDecimal) => Amount.value(units, decimals, bigDecimal))
  return {
    balance: Amount.format(units, decimals),
    rawBalance: String(amount.right),
    ...(multiplier === undefined ? {} : { multiplier: Multiplier.format(multiplier) }),
    ...(scaling?.change === undefined ? {} : { multiplierChange: announced(scaling.change) }),
    balanceUsd: Option.getOrNull(Option.map(worth, Amount.plain)),
    tokenPrice,
    worth,
    ...(Either.isLeft(unit) ? { error: noPriceOf(scaling, unit.left), errorCode: unit.left } : {})
  }
}

const announced = ({ at, multiplier }: NonNullable<Scaling["change"]>) => ({
  multiplier: Multiplier.format(multiplier),
  at: numberOf(at)
})

/** Why an asset has no price, for people. */
const noPriceOf = (scaling: Scaling | undefined, reason: Reason): string =>
  Multiplier.inForce(scaling) !== undefined && reason === "no_price" ? unknownUnit : noPrice(reason)

/** A row of the response, without earlier balances. */
export const toBalance = (
  info: ChainFacts,
  holderAddress: string,
  holding: Holding,
  prices: Prices,
  displayed?: DisplayedPrices
): { readonly row: Balance; readonly worth: Valued["worth"] } => {
  const asset = assetOf(info, holding)
  const price = priceOf(prices, asset.coinId, holding, displayed?.get(asset.address ?? ""))
  const { worth, ...numbers } = value(holding.amount, asset.decimals, price, holding.scaling)
  return {
    worth,
    row: {
      coinId: asset.coinId ?? "",
      blockchain: info.id,
      tokenName: asset.name,
      tokenSymbol: asset.symbol,
      tokenDecimals: asset.decimals,
      contractAddress: asset.address,
      assetId: assetId(info, asset.address),
      holderAddress,
      tokenType: asset.address === null ? "NATIVE" : "TOKEN",
      thumbnail: asset.thumbnail,
      ...(info.subchain === undefined ? {} : { subchain: info.subchain }),
      ...numbers,
      ...Either.match(price, { onLeft: () => ({}), onRight: changes })
    }
  }
}

/** The tokens with two units among holdings that have a price. */
export const scaledIn = (holdings: ReadonlyArray<Holding>): ReadonlyArray<ScaledToken> =>
  holdings.flatMap(({ asset, scaling }) => {
    const multiplier = Multiplier.inForce(scaling)
    return asset === "native" || asset.coinId === undefined || multiplier === undefined
      ? []
      : [{ address: asset.address, coinId: asset.coinId, multiplier }]
  })

/** Sort order: native first, then by descending value, rows without a price last. Keeps the order of equal rows. */
export const byWorth = (a: ReturnType<typeof toBalance>, b: ReturnType<typeof toBalance>): number => {
  if (a.row.tokenType !== b.row.tokenType) return a.row.tokenType === "NATIVE" ? -1 : 1
  if (Option.isNone(a.worth) || Option.isNone(b.worth))
    return Number(Option.isNone(a.worth)) - Number(Option.isNone(b.worth))
  return BigDecimal.Order(b.worth.value, a.worth.value)
}

/** Prices of tokens of a network per displayed unit, by address. */
export type DisplayedPrices = ReadonlyMap<string, Price>

/**
 * The price of a displayed unit: for a token with two units, only one of a source that says which unit it is for; for a
 * token without a coin id, only one of its contract.
 */
export const priceOf = (
  prices: Prices,
  coinId: CoinId | undefined,
  { isUnitUnknown, scaling }: Pick<Holding, "isUnitUnknown" | "scaling">,
  displayed?: Price
): Either.Either<Price, Reason> => {
  if (isUnitUnknown === true) return Either.left("no_price")
  if (coinId === undefined || Multiplier.inForce(scaling) !== undefined)
    return Either.fromNullable(displayed, () => "no_price" as const)
  const price = prices.found.get(coinId)
  return price === undefined ? Either.left(prices.missing.get(coinId) ?? "no_price") : Either.right(price)
}

const changes = ({ change24h, changePercent24h, updatedAt }: Price) => ({
  updatedAt,
  ...(change24h === undefined ? {} : { priceChange24h: change24h }),
  ...(changePercent24h === undefined ? {} : { priceChangePercent24h: changePercent24h })
})
