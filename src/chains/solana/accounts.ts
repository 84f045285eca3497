import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import { seconds } from "../../domain/units.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { tooLarge } from "../../jsonrpc/callAll.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import { uint64 } from "../kit/holdings/amounts.ts"
import { requireCurrent } from "../kit/status/currentHead.ts"
import { commitment } from "./programs.ts"

// Calls for accounts, also of the Token and the Token-2022 program (solana-program.com), and their responses.

/** A u64 as a bare JSON number; beyond 2^53 it is decoded as a bigint. */
export const Lamports = Schema.Union(
  Schema.NonNegativeInt,
  Schema.NonNegativeBigIntFromSelf.pipe(Schema.lessThanOrEqualToBigInt(uint64))
)

/** `getMultipleAccounts`. Each account is decoded alone: one that cannot be read costs the others nothing. */
export const Accounts = Schema.Struct({ value: Schema.Array(Schema.Unknown) })

/** `getBalance`. */
export const Balance = Schema.Struct({ value: Lamports })

/** A u64 in decimal digits. */
export const Units = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

export const TokenAmount = Schema.Struct({
  /** Base units. */
  amount: Units,
  decimals: Schema.Int.pipe(Schema.between(0, 255))
})

/** The bytes of mint, owner and amount, with which the accounts of both token programs start. */
const accountHead = 72

export const Bytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length >= accountHead)),
  Schema.Literal("base64")
)

/** The mint and the amount of a token account. */
export const fromBytes = (data: Uint8Array) => ({
  mint: base58.encode(data.subarray(0, 32)),
  amount: Buffer.from(data).readBigUInt64LE(64)
})

/** The clock of the chain: the time of a node's newest block is an i64 at byte 32. */
export const clock = "SysvarC1ock11111111111111111111111111111111"
const time = { offset: 32, length: 8 }

const ClockBytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length === time.length)),
  Schema.Literal("base64")
)
const ParsedClock = Schema.Struct({
  parsed: Schema.Struct({ type: Schema.Literal("clock"), info: Schema.Struct({ unixTimestamp: Schema.Int }) })
})

const clockIn = Schema.decodeUnknownOption(Schema.Struct({ data: Schema.Union(ClockBytes, ParsedClock) }))

export const accountsOf = (owners: ReadonlyArray<string>): Client.ClientCall => ({
  method: "getMultipleAccounts",
  params: [[...owners, clock], { commitment, encoding: "base64", dataSlice: time }]
})

/** The accounts in a response to {@link accountsOf}. Fails if the clock that follows them does not fit ours. */
export const currentAccounts = <A>(node: Endpoint, value: ReadonlyArray<A>, count: number) =>
  Effect.gen(function* () {
    if (value.length < count || value.length > count + 1) return yield* node.fault(notUnderstood)
    const sysvar = clockIn(value[count])
    // Another account in the place of the clock: the order is not that of the request.
    if (count > 0 && Option.isNone(sysvar) && value[count] != null) return yield* node.fault(notUnderstood)
    if (Option.isSome(sysvar)) {
      const { data } = sysvar.value
      const at = "parsed" in data ? data.parsed.info.unixTimestamp : Buffer.from(data[0]).readBigInt64LE()
      yield* requireCurrent(node, solana, seconds(Number(at)))
    }
    return value.slice(0, count)
  })

/** Checks the clock in a response to {@link accountsOf} without owners, if the node returns it. */
export const requireFresh = (node: Endpoint, outcome: Client.Outcome | undefined) =>
  Either.match(decoded(Accounts, outcome), {
    onLeft: () => Effect.void,
    onRight: ({ value }) => currentAccounts(node, value, 0)
  })

export const parsedForm = { commitment, encoding: "jsonParsed" }

/** Requests what a mint declares. */
export const mintInfo = (mint: string): Client.ClientCall => ({ method: "getAccountInfo", params: [mint, parsedForm] })

/** Requests the first bytes of an owner's accounts of a token program. */
export const headsOf = (owner: string, programId: string) =>
  byOwner(owner, { programId }, { encoding: "base64", dataSlice: { offset: 0, length: accountHead } })

export const balanceOf = (owner: string): Client.ClientCall => ({
  method: "getBalance",
  params: [owner, { commitment }]
})

export const byOwner = (owner: string, filter: object, form: object): Client.ClientCall => ({
  method: "getTokenAccountsByOwner",
  params: [owner, filter, { commitment, ...form }]
})

/** The decoded result of a call, or why it cannot be used. */
export const decoded = <A, I>(
  schema: Schema.Schema<A, I>,
  outcome: Client.Outcome | undefined
): Either.Either<A, Fault> => {
  if (outcome === tooLarge) return Either.left(ResponseDecoder.tooLarge)
  if (outcome === undefined || Either.isLeft(outcome)) return Either.left(refused(outcome?.left))
  return Either.mapLeft(Schema.decodeUnknownEither(schema)(outcome.right), () => notUnderstood)
}

/** A call without a usable response has no code. */
const refused = (error: Client.RpcError | undefined): Fault =>
  error === undefined || error.code === 0
    ? notUnderstood
    : { reason: "upstream_error", detail: `the node rejected the call (${error.code})` }

export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned a response in an unexpected format" }
