import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { elements, type Members, members } from "../jsonrpc/jsonMembers.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"

/** The outcome of a JSON-RPC call; integers beyond 2^53 are bigint. */
export interface CallOutcome {
  readonly result?: unknown
  /** Present if the call failed. */
  readonly error?: unknown
}

/** True if the body of a request is a JSON-RPC batch. */
export const isBatch = (request: string): boolean => elements(request) !== undefined

/** The responses to a batch in reverse order, with their texts. A response that is not a list is unchanged. */
export const reversed = (response: string): string => {
  const all = elements(response)
  return all === undefined ? response : `[${all.toReversed().join(",")}]`
}

type ChangeOutcome<E> = (params: unknown, outcome: CallOutcome) => Effect.Effect<CallOutcome, E>

const parse = (text: string | undefined): unknown =>
  text === undefined
    ? undefined
    : Either.getOrUndefined(ResponseDecoder.exactJson({ status: 200, text, retryAfter: undefined }))

const write = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) => (typeof member === "bigint" ? JSON.rawJSON(String(member)) : member)) ??
  "null"

const outcomeOf = ({ error, result }: Members): CallOutcome =>
  error === undefined || error === "null" ? { result: parse(result) } : { error: parse(error) }

/** A response with another outcome; its other members are preserved. */
const withOutcome = ({ error, result, ...others }: Members, outcome: CallOutcome): string => {
  const isFailure = outcome.error !== undefined
  // JSON-RPC 1.0 has both members, of which one is null.
  const isOld = error !== undefined && result !== undefined
  const changed: Members = {
    ...others,
    ...(isFailure ? { error: write(outcome.error) } : { result: write(outcome.result) }),
    ...(isOld ? { [isFailure ? "result" : "error"]: "null" } : {})
  }
  return `{${Object.entries(changed)
    .map(([name, value]) => `${JSON.stringify(name)}:${value}`)
    .join(",")}}`
}

/**
 * The text of a response in which the outcomes of calls of a method are changed, one after another. Unchanged calls
 * preserve their text. Undefined if the request does not call the method, or if the response has no outcome of a call.
 */
export const edited = <E>(
  request: string,
  response: string,
  method: string,
  change: ChangeOutcome<E>
): Effect.Effect<string | undefined, E> => {
  const batch = elements(request)
  const calls = (batch ?? [request]).map((text) => members(text) ?? {})
  const responses = batch === undefined ? [response] : (elements(response) ?? [])
  const callOf = (found: Members) => (batch === undefined ? calls[0] : calls.find(({ id }) => id === found.id))
  let isFound = false
  const changed = Effect.forEach(responses, (text) => {
    const found = members(text)
    const call = found && callOf(found)
    if (found === undefined || call === undefined || parse(call.method) !== method) return Effect.succeed(text)
    isFound = true
    const outcome = outcomeOf(found)
    // Compares texts, because the change may modify the outcome in place.
    const before = write(outcome)
    return Effect.map(change(parse(call.params), outcome), (after) =>
      write({ ...after }) === before ? text : withOutcome(found, after)
    )
  })
  return Effect.map(changed, (texts) => {
    if (!isFound) return undefined
    if (texts.every((text, index) => text === responses[index])) return response
    return batch === undefined ? texts[0] : `[${texts.join(",")}]`
  })
}
