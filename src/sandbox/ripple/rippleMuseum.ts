import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import type { Move } from "../world/ledger.ts"
import { digest, issuedOf } from "./rippleTransaction.ts"

/** The parties of an exhibit. */
interface Exhibited {
  readonly move: Move
  /** The museum. */
  readonly account: string
  readonly other: string
}

/** A limit as servers write large amounts. */
const largeLimit = "6900000000000000e-4"

/** Seconds of the Ripple epoch: 2015, when they were recorded. */
const escrow = {
  DestinationTag: 2,
  Condition: "A0258020E3B0C44298FC1C149AFBF4C8996FB92427AE41E4649B934CA495991B7852B855810100",
  CancelAfter: 500_972_022,
  FinishAfter: 500_971_662
}

/** The token that the other party of a move issued: its id ends with the account. */
const mptOf = ({ seed }: Move) => `00641906${seed.slice(0, 40).toUpperCase()}`

const mptAmount = (move: Move) => ({ mpt_issuance_id: mptOf(move), value: "1000" })

/** Pays the fees of the museum, or lets the museum pay its fees. */
const thirdParty = RippleAddress.ofAccount(Buffer.alloc(20, 7))

/** Fields of an exhibit that differ from a payment; a field that is undefined is left out. */
export const fieldsOf = (move: Move, account: string): Readonly<Record<string, unknown>> => {
  const noPayment = { Amount: undefined, Destination: undefined }
  switch (move.exhibit) {
    case "trust line":
      return { ...noPayment, TransactionType: "TrustSet", LimitAmount: { ...issuedOf(move), value: "690000000000" } }
    case "account deletion":
      return { TransactionType: "AccountDelete", Amount: undefined }
    case "partial payment":
    case "not delivered":
    case "unavailable":
    case "unavailable without nodes":
    case "DeliveredAmount":
      return { Flags: 131_072, Amount: "2000000" }
    case "delegated":
      return { Fee: "12", Delegate: thirdParty }
    case "delegate":
      return { Account: thirdParty, Delegate: account, Amount: "7" }
    case "multi-purpose token":
      return { Amount: mptAmount(move) }
    case "escrow":
      return { TransactionType: "EscrowCreate", ...escrow }
    case "memo":
      return { Memos: [{ Memo: { MemoData: "3D3A733A307842413444" } }] }
    case "failed offer":
      return {
        ...noPayment,
        TransactionType: "OfferCreate",
        TakerGets: { currency: "USD", issuer: "rMH4UxPrbuMa1spCBR98hLLyNJp4d8p4tM", value: "10.1" },
        TakerPays: "254391353000000"
      }
    default:
      return {}
  }
}

type Fields = Readonly<Record<string, unknown>>

interface ModifiedEntry {
  readonly LedgerEntryType: string
  readonly LedgerIndex: string
  readonly FinalFields?: Fields
  readonly PreviousFields?: Fields
  readonly PreviousTxnID?: string
  readonly PreviousTxnLgrSeq?: number
}

type Node =
  | { readonly ModifiedNode: ModifiedEntry }
  | { readonly CreatedNode: Fields }
  | { readonly DeletedNode: Fields }

/** Metadata of a transaction. */
export interface Meta {
  readonly AffectedNodes?: ReadonlyArray<Node>
  readonly TransactionIndex: number
  readonly TransactionResult: string
  readonly delivered_amount?: unknown
  readonly DeliveredAmount?: unknown
}

/** Metadata of a transaction; `usual` are those of a payment with this move. */
export const exhibitedMeta = ({ account, move, other }: Exhibited, usual: Meta): Meta => {
  const { AffectedNodes: nodes = [], delivered_amount: _, ...bare } = usual
  /** Changes the account of the other party. */
  const ofOther = (change: (entry: ModifiedEntry) => Node) =>
    nodes.map((node) => {
      if (!("ModifiedNode" in node) || node.ModifiedNode.FinalFields?.Account !== other) return node
      return change(node.ModifiedNode)
    })
  switch (move.exhibit) {
    case "trust line":
      return { ...bare, AffectedNodes: [...nodes, { CreatedNode: lineOf(move, account) }] }
    case "account deletion":
      return { ...usual, AffectedNodes: ofOther((entry) => ({ DeletedNode: deleted(entry, move) })) }
    case "multi-purpose token": {
      const holding = { ModifiedNode: holdingOf(move, account) }
      return { ...bare, AffectedNodes: [...nodes, holding], delivered_amount: mptAmount(move) }
    }
    case "escrow": {
      // The recipient is affected, but no field of it changes.
      const untouched = ofOther(({ FinalFields: _, PreviousFields: __, ...entry }) => ({ ModifiedNode: entry }))
      return { ...bare, AffectedNodes: [...untouched, { CreatedNode: escrowOf(move, account, other) }] }
    }
    case "failed offer":
      return { ...bare, TransactionResult: "tecUNFUNDED_OFFER", AffectedNodes: nodes }
    case "no nodes":
    case "not delivered":
      return bare
    case "unavailable":
      return { ...usual, delivered_amount: "unavailable" }
    case "unavailable without nodes":
      return { ...bare, delivered_amount: "unavailable" }
    case "DeliveredAmount":
      return { ...bare, DeliveredAmount: String(move.amount) }
    case "delegated":
      return { ...usual, AffectedNodes: [...nodes, changedRoot(thirdParty, -12n)] }
    case "delegate":
      return {
        ...usual,
        AffectedNodes: [...nodes, changedRoot(thirdParty, -7n), changedRoot(other, 7n)],
        delivered_amount: "7"
      }
    default:
      return usual
  }
}

/** The account of another party, whose balance changes. */
const changedRoot = (account: string, change: bigint): Node => ({
  ModifiedNode: {
    LedgerEntryType: "AccountRoot",
    LedgerIndex: digest("account", account),
    FinalFields: { Account: account, Balance: String(10n ** 16n + change), Flags: 0 },
    PreviousFields: { Balance: String(10n ** 16n) }
  }
})

const deleted = ({ FinalFields, PreviousFields, ...entry }: ModifiedEntry, { amount, fee }: Move) => ({
  ...entry,
  FinalFields: { ...FinalFields, Balance: "0" },
  PreviousFields: { ...PreviousFields, Balance: String(amount + fee) }
})

/** A new trust line, on whose low side the museum is. */
const lineOf = (move: Move, account: string) => {
  const { currency, issuer } = issuedOf(move) ?? { currency: "", issuer: "" }
  return {
    LedgerEntryType: "RippleState",
    LedgerIndex: digest("line", account, issuer, currency),
    NewFields: {
      Balance: { currency, issuer: "rrrrrrrrrrrrrrrrrrrrBZbvji", value: "0" },
      Flags: 65_536,
      HighLimit: { currency, issuer, value: "0" },
      HighNode: "69a",
      LowLimit: { currency, issuer: account, value: largeLimit }
    }
  }
}

/** An amount of 0 before is left out. */
const holdingOf = (move: Move, account: string) => ({
  LedgerEntryType: "MPToken",
  LedgerIndex: digest("multi-purpose token", account),
  FinalFields: { Account: account, Flags: 2, MPTAmount: "1000", MPTokenIssuanceID: mptOf(move), OwnerNode: "0" },
  PreviousFields: {}
})

const escrowOf = ({ amount }: Move, account: string, other: string) => ({
  LedgerEntryType: "Escrow",
  LedgerIndex: digest("escrow", account),
  NewFields: { Account: account, Amount: String(amount), Destination: other, ...escrow }
})
