import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { tooManyAddresses } from "../../contract/problem/issues.ts"
import type { AddressContext, ContextRequest } from "../../contract/transactionContext.ts"
import { maxAddresses } from "../../settings/variables.ts"
import { type ContextResult, SigningContexts } from "./SigningContexts.ts"

/** Handles POST /utils/transaction-context. */
export const make = Effect.gen(function* () {
  const contexts = yield* SigningContexts
  const max = yield* maxAddresses
  return ({ payload: { networks } }: { readonly payload: ContextRequest }) =>
    Effect.gen(function* () {
      const refused = tooManyAddresses(networks, max)
      if (refused !== undefined) return yield* refused
      const all = yield* contexts.of(networks)
      // Does not encode with the schema: that loses a key named __proto__, and the client chooses the keys.
      return HttpServerResponse.unsafeJson(
        Object.fromEntries(
          all.map(({ name, results }) => [
            name,
            Object.fromEntries(results.map(([text, result]) => [text, toWire(result)]))
          ])
        )
      )
    })
})

const toWire = (result: ContextResult): AddressContext =>
  Either.match(result, {
    onLeft: ({ message, reason }) => ({ context: null, error: message, errorCode: reason }),
    onRight: (context) => ({ context })
  })
