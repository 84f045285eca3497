import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../upstream/response/ResponseSize.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/** The body of a request to simulate. Amounts are decimal strings, the only form that the provider documents. */
const requestBody = (chain: string, { gas_price, value, ...rest }: SimulatedInput) => ({
  network_id: chain,
  ...rest,
  ...(gas_price === undefined ? {} : { gas_price: BigInt(gas_price).toString() }),
  ...(value === undefined ? {} : { value: BigInt(value).toString() }),
  // Only a saved simulation can be shared.
  save: true,
  save_if_fails: true
})

interface Simulated {
  /** The response, unchanged. */
  readonly text: string
  /** Undefined if the simulation cannot be shared. */
  readonly id: string | undefined
}

/** A simulation, or the message with which the provider refuses the transaction. */
const simulated: ResponseDecoder.Decoder<Either.Either<Simulated, string>> = (response) => {
  const body = ResponseDecoder.json(response)
  const message = refusalStatuses.includes(response.status) && Either.isRight(body) ? messageOf(body.right) : undefined
  if (message !== undefined) return Either.right(Either.left(message))
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return Either.flatMap(body, (simulation) =>
    Predicate.isRecord(simulation) &&
    (Predicate.isRecord(simulation.simulation) || Predicate.isRecord(simulation.transaction))
      ? Either.right(Either.right({ text: response.text, id: idOf(simulation.simulation) }))
      : Either.left({ reason: "bad_answer" as const, detail: "returned a response that is not a simulation" })
  )
}

/** Statuses of errors about the transaction, as opposed to the account or the provider. */
const refusalStatuses = [200, 400, 422]

/** The provider's message, truncated and without URLs, which could expose this service's account. */
const messageOf = (body: unknown): string | undefined => {
  const error = Predicate.isRecord(body) ? body.error : undefined
  const message = Predicate.isRecord(error) ? error.message : undefined
  return typeof message === "string" && message !== "" ? message.replace(/\w+:\/\/\S+/g, "…").slice(0, 500) : undefined
}

const idOf = (simulation: unknown): string | undefined => {
  const id = Predicate.isRecord(simulation) ? simulation.id : undefined
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id) ? id : undefined
}

/** Accepts any success, because the response to a share is not documented, except a web page, which a gateway sends. */
const success: ResponseDecoder.Decoder<void> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return response.text.trimStart().startsWith("<")
    ? Either.left({ reason: "bad_answer", detail: "returned a web page" })
    : Either.void
}

/** Appends members to the JSON of an object; the rest of the text remains unchanged, digit by digit. */
const withMembers = (object: string, members: Readonly<Record<string, unknown>>): string =>
  `${object.slice(0, object.lastIndexOf("}"))},${JSON.stringify(members).slice(1)}`

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
            success
          )
      })

      /** May be retried: sharing a simulation twice has no further effect. */
      const share = (id: string) =>
        upstream.over((address) =>
          address.read(HttpClientRequest.post(`${projectPath}/simulations/${id}/share`), success)
        )

      const simulate: Simulate = Effect.fnUntraced(function* (chain, transaction) {
        // Limits the sharing time, so that slow sharing does not lose the simulation.
        const { remaining } = yield* deadline.start
        const request = HttpClientRequest.bodyUnsafeJson(
          HttpClientRequest.post(`${projectPath}/simulate`),
          requestBody(chain, transaction)
        )
        const simulation = yield* upstream.once((address) => address.send(request, simulated))
        if (Either.isLeft(simulation)) return yield* new SimulationRefused({ providerMessage: simulation.left })
        const { id, text } = simulation.right
        const shared = yield* id === undefined
          ? Effect.succeed(Either.left("the provider returned no id of the simulation"))
          : timeoutTo(Effect.either(Effect.mapError(share(id), ({ message }) => message)), {
              duration: yield* remaining("write"),
              onTimeout: () => Effect.succeed(Either.left("sharing it took too long"))
            })
        return withMembers(
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
}
