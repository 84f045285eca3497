// Pebble: a made-up network of a new family, complete in this file. Its addresses are `pb` and 20 hexadecimal digits. Its indexer
// returns {"grains": "1500"} for GET /accounts/{address}, and 404 for an unused address.
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { Effect, Either, Layer, Option, Schema } from "effect"
import {
  Chain,
  type ChainFacts,
  CoinId,
  declare,
  type Holding,
  impossible,
  invalidToken,
  isPossible,
  NetworkId,
  ResponseDecoder,
  Upstream,
  unread
} from "wallet-data"

const facts: ChainFacts = {
  id: NetworkId.make("pebble"),
  name: "Pebble",
  aliases: ["pbl"],
  family: "pebble",
  explorer: (hash) => `https://pebble.example/tx/${hash}`,
  finality: 60,
  native: { coinId: CoinId.make("pebble"), name: "Pebble", symbol: "PBL", decimals: 3, thumbnail: "" },
  supply: 1_000_000_000n
}

/** Returns the canonical form of an address, or on the left an error that a wallet can show. */
const address = (text: string): Either.Either<string, string> =>
  /^pb[0-9a-f]{20}$/i.test(text) ? Either.right(text.toLowerCase()) : Either.left("an address is pb and 20 hex digits")

const Account = Schema.Struct({ grains: Schema.BigInt })

const account = (holder: string) => HttpClientRequest.get(`/accounts/${holder}`)

const make = Effect.gen(function* () {
  const index = yield* Upstream.make({
    name: "pebble-index",
    urls: yield* declare.urls({
      name: "PEBBLE_URLS",
      default: ["https://index.pebble.example"],
      meaning: "Indexers of Pebble"
    }),
    canary: (endpoint) => endpoint.read(account(`pb${"0".repeat(20)}`), ResponseDecoder.fitting(Account))
  })

  /** Rejects impossible amounts as an error of the upstream. */
  const native = (holder: string) =>
    index.read(account(holder), Account, { value: { grains: 0n } }).pipe(
      Effect.filterOrFail(
        ({ grains }) => isPossible(facts)(grains),
        () => index.fault(impossible)
      ),
      Effect.map(({ grains }): Holding => ({ asset: "native", amount: Either.right(grains) })),
      Effect.mapError(unread)
    )

  return Chain.of({
    facts,
    address,
    holdings: (addresses) =>
      Effect.forEach(addresses, (holder) => Effect.either(Effect.map(native(holder), (held) => [held])), {
        concurrency: 8
      }).pipe(Effect.map((all) => ({ addresses: all, missing: undefined }))),
    holding: (holder, token) =>
      Option.isSome(token) ? Effect.fail(invalidToken("Pebble has no tokens")) : native(holder),
    abilities: Effect.succeed({
      balance: Either.right([index.name]),
      tokens: Either.left("Pebble has no tokens")
    })
  })
})

export const layer = Layer.effect(Chain, make)
