import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../../contract/Api.ts"
import type { Funding } from "../../contract/FaucetApi.ts"
import { DeadlineExceeded, NotImplemented, TooManyRequests, UpstreamFailed } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import { Faucet } from "./Faucet.ts"
import type { FundingError } from "./Funding.ts"

const problem = ({ detail, reason, retryAfter }: FundingError) => {
  const headers =
    retryAfter === undefined ? {} : { headers: { "retry-after": String(Math.max(1, Math.ceil(retryAfter / 1000))) } }
  switch (reason) {
    case "not_configured":
      return new NotImplemented({ detail })
    case "invalid_address":
      return invalid([{ path: "address", message: detail }])
    case "too_soon":
      return new TooManyRequests({ detail, ...headers })
    case "timed_out":
      return new DeadlineExceeded({ detail })
    default:
      return new UpstreamFailed({ detail, ...headers })
  }
}

export const layer = HttpApiBuilder.group(Api, "faucet", (handlers) =>
  Effect.map(Faucet, ({ fund }) =>
    handlers.handle("fund", ({ path }) =>
      fund(path.address).pipe(
        Effect.map((funded): Funding => funded),
        Effect.catchTag("FundingError", (error) => Effect.fail(problem(error)))
      )
    )
  )
)
