import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import { usualHits } from "../../contract/tokens/TokensApi.ts"
import { appendFailures } from "../../http/response/partialFailures.ts"
import { TokenSearch } from "./TokenSearch.ts"

export const layer = HttpApiBuilder.group(Api, "tokens", (handlers) =>
  Effect.map(TokenSearch, ({ search }) =>
    handlers.handle("search", ({ urlParams: { limit = usualHits, networks, q } }) =>
      Effect.gen(function* () {
        const { hits, missing } = yield* search(q, networks, limit)
        yield* appendFailures(missing)
        return { input: q, hits }
      })
    )
  )
)
