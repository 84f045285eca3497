import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Api } from "../api/Api.ts"
import { NotImplemented } from "../api/Problem.ts"

const missing = () => new NotImplemented({ detail: "Price data is not available in this version." })

export const layer = HttpApiBuilder.group(Api, "price", (handlers) =>
  handlers
    .handle("byChain", missing)
    .handle("byCoin", missing)
    .handle("marketChart", missing)
    .handle("nativeDetails", missing)
    .handle("tokenDetails", missing)
)
