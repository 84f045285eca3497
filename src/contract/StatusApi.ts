import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { enumOf, flag, milliseconds, number, numberOrNull, optional, text, textOrNull } from "../domain/fields.ts"
import { Reason } from "../domain/Reason.ts"
import { EdgeProblems, Internal } from "./Problem.ts"
import { described, titled } from "./wire.ts"

export const upstreamStates = ["unknown", "up", "down"] as const

const upstream = {
  name: text("Name of the upstream.", "koios"),
  keyed: flag("True if the service uses an API key of the operator.", false),
  state: enumOf("Result of the latest call; unknown before the first call.", upstreamStates, "up"),
  circuits: Schema.Array(
    enumOf(
      "State per address. closed: in use; open: it failed, and others are used first; half-open: being tested; paused: its host demanded a pause, and is not called before its end.",
      ["closed", "open", "half-open", "paused"]
    )
  ).annotations({
    description: "Circuit breaker state of each address of the upstream, in order of preference.",
    examples: [["closed"]]
  }),
  switchedOff: optional(
    text(
      "Why the operator switched it off, in the operator's words: it is then not called. Absent if it is on.",
      "returns old blocks since 14:05"
    )
  )
}

const budget = optional(
  Schema.Struct({
    left: number("Number of calls that are allowed now.", 5),
    usedThisMonth: number("Number of calls in this calendar month, UTC.", 1200),
    perMonth: optional(number("Allowed calls in any 31 days; absent if there is no such limit.", 10_000)),
    perHour: number("Calls that are allowed per hour in the long run.", 18_000)
  }).annotations({
    identifier: "UpstreamBudget",
    description:
      "Remaining calls within the limits of the provider; absent if calls are not counted. Upstreams of one provider share a budget, and each shows the whole budget."
  })
)

export const UpstreamHealth = Schema.Struct({
  ...upstream,
  addresses: number("Number of addresses of the upstream.", 2),
  lastOkAt: optional(milliseconds("Time of the latest success")),
  lastFailure: optional(
    Schema.Struct({
      reason: Reason.annotations({ description: "Kind of the failure.", examples: ["timeout"] }),
      at: milliseconds("Time of the failure")
    }).annotations({ description: "The latest failure, even if calls have succeeded since." })
  ),
  budget
}).annotations({ identifier: "UpstreamHealth", description: "The state of one upstream." })
export type UpstreamHealth = typeof UpstreamHealth.Type

const upstreams = Schema.Array(UpstreamHealth).annotations({
  description: "Every configured upstream that is in use. The upstreams of a network are listed from its first use on.",
  examples: [[{ name: "koios", keyed: false, state: "up", circuits: ["closed"], addresses: 1 }]]
})

const store = optional(
  Schema.Struct({
    kind: text("The kind of store, a value of the variable CACHE.", "redis"),
    state: enumOf(
      "up: it works; read-only: writes fail; down: it cannot be reached. Meanwhile the service uses memory, and no request fails.",
      ["up", "read-only", "down"],
      "up"
    )
  }).annotations({ identifier: "StoreHealth", description: "The store of cached responses and shared limits." })
)

const workers = optional(number("Number of processes that serve this port; absent for a single process.", 4))

export const Ready = Schema.Struct({
  status: enumOf("It is ready.", ["ready"]),
  workers,
  store,
  upstreams
}).annotations({ identifier: "Ready", description: "The service is ready." })
export const NotReady = Schema.Struct({
  status: enumOf("It is starting, or shutting down.", ["starting", "stopping"]),
  workers,
  store,
  upstreams
}).annotations({
  identifier: "NotReady",
  description: "The service is starting, or shutting down.",
  ...HttpApiSchema.annotations({ status: 503 })
})

export const Live = Schema.Struct({
  status: enumOf("The process is alive.", ["live"]),
  version: text("Version of the service.", "0.1.0"),
  commit: text("Commit that it was built from; unknown if it runs from source.", "unknown")
}).annotations({ identifier: "Live", description: "The process is alive." })

export const Ability = Schema.Struct({
  available: flag(
    "True if it works; false if the network does not have it, it is not configured, or all its upstreams currently fail.",
    true
  ),
  upstreams: Schema.Array(
    Schema.Struct({
      ...upstream,
      callsPerOpen: optional(
        number(
          "Calls to it when a wallet is opened: one address that was not read before, 20 entries of its history.",
          2
        )
      ),
      opensPerHour: optional(
        number(
          "Opened wallets per hour that its budget allows, for this ability alone; absent without a budget.",
          9_000
        )
      )
    }).annotations({
      identifier: "AbilityUpstream",
      description: "An upstream, its state, and the opens that it allows."
    })
  ).annotations({
    description: "The upstreams, in the order in which they are used.",
    examples: [[{ name: "koios", keyed: false, state: "up", circuits: ["closed"] }]]
  }),
  reason: optional(
    text("Reason why it is not available.", "koios timed out; blockfrost could not be reached: connection refused")
  )
}).annotations({ identifier: "Ability", description: "An ability of a network." })
export type Ability = typeof Ability.Type

export const NetworkDescription = Schema.Struct({
  id: text("The network's id.", "cardano"),
  aliases: Schema.Array(Schema.String).annotations({
    description: "Other names that requests may use.",
    examples: [["ada"]]
  }),
  family: text("Family of the network.", "cardano"),
  chainId: numberOrNull("EVM chain id; null for other families.", null),
  caip2: textOrNull(
    "Id of the chain in other programs (CAIP-2), which requests may use as well. Null if it has none.",
    "cip34:1-764824073"
  ),
  name: text("Name for display.", "Cardano"),
  nativeCoin: Schema.Struct({
    coinId: text("The coin's id at the market data provider.", "cardano"),
    symbol: text("Symbol.", "ADA"),
    decimals: number("Number of decimals of the coin.", 6)
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
  }).annotations({ identifier: "Abilities", description: "The abilities and their current availability." })
}).annotations({ identifier: "NetworkDescription", description: "A network and its abilities." })
export type NetworkDescription = typeof NetworkDescription.Type

const CallsOfDay = Schema.Struct({
  day: text("The day, UTC.", "2026-11-25"),
  calls: number("Number of calls that ended on this day.", 1440),
  failed: number("Number of these calls that failed.", 3)
}).annotations({ identifier: "CallsOfDay", description: "The calls to a source on a day." })

export const AvailabilityReport = Schema.Struct({
  days: Schema.Array(Schema.String).annotations({
    description:
      "The days of every list in `sources`, UTC, oldest first: from the first counted day until today, at most 90.",
    examples: [["2026-11-24", "2026-11-25"]]
  }),
  networks: Schema.Record({ key: Schema.String, value: Schema.Array(Schema.String) }).annotations({
    description:
      "The names of the sources of each network, as in `GET /networks`. Several networks may share a source.",
    examples: [{ cardano: ["koios", "blockfrost"] }]
  }),
  sources: Schema.Record({
    key: Schema.String,
    value: Schema.NullOr(Schema.Array(Schema.NullOr(CallsOfDay)))
  }).annotations({
    description:
      "The calls to each source on each of `days`: null for a day without a call, and null instead of the list for a source that was never called.",
    examples: [{ koios: [null, { day: "2026-11-25", calls: 1440, failed: 3 }], blockfrost: null }]
  })
}).annotations({
  identifier: "AvailabilityReport",
  description: "How many calls to each source failed, by day."
})
export type AvailabilityReport = typeof AvailabilityReport.Type

export const metricsType = "text/plain; version=0.0.4; charset=utf-8"

const Metrics = HttpApiSchema.withEncoding(
  Schema.String.annotations({
    description: "Prometheus text format.",
    examples: ['http_requests_total{method="GET",route="/price",status="200"} 12']
  }),
  { kind: "Text", contentType: metricsType }
)

export class NetworksApi extends HttpApiGroup.make("networks")
  .add(
    HttpApiEndpoint.get("networks", "/networks")
      .addSuccess(Schema.Array(NetworkDescription).annotations({ description: "Every network, in a fixed order." }))
      .addError(EdgeProblems)
      .annotateContext(
        described(
          "Networks and their abilities",
          "Returns, for each network and ability, the upstreams in the order in which they are used, with their state and the circuit breaker of each address, or the reason why the ability is not available. An upstream that the operator switched off for the ability has `switchedOff`, with the reason. `rpc` also lists the nodes of the test network."
        )
      )
  )
  .addError(Internal.schema)
  .annotateContext(titled("Networks", "The networks and the abilities of the service on each.")) {}

export class StatusApi extends HttpApiGroup.make("status")
  .add(
    HttpApiEndpoint.get("live", "/health/live")
      .addSuccess(Live)
      .annotateContext(described("Liveness check", "200 while the process runs. Needs no API key."))
  )
  .add(
    HttpApiEndpoint.get("ready", "/health/ready")
      .addSuccess(Ready)
      .addSuccess(NotReady)
      .annotateContext(
        described(
          "Readiness check",
          "200 when the service is ready; 503 before that and during shutdown. Needs no API key."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("metrics", "/metrics")
      .addSuccess(Metrics)
      .addError(EdgeProblems)
      .annotateContext(
        described(
          "Metrics",
          "Returns counters, gauges and histograms in Prometheus text format; `upstream_circuits` is the number of addresses of each upstream by their state, and `upstream_switched_off` is 1 for what a lever of the operator switches off. An API key may also be sent as `Authorization: Bearer`. The rate limit does not count this route. If METRICS_PORT is set, metrics are served on that port, and this route returns 404."
        )
      )
  )
  .add(
    HttpApiEndpoint.get("availability", "/status/availability")
      .addSuccess(AvailabilityReport)
      .addError(EdgeProblems)
      .annotateContext(
        described(
          "Availability of sources by day",
          "Returns how many calls to each source ended and how many of them failed, by day, for up to 90 days since the service first counted them. The counts are those of the service's own calls. Calls that were cancelled are not counted, and a call that the source understood and rejected has not failed. Processes that share a store share the counts, which may be a minute old; with CACHE=memory they start with the process. A day without a call is null, which says nothing about availability."
        )
      )
  )
  .addError(Internal.schema)
  .annotateContext(titled("Status", "The state of the service.")) {}
