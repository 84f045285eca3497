import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Chain, Holding, HoldingsResult, Unread } from "../../chains/Chain.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"

type AnyNetwork = Context.Tag.Service<Chain>

/** What a request asks of one network, under whatever names. */
export interface Group {
  readonly network: AnyNetwork
  /** As the client wrote them, in its order; an address may stand more than once. */
  readonly asked: ReadonlyArray<string>
}

/** What was read of one address. */
export interface Read {
  readonly network: AnyNetwork
  /** The address as the client wrote it. */
  readonly text: string
  /** What the address is known by in the store; none for a malformed one. */
  readonly key: string | undefined
  /** The native coin first, always. */
  readonly holdings: ReadonlyArray<Holding>
  /** Whether the network answered; else `holdings` is the native coin alone, unread. */
  readonly whole: boolean
  /** Why its tokens are missing although the network answered. */
  readonly missing: Unread | undefined
  /** Tokens that could not be read and have no row of their own; see {@link bounded}. */
  readonly omitted?: { readonly count: number; readonly unread: Unread }
}

/** A network that stands under several names is one group. Networks that are not supported are skipped. */
export const group = (
  wanted: Readonly<Record<string, ReadonlyArray<string>>>,
  find: (name: string) => Option.Option<AnyNetwork>
): ReadonlyArray<Group> => {
  const groups = new Map<AnyNetwork, Array<string>>()
  for (const [name, texts] of Object.entries(wanted))
    Option.map(find(name), (network) => groups.set(network, [...(groups.get(network) ?? []), ...texts]))
  return [...groups].map(([network, asked]) => ({ network, asked }))
}

/** Reads every address of a group, each spelling once answered and each address once asked. Cannot fail. */
export const readAll = ({ asked, network }: Group, within: number): Effect.Effect<ReadonlyArray<Read>> =>
  Effect.gen(function* () {
    const texts = [...new Set(asked)]
    const parsed = new Map(texts.map((text) => [text, network.address(text)]))
    const addresses = [...new Set([...parsed.values()].flatMap((item) => Option.toArray(Either.getRight(item))))]
    const results = yield* holdings(network, addresses, within)
    const byAddress = new Map(addresses.map((address, index) => [address, results[index]]))
    return texts.map((text): Read => {
      const address = parsed.get(text) ?? none
      const { missing, read }: ReadResult = Either.isLeft(address)
        ? { read: Either.left({ reason: "invalid_address", message: address.left }) }
        : (byAddress.get(address.right) ?? { read: lost })
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

/** Rows an address has at most for tokens that could not be read and are not known to be held. */
const maxUnreadTokens = 20

/** A list of thousands of broken tokens would be as many rows for each address: those beyond the first few are counted. */
export const bounded = (read: Read, isHeld: (holding: Holding) => boolean): Read => {
  const omitted = read.holdings
    .filter((holding) => holding.asset !== "native" && Either.isLeft(holding.amount) && !isHeld(holding))
    .slice(maxUnreadTokens)
  const [first] = omitted
  if (first === undefined || Either.isRight(first.amount)) return read
  const gone = new Set(omitted)
  return {
    ...read,
    holdings: read.holdings.filter((holding) => !gone.has(holding)),
    omitted: { count: omitted.length, unread: first.amount.left }
  }
}

/** Reads one asset of one address. Cannot fail as a whole. */
export const readOne = (
  network: AnyNetwork,
  address: Either.Either<string, string>,
  token: Option.Option<string>,
  within: number
): Effect.Effect<Either.Either<Holding, Unread>> =>
  Either.isLeft(address)
    ? Effect.succeed(Either.left({ reason: "invalid_address", message: address.left }))
    : Effect.either(network.holding(address.right, token)).pipe(
        timeoutTo({ duration: within, onTimeout: () => Effect.succeed(Either.left(late)) }),
        Effect.catchAllDefect((defect) => Effect.as(fault(network, defect), lost))
      )

/** What an address in canonical form is known by in the store. */
export const keyOf = (network: AnyNetwork, address: string) => `${network.facts.id} ${address}`

/** What was read of one address, and what all that the network answered with it is without. */
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
        Effect.map(({ addresses, missing }) => part.map((_, index) => ({ read: addresses[index] ?? lost, missing }))),
        timeoutTo({ duration: within, onTimeout: () => Effect.succeed(all(late)) }),
        Effect.catchAllDefect((defect) => Effect.as(fault(network, defect), all(ours)))
      )
    }),
    Arr.flatten
  )

const fault = (network: AnyNetwork, defect: unknown) => Effect.logError(`${network.facts.id}: internal error`, defect)

const late: Unread = { reason: "timeout", message: "timed out" }
const ours: Unread = { reason: "upstream_error", message: "internal error" }
const lost: Either.Either<never, Unread> = Either.left(ours)
const none: Either.Either<never, string> = Either.left("no address")
