import * as Arr from "effect/Array"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Multiplier } from "../../../../domain/Multiplier.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { byKey } from "../../../kit/holdings/amounts.ts"
import { impossible, toMultiplier } from "../../multipliers.ts"
import type { JettonMaster } from "../../Provider.ts"
import { canonical, isElsewhere, notRequested } from "../rows.ts"
import type * as calls from "./calls.ts"
import { Amount } from "./listRows.ts"
import { declaredIn, namesIn } from "./metadata.ts"

const amountOf = Schema.decodeUnknownOption(Amount)

/**
 * The jetton wallets of the owners; with a master, only those of its jetton. Wallets whose jetton is in another workchain
 * count only in `total`. `unread` if others cannot be read, so that any owner may have more.
 */
export const walletsIn = (
  { jetton_wallets, metadata }: typeof calls.jettonWallets.response.Type,
  owners: ReadonlyArray<string>,
  master?: string
) => {
  const [requested, masters] = [new Set(owners), master === undefined ? undefined : new Set([master])]
  const declared = declaredIn(metadata)
  const read = jetton_wallets.map(({ row }) => row)
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
  return {
    rows: rows.map((row) => ({ ...row, amount: amounts.get(row.owner + row.master) })),
    total: jetton_wallets.length,
    unread: isWhole ? undefined : notRequested
  }
}

/** None if there is no such jetton, or if its metadata could not be read. */
export const decimalsIn =
  (master: string) =>
  ({
    jetton_masters,
    metadata
  }: typeof calls.jettonMaster.response.Type): Either.Either<Option.Option<number>, Fault> => {
    const isOwn = (address: string) => Option.contains(canonical(address), master)
    if (!jetton_masters.every(({ address }) => isOwn(address))) return Either.left(notRequested)
    if (jetton_masters.length === 0) return Either.right(Option.none())
    return Either.right(Option.fromNullable(declaredIn(metadata).get(master)))
  }

/** The master of a jetton; none if the indexer has no such jetton. */
export const masterIn =
  (master: string) =>
  ({
    jetton_masters,
    metadata
  }: typeof calls.jettonMaster.response.Type): Either.Either<Option.Option<JettonMaster>, Fault> => {
    const [row, ...others] = jetton_masters
    if (row === undefined) return Either.right(Option.none())
    if (others.length > 0 || !Option.contains(canonical(row.address), master)) return Either.left(notRequested)
    return Either.right(
      Option.some({
        ...namesIn(metadata, master),
        decimals: declaredIn(metadata).get(master),
        supply: Option.getOrUndefined(Option.map(amountOf(row.total_supply), BigInt)),
        isMintable: row.mintable,
        hasAdmin: row.admin_address === undefined ? undefined : row.admin_address !== null
      })
    )
  }

const Hex = Schema.String.pipe(Schema.pattern(/^0x[0-9a-f]{1,62}$/i))
const StackNumber = Schema.Tuple(Schema.Literal("num"), Hex)
const fractionOn = Schema.decodeUnknownOption(Schema.Tuple(StackNumber, StackNumber))

/** The exit code if a contract has no such method (docs.ton.org, exit codes of the TVM). */
const noMethod = 11

/** The multiplier that a jetton's master returns; undefined if it has no method for that. */
export const multiplierIn = ({
  result: { exit_code, stack }
}: typeof calls.displayMultiplier.response.Type): Either.Either<Multiplier | undefined, Fault> => {
  if (exit_code === noMethod) return Either.right(undefined)
  if (exit_code !== 0) return Either.left(impossible)
  return Option.match(fractionOn(stack), {
    onNone: () => Either.left(impossible),
    onSome: ([[, numerator], [, denominator]]) => toMultiplier(BigInt(numerator), BigInt(denominator))
  })
}
