import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as OpenApi from "@effect/platform/OpenApi"
import * as Schema from "effect/Schema"
import { flag, milliseconds, number, numberOrNull, optional, text, word } from "../domain/fields.ts"
import { Reason } from "../domain/Reason.ts"
import { EdgeProblems, Internal } from "./Problem.ts"

export const upstreamStates = ["unknown", "up", "down"] as const

const upstream = {
  name: text("Name of the upstream.", "koios"),
  keyed: flag("Whether a key of the operator's is used.", false),
  state: word("The result of the newest call; unknown before the first call.", upstreamStates, "up"),
  circuits: Schema.Array(
    word("One address: closed, it is used; open, it failed and others are used first; half-open, it is tested.", [
      "closed",
      "open",
      "half-open"
    ])
  ).annotations({
    description: "The circuit breaker of each of its addresses, in order of preference.",
    examples: [["closed"]]
  })
}

const budget = optional(
  Schema.Struct({
    left: number("Calls that could go out now.", 5),
    usedThisMonth: number("Calls in this calendar month, UTC.", 1200),
    perMonth: optional(number("Calls that may be made in any 31 days; absent where they are not limited.", 10_000))
  }).annotations({
    identifier: "UpstreamBudget",
    description:
      "What is left of the calls that its provider grants; absent where they are not counted. Upstreams of one provider share a budget, and each shows all of it."
  })
)

export const UpstreamHealth = Schema.Struct({
  ...upstream,
  addresses: number("How many addresses the upstream has.", 2),
  lastOkAt: optional(milliseconds("The newest good answer")),
  lastFailure: optional(
    Schema.Struct({
      reason: Reason.annotations({ description: "What kind of failure it was.", examples: ["timeout"] }),
      at: milliseconds("When it happened")
    }).annotations({ description: "The newest failure, also when calls have succeeded since." })
  ),
  budget
}).annotations({ identifier: "UpstreamHealth", description: "The state of one upstream." })
export type UpstreamHealth = typeof UpstreamHealth.Type

const upstreams = Schema.Array(UpstreamHealth).annotations({
  description: "Every upstream that is configured and in use: those of a network from its first use on.",
  examples: [[{ name: "koios", keyed: false, state: "up", circuits: ["closed"], addresses: 1 }]]
})

const store = optional(
  Schema.Struct({
    kind: text("The kind of store, as in the variable CACHE.", "redis"),
    state: word(
      "up, it works; read-only, nothing can be written; down, it cannot be reached. Memory carries on meanwhile, and no request fails.",
      ["up", "read-only", "down"],
      "up"
    )
  }).annotations({ identifier: "StoreHealth", description: "The store of cached responses and shared limits." })
)

const workers = optional(number("How many processes serve on this port; absent where it is one.", 4))

export const Ready = Schema.Struct({ status: word("It can serve.", ["ready"]), workers, store, upstreams }).annotations(
  {
    identifier: "Ready",
    description: "The service can serve."
  }
)
export const NotReady = Schema.Struct({
  status: word("It cannot serve yet, or no more.", ["starting", "stopping"]),
  workers,
  store,
  upstreams
}).annotations({
  identifier: "NotReady",
  description: "The service cannot serve yet, or no more.",
  ...HttpApiSchema.annotations({ status: 503 })
})

export const Live = Schema.Struct({ status: word("The process runs.", ["live"]) }).annotations({
  identifier: "Live",
  description: "The process runs."
})

export const Ability = Schema.Struct({
  available: flag(
    "Whether it works: false where it does not exist, is not configured, or every upstream behind it fails at present.",
    true
  ),
  upstreams: Schema.Array(
    Schema.Struct(upstream).annotations({ identifier: "AbilityUpstream", description: "An upstream and its state." })
  ).annotations({
    description: "The upstreams, in the order of their use.",
    examples: [[{ name: "koios", keyed: false, state: "up", circuits: ["closed"] }]]
  }),
  reason: optional(
    text("Why it is not available.", "koios timed out; blockfrost could not be reached or returned an error")
  )
}).annotations({ identifier: "Ability", description: "An ability of a network." })
export type Ability = typeof Ability.Type

export const NetworkDescription = Schema.Struct({
  id: text("The network's id.", "cardano"),
  aliases: Schema.Array(Schema.String).annotations({
    description: "Other names that requests may use.",
    examples: [["ada"]]
  }),
  family: text("What kind of network it is.", "cardano"),
  chainId: numberOrNull("EVM chain id; null where there is none.", null),
  name: text("The name for people.", "Cardano"),
  nativeCoin: Schema.Struct({
    coinId: text("The coin's id at the market data provider.", "cardano"),
    symbol: text("Symbol.", "ADA"),
    decimals: number("How many decimals the coin has.", 6)
  }).annotations({ identifier: "NativeCoin", description: "The network's own coin." }),
  sunset: optional(text("The day on which the network was shut down.", "2026-07-01")),
  abilities: Schema.Struct({
    balance: Ability,
    tokens: Ability,
    history: Ability,
    export: Ability,
    rpc: Ability,
    rawTransactions: Ability,
    firstTransaction: Ability,
    fees: Ability,
    transactionContext: Ability
  }).annotations({ identifier: "Abilities", description: "What is available on it at the moment." })
}).annotations({ identifier: "NetworkDescription", description: "A network and what works on it." })
export type NetworkDescription = typeof NetworkDescription.Type

export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

const Metrics = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "Prometheus text format.",
    examples: ['http_requests_total{method="GET",route="/price",status="200"} 12']
  }),
  { kind: "Text", contentType: metricsType }
)

export class StatusApi extends HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("live", "/health/live")
      .addSuccess(Live)
      .annotateContext(
        OpenApi.annotations({ summary: "Is it alive", description: "200 while the process runs. Needs no API key." })
      )
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Ready)
      .addSuccess(NotReady)
      .annotateContext(
        OpenApi.annotations({
          summary: "Can it serve",
          description: "200 once it can serve, 503 before that and while it shuts down. Needs no API key."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(Metrics)
      .addError(EdgeProblems)
      .annotateContext(
        OpenApi.annotations({
          summary: "Metrics",
          description:
            "Counters, gauges and histograms in Prometheus text format; `upstream_circuits` has the number of working addresses of each upstream. An API key may also be sent as `Authorization: Bearer`; the rate limit does not count this route. With METRICS_PORT it is on that port instead, and here is 404."
        })
      )
  )
  .add(
    HttpApiEndpoint.get("networks", "/networks")
      .addSuccess(
        Schema.Array(NetworkDescription).annotations({ description: "Every network, in the order of the registry." })
      )
      .addError(EdgeProblems)
      .annotateContext(
        OpenApi.annotations({
          summary: "Networks and what works on them",
          description:
            "For each network and ability the upstreams in the order of their use, their state and the circuit breaker of each of their addresses, or why it is not available. `rpc` lists the nodes of the test network too."
        })
      )
  )
  .addError(Internal.schema)
  .annotateContext(OpenApi.annotations({ title: "System", description: "The state of the service." })) {}
