import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "ripple", address: World.museum("ripple") ?? "" }

export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "transactions in the format of version 2, with the hash and the time next to them",
    fixture: "rippled/account-tx-small.json",
    ...museum,
    shows: /"tx_json":\{"(?:(?!"tx_json").)*"DeliverMax":(?:(?!"tx_json").)*"close_time_iso":"[\d-]{10}T[\d:]{8}Z"/
  },
  {
    case: "a page without a status",
    fixture: "rippled/account-tx-wallet-without-delivered.json",
    ...museum,
    shows: /"result":\{"account"(?:(?!"status":).)*"transactions":\[(?:(?!"status":).)*$/
  },
  {
    case: "a memo",
    fixture: "rippled/account-tx-small.json",
    ...museum,
    shows: /"Memos":\[\{"Memo":\{"MemoData":"[0-9A-F]+"\}\}\]/
  },
  {
    case: "the deletion of an account, whose balance is 0 afterwards",
    fixture: "rippled/tx-accountdelete.json",
    ...museum,
    shows: /"DeletedNode":\{(?=.*"LedgerEntryType":"AccountRoot").*?"Balance":"0"/
  },
  {
    case: "a delivered amount of a transaction without an amount",
    fixture: "rippled/tx-accountdelete.json",
    ...museum,
    shows: /"TransactionType":"AccountDelete".*?"delivered_amount":"9995000000"/
  },
  {
    case: "a new trust line",
    fixture: "rippled/account-tx-mixed.json",
    ...museum,
    shows:
      /"CreatedNode":\{"LedgerEntryType":"RippleState","LedgerIndex":"[0-9A-F]{64}","NewFields":\{"Balance":\{[^}]*"value":"0"\}/
  },
  {
    case: "a limit with an exponent",
    fixture: "rippled/account-tx-mixed.json",
    ...museum,
    shows: /"LowLimit":\{[^}]*"value":"\d+e-\d+"\}/
  },
  {
    case: "a negative balance of a trust line, on whose high side the account is",
    fixture: "rippled/tx-partial-payment-xrp.json",
    ...museum,
    shows: /"Balance":\{"currency":"\w+","issuer":"rrrrrrrrrrrrrrrrrrrrBZbvji","value":"-[\d.]+"\}/
  },
  {
    case: "a partial payment, which delivers less than its amount",
    fixture: "rippled/tx-partial-payment-xrp.json",
    ...museum,
    shows: /(?=.*"DeliverMax":"2000000")(?=.*"Flags":131072).*"delivered_amount":"1000000"/
  },
  {
    case: "a partial payment without nodes and without a delivered amount",
    fixture: "https://xrpl.org/docs/concepts/payment-types/partial-payments",
    ...museum,
    shows: /"meta":\{"TransactionIndex":\d+,"TransactionResult":"tesSUCCESS"\},"tx_json":\{[^{}]*"Flags":131072/
  },
  {
    case: "a partial payment whose delivered amount is unavailable, with nodes",
    fixture: "https://xrpl.org/docs/concepts/payment-types/partial-payments",
    ...museum,
    shows: /"AffectedNodes":(?:(?!"tx_json").)*"delivered_amount":"unavailable"\},"tx_json":\{[^{}]*"Flags":131072/
  },
  {
    case: "a partial payment whose delivered amount is unavailable, without nodes",
    fixture: "https://xrpl.org/docs/concepts/payment-types/partial-payments",
    ...museum,
    shows: /"TransactionResult":"tesSUCCESS","delivered_amount":"unavailable"\},"tx_json":\{[^{}]*"Flags":131072/
  },
  {
    case: "the delivered amount under the name of the ledger",
    fixture: "rippled/tx-cross-currency-payment.json",
    ...museum,
    shows: /"DeliveredAmount":/
  },
  {
    case: "the delivered amount only under the name of the ledger",
    fixture: "https://xrpl.org/docs/references/protocol/transactions/metadata",
    ...museum,
    shows: /"TransactionResult":"tesSUCCESS","DeliveredAmount":"9"\},"tx_json":\{[^{}]*"Flags":131072/
  },
  {
    case: "a transaction whose fee a delegate pays",
    fixture: "https://xrpl.org/docs/references/protocol/transactions/common-fields",
    ...museum,
    shows: /"Delegate":"r\w+"/
  },
  {
    case: "an amount of a multi-purpose token",
    fixture: "rippled/tx-payment-mptoken.json",
    ...museum,
    shows: /"DeliverMax":\{"mpt_issuance_id":"[0-9A-F]{48}","value":"1000"\}/
  },
  {
    case: "a first amount of a multi-purpose token, without the amount before",
    fixture: "rippled/tx-payment-mptoken.json",
    ...museum,
    shows: /"MPTAmount":"1000"[^}]*\}(?:(?!\}\}).)*"PreviousFields":\{\}/
  },
  {
    case: "an amount that goes into an escrow, with a tag of the destination",
    fixture: "rippled/tx-escrowcreate.json",
    ...museum,
    shows: /"DestinationTag":2(?=.*"TransactionType":"EscrowCreate")/
  },
  {
    case: "an account that is affected, but no field of it",
    fixture: "rippled/tx-escrowcreate.json",
    ...museum,
    shows: /"ModifiedNode":\{"LedgerEntryType":"AccountRoot","LedgerIndex":"[0-9A-F]{64}","PreviousTxnID"/
  },
  {
    case: "an offer without funds, which only costs its fee",
    fixture: "rippled/tx-offercreate-tecunfunded.json",
    ...museum,
    shows: /"TransactionResult":"tecUNFUNDED_OFFER"/
  },
  {
    case: "metadata without nodes and without a delivered amount",
    fixture: "rippled/account-tx-wallet-without-delivered.json",
    ...museum,
    shows: /"meta":\{"TransactionIndex":\d+,"TransactionResult":"tesSUCCESS"\}/
  },
  {
    case: "a debt among the trust lines of an account",
    fixture: "rippled/account-lines.json",
    ...museum,
    shows: /"balance":"-5","currency":"JOE"/
  }
]
