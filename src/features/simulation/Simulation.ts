import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as ResponseSize from "../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import * as Tenderly from "./Tenderly.ts"

// Tenderly's Simulation API (docs.tenderly.co/api-reference/simulations).

/** A transaction to simulate, with the field names of the provider. */
export interface SimulatedInput {
  readonly from: string
  readonly to: string
  readonly input: string
  readonly gas?: number
  /** Base units, decimal or 0x and hexadecimal digits. */
  readonly gas_price?: string
  readonly value?: string
  /** Default: the newest block. */
  readonly block_number?: number
  readonly simulation_type: "full" | "quick" | "abi"
}

/** The provider refused to simulate the transaction, with this message. */
export class SimulationRefused extends Schema.TaggedError<SimulationRefused>()("SimulationRefused", {
  providerMessage: Schema.String
}) {}

type Simulate = (chain: string, transaction: SimulatedInput) => Effect.Effect<string, UpstreamError | SimulationRefused>

/** Simulates transactions at a provider, where they become public permanently. */
export class Simulation extends Context.Tag("features/simulation/Simulation")<
  Simulation,
  {
    /**
     * Simulates, saves and shares a transaction. Returns a JSON object with the provider's members unchanged and
     * simulationUrl, which is null if the simulation could not be shared, with the reason in simulationUrlError. Never
     * retries a simulation. Left names the missing variables.
     */
    readonly simulate: Either.Either<Simulate, string>
  }
>() {
  static readonly layer = Layer.effect(
    Simulation,
    Effect.gen(function* () {
      const url = yield* declare.url({
        name: "TENDERLY_URL",
        default: "https://api.tenderly.co/api/v1",
        meaning: "Base address of Tenderly's API, which simulates transactions"
      })
      const account = yield* declare.text({
        name: "TENDERLY_ACCOUNT",
        default: "",
        allowed: "the slug of an account at Tenderly",
        meaning: "Tenderly account; simulations require the account, the project and the key"
      })
      const project = yield* declare.text({
        name: "TENDERLY_PROJECT",
        default: "",
        allowed: "the slug of a project of that account",
        meaning: "Tenderly project in which simulations are saved"
      })
      const key = yield* declare.secret({
        name: "TENDERLY_ACCESS_KEY",
        allowed: "an access key of Tenderly's API",
        meaning: "Tenderly access key"
      })
      const deadline = Deadline.make(yield* requestDeadline)
      const missing = [
        ...(account === "" ? ["TENDERLY_ACCOUNT"] : []),
        ...(project === "" ? ["TENDERLY_PROJECT"] : []),
        ...(key === undefined ? ["TENDERLY_ACCESS_KEY"] : [])
      ]
      if (key === undefined || missing.length > 0)
        return { simulate: Either.left(`Simulation is not configured: the operator must set ${missing.join(", ")}.`) }

      const projectPath = `/account/${encodeURIComponent(account)}/project/${encodeURIComponent(project)}`
      const upstream = yield* Upstream.make({
        name: "tenderly",
        urls: [url],
        keys: { "x-access-key": key },
        size: ResponseSize.rows,
        canary: (address) =>
          address.read(
            HttpClientRequest.get(`${projectPath}/simulations`, { urlParams: { page: "1", perPage: "1" } }),
            Tenderly.success
          )
      })

      /** May be retried: sharing a simulation twice has no further effect. */
      const share = (id: string) =>
        upstream.over((address) =>
          address.read(HttpClientRequest.post(`${projectPath}/simulations/${id}/share`), Tenderly.success)
        )

      const simulate: Simulate = Effect.fnUntraced(function* (chain, transaction) {
        // Limits the sharing time, so that slow sharing does not lose the simulation.
        const { remaining } = yield* deadline.start
        const request = HttpClientRequest.bodyUnsafeJson(
          HttpClientRequest.post(`${projectPath}/simulate`),
          Tenderly.requestBody(chain, transaction)
        )
        const simulation = yield* upstream.once((address) => address.send(request, Tenderly.simulated))
        if (Either.isLeft(simulation)) return yield* new SimulationRefused({ providerMessage: simulation.left })
        const { id, text } = simulation.right
        const shared = yield* id === undefined
          ? Effect.succeed(Either.left("the provider returned no id of the simulation"))
          : timeoutTo(Effect.either(Effect.mapError(share(id), ({ message }) => message)), {
              duration: yield* remaining("write"),
              onTimeout: () => Effect.succeed(Either.left("sharing it took too long"))
            })
        return Tenderly.withMembers(
          text,
          Either.match(shared, {
            onLeft: (simulationUrlError) => ({ simulationUrl: null, simulationUrlError }),
            onRight: () => ({ simulationUrl: `https://www.tdly.co/shared/simulation/${id}` })
          })
        )
      }, span("Simulation.simulate"))
      return { simulate: Either.right(simulate) }
    })
  )

  /** Without a provider. */
  static readonly layerNone = Layer.succeed(Simulation, {
    simulate: Either.left("Simulation is not available in this version.")
  })
}
