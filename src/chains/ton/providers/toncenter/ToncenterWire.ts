import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { ton } from "../../../../catalogue/ton.ts"
import type { Multiplier } from "../../../../domain/Multiplier.ts"
import { Height, Seconds } from "../../../../domain/units.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import {
  type AddressLookup,
  byAddress,
  canonical,
  isElsewhere,
  lookup,
  maxJettons,
  notRequested,
  interpreting as reading,
  stated
} from "../../decodeBody.ts"
import { impossible, toMultiplier } from "../../multipliers.ts"
import { elector } from "../../Provider.ts"
import { standardDecimals } from "../../TonAddress.ts"

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

const AccountState = Schema.Struct({ balance: Schema.NullOr(Coins), status: Schema.NullOr(Schema.String) })
const AccountStates = Schema.Struct({ accounts: Schema.Array(Schema.Unknown) })

const JettonWallets = Schema.Struct({
  jetton_wallets: Schema.Array(Schema.Unknown),
  metadata: Schema.optional(Schema.Unknown)
})

/** Balance and jetton come from contracts that anyone may deploy for any owner, so both may be anything. */
const JettonWallet = Schema.Struct({
  owner: Schema.String,
  jetton: Schema.String,
  balance: Schema.optional(Schema.Unknown)
})

const jettonWallet = Schema.decodeUnknownOption(JettonWallet)
const accountState = Schema.decodeUnknownEither(AccountState)
const amountOf = Schema.decodeUnknownOption(Amount)

const JettonMasters = Schema.Struct({
  jetton_masters: Schema.Array(Schema.Struct({ address: Schema.String })),
  metadata: Schema.optional(Schema.Unknown)
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
 * What a response says about accounts; unused ones may be absent. The elector is requested along with them: a response
 * without it is incomplete and does not mean that the others are unused.
 */
export const accountsIn = <A>(
  rows: ReadonlyArray<unknown>,
  addresses: ReadonlyArray<string>,
  unused: A,
  read: (row: unknown) => Either.Either<A, unknown>
): Either.Either<AddressLookup<A>, Fault> => {
  const accounts = byAddress(rows, new Set([...addresses, elector]), stated, read)
  return Either.map(accounts.found.get(elector) ?? Either.left(noElector), () => lookup(accounts, Either.right(unused)))
}

/** The balances of accounts. */
export const balances = (addresses: ReadonlyArray<string>): ResponseDecoder.Decoder<AddressLookup<bigint>> =>
  interpreting(AccountStates, ({ accounts }) =>
    Either.filterOrLeft(
      accountsIn(accounts, addresses, 0n, (row) =>
        Either.flatMap(accountState(row), ({ balance, status }) =>
          Either.fromNullable(balance ?? (status === "nonexist" || status === "uninit" ? 0n : undefined), () => row)
        )
      ),
      (balanceOf) => Either.getOrElse(balanceOf(elector), () => 0n) > 0n,
      () => noElector
    )
  )

/**
 * The jetton wallets of the owners; with a master, only those of its jetton. Wallets whose jetton is in another workchain
 * count only in `total`. `unread` if others cannot be read, so that any owner may have more.
 */
export const wallets = (owners: ReadonlyArray<string>, master?: string) => {
  const [requested, masters] = [new Set(owners), master === undefined ? undefined : new Set([master])]
  return interpreting(JettonWallets, ({ jetton_wallets, metadata }) => {
    const declared = declaredIn(metadata)
    const read = jetton_wallets.map((row) => jettonWallet(row))
    const known = Arr.getSomes(read).filter(({ jetton }) => !isElsewhere(jetton))
    const rows = known.flatMap(({ balance, jetton, owner }) =>
      Option.toArray(
        Option.map(
          Option.all({
            owner: Option.filter(canonical(owner), (address) => requested.has(address)),
            master: Option.filter(canonical(jetton), (address) => masters?.has(address) !== false)
          }),
          (of) => ({ ...of, amount: Option.getOrUndefined(amountOf(balance)), decimals: declared.get(of.master) })
        )
      )
    )
    const amounts = byKey(rows.map(({ amount, master, owner }) => [owner + master, amount]))
    const isWhole = rows.length === known.length && read.every(Option.isSome)
    return Either.right({
      rows: rows.map((row) => ({ ...row, amount: amounts.get(row.owner + row.master) })),
      total: jetton_wallets.length,
      unread: isWhole ? undefined : notRequested
    })
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
  interpreting(JettonMasters, ({ jetton_masters, metadata }) => {
    const isOwn = (address: string) => Option.contains(canonical(address), master)
    if (!jetton_masters.every(({ address }) => isOwn(address))) return Either.left(notRequested)
    if (jetton_masters.length === 0) return Either.right(Option.none<number>())
    return Either.right(Option.fromNullable(declaredIn(metadata).get(master)))
  })

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

/** The decimals that masters of jettons declare in the metadata beside the rows of a response, by canonical address. */
export const declaredIn = (metadata: unknown): ReadonlyMap<string, number | undefined> =>
  new Map(
    Object.entries(Predicate.isRecord(metadata) ? metadata : {}).flatMap(([address, described]) =>
      Option.toArray(Option.map(canonical(address), (key) => [key, decimalsIn(described)] as const))
    )
  )

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
