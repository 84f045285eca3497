import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Runtime from "effect/Runtime"
import { Network } from "../../../src/networks/Network.ts"
import * as Sui from "../../../src/networks/sui/index.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { TokenRegistry } from "../../../src/tokens/TokenRegistry.ts"
import type { Rpc } from "../../../src/upstreams/rpc/Rpc.ts"
import { Upstreams } from "../../../src/upstreams/Upstreams.ts"

/** JSON-RPC over HTTP on a free port, answered by the translation. */
const serve = (rpc: Rpc) =>
  Effect.gen(function* () {
    const run = Runtime.runPromise(yield* Effect.runtime<never>())
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          fetch: async (request) => {
            const { id, method, params } = (await request.json()) as Readonly<Record<string, unknown>>
            const reply = await run(
              Effect.either(rpc.call({ method: String(method), params: params && JSON.stringify(params) } as never))
            )
            return Either.match(reply, {
              onLeft: ({ message }) => Response.json({ jsonrpc: "2.0", id, error: { code: -32603, message } }),
              onRight: ({ member, text }) =>
                new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"${member}":${text}}`, {
                  headers: { "content-type": "application/json" }
                })
            })
          }
        })
      ),
      (one) => Effect.promise(() => one.stop(true))
    )
    return server.url.href
  })

/** The address where the simulated Sui speaks JSON-RPC, as long as the scope is open. */
export const simulated = Effect.gen(function* () {
  const settings = Settings.layer({})
  const outside = Sandbox.layer([Sui.info])
  const upstreams = Layer.provide(Layer.fresh(Upstreams.layerUnlimited), settings)
  const built = Layer.provide(Sui.layer, [outside, TokenRegistry.layerTest({}), upstreams, settings])
  const network = yield* Effect.flatMap(Layer.build(built), (context) => Effect.provide(Network, context))
  return yield* serve(network.rpc?.main as Rpc)
})
