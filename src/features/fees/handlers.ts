import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { Api } from "../../contract/Api.ts"
import { NotFound } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import { NetworkFees } from "./NetworkFees.ts"
import { toWire } from "./toWire.ts"

export const layer = HttpApiBuilder.group(Api, "fees", (handlers) =>
  Effect.map(NetworkFees, (fees) =>
    handlers.handle("fees", ({ path, urlParams }) =>
      Effect.mapBoth(fees.of(path.network, Option.fromNullable(urlParams.address)), {
        onFailure: ({ kind, message }) =>
          kind === "network" ? new NotFound({ detail: message }) : invalid([{ path: "address", message }]),
        onSuccess: toWire
      })
    )
  )
)
