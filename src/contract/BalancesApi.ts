import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { Balance, TokenBalance } from "../domain/Balance.ts"
import { mustBeAsWhole, optional, text } from "../domain/fields.ts"
import { inBody, inQueryToo, inUrl } from "./balances/options.ts"
import { BodyProblems, EdgeProblems, TooLarge } from "./Problem.ts"
import { EventStream, eventsNote, Failures, StreamIsOver, streamingNote, streams, streamsEvents } from "./streaming.ts"
import { AddressesByNetwork, AddressesInQuery, incoming } from "./wire.ts"

export const BalancesRequest = Schema.Struct({
  networks: AddressesByNetwork,
  ...inBody
}).annotations({
  ...incoming,
  identifier: "BalancesRequest",
  description: "The addresses to look up."
})
export type BalancesRequest = typeof BalancesRequest.Type

export const TokenBalanceRequest = Schema.Struct({
  networkId: text("Id or alias of the network.", "ethereum"),
  address: text("The holder's address.", "0x00000000219ab540356cBB839Cbe05303d7705Fa"),
  tokenAddress: optional(
    Schema.NullOr(Schema.String.annotations({ jsonSchema: { type: "string", minLength: 1 } }))
      .annotations({ message: mustBeAsWhole("a string or null") })
      .pipe(
        Schema.filter(
          (address) => address !== "" || "must not be empty: leave it out, or send null, for the native coin",
          { jsonSchema: {} }
        )
      )
      .annotations({
        description:
          "Contract of the token, as its network writes it. Without it, or null, the native coin is meant; so is the zero address on EVM networks and tron, and 0x2::sui::SUI on sui. An empty text is refused with 400.",
        examples: ["0xdAC17F958D2ee523a2206206994597C13D831ec7"]
      })
  ),
  ...inBody
}).annotations({ ...incoming, identifier: "TokenBalanceRequest", description: "One address and one coin or token." })
export type TokenBalanceRequest = typeof TokenBalanceRequest.Type

const part =
  'one balance, as an element of the array; after the balances of a network whose tokens could not be listed, {"failures": [{network, message, errorCode}]}.'

/** A row, or what the rows of a network do not say themselves. */
const Line = Schema.Union(Balance, Schema.Struct({ failures: Failures }))

const detailNote =
  "A NATIVE row may have a `breakdown` of its balance: what the responses that are read anyway contain, and with `detail` all that the network has. `currency` and `detail` may stand in the query instead of the body."

const currencyNote =
  "With `currency` each row also has `price` and `value` in that currency, beside the numbers in USD; where its rate is not available they are null with the reason."

export class BalancesApi extends HttpApiGroup.make("balances")
  .add(
    HttpApiEndpoint.post("balances", "/balance")
      .setPayload(BalancesRequest)
      .addSuccess(
        Schema.Array(Balance).annotations({
          description:
            "Networks and addresses in the order of the request; of each address the native coin first, then its tokens by USD value."
        })
      )
      .addError(BodyProblems)
      .annotateContext(
        OpenApi.annotations({
          summary: "Balances of many addresses",
          description: `The native coin and the tokens of every address, with USD values. Each address has exactly one NATIVE row, also when it is zero or not available. A number that is not available is null with \`error\` and \`errorCode\`, never zero. Of tokens that could not be read and have no earlier balance, the first 20 have a row; the \`error\` of the NATIVE row counts the others. ${currencyNote} ${detailNote} Bitcoin Cash: the native coin only. ${streamingNote(part)}`
        })
      )
      .annotateContext(inQueryToo(streams({ part: Line, line: part })))
  )
  .add(
    HttpApiEndpoint.post("token", "/balance/token")
      .setPayload(TokenBalanceRequest)
      .addSuccess(TokenBalance)
      .addError(BodyProblems)
      .annotateContext(
        OpenApi.annotations({
          summary: "Balance of one token",
          description:
            "The balance of one coin or token of one address. A network that is not supported is refused with 400. With `currency`, `price` and `value` are in that currency, and `priceUsd` is the price in USD; `balanceUsd` stays as it is. Bitcoin Cash: the native coin only."
        })
      )
      .annotateContext(inQueryToo())
  )
  .add(
    HttpApiEndpoint.get("stream", "/balance/stream")
      .setUrlParams(Schema.Struct({ addresses: AddressesInQuery, ...inUrl }).annotations(incoming))
      .addSuccess(EventStream)
      .addSuccess(StreamIsOver)
      .addError(TooLarge.schema)
      .annotateContext(
        OpenApi.annotations({
          summary: "Balances of many addresses as events",
          description: eventsNote(
            "POST /balance",
            "The event `balance` has one balance, as an element of the array; `failures`, after the balances of a network whose tokens could not be listed, {failures: [{network, message, errorCode}]}."
          )
        })
      )
      .annotateContext(
        streamsEvents({ part: Line, events: { balance: "one balance.", failures: "what is missing of a network." } })
      )
  )
  .addError(EdgeProblems)
  .annotateContext(
    OpenApi.annotations({ title: "Balance", description: "What addresses hold, and what it is worth." })
  ) {}
