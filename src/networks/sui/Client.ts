import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Address, Upstream } from "../../upstreams/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstreams/UpstreamError.ts"
import * as GraphQl from "./graphql.ts"
import * as Wire from "./holdings.ts"

/** Each list of balances needs a question of its own to the store behind the service, which allows 21 a query. */
const ownersPerQuery = 20

/** A query may have 5,000 bytes, and the mark of where a page ended is long. */
const pagesPerQuery = 6

/** Nobody holds more kinds of coins, 50 a page, but a host that has lost its way goes on for ever. */
const mostPages = 100

const page = "nodes { coinType { repr } totalBalance } pageInfo { hasNextPage endCursor }"

const firstPages = `query ($keys: [AddressKey!]!) { multiGetAddresses(keys: $keys) { balances(first: 50) { ${page} } } }`

const nextPages = (count: number) => {
  const each = (text: (index: number) => string) => Arr.makeBy(count, text).join(" ")
  const declared = each((index) => `$owner${index}: SuiAddress!, $after${index}: String!`)
  const asked = each(
    (index) => `p${index}: address(address: $owner${index}) { balances(first: 50, after: $after${index}) { ${page} } }`
  )
  return `query (${declared}) { ${asked} }`
}

const oneBalance = (withDecimals: boolean) =>
  `query ($owner: SuiAddress!, $type: String!) { address(address: $owner) { balance(coinType: $type) { totalBalance } }${
    withDecimals ? " coinMetadata(coinType: $type) { decimals }" : ""
  } }`

/** The main network by its first checkpoint: the first bytes of its digest, or all of it. */
const mainnet = ["35834a8a", "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S"]

/** Whether a host serves the main network. */
export const canary = (host: Address) =>
  Effect.flatMap(GraphQl.ask(host, "query { chainIdentifier }", {}), (reply) =>
    Either.match(reply.at(["chainIdentifier"], Schema.String), {
      onLeft: (fault) => Effect.fail(host.fault(fault)),
      onRight: (chain) =>
        mainnet.includes(chain) ? Effect.void : Effect.fail(host.fault(bad("is of another network")))
    })
  )

/** All coins of each address. What one host does not tell of anybody, the next is asked. */
export const holdings = (
  hosts: Upstream,
  owners: ReadonlyArray<string>
): Effect.Effect<ReadonlyArray<Either.Either<Wire.Held, UpstreamError>>> =>
  Effect.map(
    Effect.forEach(
      Arr.chunksOf(owners, ownersPerQuery),
      (chunk) =>
        Effect.catchAll(
          hosts.over((host) => together(host, chunk)),
          (error) => Effect.succeed(chunk.map(() => Either.left(error)))
        ),
      { concurrency: "unbounded" }
    ),
    (chunks) => chunks.flat()
  )

/** The pages of one address as far as they were read. */
interface Reading {
  readonly owner: string
  readonly pages: Either.Either<Arr.NonEmptyReadonlyArray<Wire.Page>, Fault>
}

const together = (host: Address, owners: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const reply = yield* GraphQl.ask(host, firstPages, { keys: owners.map((address) => ({ address })) })
    const first = owners.map((owner, index): Reading => {
      const answered = reply.at(["multiGetAddresses", index], Wire.Owner)
      return { owner, pages: Either.map(answered, ({ balances }) => [balances]) }
    })
    const read = (yield* toTheEnd(host, first)).map(({ pages }) =>
      Either.mapLeft(
        Either.flatMap(pages, (all) => Either.fromOption(Wire.amounts(all), () => bad("tells of a coin twice"))),
        host.fault
      )
    )
    const fault = read[0]
    return fault !== undefined && Either.isLeft(fault) && read.every(Either.isLeft) ? yield* fault.left : read
  })

/** The mark of the next page; none at the end. */
const next = ({ pages }: Reading): Option.Option<string> =>
  Either.match(pages, {
    onLeft: () => Option.none(),
    onRight: (read) => {
      const { endCursor, hasNextPage } = Arr.lastNonEmpty(read).pageInfo
      return hasNextPage ? Option.some(endCursor ?? "") : Option.none()
    }
  })

/** The marks of a host mean nothing to another one, so all pages of an address come from one. */
const toTheEnd = (
  host: Address,
  readings: ReadonlyArray<Reading>,
  turn = 1
): Effect.Effect<ReadonlyArray<Reading>, UpstreamError> =>
  Effect.gen(function* () {
    const pending = Arr.filter(readings, (reading) => Option.isSome(next(reading)))
    if (pending.length === 0) return readings
    if (turn === mostPages) return yield* host.fault(bad("comes to no end of its pages"))
    const chunks = yield* Effect.forEach(Arr.chunksOf(pending, pagesPerQuery), (chunk) => onePageMore(host, chunk), {
      concurrency: 4
    })
    const further = new Map(chunks.flat().map((reading) => [reading.owner, reading]))
    return yield* toTheEnd(
      host,
      readings.map((reading) => further.get(reading.owner) ?? reading),
      turn + 1
    )
  })

const onePageMore = (host: Address, readings: ReadonlyArray<Reading>) =>
  Effect.map(
    GraphQl.ask(
      host,
      nextPages(readings.length),
      Object.fromEntries(
        readings.flatMap((reading, index) => [
          [`owner${index}`, reading.owner],
          [`after${index}`, Option.getOrElse(next(reading), () => "")]
        ])
      )
    ),
    (reply) =>
      readings.map((reading, index): Reading => {
        const more = reply.at([`p${index}`], Wire.Owner)
        return {
          owner: reading.owner,
          pages: Either.zipWith(reading.pages, more, (read, { balances }) => Arr.append(read, balances))
        }
      })
  )

/** What one address holds of one coin, and the coin's decimals where they are asked for. */
export const held = (hosts: Upstream, owner: string, type: string, decimals: Option.Option<number>) =>
  hosts.over((host) =>
    Effect.gen(function* () {
      const reply = yield* GraphQl.ask(host, oneBalance(Option.isNone(decimals)), { owner, type })
      const { balance } = yield* Either.mapLeft(reply.at(["address"], Wire.Balance), host.fault)
      const amount = BigInt(balance.totalBalance)
      if (Option.isSome(decimals)) return { amount, decimals: decimals.value }
      const metadata = yield* Either.mapLeft(reply.at(["coinMetadata"], Wire.Metadata), host.fault)
      return typeof metadata?.decimals === "number"
        ? { amount, decimals: metadata.decimals }
        : yield* host.fault({ ...bad("there is no coin of this type that tells its decimals"), final: true })
    })
  )

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })
