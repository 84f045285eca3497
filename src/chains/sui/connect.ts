import * as Effect from "effect/Effect"
import { sui } from "../../catalogue/sui.ts"
import * as declare from "../../settings/declare.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import * as GraphQl from "./GraphQl.ts"

// Sui GraphQL RPC (docs.sui.io, schema.graphql and config.rs of MystenLabs/sui); public nodes no longer serve JSON-RPC.

/** Public hosts allow 100 calls in 30 seconds; the operator's own hosts are not limited. */
const rates = { public: { perSecond: 2.5, burst: 25 }, own: { perSecond: 1_000, burst: 1_000 } }

/** The GraphQL hosts. */
export const connect = Effect.gen(function* () {
  const urls = yield* declare.urls({
    name: "SUI_GRAPHQL_URLS",
    default: sui.nodes,
    meaning: "GraphQL hosts of Sui"
  })
  return yield* Upstream.make({
    name: "sui-graphql",
    urls,
    rate: { source: "SUI", keyless: urls === sui.nodes ? rates.public : rates.own },
    canary: GraphQl.canary
  })
})
