import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Decimal, decimal, negated, plus, zero } from "./amount.ts"
import { currencyOf, keyOf } from "./IssuedToken.ts"
import * as RippleAddress from "./RippleAddress.ts"

// Balance changes of a transaction, from its affected nodes (xrpl.org/docs/references/protocol/transactions/metadata).

/** The key of the native coin among tokens. */
export const xrp = ""

/** Stands for a currency code that cannot be parsed. */
const unknown = "Unknown"

/** By address and token: received amounts are positive, sent amounts negative; fees included. */
export type BalanceChanges = Map<string, Map<string, Decimal>>

/** Drops in decimal digits. In some ledgers of 2013 an account has a negative balance. */
const Balance = Schema.String.pipe(Schema.pattern(/^-?\d{1,18}$/))

const Issued = Schema.Struct({ currency: Schema.String, value: Schema.String })
const TrustLineSide = Schema.Struct({ issuer: Schema.String })

const Fields = Schema.Struct(
  {
    Account: Schema.optional(Schema.String),
    Balance: Schema.optional(Schema.Union(Balance, Issued)),
    HighLimit: Schema.optional(TrustLineSide),
    LowLimit: Schema.optional(TrustLineSide),
    MPTAmount: Schema.optional(Schema.String),
    MPTokenIssuanceID: Schema.optional(Schema.String)
  },
  Schema.Record({ key: Schema.String, value: Schema.Unknown })
)

const Node = Schema.Struct({
  LedgerEntryType: Schema.String,
  PreviousFields: Schema.optional(Fields),
  FinalFields: Schema.optional(Fields),
  NewFields: Schema.optional(Fields)
}).pipe(
  // An account has its address, and a trust line two sides.
  Schema.filter(({ FinalFields, LedgerEntryType, NewFields: after = FinalFields, PreviousFields }) => {
    if (after === undefined) return PreviousFields?.Balance === undefined
    if (LedgerEntryType === "AccountRoot") return after.Account !== undefined
    const isLine = typeof after.Balance === "object" && after.HighLimit !== undefined && after.LowLimit !== undefined
    return LedgerEntryType !== "RippleState" || isLine
  })
)

const Affected = Schema.Union(
  Schema.Struct({ CreatedNode: Node }),
  Schema.Struct({ ModifiedNode: Node }),
  Schema.Struct({ DeletedNode: Node })
)

const kinds = ["AccountRoot", "RippleState", "MPToken"]

/** A ledger entry without a balance. */
const Other = Schema.Struct({ LedgerEntryType: Schema.String.pipe(Schema.filter((kind) => !kinds.includes(kind))) })
const OtherNode = Schema.Union(
  Schema.Struct({ CreatedNode: Other }),
  Schema.Struct({ ModifiedNode: Other }),
  Schema.Struct({ DeletedNode: Other })
)

const isOther = Schema.is(OtherNode)
const affected = Schema.decodeUnknownOption(Affected)

/** None if an entry that may have a balance cannot be decoded. */
export const changesOf = (nodes: ReadonlyArray<unknown>): Option.Option<BalanceChanges> =>
  Option.map(Option.all(nodes.filter((node) => !isOther(node)).map((node) => affected(node))), (all) => {
    const changes: BalanceChanges = new Map()
    for (const entry of all)
      if ("CreatedNode" in entry) ofNode(changes, entry.CreatedNode)
      else ofNode(changes, "ModifiedNode" in entry ? entry.ModifiedNode : entry.DeletedNode)
    return changes
  })

export const change = (changes: BalanceChanges, address: string, token: string, amount: Decimal) => {
  const tokens = changes.get(address) ?? new Map<string, Decimal>()
  changes.set(address, tokens.set(token, plus(tokens.get(token) ?? zero, amount)))
}

type Node = typeof Node.Type

const ofNode = (changes: BalanceChanges, node: Node) => {
  const after = node.NewFields ?? node.FinalFields
  if (after === undefined) return
  const created = node.NewFields !== undefined
  // The previous fields are only the changed fields. An amount of zero is omitted, and then there may be none at all.
  const before = created || node.LedgerEntryType === "MPToken" ? (node.PreviousFields ?? {}) : node.PreviousFields
  if (before === undefined) return
  if (
    node.LedgerEntryType === "AccountRoot" &&
    after.Account !== undefined &&
    (created || before.Balance !== undefined)
  )
    change(changes, after.Account, xrp, minus(number(after.Balance), number(before.Balance)))
  if (
    node.LedgerEntryType === "MPToken" &&
    after.Account !== undefined &&
    (created || before.MPTAmount !== undefined || (after.MPTAmount !== undefined && Object.keys(before).length === 0))
  )
    change(
      changes,
      after.Account,
      after.MPTokenIssuanceID ?? unknown,
      minus(number(after.MPTAmount), number(before.MPTAmount))
    )
  if (node.LedgerEntryType === "RippleState" && (created || before.Balance !== undefined))
    ofLine(changes, after, number(before.Balance))
}

/** A positive balance belongs to the low side and is owed by the high side; a negative balance is the reverse. */
const ofLine = (changes: BalanceChanges, { Balance, HighLimit, LowLimit }: typeof Fields.Type, before: Decimal) => {
  if (HighLimit === undefined || LowLimit === undefined || typeof Balance !== "object") return
  const [high, low, after] = [HighLimit.issuer, LowLimit.issuer, number(Balance)]
  const sides = [
    { holder: low, issuer: high, amount: minus(positive(after), positive(before)) },
    { holder: high, issuer: low, amount: minus(positive(negated(after)), positive(negated(before))) }
  ]
  for (const { amount, holder, issuer } of sides)
    if (amount.digits !== 0n) change(changes, holder, tokenOf(issuer, Balance.currency), amount)
}

export const tokenOf = (issuer: string, currency: string): string =>
  Either.match(currencyOf(currency), { onLeft: () => unknown, onRight: (text) => keyOf({ issuer, currency: text }) })

/** Multi-purpose tokens have an id, and integer amounts. */
export const isMpt = (token: string): boolean => /^[0-9A-F]{48}$/i.test(token)

/** The issuer of a token; the id of a multi-purpose token ends with its issuer's twenty bytes. */
export const issuerOf = (token: string): string | undefined => {
  if (isMpt(token)) return RippleAddress.ofAccount(Buffer.from(token.slice(8), "hex"))
  return token.includes(".") ? token.slice(0, token.indexOf(".")) : undefined
}

const number = (balance: string | typeof Issued.Type | undefined): Decimal =>
  Option.getOrElse(decimal(typeof balance === "object" ? balance.value : (balance ?? "0")), () => zero)

const minus = (a: Decimal, b: Decimal) => plus(a, negated(b))

const positive = (balance: Decimal) => (balance.digits > 0n ? balance : zero)
