import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { DetailedBalance } from "../../chains/Breakdown.ts"
import type { Chain, Holding, HoldingsResult, Unread } from "../../chains/Chain.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"

export type AnyNetwork = Context.Tag.Service<Chain>

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
  readonly detail?: Either.Either<DetailedBalance, Unread>
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
  Effect.gen(function* () {
    const texts = [...new Set(requested)]
    const parsed = new Map(texts.map((text) => [text, network.address(text)]))
    const addresses = [...new Set([...parsed.values()].flatMap((item) => Option.toArray(Either.getRight(item))))]
    const results = yield* holdings(network, addresses, within)
    const byAddress = new Map(addresses.map((address, index) => [address, results[index]]))
    return texts.map((text): AddressRead => {
      const address = parsed.get(text) ?? none
      const { missing, read }: ReadResult = Either.isLeft(address)
        ? { read: Either.left({ reason: "invalid_address", message: address.left }) }
        : (byAddress.get(address.right) ?? { read: unread })
      return {
        network,
        text,
        key: Option.getOrUndefined(Option.map(Either.getRight(address), (element) => keyOf(network, element))),
        holdings: Either.getOrElse(read, (left) => [{ asset: "native", amount: Either.left(left) }]),
        whole: Either.isRight(read),
        missing: Either.isRight(read) ? missing : undefined
      }
    })
  })

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
): Effect.Effect<Either.Either<Holding, Unread>> =>
  Either.isLeft(address)
    ? Effect.succeed(Either.left({ reason: "invalid_address", message: address.left }))
    : Effect.either(network.holding(address.right, token)).pipe(
        timeoutTo({ duration: within, onTimeout: () => Effect.succeed(Either.left(timedOut)) }),
        Effect.catchAllDefect((defect) => Effect.as(fault(network, defect), unread))
      )

/** The store key of an address in canonical form. */
export const keyOf = (network: AnyNetwork, address: string) => `${network.facts.id} ${address}`

/** The holdings of one address, and the reason why the response that contained them is incomplete. */
interface ReadResult {
  readonly read: HoldingsResult["addresses"][number]
  readonly missing?: HoldingsResult["missing"]
}

const holdings = (
  network: AnyNetwork,
  addresses: ReadonlyArray<string>,
  within: number
): Effect.Effect<ReadonlyArray<ReadResult>> =>
  Effect.map(
    each(Arr.chunksOf(addresses, network.batchSize ?? Math.max(addresses.length, 1)), (part) => {
      const all = (unread: Unread): ReadonlyArray<ReadResult> => part.map(() => ({ read: Either.left(unread) }))
      return network.holdings(part).pipe(
        Effect.map(({ addresses, missing, unreadTokens }) =>
          part.map((_, index) => ({ read: addresses[index] ?? unread, missing: missing ?? unreadTokens?.[index] }))
        ),
        timeoutTo({ duration: within, onTimeout: () => Effect.succeed(all(timedOut)) }),
        Effect.catchAllDefect((defect) => Effect.as(fault(network, defect), all(internalError)))
      )
    }),
    Arr.flatten
  )

const fault = (network: AnyNetwork, defect: unknown) => Effect.logError(`${network.facts.id}: internal error`, defect)

export const timedOut: Unread = { reason: "timeout", message: "timed out" }
export const internalError: Unread = { reason: "upstream_error", message: "internal error" }
const unread: Either.Either<never, Unread> = Either.left(internalError)
const none: Either.Either<never, string> = Either.left("no address")
