import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type BalanceParts, type DetailedBalance, whole } from "../../chains/Breakdown.ts"
import type { Holding, Unread } from "../../chains/Chain.ts"
import * as Amount from "../../domain/Amount.ts"
import { type Breakdown, type Part, parts } from "../../domain/Breakdown.ts"
import { each } from "../../kernel/each.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { type AddressRead, type AnyNetwork, type Group, internalError, readAll, timedOut } from "./readAddresses.ts"

type DetailResult = Either.Either<DetailedBalance, Unread>

/** Reads every address of a group as {@link readAll} does, and what breaks their balances down. Cannot fail. */
export const readDetailed = (group: Group, within: number): Effect.Effect<ReadonlyArray<AddressRead>> =>
  Effect.zipWith(
    readAll(group, within),
    details(group, within),
    (reads, byText) =>
      reads.map((read) => withDetail(read, checkedDetail(read.network, read.holdings[0], byText.get(read.text)))),
    { concurrent: true }
  )

/** By the client's spelling, each address read once. */
const details = ({ network, requested }: Group, within: number): Effect.Effect<ReadonlyMap<string, DetailResult>> => {
  const parsed = [...new Set(requested)].flatMap((text) =>
    Either.match(network.address(text), { onLeft: () => [], onRight: (address) => [[text, address] as const] })
  )
  const addresses = [...new Set(parsed.map(([, address]) => address))]
  return Effect.map(readDetails(network, addresses, within), (results) => {
    const byAddress = new Map(addresses.map((address, index) => [address, results[index]]))
    return new Map(
      parsed.flatMap(([text, address]) => {
        const result = byAddress.get(address)
        return result === undefined ? [] : [[text, result] as const]
      })
    )
  })
}

/** The detailed balances of addresses in canonical form; none where the network needs no further call. Cannot fail. */
export const readDetails = (
  { batchSize, breakdown, facts }: AnyNetwork,
  addresses: ReadonlyArray<string>,
  within: number
): Effect.Effect<ReadonlyArray<DetailResult>> => {
  if (breakdown === undefined || breakdown === whole) return Effect.succeed([])
  const read = (part: ReadonlyArray<string>) => {
    const all = (unread: Unread): ReadonlyArray<DetailResult> => part.map(() => Either.left(unread))
    return breakdown.read(part).pipe(
      Effect.map((results) => part.map((_, index) => results[index] ?? Either.left(internalError))),
      timeoutTo({ duration: within, onTimeout: () => Effect.succeed(all(timedOut)) }),
      Effect.catchAllDefect((defect) =>
        Effect.as(Effect.logError(`${facts.id}: internal error`, defect), all(internalError))
      )
    )
  }
  return Effect.map(each(Arr.chunksOf(addresses, batchSize ?? Math.max(addresses.length, 1)), read), Arr.flatten)
}

/** The detail of a holding; left where it is the sum of a list that has another amount than the holding. */
export const checkedDetail = (
  { breakdown }: Pick<AnyNetwork, "breakdown">,
  native: Holding | undefined,
  detail: DetailResult | undefined
): DetailResult | undefined => {
  if (detail === undefined || breakdown === undefined || breakdown === whole || breakdown.isSum !== true) return detail
  const own = native === undefined ? undefined : Either.getOrUndefined(native.amount)
  return Either.filterOrLeft(
    detail,
    ({ amount }) => own === undefined || own === amount,
    () => otherSum
  )
}

const otherSum: Unread = {
  reason: "bad_answer",
  message: "the unspent outputs do not add up to the balance of the address"
}

/** The native amount becomes the one whose parts are known, so that they belong together. */
const withDetail = (read: AddressRead, detail: DetailResult | undefined): AddressRead => {
  const [native, ...tokens] = read.holdings
  if (detail === undefined) return read
  return native === undefined || !read.whole || Either.isLeft(detail)
    ? { ...read, detail }
    : { ...read, detail, holdings: [inDetail(detail.right), ...tokens] }
}

/** The holding of the native coin, with its parts. */
export const inDetail = ({ amount, parts }: DetailedBalance): Holding => ({
  asset: "native",
  amount: Either.right(amount),
  parts
})

/**
 * The breakdown of a native holding; none where nothing is known, and without detail also where all can be spent. Parts that
 * were requested and not read are null, with one reason for all of them.
 */
export const breakdownOf = (
  { breakdown, facts }: Pick<AnyNetwork, "breakdown" | "facts">,
  native: Holding | undefined,
  detail: boolean,
  result: DetailResult | undefined
): { readonly breakdown?: Breakdown } => {
  if (native === undefined || Either.isLeft(native.amount)) return {}
  const known: BalanceParts = native.parts ?? {}
  const format = (amount: bigint) => Amount.format(amount, facts.native.decimals)
  if (!detail || breakdown === undefined)
    return native.parts === undefined ? {} : { breakdown: written(known, [], format) }
  if (breakdown === whole) return { breakdown: written(native.parts ?? { spendable: native.amount.right }, [], format) }
  const { message, reason } = missingOf(result)
  const missing = breakdown.parts.filter((part) => known[part] === undefined)
  const all = written(known, missing, format)
  return { breakdown: missing.length === 0 ? all : { ...all, error: message, errorCode: reason } }
}

const missingOf = (result: DetailResult = Either.left(internalError)): Unread =>
  Either.match(result, { onLeft: (unread) => unread, onRight: ({ missing = internalError }) => missing })

const written = (
  known: BalanceParts,
  missing: ReadonlyArray<Part>,
  format: (amount: bigint) => string
): Readonly<Partial<Record<Part, string | null>>> => {
  const all: Partial<Record<Part, string | null>> = {}
  for (const part of parts) {
    const amount = known[part]
    if (amount !== undefined) all[part] = format(amount)
    else if (missing.includes(part)) all[part] = null
  }
  return all
}
