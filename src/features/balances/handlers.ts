import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import { Chains } from "../../chains/Chains.ts"
import { Api } from "../../contract/Api.ts"
import { optionsOf } from "../../contract/BalancesApi.ts"
import { invalid, tooManyAddresses } from "../../contract/problem/issues.ts"
import { oneOf } from "../../domain/fields.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import { formOf, type StreamedPart, streamed, streamedEvents } from "../../http/response/streamed.ts"
import { maxAddresses } from "../../settings/variables.ts"
import type { Balances } from "./Balances.ts"
import { Portfolio } from "./Portfolio.ts"

export const layer = HttpApiBuilder.group(Api, "balances", (handlers) =>
  Effect.gen(function* () {
    const portfolio = yield* Portfolio
    const networks = yield* Chains
    const max = yield* maxAddresses
    return handlers
      .handle("balances", ({ payload, request }) =>
        Effect.gen(function* () {
          yield* tooManyAddresses(payload.networks, max)
          const options = yield* optionsOf(request.url, payload)
          const form = formOf(request.headers.accept)
          if (form !== undefined) return streamed(form, Stream.map(portfolio.stream(payload.networks, options), toPart))
          const { omissions, rows } = yield* portfolio.balances(payload.networks, options)
          yield* appendFailures(omissions)
          // Rows already have their encoded form: encoding thousands of rows would be a tenth of the total work.
          return HttpServerResponse.unsafeJson(rows)
        })
      )
      .handle("stream", ({ request, urlParams: { addresses, ...options } }) =>
        Effect.map(tooManyAddresses(addresses, max), () => {
          const parts = Stream.map(portfolio.stream(addresses, options), toPart)
          return streamedEvents(request.headers["last-event-id"], parts, eventOf)
        })
      )
      .handle("token", ({ payload, request }) =>
        Effect.gen(function* () {
          const options = yield* optionsOf(request.url, payload)
          const { address, networkId, tokenAddress } = payload
          const found = yield* portfolio.token(networkId, address, Option.fromNullable(tokenAddress), options)
          if (Option.isSome(found)) return found.value
          const supported = networks.facts.map(({ id }) => id)
          return yield* invalid([{ path: "networkId", message: oneOf(supported)({ actual: networkId }).message }])
        })
      )
  })
)

const eventOf = (element: unknown) =>
  typeof element === "object" && element !== null && "failures" in element ? "failures" : "balance"

/** One row per line, then the failures that are not in a row. */
const toPart = ({ omissions, rows }: Balances): StreamedPart => {
  const unread = rows.filter(({ balance, errorCode }) => balance === null && errorCode !== undefined)
  return {
    elements: omissions.length === 0 ? rows : [...rows, { failures: omissions }],
    failures: unread.length + omissions.length
  }
}
