import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import { Api } from "../api/Api.ts"
import { NotImplemented } from "../api/Problem.ts"

const missing = () => new NotImplemented({ detail: "Transaction history is not available in this version." })

export const layer = HttpApiBuilder.group(Api, "history", (handlers) => handlers.handle("transactions", missing))
