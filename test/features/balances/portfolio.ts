import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chain, type Holding, type HoldingsResult, type ReadFailure } from "../../../src/chains/Chain.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import type { Balance } from "../../../src/domain/Balance.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { NetworkId } from "../../../src/domain/NetworkId.ts"
import type { Token } from "../../../src/domain/Token.ts"
import { Portfolio } from "../../../src/features/balances/Portfolio.ts"
import { ContractPrices } from "../../../src/features/prices/ContractPrices.ts"
import { ExchangeRates } from "../../../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"

// The Portfolio use case over fake networks. An address is any text that does not start with "bad"; case is ignored.

type Service = Context.Tag.Service<Chain>
type Read = HoldingsResult["addresses"][number]

export interface Fake extends Partial<Omit<Service, "info">> {
  readonly id: string
  readonly aliases?: ReadonlyArray<string>
  readonly platform?: string
}

export const token = (name: string, decimals = 0): Token => ({
  address: `0x${name}`,
  coinId: CoinId.make(name),
  name: `The ${name}`,
  symbol: name.toUpperCase(),
  decimals,
  thumbnail: `https://icons.test/${name}`
})

/** Holdings: the native coin, with 2 decimals, then tokens. An `undefined` amount could not be read. */
export const holds = (native: bigint, ...tokens: ReadonlyArray<readonly [Token, bigint | undefined]>): Read =>
  Either.right([
    { asset: "native", amount: Either.right(native) },
    ...tokens.map(
      ([asset, amount]): Holding => ({
        asset,
        amount: amount === undefined ? Either.left(unreadableToken) : Either.right(amount)
      })
    )
  ])

/** Result with the holdings of each address; complete unless `missing` is given. */
export const reading = (
  addresses: ReadonlyArray<string>,
  of: (address: string) => Read,
  missing?: ReadFailure
): HoldingsResult => ({ addresses: addresses.map(of), missing })

export const unreadableToken: ReadFailure = { reason: "bad_answer", message: "the token does not answer" }
export const outage: ReadFailure = { reason: "upstream_error", message: "nodes: could not be reached" }

const notThere = Effect.fail(outage)

/** A fake network. Adds each address requested from it to `requested`. */
export const network = ({ aliases = [], id, platform, ...more }: Fake, requested: Array<string> = []) =>
  Layer.succeed(Chain, {
    facts: {
      id: NetworkId.make(id),
      name: id,
      aliases,
      explorer: (hash) => `https://explorer.example/tx/${hash}`,
      finality: 600,
      ...(platform === undefined ? {} : { platform }),
      family: "evm",
      native: {
        coinId: CoinId.make(`${id}-coin`),
        name: `${id} coin`,
        symbol: id.toUpperCase(),
        decimals: 2,
        thumbnail: ""
      },
      supply: 10n ** 30n
    },
    address: (text) =>
      text.startsWith("bad") ? Either.left("an address does not begin with bad") : Either.right(text.toLowerCase()),
    holding: () => notThere,
    abilities: Effect.succeed({ balance: Either.right([]), tokens: Either.right([]) }),
    ...more,
    holdings: (addresses, options) => {
      requested.push(...addresses)
      return more.holdings?.(addresses, options) ?? Effect.succeed(reading(addresses, () => holds(100n)))
    }
  } satisfies Service)

/** A network on which every address has the same holdings. */
export const holding = (id: string, ...read: Parameters<typeof holds>): Fake => ({
  id,
  holdings: (addresses) => Effect.succeed(reading(addresses, () => holds(...read)))
})

export const portfolio = (
  networks: ReadonlyArray<Layer.Layer<Chain>>,
  prices: Readonly<Record<string, number>> | Layer.Layer<Pricing> = {},
  environment: Readonly<Record<string, string>> = {},
  rates: Readonly<Record<string, number>> = {},
  contractPrices: Readonly<Record<string, number>> = {}
) =>
  Layer.build(
    Layer.provide(Portfolio.layer, [
      Layer.provide(Chains.fromNetworks(networks), [Settings.layer({}), TokenRegistry.layerTest({})]),
      Layer.isLayer(prices)
        ? (prices as Layer.Layer<Pricing>)
        : Pricing.layerTest(prices as Readonly<Record<string, number>>),
      ExchangeRates.layerTest(rates),
      TokenRegistry.layerTest({}),
      ContractPrices.layerTest(contractPrices),
      Settings.layer(environment),
      Layer.fresh(Memory.layer())
    ])
  ).pipe(Effect.map((context) => Context.get(context, Portfolio)))

/** Formats a row as one line of text to compare. */
export const summaryOf = ({ balance, balanceUsd, blockchain, errorCode, holderAddress, tokenSymbol }: Balance) =>
  [blockchain, holderAddress, tokenSymbol, balance, balanceUsd, errorCode]
    .filter((given) => given !== undefined)
    .join(" ")

export const none = Option.none<string>()
