import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import * as ContextHandlers from "./ContextHandlers.ts"
import * as FirstTransactionHandlers from "./FirstTransactionHandlers.ts"
import * as RawTransactionHandlers from "./RawTransactionHandlers.ts"

export const layer = HttpApiBuilder.group(Api, "transactions", (handlers) =>
  Effect.gen(function* () {
    const raw = yield* RawTransactionHandlers.make
    return handlers
      .handleRaw("sendRawTransaction", raw.send)
      .handleRaw("getRawTransaction", raw.find)
      .handle("firstTransaction", yield* FirstTransactionHandlers.make)
      .handle("context", yield* ContextHandlers.make)
  })
)
