import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { each } from "../../kernel/each.ts"
import type { ReadFailure } from "../Chain.ts"
import { follow, knownDecimals, unread } from "../kit/holdings/tokenList.ts"
import { tokens } from "./CoinType.ts"
import type { SuiProvider } from "./Provider.ts"

// The decimals in the metadata of coins (docs.sui.io, CoinMetadata).

/** Types per query: the host limits its length, and runs one store query for each. */
export const typesPerQuery = 10

/** Decimals by coin type; left if they could not be read. */
export type CoinDecimals = ReadonlyMap<string, Either.Either<number, ReadFailure>>

/** The list of coins, and their decimals. */
export const make = (provider: SuiProvider) =>
  Effect.gen(function* () {
    const { abilities, confirm, list } = yield* follow(tokens, [provider.name])
    const known = yield* knownDecimals("sui-decimals", list)
    const learn = (decimals: ReadonlyMap<string, number>) => Effect.zipRight(known.add(decimals), confirm(decimals))
    const read = (types: ReadonlyArray<string>) =>
      provider.hosts.over((host) =>
        Effect.map(provider.decimals(host, types), (found) => Arr.zip(types, found.map(Either.mapLeft(host.fault))))
      )
    const ofChunk = (types: ReadonlyArray<string>) =>
      Effect.match(read(types), {
        onFailure: (error) => types.map((type) => [type, Either.left(unread(error))] as const),
        onSuccess: (found) => found.map(([type, decimals]) => [type, Either.mapLeft(decimals, unread)] as const)
      })
    return {
      abilities,
      list,
      known: known.get,
      learn,
      /** Reads the decimals of these types of listed coins, and confirms them. Cannot fail. */
      decimalsOf: (types: ReadonlyArray<string>): Effect.Effect<CoinDecimals> =>
        Effect.gen(function* () {
          const before = yield* Effect.forEach(types, (type) =>
            Effect.map(known.get(type), (own) => [type, own] as const)
          )
          const open = before.flatMap(([type, own]) => (own === undefined ? [type] : []))
          const chunks = yield* each(Arr.chunksOf([...new Set(open)], typesPerQuery), ofChunk)
          const all = new Map([
            ...before.flatMap(([type, own]) => (own === undefined ? [] : [[type, Either.right(own)] as const])),
            ...chunks.flat()
          ])
          yield* known.add(rightsIn(chunks.flat()))
          yield* confirm(rightsIn(all))
          return all
        })
    }
  })

export type Coins = Effect.Effect.Success<ReturnType<typeof make>>

const rightsIn = (read: Iterable<readonly [type: string, own: Either.Either<number, unknown>]>) =>
  new Map([...read].flatMap(([type, own]) => (Either.isRight(own) ? [[type, own.right] as const] : [])))
