import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import type { World } from "../../src/sandbox/world/World.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { unlimitedSettings } from "./counted.ts"

/** The sandbox of a network: upstreams in `down` refuse connections, and `calls` counts requests by upstream. */
export const sandboxOf = (info: NetworkFacts, world?: World) => {
  const down = new Set<string>()
  const calls = new Map<string, number>()
  const layer = Layer.map(Sandbox.layer([info], world === undefined ? {} : { world }), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (answer, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          calls.set(name, (calls.get(name) ?? 0) + 1)
          return down.has(name) ? new HttpClientError.RequestError({ request, reason: "Transport" }) : answer
        })
      )
    )
  )
  return { calls, down, layer }
}

/** A network over that sandbox. */
export const networkOf = (
  { id }: NetworkFacts,
  sandbox: ReturnType<typeof sandboxOf>,
  environment: Readonly<Record<string, string>>
) =>
  Chains.only([id]).pipe(
    Layer.provide(TokenRegistry.layer),
    Layer.provide(CoinGecko.layer),
    Layer.provide(Layer.fresh(Upstreams.layer)),
    Layer.fresh,
    Layer.provide(
      Layer.mergeAll(
        sandbox.layer,
        Layer.fresh(Memory.layer()),
        unlimitedSettings({ UPSTREAM_TIMEOUT_MS: "2000", ...environment })
      )
    ),
    Layer.build,
    Effect.flatMap((context) => Context.get(context, Chains).find(id)),
    Effect.flatten
  )
