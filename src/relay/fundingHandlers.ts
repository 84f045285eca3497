import * as Effect from "effect/Effect"
import { invalid } from "../api/issues.ts"
import { DeadlineExceeded, NotImplemented, TooManyRequests, UpstreamFailed } from "../api/Problem.ts"
import type { Funding } from "../api/RelayApi.ts"
import { Faucet } from "./Faucet.ts"
import type { FundingError } from "./faucet/FundingError.ts"

/** The answers of the faucet. */
export const make = Effect.map(Faucet, ({ fund }) => ({
  fund: (address: string) =>
    fund(address).pipe(
      Effect.map((funded): Funding => funded),
      Effect.catchTag("FundingError", (error) => Effect.fail(problem(error)))
    )
}))

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
    case "late":
      return new DeadlineExceeded({ detail })
    default:
      return new UpstreamFailed({ detail, ...headers })
  }
}
