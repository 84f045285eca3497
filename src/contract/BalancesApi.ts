import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Schema from "effect/Schema"
import { Balance, TokenBalance } from "../domain/Balance.ts"
import { optional, singleMessage, text } from "../domain/fields.ts"
import { documentQuery, inBody, inUrl } from "./balances/options.ts"
import { BodyProblems, EdgeProblems, TooLarge } from "./Problem.ts"
import { EventStream, eventsNote, Failures, StreamIsOver, streamingNote, streams, streamsEvents } from "./streaming.ts"
import { AddressesByNetwork, AddressesInQuery, described, inRequest, titled } from "./wire.ts"

export const BalancesRequest = Schema.Struct({
  networks: AddressesByNetwork,
  ...inBody
}).annotations({ ...inRequest, identifier: "BalancesRequest", description: "The addresses to look up." })
export type BalancesRequest = typeof BalancesRequest.Type

export const TokenBalanceRequest = Schema.Struct({
  networkId: text("Id or alias of the network.", "ethereum"),
  address: text("The holder's address.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  tokenAddress: optional(
    Schema.NullOr(Schema.String.annotations({ jsonSchema: { type: "string", minLength: 1 } }))
      .annotations({ message: singleMessage("a string or null") })
      .pipe(
        Schema.filter(
          (address) => address !== "" || "must not be empty: leave it out, or send null, for the native coin",
          { jsonSchema: {} }
        )
      )
      .annotations({
        description:
          "Contract of the token, in the notation of its network. Null or absent: the native coin. The zero address on EVM networks and tron, and 0x2::sui::SUI on sui, also select the native coin. An empty string is rejected with 400.",
        examples: ["0xdAC17F958D2ee523a2206206994597C13D831ec7"]
      })
  ),
  ...inBody
}).annotations({ ...inRequest, identifier: "TokenBalanceRequest", description: "One address and one coin or token." })
export type TokenBalanceRequest = typeof TokenBalanceRequest.Type

const part =
  'one balance, in the form of an element of the array. If the tokens of a network could not be listed, {"failures": [{network, message, errorCode}]} follows its balances.'

/** A balance, or the failures of a network that its balances do not report. */
const Line = Schema.Union(Balance, Schema.Struct({ failures: Failures }))

const detailNote =
  "A NATIVE row may have a `breakdown` of its balance: without `detail`, the parts that the upstream responses contain anyway; with `detail`, every part that the network has. `currency` and `detail` can be sent in the query instead of the body."

const currencyNote =
  "With `currency`, each row also has `price` and `value` in that currency, in addition to the numbers in USD; if the exchange rate is not available, they are null with a reason."

export class BalancesApi extends HttpApiGroup.make("balances")
  .add(
    HttpApiEndpoint.post("balances", "/balance")
      .setPayload(BalancesRequest)
      .addSuccess(
        Schema.Array(Balance).annotations({
          description:
            "Networks and addresses are in the order of the request. For each address, the native coin comes first, then its tokens by descending USD value."
        })
      )
      .addError(BodyProblems)
      .annotateContext(
        described(
          "Balances of many addresses",
          `Returns the native coin and the tokens of every address, with USD values. Each address has exactly one NATIVE row, even if the balance is zero or not available. A number that is not available is null with \`error\` and \`errorCode\`, never zero. If tokens could not be read and have no earlier balance, the first 20 of them have a row; the \`error\` of the NATIVE row counts the others. ${currencyNote} ${detailNote} Bitcoin Cash: the native coin only. ${streamingNote(part)}`
        )
      )
      .annotateContext(documentQuery(streams({ part: Line, line: part })))
  )
  .add(
    HttpApiEndpoint.post("token", "/balance/token")
      .setPayload(TokenBalanceRequest)
      .addSuccess(TokenBalance)
      .addError(BodyProblems)
      .annotateContext(
        described(
          "Balance of one token",
          "Returns the balance of one coin or token of one address. An unsupported network is rejected with 400. With `currency`, `price` and `value` are in that currency, `priceUsd` is the price in USD, and `balanceUsd` stays in USD. Bitcoin Cash: the native coin only."
        )
      )
      .annotateContext(documentQuery())
  )
  .add(
    HttpApiEndpoint.get("stream", "/balance/stream")
      .setUrlParams(Schema.Struct({ addresses: AddressesInQuery, ...inUrl }).annotations(inRequest))
      .addSuccess(EventStream)
      .addSuccess(StreamIsOver)
      .addError(TooLarge.schema)
      .annotateContext(
        described(
          "Balances of many addresses as events",
          eventsNote(
            "POST /balance",
            "Each event `balance` has one balance, in the form of an element of the array. If the tokens of a network could not be listed, an event `failures` with {failures: [{network, message, errorCode}]} follows its balances."
          )
        )
      )
      .annotateContext(
        streamsEvents({ part: Line, events: { balance: "one balance.", failures: "the missing data of a network." } })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Balance", "Balances of addresses, and their value.")) {}
