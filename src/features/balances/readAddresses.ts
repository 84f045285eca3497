import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { DetailedBalance } from "../../chains/Breakdown.ts"
import type { Holding, HoldingsResult, Unread } from "../../chains/Chain.ts"
import { type AnyNetwork, guarded, internalError, type Reading, readEach } from "../reading.ts"

/** The addresses that a request has for one network, under any of its names. */
export interface Group {
  readonly network: AnyNetwork
  /** As the client wrote them, in its order; an address may be listed more than once. */
  readonly requested: ReadonlyArray<string>
}

/** The result of reading one address. */
export interface AddressRead {
  readonly network: AnyNetwork
  /** The address as the client wrote it. */
  readonly text: string
  /** The key of the address in the store; none for a malformed address. */
  readonly key: string | undefined
  /** The native coin first, always. */
  readonly holdings: ReadonlyArray<Holding>
  /** Whether the network answered; otherwise `holdings` is the native coin alone, unread. */
  readonly whole: boolean
  /** Why its tokens are missing although the network answered. */
  readonly missing: Unread | undefined
  /** Tokens that could not be read and have no row of their own; see {@link bounded}. */
  readonly omitted?: { readonly count: number; readonly unread: Unread }
  /** The balance of the native coin in detail; absent where that was not requested, or needs no further call. */
  readonly detail?: Reading<DetailedBalance>
}

/** A network under several names is one group. Networks that are not supported are skipped. */
export const group = (
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
  find: (name: string) => Option.Option<AnyNetwork>
): ReadonlyArray<Group> => {
  const groups = new Map<AnyNetwork, Array<string>>()
  for (const [name, texts] of Object.entries(wanted))
    Option.map(find(name), (network) => groups.set(network, [...(groups.get(network) ?? []), ...texts]))
  return [...groups].map(([network, requested]) => ({ network, requested }))
}

/** Reads every address of a group, one result per spelling and one read per address. Cannot fail. */
export const readAll = ({ network, requested }: Group, within: number): Effect.Effect<ReadonlyArray<AddressRead>> =>
  Effect.map(
    readEach(network, requested, network.batchSize, (part) =>
      Effect.map(guarded(network, within, network.holdings(part)), (all) =>
        part.map((_, index) => resultOf(all, index))
      )
    ),
    (results) =>
      [...results].map(([text, { address, result }]): AddressRead => {
        const holdings = Either.flatMap(result, ({ read }) => read)
        return {
          network,
          text,
          key: Option.getOrUndefined(Option.map(Either.getRight(address), (canonical) => keyOf(network, canonical))),
          holdings: Either.getOrElse(holdings, (left) => [{ asset: "native", amount: Either.left(left) }]),
          whole: Either.isRight(holdings),
          missing: Either.isRight(result) && Either.isRight(holdings) ? result.right.missing : undefined
        }
      })
  )

/** The holdings of one address, and the reason why the response that contained them is incomplete. */
const resultOf = ({ addresses, missing, unreadTokens }: HoldingsResult, index: number) =>
  Either.right({ read: addresses[index] ?? Either.left(internalError), missing: missing ?? unreadTokens?.[index] })

/** The most rows of an address for tokens that could not be read and that it is not known to own. */
const maxUnreadTokens = 20

/** Thousands of unreadable tokens would be as many rows for each address: those beyond the first few are only counted. */
export const bounded = (read: AddressRead, isOwned: (holding: Holding) => boolean): AddressRead => {
  const omitted = read.holdings
    .filter((holding) => holding.asset !== "native" && Either.isLeft(holding.amount) && !isOwned(holding))
    .slice(maxUnreadTokens)
  const [first] = omitted
  if (first === undefined || Either.isRight(first.amount)) return read
  const omittedSet = new Set(omitted)
  return {
    ...read,
    holdings: read.holdings.filter((holding) => !omittedSet.has(holding)),
    omitted: { count: omitted.length, unread: first.amount.left }
  }
}

/** Reads one asset of one address. Cannot fail as a whole. */
export const readAsset = (
  network: AnyNetwork,
  address: Either.Either<string, string>,
  token: Option.Option<string>,
  within: number
): Effect.Effect<Reading<Holding>> =>
  Either.isLeft(address)
    ? Effect.succeed(Either.left({ reason: "invalid_address", message: address.left }))
    : Effect.either(guarded(network, within, network.holding(address.right, token)))

/** The store key of an address in canonical form. */
export const keyOf = (network: AnyNetwork, address: string) => `${network.facts.id} ${address}`
