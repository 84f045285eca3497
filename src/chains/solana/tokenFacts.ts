import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { TokenFacts, TokenName } from "../../domain/tokens/TokenFacts.ts"
import { type Millis, now } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { scalingIn } from "./Mints.ts"
import { metadataAddress, metadataIn } from "./metaplex.ts"
import type { SolanaProvider } from "./Provider.ts"
import { token, token2022 } from "./programs.ts"
import { accountsPerCall, Mint, Units } from "./providers/agave/calls.ts"

// Mints of both token programs: who may do what is in the account of the mint, and its name in an extension or in the
// account of Metaplex.

const Authority = Schema.NullOr(Schema.String)

const isOwned = Schema.is(Schema.Struct({ owner: Schema.String }))

const decodeMint = Schema.decodeUnknownOption(
  Schema.Struct({
    owner: Schema.Literal(token, token2022),
    data: Schema.Struct({
      parsed: Schema.Struct({
        type: Schema.Literal("mint"),
        info: Schema.Struct({
          ...Mint.fields.parsed.fields.info.fields,
          supply: Units,
          mintAuthority: Authority,
          freezeAuthority: Authority
        })
      })
    })
  })
)
type MintAccount = Option.Option.Value<ReturnType<typeof decodeMint>>
type Info = MintAccount["data"]["parsed"]["info"]

/** A token account and others that the node could parse. */
const isParsed = Schema.is(Schema.Struct({ data: Schema.Struct({ parsed: Schema.Unknown }) }))

const decodeName = Schema.decodeUnknownOption(
  Schema.Struct({
    name: Schema.String.pipe(Schema.maxLength(256)),
    symbol: Schema.String.pipe(Schema.maxLength(256))
  })
)
const decodePointer = Schema.decodeUnknownOption(Schema.Struct({ metadataAddress: Schema.String }))

const extensionIn = ({ extensions = [] }: Info, name: string) =>
  Option.fromNullable(extensions.find(({ extension }) => extension === name))

/** The name in the mint itself, else in the account of Metaplex. */
const nameIn = (mint: string, info: Info, account: unknown) =>
  extensionIn(info, "tokenMetadata").pipe(
    Option.flatMap(({ state }) => decodeName(state)),
    Option.orElse(() => metadataIn(mint, account))
  )

/** Extensions of Token-2022 with a power, and the members that name who has it. */
const powers = {
  take: ["permanentDelegate", ["delegate"]],
  "transfer-fee": ["transferFeeConfig", ["transferFeeConfigAuthority", "withdrawWithheldAuthority"]],
  "transfer-hook": ["transferHook", ["authority", "programId"]],
  pause: ["pausableConfig", ["authority"]]
} as const

const isRecord = Schema.is(Schema.Record({ key: Schema.String, value: Schema.Unknown }))

/** Whether an extension names somebody; null if it cannot be read. */
const names = (info: Info, extension: string, members: ReadonlyArray<string>): boolean | null =>
  Option.match(extensionIn(info, extension), {
    onNone: () => (Option.isSome(extensionIn(info, "unparseableExtension")) ? null : false),
    onSome: ({ state }) => (isRecord(state) ? members.some((member) => state[member] != null) : null)
  })

const powersOf = (info: Info, isNewer: boolean): TokenFacts["powers"] => ({
  mint: info.mintAuthority !== null,
  freeze: info.freezeAuthority !== null,
  ...(isNewer
    ? Object.fromEntries(
        Object.entries(powers).map(([power, [extension, members]]) => [power, names(info, extension, members)])
      )
    : {})
})

const noName: ReadFailure = { reason: "not_listed", message: "the mint has no name and no symbol" }
const hiddenPowers: ReadFailure = { reason: "bad_answer", message: "the node cannot read all extensions of the mint" }

const factsOf = (mint: string, { data, owner }: MintAccount, account: unknown, clock: Millis): TokenFacts => {
  const { info } = data.parsed
  const isNewer = owner === token2022
  const name = Option.getOrUndefined(nameIn(mint, info, account))
  const own = powersOf(info, isNewer)
  const scaling = scalingIn(info.extensions ?? [], clock)
  const missing = Either.isLeft(scaling)
    ? scaling.left
    : Object.values(own).includes(null)
      ? hiddenPowers
      : name === undefined
        ? noName
        : undefined
  return {
    standard: isNewer ? "Token-2022" : "SPL",
    name: name?.name ?? null,
    symbol: name?.symbol ?? null,
    decimals: info.decimals,
    supply: BigInt(info.supply),
    powers: own,
    ...(Either.isRight(scaling) && scaling.right !== undefined ? { scaling: scaling.right } : {}),
    ...(missing === undefined ? {} : { unread: missing })
  }
}

const unreadable: Fault = { reason: "bad_answer", detail: "the node cannot read the mint" }

/** Whether an account certainly is no mint: it was never used, or belongs to another program, or is a token account. */
const isOther = (account: unknown) =>
  account === null || (isOwned(account) && account.owner !== token && account.owner !== token2022) || isParsed(account)

/** Reads a mint, and its name, in one call; a pointer to a name elsewhere is followed. */
export const tokenFacts =
  (agave: SolanaProvider): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (mint) =>
    agave.nodes
      .over((node) =>
        Effect.gen(function* () {
          const usual = metadataAddress(mint) ?? mint
          const [account = null, named] = yield* agave.mints(node, [mint, usual])
          const found = Option.getOrUndefined(decodeMint(account))
          if (found === undefined) return isOther(account) ? Option.none() : yield* node.fault(unreadable)
          const pointer = Option.flatMap(extensionIn(found.data.parsed.info, "metadataPointer"), ({ state }) =>
            decodePointer(state)
          )
          const elsewhere = Option.filter(pointer, ({ metadataAddress: at }) => at !== mint && at !== usual)
          const other = Option.isNone(elsewhere)
            ? named
            : (yield* agave.mints(node, [mint, elsewhere.value.metadataAddress]))[1]
          return Option.some(factsOf(mint, found, other, yield* now))
        })
      )
      .pipe(Effect.mapError(unread), span("Solana.tokenFacts"))

/** Each mint is read with the account of its name. */
const mintsPerCall = Math.floor(accountsPerCall / 2)

/** Reads what mints call themselves; a mint that could not be read is absent, and a missing name is empty. Cannot fail. */
export const tokenNames =
  (agave: SolanaProvider): NonNullable<Chain["Type"]["tokenNames"]> =>
  (mints) =>
    Effect.map(
      Effect.forEach(
        Arr.chunksOf(mints, mintsPerCall),
        (part) =>
          agave.nodes
            .over((node) =>
              agave.mints(
                node,
                part.flatMap((mint) => [mint, metadataAddress(mint) ?? mint])
              )
            )
            .pipe(
              Effect.map((accounts) =>
                part.flatMap((mint, index) => nameOf(mint, accounts[2 * index], accounts[2 * index + 1]))
              ),
              Effect.catchAll((error) => Effect.as(Effect.logDebug(error), []))
            ),
        { concurrency: 2 }
      ),
      (parts) => new Map(parts.flat())
    )

const nameOf = (mint: string, account: unknown, named: unknown): ReadonlyArray<readonly [string, TokenName]> => {
  const found = Option.getOrUndefined(decodeMint(account))
  if (found === undefined) return []
  const { info } = found.data.parsed
  const name = Option.getOrElse(nameIn(mint, info, named), () => ({ name: "", symbol: "" }))
  return [[mint, { ...name, decimals: info.decimals }]]
}
