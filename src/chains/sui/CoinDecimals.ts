import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { each } from "../../kernel/each.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { unread } from "../tokenList.ts"
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

/** Maximum number of coin types whose decimals are known. */
const capacity = 20_000

/** Decimals by coin type; left if they could not be read. */
export type CoinDecimals = ReadonlyMap<string, Either.Either<number, ReadFailure>>

/** Reads the decimals of coins, once for each type: they never change. `confirm` gets those of listed coins. */
export const make = (hosts: Upstream, confirm: (decimals: ReadonlyMap<string, number>) => Effect.Effect<void>) =>
  Effect.map(BoundedMap.sized<number>("sui-decimals", capacity), (known) => {
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
      known: (type: string): number | undefined => known.get(type),
      learn: (type: string, decimals: number): Effect.Effect<void> =>
        Effect.suspend(() => {
          known.set(type, decimals)
          return confirm(new Map([[type, decimals]]))
        }),
      /** The decimals of these types of listed coins. Cannot fail. */
      of: (types: ReadonlyArray<string>): Effect.Effect<CoinDecimals> =>
        Effect.gen(function* () {
          const before = types.map((type) => [type, known.get(type)] as const)
          const open = before.flatMap(([type, own]) => (own === undefined ? [type] : []))
          const chunks = yield* each(Arr.chunksOf(Arr.dedupe(open), typesPerQuery), ofChunk)
          const all = new Map([
            ...before.flatMap(([type, own]) => (own === undefined ? [] : [[type, Either.right(own)] as const])),
            ...chunks.flat()
          ])
          const found = new Map(
            [...all].flatMap(([type, own]) => (Either.isRight(own) ? [[type, own.right] as const] : []))
          )
          for (const [type, decimals] of found) known.set(type, decimals)
          yield* confirm(found)
          return all
        })
    }
  })
