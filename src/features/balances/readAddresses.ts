import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type { DetailedBalance, Holding, HoldingsResult, ReadFailure } from "../../chains/Chain.ts"
import type { HoldingsOptions, UnlistedTokens } from "../../chains/kit/holdings/unlisted.ts"
import { counters } from "../../kernel/counters.ts"
import type { Tally } from "../../kernel/Tally.ts"
import { type AnyNetwork, guarded, internalError, type Reading, readEach, unreadCodes } from "../reading.ts"

const rows = "Rows of balances by network, without those of malformed addresses"
const nulls = "Rows whose balance is null, by network and error code"

/** Returns a function that counts the rows of an address in the metrics. Tokens that are missing altogether count as a row. */
export const rowCounter = (networks: ReadonlyArray<{ readonly id: string }>) => {
  const network = networks.map(({ id }) => id)
  const countRows = counters("balance_rows_total", rows, { network })
  const countNulls = counters("balance_rows_null_total", nulls, { network, code: unreadCodes })
  return (
    tally: Tally | undefined,
    { facts: { id } }: AnyNetwork,
    holdings: ReadonlyArray<Pick<Holding, "amount">>,
    missing?: ReadFailure | undefined
  ): void => {
    let unread = missing === undefined ? 0 : 1
    const count = holdings.length + unread
    for (const { amount } of holdings) {
      if (Either.isRight(amount)) continue
      if (amount.left.reason === "invalid_address") return
      countNulls(1, id, amount.left.reason)
      unread++
    }
    if (missing !== undefined) countNulls(1, id, missing.reason)
    countRows(count, id)
    if (tally !== undefined) tally.nulls += unread
  }
}

/** The addresses of a request for one network, under any of its names. */
export interface Group {
  readonly network: AnyNetwork
  /** As the client wrote them, in the client's order, with duplicates. */
  readonly requested: ReadonlyArray<string>
}

export interface AddressRead {
  readonly network: AnyNetwork
  /** The address as the client wrote it. */
  readonly text: string
  /** The key of the address in the store; undefined for a malformed address. */
  readonly key: string | undefined
  /** Always starts with the native coin. */
  readonly holdings: ReadonlyArray<Holding>
  /** Whether the network responded; otherwise `holdings` has only the native coin, unread. */
  readonly whole: boolean
  /** Why its tokens are missing although the network responded. */
  readonly missing: ReadFailure | undefined
  /** Why the tokens of this address, not those of all addresses, are missing. */
  readonly unreadTokens?: ReadFailure | undefined
  /** Tokens that could not be read and have no row; see {@link withLimitedUnread}. */
  readonly omitted?: { readonly count: number; readonly unread: ReadFailure }
  /** The tokens that no list has; absent if they were not requested, or if no source lists them. */
  readonly unlisted?: UnlistedTokens | undefined
  /** The balance of the native coin in detail; absent if not requested or if it needs no further call. */
  readonly detail?: Reading<DetailedBalance>
}

/** Groups addresses by network, across all names of a network. Skips unsupported networks. */
export const group = (
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
  find: (name: string) => Option.Option<AnyNetwork>
): ReadonlyArray<Group> => {
  const groups = new Map<AnyNetwork, Array<string>>()
  for (const [name, texts] of Object.entries(wanted))
    Option.map(find(name), (network) => groups.set(network, [...(groups.get(network) ?? []), ...texts]))
  return [...groups].map(([network, requested]) => ({ network, requested }))
}

/** The part of the time for a network after which unlisted tokens are late: the others need the rest. */
const unlistedShare = 0.9

/** Reads every address of a group, one result per spelling and one read per address. Cannot fail. */
export const readAll = (
  { network, requested }: Group,
  within: number,
  options: HoldingsOptions = {}
): Effect.Effect<ReadonlyArray<AddressRead>> =>
  Effect.map(
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      readEach(network, requested, network.batchSize, (part) =>
        Effect.map(
          guarded(network, within, network.holdings(part, { ...options, until: now + unlistedShare * within })),
          (all) => part.map((_, index) => resultOf(all, index))
        )
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
          ...(Either.isRight(result) && Either.isRight(holdings)
            ? {
                missing: result.right.missing,
                unreadTokens: result.right.unreadTokens,
                unlisted: result.right.unlisted
              }
            : { missing: undefined })
        }
      })
  )

/** The holdings of one address, and the reason why the response that contained them is incomplete. */
const resultOf = ({ addresses, missing, unlisted, unreadTokens }: HoldingsResult, index: number) =>
  Either.right({
    read: addresses[index] ?? Either.left(internalError),
    missing: missing ?? unreadTokens?.[index],
    unreadTokens: unreadTokens?.[index],
    unlisted: unlisted?.[index]
  })

/** Maximum number of rows of an address for unreadable tokens that it is not known to own. */
const maxUnreadTokens = 20

/** Limits the rows of unreadable tokens, of which an address may have thousands: counts tokens beyond it. */
export const withLimitedUnread = (read: AddressRead, isOwned: (holding: Holding) => boolean): AddressRead => {
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

/** Reads one asset of one address. Cannot fail. */
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
export const keyOf = (network: AnyNetwork, address: string) => `${storedAs(network.facts)} ${address}`

/** The store key of one asset of an address. */
export const assetKeyOf = (network: AnyNetwork, address: string, contract: string | null) =>
  `${keyOf(network, address)} ${contract ?? "native"}`
