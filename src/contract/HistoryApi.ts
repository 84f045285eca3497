import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { enumOf, flag, mustBe, number, numberOrNull, optional, text, textOrNull } from "../domain/fields.ts"
import { BodyProblems, EdgeProblems, TooLarge, UpstreamFailed } from "./Problem.ts"
import { EventStream, eventsNote, Failures, StreamIsOver, streamingNote, streams, streamsEvents } from "./streaming.ts"
import {
  AddressesByNetwork,
  AddressesInQuery,
  CursorsInQuery,
  described,
  HasSideEffect,
  inQuery,
  inRequest,
  recordOf,
  titled,
  wholeNumber
} from "./wire.ts"

export const Currency = Schema.Struct({
  img: text("URL of an icon; empty if the token has no icon.", "https://assets.example/tether.png"),
  coinId: text("The coin's id at the market data provider.", "tether"),
  address: text("Contract of the token.", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
  decimals: number("Number of decimals of the token.", 6),
  price: numberOrNull("Price in USD; null if no source has a current price that is for the displayed unit.", 1),
  symbol: text("Symbol of the token, in lower case.", "usdt"),
  multiplier: optional(
    textOrNull(
      "What wallets display is the amount times this multiplier, cut after `decimals` decimals. Absent if it is 1; null if it could not be read.",
      "1.005714560286254"
    )
  ),
  approximate: optional(
    flag("True if `multiplier` is the current one: at the time of the transaction it may have been another.", true)
  )
}).annotations({ identifier: "Currency", description: "A token of the registry." })
export type Currency = typeof Currency.Type

export const Party = Schema.Struct({
  address: text("The address that spends or receives.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  amount: text(
    "Amount in base units, without the fee. If several addresses pay in one transaction (Bitcoin family, Cardano), the amount of each is the sum of its inputs minus its change and its share of the fee. Shares are in proportion to the inputs, the largest payer pays the rounding remainder, and no share exceeds inputs minus change. An address that pays only a part of the fee has an amount of 0. In the Bitcoin family the sums of `from` and `to` are equal.",
    "1500000000000000000"
  ),
  currency: optional(
    Schema.Union(Currency, Schema.String).annotations({
      description:
        "Absent for the native coin. A string is the address of a token that is not in the registry or whose decimals are not confirmed (see `missing`), or the word Unknown.",
      examples: ["Unknown"]
    })
  )
}).annotations({ identifier: "Party", description: "One side of a transfer." })
export type Party = typeof Party.Type

export const flagNames = ["zero-value", "lookalike", "unknown-token"] as const

export const HistoryEntry = Schema.Struct({
  hash: text("Hash of the transaction.", "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"),
  explorer: text("Page of the transaction in a block explorer.", "https://explorer.example/tx/0x5c504ed4"),
  type: text("Contract Call, Receive, Send, Cancel, or the network's own name for the type.", "Send"),
  fee: textOrNull(
    "Fee in base units, including the cost of data on another chain (L1 fee); null if it is not certain.",
    "441000000000000"
  ),
  status: enumOf("Result of the transaction.", ["Failed", "Success", "Pending", "Unknown"], "Success"),
  timestamp: number("Time of execution, UNIX time in seconds.", 1793450000),
  block: numberOrNull(
    "Height of its block: a slot on Solana, a ledger on the XRP Ledger, a checkpoint on Sui, a block of the masterchain on TON. Null while it is pending, and if the source does not return it.",
    25900000
  ),
  confirmations: numberOrNull(
    "Number of blocks from its block to the newest, both included; 0 while it is pending. The newest block is read only if a transaction in the list may still be reverted: null without it, without `block`, and if it cannot be read.",
    3
  ),
  nonce: numberOrNull(
    "The sender's number of the transaction: the nonce on EVM networks and Polkadot, the sequence or the ticket on the XRP Ledger. Null on other networks, and if the source does not return it.",
    17
  ),
  from: Schema.Array(Party).annotations({
    description: "All parties that spend.",
    examples: [[{ address: "0x00000000219ab540356cBB839Cbe05303d7705Fa", amount: "1500000000000000000" }]]
  }),
  to: Schema.Array(Party).annotations({
    description: "All parties that receive.",
    examples: [[{ address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", amount: "1500000000000000000" }]]
  }),
  flags: optional(
    Schema.Array(Schema.Literal(...flagNames)).annotations({
      description:
        "Signs of address poisoning. zero-value: the amount is zero; lookalike: the address of a party resembles an address that the holder transacts with; unknown-token: the token is not in the registry.",
      examples: [["zero-value", "lookalike"]]
    })
  )
}).annotations({ identifier: "HistoryEntry", description: "One transaction of an address." })
export type HistoryEntry = typeof HistoryEntry.Type

export const HistoryMeta = Schema.Struct({
  complete: flag(
    "True if no movement of coins or tokens back to `oldest` is missing. If a source reports a total, that number of transactions was read. Transfers of NFTs that a source has on separate lists are in `missing` only.",
    true
  ),
  oldest: numberOrNull("UNIX time in seconds of the oldest entry; null if the list is empty.", 1700000000),
  next: textOrNull(
    "Cursor of the next page, which has older transactions; send it in `cursors`. Null if no older transactions can be read; if `complete` is then false, `missing` describes the gap. A cursor does not expire. If the requested page could not be read, `next` is the cursor of that page.",
    "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9"
  ),
  sources: Schema.Array(Schema.String).annotations({
    description: "The upstreams that returned the transactions.",
    examples: [["blockscout"]]
  }),
  missing: Schema.Array(Schema.String).annotations({
    description:
      "Human-readable names of missing data, including data that no source lists, such as validator withdrawals.",
    examples: [["internal transfers"]]
  }),
  unlisted: optional(
    Schema.Array(Schema.String).annotations({
      description:
        "Those of `missing` that no source lists, such as validator withdrawals: nothing failed. If all of `missing` is among them, the list is as complete as it can be. Absent if they are empty.",
      examples: [["beacon chain withdrawals"]]
    })
  )
}).annotations({ identifier: "HistoryMeta", description: "How complete the list of one address is." })
export type HistoryMeta = typeof HistoryMeta.Type

const byNetworkAndAddress = <A, I>(value: Schema.Schema<A, I>, description: string) =>
  recordOf(
    "ethereum",
    recordOf("0x00000000219ab540356cBB839Cbe05303d7705Fa", value, "By address, spelled as in the request."),
    description
  )

export const History = byNetworkAndAddress(
  Schema.Array(HistoryEntry),
  "Transactions by network and address, newest first. The keys are those of the request."
)
export type History = typeof History.Type

export const HistoryWithMeta = Schema.Struct({
  data: History,
  meta: byNetworkAndAddress(HistoryMeta, "How complete each list is, by network and address.")
}).annotations({ identifier: "HistoryWithMeta", description: "The response to a request with meta: true." })
export type HistoryWithMeta = typeof HistoryWithMeta.Type

const limit = wholeNumber("Number of transactions per address, 1 to 500; 50 by default.", 1, 500, 50)
const Cursor = text("The `next` of the previous page.", "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9")

const cursors = Schema.Record({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Cursor })
}).annotations({
  description:
    "Cursors of the pages to read, by network and address as spelled in `networks`: the `next` in the meta of the previous response. Addresses without a cursor start with the newest transactions. Pages neither overlap nor skip a transaction, even if new transactions arrive in between; `limit` may differ between pages.",
  message: mustBe("an object with an object of cursors by address for each network id"),
  examples: [
    {
      ethereum: {
        "0x00000000219ab540356cBB839Cbe05303d7705Fa": "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9"
      }
    }
  ]
})

const meta = flag("If true, the response has `data`, and `meta` with the completeness of each list.", false)

export const HistoryRequest = Schema.Struct({
  networks: AddressesByNetwork,
  limit: optional(limit),
  meta: optional(meta),
  cursors: optional(cursors)
}).annotations({
  ...inRequest,
  identifier: "HistoryRequest",
  description: "The addresses to look up, and which transactions of them to return."
})
export type HistoryRequest = typeof HistoryRequest.Type

const part =
  "a record in the form of the whole response, with one network. If histories are not available, it also has `failures`: [{network, address, message, errorCode}]."

const exportFormat = enumOf("Format of the file.", ["csv", "ndjson"], "csv")

const end = flag(
  "If true, the last record of `format=csv` has the type `COMPLETE`, or `INCOMPLETE` if data is missing, and the number of the other records as its note.",
  true
)

const ExportedCsv = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "With `format=csv`. The lines of `format=ndjson` are those of `x-stream`.",
    examples: [
      "network,address,time,hash,type,status,direction,party,amount,amountBaseUnits,currency,token,fee,feeCurrency,flags,explorer,note\r\n"
    ]
  }),
  { kind: "Text", contentType: "text/csv" }
)

/** The part of one network, and the reasons why some of its lists are empty or outdated. */
const Line = Schema.Union(
  Schema.Struct({ ...HistoryWithMeta.fields, failures: optional(Failures) }),
  Schema.Struct({ failures: optional(Failures) }, History)
)

export class HistoryApi extends HttpApiGroup.make("history")
  .add(
    HttpApiEndpoint.post("history", "/history")
      .annotate(HasSideEffect, false)
      .setPayload(HistoryRequest)
      .addSuccess(Schema.Union(HistoryWithMeta, History))
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        described(
          "Transactions of many addresses",
          `Returns the newest transactions of every address. They are cached for up to 5 seconds, so a transaction that was just sent may be missing for that time. If the history of an address is not available, its list is empty or has the transactions that were stored earlier. The header \`x-partial-failures\` lists such addresses in a JSON array of {network, address, message, errorCode}; if there are many, messages are shortened, and the last element may count addresses that do not fit. If no history is available at all, the response is 502, unless all addresses are malformed. A network without addresses has an empty record. ${streamingNote(part)}`
        )
      )
      .annotateContext(streams({ part: Line, line: part }))
  )
  .add(
    HttpApiEndpoint.get("stream", "/history/stream")
      .setUrlParams(
        Schema.Struct({
          addresses: AddressesInQuery,
          limit: optional(inQuery(limit)),
          meta: optional(inQuery(meta)),
          cursors: optional(CursorsInQuery)
        }).annotations(inRequest)
      )
      .addSuccess(EventStream)
      .addSuccess(StreamIsOver)
      .addError(TooLarge.schema)
      .annotateContext(
        described(
          "Transactions of many addresses as events",
          eventsNote("POST /history", `The event \`history\` has ${part}`)
        )
      )
      .annotateContext(streamsEvents({ part: Line, events: { history: part } }))
  )
  .add(
    HttpApiEndpoint.get("export", "/history/export")
      .setUrlParams(
        Schema.Struct({
          addresses: AddressesInQuery,
          format: optional(exportFormat),
          end: optional(inQuery(end))
        }).annotations(inRequest)
      )
      .addSuccess(ExportedCsv)
      .addError(TooLarge.schema)
      .annotateContext(
        described(
          "Whole histories as a file",
          'Returns all transactions of every address, back to the first transaction if a source has it. Addresses are read one after another, and pages are sent as they are read, at the speed of the client, for up to EXPORT_DEADLINE_MS. `format=csv` (RFC 4180) has one record per party of a transaction, with exact amounts; the fee of a transaction is only on its first record, regardless of the payer. A text from third parties (a symbol, a type, a note) that a spreadsheet would evaluate as a formula is prefixed with an apostrophe. If data is missing, the last record of the address has the type `INCOMPLETE` and the reason as its note; so it is for movements that no source lists. `format=ndjson`, the default, has an entry of `POST /history` on each line, with `network` and `address`. Missing data is reported by a line with `failures`. The last line is {"done": true, "failures": n}, where n does not count failures with the code `not_listed`: if it is 0, the export has everything that sources list. The flags of a transaction are computed from up to 500 transactions around it. A file without its last line, or a response that is cut off, is incomplete; `end=true` gives CSV such a line: `COMPLETE` has everything that sources list.'
        )
      )
      .annotateContext(
        streams({
          part: Schema.Union(
            Schema.Struct({
              network: text("The network, as named in the request.", "ethereum"),
              address: text("The address, spelled as in the request.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
              ...HistoryEntry.fields
            }),
            Schema.Struct({ failures: Failures })
          ),
          line: "an entry with its network and address, or `failures`: [{network, address, message, errorCode}]."
        })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("History", "Transactions of addresses.")) {}
