import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as ResponseDecoder from "../../upstream/ResponseDecoder.ts"
import type { Transaction } from "./Simulation.ts"

/** The body of a request to simulate. Amounts go out in decimal digits, the one form that the provider documents. */
export const question = (chain: string, { gas_price, value, ...rest }: Transaction) => ({
  network_id: chain,
  ...rest,
  ...(gas_price === undefined ? {} : { gas_price: BigInt(gas_price).toString() }),
  ...(value === undefined ? {} : { value: BigInt(value).toString() }),
  // What is not saved cannot be shared.
  save: true,
  save_if_fails: true
})

interface Simulated {
  /** The whole answer as it came. */
  readonly text: string
  /** Undefined where there is none to share it by. */
  readonly id: string | undefined
}

/** A simulation, or the words with which the provider refuses the transaction. */
export const simulated: ResponseDecoder.Decoder<Either.Either<Simulated, string>> = (answer) => {
  const body = ResponseDecoder.json(answer)
  const words = aboutTheCall.includes(answer.status) && Either.isRight(body) ? wordsOf(body.right) : undefined
  if (words !== undefined) return Either.right(Either.left(words))
  const fault = ResponseDecoder.statusFault(answer)
  if (fault !== undefined) return Either.left(fault)
  return Either.flatMap(body, (simulation) =>
    Predicate.isRecord(simulation) &&
    (Predicate.isRecord(simulation.simulation) || Predicate.isRecord(simulation.transaction))
      ? Either.right(Either.right({ text: answer.text, id: idOf(simulation.simulation) }))
      : Either.left({ reason: "bad_answer" as const, detail: "returned something that is not a simulation" })
  )
}

/** Statuses with which the provider speaks about the transaction, and not about the account or itself. */
const aboutTheCall = [200, 400, 422]

/** What the provider says, cut short and without addresses: they could be this service's own. */
const wordsOf = (body: unknown): string | undefined => {
  const error = Predicate.isRecord(body) ? body.error : undefined
  const message = Predicate.isRecord(error) ? error.message : undefined
  return typeof message === "string" && message !== "" ? message.replace(/\w+:\/\/\S+/g, "…").slice(0, 500) : undefined
}

const idOf = (simulation: unknown): string | undefined => {
  const id = Predicate.isRecord(simulation) ? simulation.id : undefined
  return typeof id === "string" && /^[\w-]{1,100}$/.test(id) ? id : undefined
}

/** Any success will do: what a share answers is not documented. A page is none: it comes from somebody in between. */
export const answered: ResponseDecoder.Decoder<void> = (answer) => {
  const fault = ResponseDecoder.statusFault(answer)
  if (fault !== undefined) return Either.left(fault)
  return answer.text.trimStart().startsWith("<")
    ? Either.left({ reason: "bad_answer", detail: "returned a web page" })
    : Either.void
}

/** JSON of an object with more members at its end; all else stays as it was written, digit by digit. */
export const withMembers = (object: string, members: Readonly<Record<string, unknown>>): string =>
  `${object.slice(0, object.lastIndexOf("}"))},${JSON.stringify(members).slice(1)}`
