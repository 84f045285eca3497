import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ton } from "../../../catalogue/ton.ts"
import type { Multiplier } from "../../../domain/Multiplier.ts"
import { Height, Seconds } from "../../../domain/units.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { byKey } from "../../amounts.ts"
import { elector } from "../Client.ts"
import { maxJettons, interpreting as reading, requestedAddress } from "../decodeBody.ts"
import { impossible, toMultiplier } from "../Multipliers.ts"
import * as TonAddress from "../TonAddress.ts"
import { standardDecimals } from "../TonAddress.ts"

const units = (max: bigint) =>
  Schema.String.pipe(
    Schema.pattern(/^\d{1,40}$/),
    Schema.compose(Schema.BigInt),
    Schema.filter((amount) => amount <= max)
  )

/** Base units of a jetton in decimal digits. */
export const Amount = units(maxJettons)

/** Base units of TON in decimal digits. */
export const Coins = units(ton.supply)

const AccountStates = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({ address: Schema.String, balance: Schema.NullOr(Coins), status: Schema.NullOr(Schema.String) })
  )
})

/** Balance and jetton come from contracts that anyone may deploy for any owner, so both may be anything. */
const JettonWallets = Schema.Struct({
  jetton_wallets: Schema.Array(Schema.Struct({ owner: Schema.String, jetton: Schema.String, balance: Schema.Unknown })),
  metadata: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

const amountOf = Schema.decodeUnknownOption(Amount)

const JettonMasters = Schema.Struct({
  jetton_masters: Schema.Array(Schema.Struct({ address: Schema.String })),
  metadata: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
})

/** Indexed metadata of a contract; its owner writes it, so it may contain anything. */
const Metadata = Schema.Struct({
  is_indexed: Schema.Boolean,
  token_info: Schema.Array(
    Schema.Struct({
      type: Schema.optional(Schema.String),
      valid: Schema.optional(Schema.Boolean),
      extra: Schema.optional(Schema.Record({ key: Schema.String, value: Schema.Unknown }))
    })
  )
})

/**
 * Balances by canonical address, undefined if an account has none; unused addresses may be absent. The elector is
 * requested along with them: a response without it is incomplete and does not mean that the other balances are zero.
 */
export const balances = (
  addresses: ReadonlyArray<string>
): ResponseDecoder.Decoder<ReadonlyMap<string, bigint | undefined>> => {
  const requested = new Set([...addresses, elector])
  return interpreting(AccountStates, ({ accounts }) =>
    Either.gen(function* () {
      const rows: Array<readonly [string, bigint | undefined]> = []
      for (const { address, balance, status } of accounts)
        rows.push([
          yield* requestedAddress(requested, address),
          balance ?? (status === "nonexist" || status === "uninit" ? 0n : undefined)
        ])
      const found = byKey(rows)
      return found.get(elector) ? found : yield* Either.left(noElector)
    })
  )
}

/**
 * The jetton wallets of the owners; with a master, only those of its jetton. Wallets whose jetton has an invalid
 * address count only in `total`.
 */
export const wallets = (owners: ReadonlyArray<string>, master?: string) => {
  const requested = new Set(owners)
  const masters = master === undefined ? undefined : new Set([master])
  return interpreting(JettonWallets, ({ jetton_wallets, metadata = {} }) => {
    const declared = new Map(
      Object.entries(metadata).flatMap(([address, described]) =>
        Option.toArray(
          Option.map(Either.getRight(TonAddress.parse(address)), (key) => [key, decimalsIn(described)] as const)
        )
      )
    )
    const known = jetton_wallets.filter(
      ({ jetton }) => masters !== undefined || Either.isRight(TonAddress.parse(jetton))
    )
    return Either.map(
      Either.all(
        known.map(({ balance, jetton, owner }) =>
          Either.map(
            Either.all([requestedAddress(requested, owner), requestedAddress(masters, jetton)]),
            ([owner, master]) => ({
              owner,
              master,
              amount: Option.getOrUndefined(amountOf(balance)),
              decimals: declared.get(master)
            })
          )
        )
      ),
      (rows) => {
        const amounts = byKey(rows.map(({ amount, master, owner }) => [owner + master, amount]))
        return {
          rows: rows.map((row) => ({ ...row, amount: amounts.get(row.owner + row.master) })),
          total: jetton_wallets.length
        }
      }
    )
  })
}

const MasterchainInfo = Schema.Struct({
  last: Schema.Struct({
    seqno: Height,
    gen_utime: Schema.Union(Seconds, Schema.compose(Schema.NumberFromString, Seconds))
  })
})

/** None if there is no such jetton, or if its metadata could not be read. */
export const masterDecimals = (master: string) =>
  interpreting(JettonMasters, ({ jetton_masters, metadata = {} }) =>
    Either.map(
      Either.all(jetton_masters.map(({ address }) => requestedAddress(new Set([master]), address))),
      (found): Option.Option<number> => {
        if (found.length === 0) return Option.none()
        const entry = Object.entries(metadata).find(
          ([address]) => Either.getOrNull(TonAddress.parse(address)) === master
        )
        return Option.fromNullable(decimalsIn(entry?.[1]))
      }
    )
  )

/** The result of a get method of a contract: a number is on the stack as `["num", "0x1f"]`. */
const GetMethod = Schema.Struct({
  ok: Schema.Literal(true),
  result: Schema.Struct({ exit_code: Schema.Int, stack: Schema.Unknown })
})
const Hex = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,62}$/i))
const StackNumber = Schema.Tuple(Schema.Literal("num"), Hex)
const fractionOn = Schema.decodeUnknownOption(Schema.Tuple(StackNumber, StackNumber))

/** The exit code if a contract has no such method (docs.ton.org, exit codes of the TVM). */
const noMethod = 11

/** The multiplier that a jetton's master returns; undefined if it has no method for that. */
export const multiplier: ResponseDecoder.Decoder<Multiplier | undefined> = (answer) =>
  Either.flatMap(interpreting(GetMethod, ({ result }) => Either.right(result))(answer), ({ exit_code, stack }) => {
    if (exit_code === noMethod) return Either.right(undefined)
    if (exit_code !== 0) return Either.left(impossible)
    return Option.match(fractionOn(stack), {
      onNone: () => Either.left(impossible),
      onSome: ([[, numerator], [, denominator]]) => toMultiplier(BigInt(numerator), BigInt(denominator))
    })
  })

/** Complete metadata without decimals means the standard value; with incomplete metadata, the decimals are unknown. */
const decimalsIn = (metadata: unknown): number | undefined => {
  const decoded = Option.getOrUndefined(decodeMetadata(metadata))
  const master = decoded?.token_info.find(({ type }) => type === "jetton_masters")
  const declared = master?.extra?.decimals
  const digits = typeof declared === "number" || typeof declared === "string" ? String(declared) : ""
  if (/^\d{1,3}$/.test(digits) && Number(digits) <= 255) return Number(digits)
  return decoded?.is_indexed === true && master?.valid === true && declared === undefined ? standardDecimals : undefined
}

const decodeMetadata = Schema.decodeUnknownOption(Metadata)

/**
 * An error has `ok: false` (API v2 and the gateway) or an `error` (API v3), and a code, which counts if the HTTP status
 * is 200.
 */
const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body) || (body.ok !== false && typeof body.error !== "string")) return undefined
  const text = [body.error, body.result].find((member) => typeof member === "string") ?? ""
  if (/rate ?limit/i.test(`${text}`)) return { reason: "rate_limited", detail: "rate limit reached" }
  if (typeof body.code === "number")
    return ResponseDecoder.statusFault({ status: body.code, text: "", retryAfter: undefined }) ?? refused
  return body.ok === false ? refused : undefined
}

export const interpreting = reading({ refusal })

/** The newest block of the masterchain. */
export const head = interpreting(MasterchainInfo, ({ last }) =>
  Either.right({ height: last.seqno, time: last.gen_utime })
)

const refused: Fault = { reason: "upstream_error", detail: "rejected the request" }
const noElector: Fault = { reason: "bad_answer", detail: "returned no balance of an account that exists" }
