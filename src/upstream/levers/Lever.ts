import * as Either from "effect/Either"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"

/** The abilities of a network that a lever can name. Those for tokens and exports belong to balance and history. */
export const leverAbilities = [
  "balance",
  "history",
  "rpc",
  "rawTransactions",
  "firstTransaction",
  "fees",
  "transactionContext"
] as const
export type LeverAbility = (typeof leverAbilities)[number]

const id = Schema.String.pipe(
  Schema.pattern(/^[a-z0-9][a-z0-9-]{0,99}$/, { message: () => "must be an id of small letters, digits and -" })
)

/** Clients see it, so it is one line of text. */
const reason = Schema.String.pipe(
  Schema.pattern(/^[^\p{C}\p{Z}](?:[^\p{C}\p{Zl}\p{Zp}]{0,198}[^\p{C}\p{Z}])?$/u, {
    message: () => "must be one line of 1 to 200 characters"
  })
)

const ability = Schema.String.pipe(
  Schema.filter((text): text is LeverAbility => leverAbilities.some((known) => known === text), {
    message: () => `must be one of ${leverAbilities.join(", ")}`
  })
)

const scope = {
  /** The name of an upstream; absent for all of the network. */
  source: Schema.optionalWith(id, { exact: true }),
  /** The id of a network; absent for all. */
  network: Schema.optionalWith(id, { exact: true }),
  /** Absent for all, and for reads that belong to none. */
  ability: Schema.optionalWith(ability, { exact: true })
}

/** Switches sources off, or on although an earlier lever switches them off. */
export const Lever = Schema.Union(
  Schema.Struct({ ...scope, state: Schema.Literal("off"), reason }),
  Schema.Struct({ ...scope, state: Schema.Literal("on"), reason: Schema.optionalWith(reason, { exact: true }) })
).pipe(
  Schema.filter(({ network, source }) =>
    network === undefined && source === undefined ? "must name a source or a network" : undefined
  )
)
export type Lever = typeof Lever.Type

/** The uses that a lever applies to. */
export type LeverScope = Pick<Lever, "source" | "network" | "ability">

/** The use of a source. Members are absent if they are not known, or if the call belongs to none. */
export interface Use {
  readonly network?: string
  readonly ability?: LeverAbility
}

/** A list of levers is written by a person. */
export const maxLevers = 200

const Levers = Schema.Array(Lever).pipe(
  Schema.maxItems(maxLevers, { message: () => `must have at most ${maxLevers} levers` })
)

const decodeLevers = Schema.decodeUnknownEither(Levers, { onExcessProperty: "error" })

/** The first problem of a value that is no list of levers, with its place. */
const problemOf = (error: ParseResult.ParseError): string => {
  const [issue] = ParseResult.ArrayFormatter.formatErrorSync(error)
  return issue === undefined ? "is no list of levers" : [issue.path.join("."), issue.message].filter(Boolean).join(": ")
}

/** Reads levers from a value of a file or of the store; left is the problem in words. */
export const fromValue = (value: unknown): Either.Either<ReadonlyArray<Lever>, string> =>
  Either.mapLeft(decodeLevers(value), problemOf)

/** Reads levers from the text of a file; left is the problem in words. */
export const fromText = (text: string): Either.Either<ReadonlyArray<Lever>, string> =>
  Either.try({ try: (): unknown => JSON.parse(text), catch: () => "is not JSON" }).pipe(Either.flatMap(fromValue))

const covers = (lever: LeverScope, source: string, { ability, network }: Use): boolean =>
  (lever.source === undefined || lever.source === source) &&
  (lever.network === undefined || lever.network === network) &&
  (lever.ability === undefined || lever.ability === ability)

/** Why a source is off for a use; undefined if it is on. The last lever that covers the use decides. */
export const offReason = (levers: ReadonlyArray<Lever>, source: string, use: Use): string | undefined => {
  const lever = levers.findLast((lever) => covers(lever, source, use))
  return lever?.state === "off" ? lever.reason : undefined
}

const isEqual = (lever: LeverScope, other: LeverScope): boolean =>
  lever.source === other.source && lever.network === other.network && lever.ability === other.ability

/** True if a lever covers every use that the scope covers. */
const includes = (lever: LeverScope, scope: LeverScope): boolean =>
  (["source", "network", "ability"] as const).every(
    (member) => lever[member] === undefined || lever[member] === scope[member]
  )

/** True if a use exists that both cover. */
const overlaps = (lever: LeverScope, other: LeverScope): boolean =>
  (["source", "network", "ability"] as const).every(
    (member) => lever[member] === undefined || other[member] === undefined || lever[member] === other[member]
  )

/**
 * The levers with another one, which replaces that of the same scope. One that switches on takes the place of all within
 * its scope that switch off, and stays only if it has an effect. One that was off before keeps its place, and with it the
 * exceptions after it.
 */
export const withLever = (levers: ReadonlyArray<Lever>, lever: Lever): ReadonlyArray<Lever> => {
  const others = levers.filter((other) => !isEqual(other, lever))
  if (lever.state === "on") {
    const rest = others.filter((other) => other.state === "on" || !includes(lever, other))
    return rest.some((other) => other.state === "off" && overlaps(other, lever)) ? [...rest, lever] : rest
  }
  const place = levers.findIndex((other) => other.state === "off" && isEqual(other, lever))
  const isUndone = levers.slice(place + 1).some((other) => other.state === "on" && includes(other, lever))
  return place < 0 || isUndone ? [...others, lever] : levers.with(place, lever)
}

/** A lever in words. */
export const inWords = ({ ability, network, reason, source, state }: Lever): string =>
  [
    source ?? "all sources",
    ...(network === undefined ? [] : [`on ${network}`]),
    ...(ability === undefined ? [] : [`for ${ability}`]),
    `${state}${reason === undefined ? "" : `: ${reason}`}`
  ].join(" ")
