import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { connectionLost } from "../../jsonrpc/errors.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import { uint256 } from "../kit/holdings/amounts.ts"
import * as TronAddress from "./TronAddress.ts"

/** A call of a node's HTTP API. */
export const post = (path: string, body: unknown) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(path), body)

/** A non-negative integer, at most the total supply. */
export const Sun = Schema.transform(
  Schema.Union(Schema.Int.pipe(Schema.nonNegative()), Schema.NonNegativeBigIntFromSelf),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: (sun) => sun }
).pipe(Schema.filter((sun) => sun <= tron.supply))

/** Base units of a TRC-20 token in decimal digits. */
export const TokenUnits = Schema.String.pipe(
  Schema.pattern(/^\d{1,78}$/),
  Schema.filter((text) => BigInt(text) <= uint256)
)

const zero = { default: () => 0n }

/** `{}`: an account that was never activated. Any other object without an address is invalid. */
export const Inactive = Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
  Schema.filter((members) => Object.keys(members).length === 0)
)

/** A response that is an empty object if the node does not have the requested thing. */
export const orAbsent = <A, I>(schema: Schema.Schema<A, I>) =>
  Schema.Union(
    schema,
    Schema.transform(Inactive, Schema.Undefined, { strict: true, decode: () => undefined, encode: () => ({}) })
  )

/** The requested address, in any form that nodes use. */
export const requestedAddress = (address: string) =>
  Schema.String.pipe(Schema.filter((text) => Either.getOrUndefined(TronAddress.parse(text)) === address))

/** Response of `/wallet/getaccount`; protobuf omits a balance of zero. Staked TRX is not included. */
export const walletAccount = (address: string) =>
  Schema.Union(
    Schema.Struct({ address: requestedAddress(address), balance: Schema.optionalWith(Sun, zero) }),
    Schema.transform(Inactive, Schema.Struct({ balance: Schema.BigIntFromSelf }), {
      strict: true,
      decode: () => ({ balance: 0n }),
      encode: () => ({})
    })
  )

/** Above the daily totals of the network: 43.2 billion bytes of bandwidth and about 180 billion units of energy. */
const maxResource = 1e12

/** Resource numbers of the API; protobuf omits zeros. */
const Units = Schema.optionalWith(Schema.Int.pipe(Schema.between(0, maxResource)), { default: () => 0 })

/** Response of `/wallet/getaccountresource`; `{}` for a never-activated account, else with the network's total. */
export const AccountResources = Schema.compose(
  Schema.Record({ key: Schema.String, value: Schema.Unknown }).pipe(
    Schema.filter((members) => "TotalNetLimit" in members || Object.keys(members).length === 0)
  ),
  Schema.Struct({
    TotalNetLimit: Schema.optional(Schema.NonNegativeInt),
    freeNetLimit: Units,
    freeNetUsed: Units,
    NetLimit: Units,
    NetUsed: Units,
    EnergyLimit: Units,
    EnergyUsed: Units
  }),
  { strict: false }
)

/** Objects with one member each: contract address, amount in base units. Each is decoded alone. */
const Trc20 = Schema.Array(Schema.Unknown)

/** Response of `/v1/accounts/{address}`: empty for an account that was never activated. */
export const accounts = (address: string) =>
  Schema.Struct({
    success: Schema.Literal(true),
    data: Schema.Array(
      Schema.Struct({
        address: requestedAddress(address),
        balance: Schema.optionalWith(Sun, zero),
        trc20: Trc20
      })
    ).pipe(Schema.maxItems(1))
  })

/** Response of `/v1/accounts/{address}/trc20/balance`; a further page is an error, as the list would be incomplete. */
export const Trc20Balances = Schema.Struct({
  success: Schema.Literal(true),
  data: Trc20,
  meta: Schema.optional(
    Schema.Struct({
      fingerprint: Schema.optional(Schema.Undefined),
      links: Schema.optional(Schema.Struct({ next: Schema.optional(Schema.Undefined) }))
    })
  )
})

const Called = Schema.Struct({
  result: Schema.Struct({
    result: Schema.optional(Schema.Boolean),
    code: Schema.optional(Schema.String),
    message: Schema.optional(Schema.String)
  }),
  constant_result: Schema.optional(Schema.Array(Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/i)))),
  transaction: Schema.optional(
    Schema.Struct({
      ret: Schema.optional(Schema.Array(Schema.Struct({ ret: Schema.optional(Schema.String) })))
    })
  )
})

/** Errors with HTTP status 200, also overload: `{"Error": …}`, or `{"success": false, "error": …}`. */
export const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body)) return undefined
  if (Predicate.isRecord(body.result) && body.result.code === "SERVER_BUSY")
    return { reason: "rate_limited", detail: "rate limit reached" }
  const error = body.Error ?? (body.success === false ? (body.error ?? "") : undefined)
  if (error === undefined) return undefined
  if (typeof error !== "string" || !busy.test(error) || connectionLost.test(error))
    return { reason: "upstream_error", detail: "returned an error" }
  const [, seconds] = /suspended for (\d{1,4}) ?s/i.exec(error) ?? []
  return {
    reason: "rate_limited",
    detail: "rate limit reached",
    ...(seconds === undefined ? {} : { retryAfter: Number(seconds) * 1000 })
  }
}

const busy = /computing resources|frequency|\brate\b|\brps\b|suspended|exceed|too many|limit/i

/** Options for decoding responses; sums may exceed 2^53. */
export const decodeOptions: ResponseDecoder.DecodeOptions = { exact: true, refusal }

const called = ResponseDecoder.fitting(Called, decodeOptions)
const notExecuted = { reason: "bad_answer", kind: "not_executed", detail: "the contract call failed" } as const

/**
 * The result of `/wallet/triggerconstantcontract`, as hex with `0x`. A revert has the result `true` as well: only its
 * message and the transaction's state show it.
 */
export const returned: ResponseDecoder.Decoder<`0x${string}`> = (answer) =>
  Either.flatMap(called(answer), ({ constant_result, result, transaction }): Either.Either<`0x${string}`, Fault> => {
    const [hex = ""] = constant_result ?? []
    const failed = transaction?.ret?.some(({ ret }) => ret !== undefined && ret !== "SUCESS" && ret !== "SUCCESS")
    return result.result !== true || result.code !== undefined || (result.message ?? "") !== "" || failed === true
      ? // A node that runs out of time, for example, has this code: the same call may succeed later.
        Either.left({ ...notExecuted, final: result.code !== "OTHER_ERROR" })
      : Either.right(`0x${hex}` as const)
  })

/** Decodes {@link returned}; an undecodable result is a final error. */
export const returning = <A>(decode: (hex: `0x${string}`) => Option.Option<A>, otherwise: string) =>
  ((answer) =>
    Either.flatMap(returned(answer), (hex) =>
      Option.match(decode(hex), {
        onNone: () => Either.left({ reason: "bad_answer" as const, detail: otherwise, final: true }),
        onSome: (value) => Either.right(value)
      })
    )) satisfies ResponseDecoder.Decoder<A>
