import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Api } from "../api/Api.ts"
import { NotImplemented } from "../api/Problem.ts"

const missing = () => new NotImplemented({ detail: "Chart data is not available in this version." })

export const layer = HttpApiBuilder.group(Api, "chart", (handlers) =>
  handlers
    .handle("metadata", missing)
    .handle("restart", () => Effect.succeed({}))
    .handle("errors", () => Effect.succeed([]))
    .handle("data", missing)
    .handle("item", missing)
    .handle("list", missing)
)
