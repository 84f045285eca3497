import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { flag, mustBe, number, numberOrNull, optional, text, textOrNull, word } from "../domain/fields.ts"
import { BodyProblems, EdgeProblems, TooLarge, UpstreamFailed } from "./Problem.ts"
import { EventStream, eventsNote, Failures, StreamIsOver, streamingNote, streams, streamsEvents } from "./streaming.ts"
import { AddressesByNetwork, AddressesInQuery, byKey, CursorsInQuery, incoming, inQuery, whole } from "./wire.ts"

export const Currency = Schema.Struct({
  img: text("Address of an icon; empty when there is none.", "https://assets.example/tether.png"),
  coinId: text("The coin's id at the market data provider.", "tether"),
  address: text("Contract of the token.", "0xdac17f958d2ee523a2206206994597c13d831ec7"),
  decimals: number("How many decimals the token has.", 6),
  price: numberOrNull("USD price; null when no source has a current one.", 1),
  symbol: text("Symbol of the token, in lower case.", "usdt")
}).annotations({ identifier: "Currency", description: "A token of the registry." })
export type Currency = typeof Currency.Type

export const Party = Schema.Struct({
  address: text("The address that spends or receives.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  amount: text(
    "Base units, not formatted, and without the fee. Where several pay one transaction (Bitcoin family, Cardano), the amount of each is what it gave less its change and less its share of the fee: in proportion to what it gave, the remainder to the largest, and never more than it has left. A payer of nothing but fee is listed with 0. In the Bitcoin family `from` and `to` sum to the same.",
    "1500000000000000000"
  ),
  currency: optional(
    Schema.Union(Currency, Schema.String).annotations({
      description:
        "Absent: the native coin. A text: the address of a token that is not in the registry, or the word Unknown.",
      examples: ["Unknown"]
    })
  )
}).annotations({ identifier: "Party", description: "One side of a transfer." })
export type Party = typeof Party.Type

export const flagNames = ["zero-value", "lookalike", "unknown-token"] as const

export const HistoryEntry = Schema.Struct({
  hash: text("Hash of the transaction.", "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"),
  explorer: text("The transaction's page at a block explorer.", "https://explorer.example/tx/0x5c504ed4"),
  type: text("Contract Call, Receive, Send, Cancel, or the network's own name for the type.", "Send"),
  fee: textOrNull(
    "Fee in base units, with what the data costs on another chain; null when it is not certain.",
    "441000000000000"
  ),
  status: word("How it ended.", ["Failed", "Success", "Pending", "Unknown"], "Success"),
  timestamp: number("When it was executed, UNIX time in seconds.", 1793450000),
  from: Schema.Array(Party).annotations({
    description: "Everyone from whom something is taken.",
    examples: [[{ address: "0x00000000219ab540356cBB839Cbe05303d7705Fa", amount: "1500000000000000000" }]]
  }),
  to: Schema.Array(Party).annotations({
    description: "Everyone to whom something goes.",
    examples: [[{ address: "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", amount: "1500000000000000000" }]]
  }),
  flags: optional(
    Schema.Array(Schema.Literal(...flagNames)).annotations({
      description:
        "Signs of address poisoning. zero-value: moves nothing; lookalike: a party resembles one that the holder deals with; unknown-token: the token is not in the registry.",
      examples: [["zero-value", "lookalike"]]
    })
  )
}).annotations({ identifier: "HistoryEntry", description: "One transaction of an address." })
export type HistoryEntry = typeof HistoryEntry.Type

export const HistoryMeta = Schema.Struct({
  complete: flag(
    "Whether nothing is missing back to oldest. Where a source returns a count, it has returned that number.",
    true
  ),
  oldest: numberOrNull("UNIX time in seconds of the oldest entry; null for an empty list.", 1700000000),
  next: textOrNull(
    "The cursor of the page with older transactions, for `cursors` of the next request; null at the end of what can be read: where `complete` is false, `missing` says what is not. It stays valid; where the page itself could not be read, it is its own cursor again.",
    "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9"
  ),
  sources: Schema.Array(Schema.String).annotations({
    description: "The upstreams that returned it.",
    examples: [["blockscout"]]
  }),
  missing: Schema.Array(Schema.String).annotations({
    description:
      "What is known to be missing, for people; also what no source lists, such as withdrawals of validators.",
    examples: [["internal transfers"]]
  })
}).annotations({ identifier: "HistoryMeta", description: "How complete the list of one address is." })
export type HistoryMeta = typeof HistoryMeta.Type

const byNetworkAndAddress = <A, I>(value: Schema.Schema<A, I>, description: string) =>
  byKey(
    "ethereum",
    byKey("0x00000000219ab540356cBB839Cbe05303d7705Fa", value, "By address, as the request gave it."),
    description
  )

export const History = byNetworkAndAddress(
  Schema.Array(HistoryEntry),
  "Transactions by network and address, the newest first. The keys are those of the request."
)
export type History = typeof History.Type

export const HistoryWithMeta = Schema.Struct({
  data: History,
  meta: byNetworkAndAddress(HistoryMeta, "How complete each list is, by network and address.")
}).annotations({ identifier: "HistoryWithMeta", description: "The answer to a request with meta: true." })
export type HistoryWithMeta = typeof HistoryWithMeta.Type

const limit = whole("How many transactions of each address, 1 to 500; 50 when it is left out.", 1, 500, 50)
/** As long as one may be with everything that can be in it. */
const Cursor = text("The `next` of the page before.", "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9")

const cursors = Schema.Record({
  key: Schema.String,
  value: Schema.Record({ key: Schema.String, value: Cursor })
}).annotations({
  description:
    "Where to go on, by network and address as `networks` has them: `next` in the meta of the answer before. Addresses without one begin with the newest transactions. Pages neither overlap nor leave anything out, whatever arrives meanwhile; `limit` may differ from page to page.",
  message: mustBe("an object with an object of cursors by address for each network id"),
  examples: [
    {
      ethereum: {
        "0x00000000219ab540356cBB839Cbe05303d7705Fa": "1XJ0YvYc2d0ZK0hVx1Ht7ImgiOjIwMDAwMDAwLCJsIjoiMHg1YyJ9"
      }
    }
  ]
})

const meta = flag("Whether to wrap the answer and say how complete it is.", false)

export const HistoryRequest = Schema.Struct({
  networks: AddressesByNetwork,
  limit: optional(limit),
  meta: optional(meta),
  cursors: optional(cursors)
}).annotations({
  ...incoming,
  identifier: "HistoryRequest",
  description: "The addresses to look up, and how far back."
})
export type HistoryRequest = typeof HistoryRequest.Type

const part =
  "a record as the whole answer, with one network in it; and beside it, where histories are not available, `failures`: [{network, address, message, errorCode}]."

const exportFormat = word("What the file has.", ["csv", "ndjson"], "csv")

const ExportedCsv = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "With `format=csv`. The lines of `format=ndjson` are those of `x-stream`.",
    examples: [
      "network,address,time,hash,type,status,direction,party,amount,amountBaseUnits,currency,token,fee,feeCurrency,flags,explorer,note\r\n"
    ]
  }),
  { kind: "Text", contentType: "text/csv" }
)

/** The answer of one network, and why some of its lists are empty or outdated. */
const Line = Schema.Union(
  Schema.Struct({ ...HistoryWithMeta.fields, failures: optional(Failures) }),
  Schema.Struct({ failures: optional(Failures) }, History)
)

export class HistoryApi extends HttpApiGroup.make("history")
  .add(
    HttpApiEndpoint.post("transactions", "/history")
      .setPayload(HistoryRequest)
      .addSuccess(Schema.Union(HistoryWithMeta, History))
      .addError(BodyProblems)
      .addError(UpstreamFailed.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Transactions of many addresses",
          description: `The newest transactions of every address, read at most 5 seconds ago: a transaction sent just now may be missing until then. An address whose history is not available has an empty list, or the transactions that were stored earlier; it is named in the header \`x-partial-failures\`, a JSON array of {network, address, message} in which messages are shortened where there are many, and whose last element may count those that do not fit. When no history is available at all the response is 502, unless all of them are malformed. A network without addresses has an empty record. ${streamingNote(part)}`
        })
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
        }).annotations(incoming)
      )
      .addSuccess(EventStream)
      .addSuccess(StreamIsOver)
      .addError(TooLarge.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Transactions of many addresses as events",
          description: eventsNote("POST /history", `The event \`history\` has ${part}`)
        })
      )
      .annotateContext(streamsEvents({ part: Line, events: { history: part } }))
  )
  .add(
    HttpApiEndpoint.get("export", "/history/export")
      .setUrlParams(
        Schema.Struct({ addresses: AddressesInQuery, format: optional(exportFormat) }).annotations(incoming)
      )
      .addSuccess(ExportedCsv)
      .addError(TooLarge.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Whole histories as a file",
          description:
            'All transactions of every address, back to the first where a source has them, sent page by page as they are read: as slowly as the client takes them, one address after the other, for EXPORT_DEADLINE_MS at most. `format=csv` (RFC 4180) has a record for each party of a transaction, with exact amounts; the fee of a transaction, whoever paid it, is on its first record alone. A text of strangers (a symbol, a type, a note) that a spreadsheet would take for a formula begins with an apostrophe. Where something is missing, the last record of the address has the type `INCOMPLETE` and the reason as its note. `format=ndjson`, also where it is left out, has an entry of `POST /history` on each line, with `network` and `address`; what is missing is a line with `failures`, and the last line is {"done": true, "failures": n}: 0 where the export is complete. Flags are those of a transaction among up to 500 around it. A file without its last line, or a response that is cut off, is incomplete.'
        })
      )
      .annotateContext(
        streams({
          part: Schema.Union(
            Schema.Struct({
              network: text("The network, as the request names it.", "ethereum"),
              address: text("The address, as the request has it.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
              ...HistoryEntry.fields
            }),
            Schema.Struct({ failures: Failures })
          ),
          line: "an entry with its network and address, or `failures`: [{network, address, message, errorCode}]."
        })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(OpenApi.annotations({ title: "History", description: "The transactions of addresses." })) {}
