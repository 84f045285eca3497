import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { type Decimal, Drops, decimal, negated, plus, zero } from "./amount.ts"
import { currencyOf, keyOf } from "./IssuedToken.ts"
import * as RippleAddress from "./RippleAddress.ts"

// What a transaction did to balances, by the nodes that it affected (xrpl.org/docs/references/protocol/transactions/metadata).

/** The native coin among tokens. */
export const xrp = ""

/** A currency that has no form of its own here. */
const unknown = "Unknown"

/** Of each address and token what came, below zero what went; fees included. */
export type BalanceChanges = Map<string, Map<string, Decimal>>

const Issued = Schema.Struct({ currency: Schema.String, value: Schema.String })
const TrustLineSide = Schema.Struct({ issuer: Schema.String })

const Fields = Schema.Struct({
  Account: Schema.optional(Schema.String),
  Balance: Schema.optional(Schema.Union(Drops, Issued)),
  HighLimit: Schema.optional(TrustLineSide),
  LowLimit: Schema.optional(TrustLineSide),
  MPTAmount: Schema.optional(Schema.String),
  MPTokenIssuanceID: Schema.optional(Schema.String)
})

const Node = Schema.Struct({
  LedgerEntryType: Schema.String,
  PreviousFields: Schema.optional(Fields),
  FinalFields: Schema.optional(Fields),
  NewFields: Schema.optional(Fields)
})

const Affected = Schema.Union(
  Schema.Struct({ CreatedNode: Node }),
  Schema.Struct({ ModifiedNode: Node }),
  Schema.Struct({ DeletedNode: Node })
)

const kinds = ["AccountRoot", "RippleState", "MPToken"]

/** An entry of the ledger that holds a balance. */
const Holding = Schema.Struct({ LedgerEntryType: Schema.String.pipe(Schema.filter((kind) => kinds.includes(kind))) })
const TrustLineBalances = Schema.Union(
  Schema.Struct({ CreatedNode: Holding }),
  Schema.Struct({ ModifiedNode: Holding }),
  Schema.Struct({ DeletedNode: Holding })
)

const holds = Schema.is(TrustLineBalances)
const affected = Schema.decodeUnknownOption(Affected)

/** None where a node that holds a balance is in a form that is not understood. */
export const changesOf = (nodes: ReadonlyArray<unknown>): Option.Option<BalanceChanges> =>
  Option.map(Option.all(nodes.filter((node) => holds(node)).map((node) => affected(node))), (all) => {
    const changes: BalanceChanges = new Map()
    for (const item of all)
      if ("CreatedNode" in item) ofNode(changes, item.CreatedNode)
      else ofNode(changes, "ModifiedNode" in item ? item.ModifiedNode : item.DeletedNode)
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
  // Only what changed stands in the previous fields.
  const before = node.NewFields === undefined ? node.PreviousFields : {}
  if (before === undefined) return
  const created = node.NewFields !== undefined
  if (
    node.LedgerEntryType === "AccountRoot" &&
    after.Account !== undefined &&
    (created || before.Balance !== undefined)
  )
    change(changes, after.Account, xrp, minus(number(after.Balance), number(before.Balance)))
  if (node.LedgerEntryType === "MPToken" && after.Account !== undefined && (created || before.MPTAmount !== undefined))
    change(
      changes,
      after.Account,
      after.MPTokenIssuanceID ?? unknown,
      minus(number(after.MPTAmount), number(before.MPTAmount))
    )
  if (node.LedgerEntryType === "RippleState" && (created || before.Balance !== undefined))
    ofLine(changes, after, number(before.Balance))
}

/** A line holds for its low side what the high side owes, below zero for the high side what the low side owes. */
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

/** Multi-purpose tokens have an id, and whole amounts. */
export const isMpt = (token: string): boolean => /^[0-9A-F]{48}$/i.test(token)

/** Who owes a token: its issuer, for multi-purpose tokens named by the last twenty bytes of their id. */
export const issuerOf = (token: string): string | undefined => {
  if (isMpt(token)) return RippleAddress.ofAccount(Buffer.from(token.slice(8), "hex"))
  return token.includes(".") ? token.slice(0, token.indexOf(".")) : undefined
}

const number = (balance: string | typeof Issued.Type | undefined): Decimal =>
  Option.getOrElse(decimal(typeof balance === "object" ? balance.value : (balance ?? "0")), () => zero)

const minus = (a: Decimal, b: Decimal) => plus(a, negated(b))

const positive = (balance: Decimal) => (balance.digits > 0n ? balance : zero)
