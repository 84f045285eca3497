import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Schema from "effect/Schema"
import { Balance, TokenBalance } from "../domain/Balance.ts"
import { flag, optional, singleMessage, text } from "../domain/fields.ts"
import { BodyProblems, EdgeProblems, type InvalidRequest, TooLarge } from "./Problem.ts"
import { Currency } from "./prices/currencies.ts"
import { invalid, schemaProblem } from "./problem/issues.ts"
import { EventStream, eventsNote, Failures, StreamIsOver, streamingNote, streams, streamsEvents } from "./streaming.ts"
import {
  AddressesByNetwork,
  AddressesInQuery,
  described,
  HasSideEffect,
  inQuery,
  inRequest,
  QueryMembers,
  titled
} from "./wire.ts"

const detail = flag(
  "If true, native coins have their complete `breakdown`, even if this needs further upstream calls.",
  true
)

const unlisted = flag(
  "If true, tokens that no token list has are returned too, and each token has a verdict with its reasons.",
  true
)

/** Optional members of the body of a balance request. */
const inBody = { currency: optional(Currency), detail: optional(detail) }

/** The same options as query parameters. */
const inUrl = {
  currency: optional(Currency),
  detail: optional(inQuery(detail)),
  unlisted: optional(inQuery(unlisted))
}

const Members = Schema.Struct(inUrl).annotations(inRequest)
type BalanceOptions = typeof Members.Type

const names = ["currency", "detail", "unlisted"] as const

const parameters = [
  {
    name: "currency",
    in: "query",
    required: false,
    description: "The same as `currency` in the body.",
    schema: { type: "string", examples: ["eur"] }
  },
  {
    name: "detail",
    in: "query",
    required: false,
    description: "The same as `detail` in the body.",
    schema: { type: "boolean", examples: [true] }
  },
  {
    name: "unlisted",
    in: "query",
    required: false,
    description: "The same as `unlisted` in the body.",
    schema: { type: "boolean", examples: [true] }
  }
] as const

/**
 * Documents that these members of the body may be sent in the query instead. They are not declared as parameters of the
 * endpoint, so typed clients do not require both.
 */
const documentQuery = (
  members: ReadonlyArray<(typeof names)[number]>,
  context: Context.Context<never> = Context.empty()
): Context.Context<never> => {
  const before = Option.getOrUndefined(Context.getOption(context, OpenApi.Transform))
  const documented = OpenApi.annotations({
    transform: (operation) => {
      const own = (operation.parameters ?? []) as ReadonlyArray<unknown>
      return {
        ...(before?.(operation) ?? operation),
        parameters: [...own, ...parameters.filter(({ name }) => members.includes(name))]
      }
    }
  })
  return Context.add(Context.merge(context, documented), QueryMembers, members) as Context.Context<never>
}

const decode = Schema.decodeUnknown(Members)

/** Options from the body, or else from the query. Fails if both have an option with different values. */
export const optionsOf = (url: string, body: BalanceOptions): Effect.Effect<BalanceOptions, InvalidRequest> => {
  const start = url.indexOf("?")
  if (start === -1) return Effect.succeed(body)
  return decode(Object.fromEntries(new URLSearchParams(url.slice(start + 1)))).pipe(
    Effect.catchTag("ParseError", (error) =>
      Effect.flatMap(ParseResult.ArrayFormatter.formatError(error), (issues) => Effect.fail(schemaProblem(issues)))
    ),
    Effect.flatMap((query) => {
      const differing = names.filter(
        (name) => body[name] !== undefined && query[name] !== undefined && body[name] !== query[name]
      )
      return differing.length > 0
        ? Effect.fail(
            invalid(
              differing.map((name) => ({
                path: name,
                message: `is ${query[name]} in the query and ${body[name]} in the body`
              }))
            )
          )
        : Effect.succeed({ ...query, ...body })
    })
  )
}

export const BalancesRequest = Schema.Struct({
  networks: AddressesByNetwork,
  ...inBody,
  unlisted: optional(unlisted)
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
  "A NATIVE row may have a `breakdown` of its balance: without `detail`, the parts that the upstream responses contain anyway; with `detail`, every part that the network has. `currency`, `detail` and `unlisted` can be sent in the query instead of the body."

const unlistedNote =
  "With `unlisted`, the tokens that no list has follow those of the lists, the suspicious ones last: at most 500 for each address. Which exist is read from an index, and how many there are from the network itself. Each TOKEN row has `listed`, `verdict` and `reasons`; no token is called safe. They have no coin id. One has a price only if a source prices its contract, its name could be read and it is not suspicious. `unlisted` of the NATIVE row says whether any may be missing."

const currencyNote =
  "With `currency`, each row also has `price` and `value` in that currency, in addition to the numbers in USD; if the exchange rate is not available, they are null with a reason."

export class BalancesApi extends HttpApiGroup.make("balances")
  .add(
    HttpApiEndpoint.post("balances", "/balance")
      .annotate(HasSideEffect, false)
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
          `Returns the native coin and the tokens of every address, with USD values. Each address has exactly one NATIVE row, even if the balance is zero or not available. A number that is not available is null with \`error\` and \`errorCode\`, never zero. If tokens could not be read and have no earlier balance, the first 20 of them have a row; the \`error\` of the NATIVE row counts the others. ${currencyNote} ${detailNote} ${unlistedNote} Bitcoin Cash: the native coin only. ${streamingNote(part)}`
        )
      )
      .annotateContext(documentQuery(names, streams({ part: Line, line: part })))
  )
  .add(
    HttpApiEndpoint.post("token", "/balance/token")
      .annotate(HasSideEffect, false)
      .setPayload(TokenBalanceRequest)
      .addSuccess(TokenBalance)
      .addError(BodyProblems)
      .annotateContext(
        described(
          "Balance of one token",
          "Returns the balance of one coin or token of one address. An unsupported network is rejected with 400. With `currency`, `price` and `value` are in that currency, `priceUsd` is the price in USD, and `balanceUsd` stays in USD. Bitcoin Cash: the native coin only."
        )
      )
      .annotateContext(documentQuery(["currency", "detail"]))
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
  .annotateContext(titled("Balances", "Balances of addresses, and their value.")) {}
