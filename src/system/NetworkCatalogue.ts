import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { NetworkDescription } from "../api/SystemApi.ts"

/** What GET /networks tells. */
export class NetworkCatalogue extends Context.Tag("system/NetworkCatalogue")<
  NetworkCatalogue,
  {
    /** In the order of the registry. */
    readonly networks: Effect.Effect<ReadonlyArray<NetworkDescription>>
  }
>() {}
