import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CoinId } from "../../domain/CoinId.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import type { Token } from "../../domain/Token.ts"
import { TokenRegistry } from "../../tokens/TokenRegistry.ts"
import type { UpstreamError } from "../../upstreams/UpstreamError.ts"
import { type Holding, Network, type NetworkInfo, type Unread } from "../Network.ts"
import * as Address from "./address.ts"
import * as Client from "./Client.ts"
import { toHolding, toHoldings } from "./holdings.ts"
import * as TonApi from "./TonApi.ts"
import * as Toncenter from "./Toncenter.ts"

// TON: addresses by TEP-2, jettons by TEP-64 and TEP-74 (github.com/ton-blockchain/TEPs), read from indexers.

const platform = "the-open-network"

export const info: NetworkInfo = {
  id: NetworkId.make("ton"),
  name: "TON",
  aliases: [],
  family: "ton",
  platform,
  native: {
    coinId: CoinId.make("the-open-network"),
    name: "Toncoin",
    symbol: "TON",
    decimals: 9,
    thumbnail: "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ton/info/logo.png"
  }
}

const make = Effect.gen(function* () {
  const clients = [yield* Toncenter.make, yield* TonApi.make] as const
  const registry = yield* TokenRegistry
  const list = yield* registry.follow({
    platform,
    canonical: (address) => Either.getRight(Address.parse(address)),
    // What a jetton has that declares nothing (TEP-64); both indexers tell what it declares.
    unlisted: { decimals: 9 }
  })
  // What the newest answer was made of; asking the list itself may take a while.
  let listed = false

  const holdings: Network["Type"]["holdings"] = (addresses) =>
    Effect.gen(function* () {
      const known = yield* list
      listed = Option.isSome(known)
      const readings = yield* Client.read(clients, addresses, listed)
      return readings.map(Either.mapBoth({ onLeft: unread, onRight: (reading) => toHoldings(info, known, reading) }))
    }).pipe(Effect.withSpan("Ton.holdings", { attributes: { addresses: addresses.length } }))

  const native = (address: string) =>
    Effect.flatMap(Client.read(clients, [address], false), ([reading]) =>
      reading === undefined
        ? Effect.dieMessage("an address was not read")
        : Either.map(reading, (one): Holding => ({ asset: "native", amount: Either.right(one.native) }))
    )

  /** One that is not in the registry is worth nothing without its decimals, so they come first where they are not told. */
  const token = (address: string, master: string) =>
    Effect.gen(function* () {
      const registered = Option.flatMapNullable(yield* list, (known) => known.byAddress.get(master))
      const jetton = yield* Client.firstAnswer(clients, (client) => client.jetton(address, master))
      if (Option.isSome(registered)) return toHolding(registered.value, jetton)
      const decimals =
        jetton.decimals === undefined
          ? yield* Client.firstAnswer(clients, (client) => client.decimals(master))
          : Option.some(jetton.decimals)
      if (Option.isNone(decimals)) return yield* Effect.fail(noToken)
      return toHolding(unregistered(master, decimals.value), jetton)
    })

  const holding: Network["Type"]["holding"] = (address, text) =>
    Option.match(text, {
      onNone: () => native(address),
      onSome: (given) =>
        Effect.flatMap(Either.mapLeft(Address.parse(given), invalidToken), (master) => token(address, master))
    }).pipe(Effect.mapError(unread))

  const served = Either.right(clients.map(({ name }) => name))
  return {
    info,
    address: Address.parse,
    holdings,
    holding,
    tokensMissing: Effect.sync(() =>
      listed ? undefined : "the list of its tokens is not there yet: native coins only"
    ),
    abilities: Effect.map(registry.has(platform), (has) => ({
      balance: served,
      tokens: has ? served : Either.left("the list of its tokens is not there yet")
    }))
  }
})

export const layer = Layer.effect(Network, make)

const unread = ({ message, reason }: UpstreamError | Unread): Unread => ({ reason, message })

const invalidToken = (problem: string): Unread => ({ reason: "invalid_address", message: `tokenAddress: ${problem}` })

const unregistered = (address: string, decimals: number): Token => ({
  address,
  decimals,
  name: "",
  symbol: "",
  thumbnail: ""
})

const noToken: Unread = {
  reason: "bad_answer",
  message: "there is no jetton at this address that tells its decimals"
}
