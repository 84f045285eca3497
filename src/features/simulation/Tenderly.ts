import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { SimulatedInput } from "./Simulation.ts"

/** The body of a request to simulate. Amounts are decimal strings, the only form that the provider documents. */
export const requestBody = (chain: string, { gas_price, value, ...rest }: SimulatedInput) => ({
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
export const simulated: ResponseDecoder.Decoder<Either.Either<Simulated, string>> = (response) => {
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
export const success: ResponseDecoder.Decoder<void> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined) return Either.left(fault)
  return response.text.trimStart().startsWith("<")
    ? Either.left({ reason: "bad_answer", detail: "returned a web page" })
    : Either.void
}

/** Appends members to the JSON of an object; the rest of the text remains unchanged, digit by digit. */
export const withMembers = (object: string, members: Readonly<Record<string, unknown>>): string =>
  `${object.slice(0, object.lastIndexOf("}"))},${JSON.stringify(members).slice(1)}`
