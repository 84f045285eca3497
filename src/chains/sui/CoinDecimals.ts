import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { each } from "../../kernel/each.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { follow, knownDecimals, unread } from "../kit/holdings/tokenList.ts"
import { tokens } from "./CoinType.ts"
import * as GraphQl from "./GraphQl.ts"

// The decimals in the metadata of coins (docs.sui.io, CoinMetadata).

/** Null for a type without metadata, or with metadata that is not public. */
const Metadata = Schema.NullOr(Schema.Struct({ decimals: Schema.NullOr(Schema.Int.pipe(Schema.between(0, 255))) }))

const noDecimals: Fault = {
  reason: "bad_answer",
  detail: "there is no coin of this type, or its decimals are unknown",
  final: true
}

/** The field of a coin's metadata; `type` is a variable. */
export const field = (type: string) => `coinMetadata(coinType: ${type}) { decimals }`

/** The decimals in the field at a path. */
export const decimalsAt = (reply: GraphQl.GraphQlResponse, path: GraphQl.Path): Either.Either<number, Fault> =>
  Either.flatMap(reply.at(path, Metadata), (metadata) => Either.fromNullable(metadata?.decimals, () => noDecimals))

/** Types per query: the host limits its length, and runs one store query for each. */
const typesPerQuery = 10

/** Decimals by coin type; left if they could not be read. */
export type CoinDecimals = ReadonlyMap<string, Either.Either<number, ReadFailure>>

/** The list of coins, and their decimals. */
export const make = (hosts: Upstream) =>
  Effect.gen(function* () {
    const { abilities, confirm, list } = yield* follow(tokens, [hosts.name])
    const known = yield* knownDecimals("sui-decimals", list)
    const learn = (decimals: ReadonlyMap<string, number>) => Effect.zipRight(known.add(decimals), confirm(decimals))
    const read = (types: ReadonlyArray<string>) =>
      hosts.over((host) =>
        Effect.gen(function* () {
          const named = types.map((type, index) => [`t${index}`, type] as const)
          const declared = named.map(([name]) => `$${name}: String!`).join(", ")
          const fields = named.map(([name]) => `${name}: ${field(`$${name}`)}`).join(" ")
          const query = `query (${declared}) { chainIdentifier ${fields} checkpoint { timestamp } }`
          const reply = yield* GraphQl.read(host, query, Object.fromEntries(named))
          yield* GraphQl.requireFresh(host, reply)
          return named.map(([name, type]) => [type, Either.mapLeft(decimalsAt(reply, [name]), host.fault)] as const)
        })
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
          const chunks = yield* each(Arr.chunksOf(Arr.dedupe(open), typesPerQuery), ofChunk)
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
