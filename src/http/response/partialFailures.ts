import * as HttpApp from "@effect/platform/HttpApp"
import * as HttpServerResponse from "@effect/platform/HttpServerResponse"
import * as Effect from "effect/Effect"
import type { Failure } from "../../contract/streaming.ts"
import { asciiJson } from "../../kernel/text/ascii.ts"

/** The header that lists what is missing from a response: a JSON array. */
const partialFailures = "x-partial-failures"

export interface PartialFailure<A> {
  /** The part, with the reason in a readable text. */
  readonly full: A
  /** The same in fewer characters. */
  readonly short: A
}

/** Proxies reject responses with a much longer header. */
const longest = 6_000

/** Builds a header of limited length: in short form if necessary; `others` counts the failures that do not fit. */
export const headerOf = <A>(
  all: ReadonlyArray<PartialFailure<A>>,
  others: (count: number) => A
): Readonly<Record<string, string>> => {
  if (all.length === 0) return {}
  const full = asciiJson(all.map((partialFailure) => partialFailure.full))
  if (full.length <= longest) return { [partialFailures]: full }
  const named: Array<A> = []
  let length = 0
  for (const { short } of all) {
    const added = asciiJson(short).length + 1
    if (length + added > longest) continue
    length += added
    named.push(short)
  }
  const rest = all.length - named.length
  return { [partialFailures]: asciiJson(rest === 0 ? named : [...named, others(rest)]) }
}

/** Adds the failures to the header of the current response; if there are many, with their codes as messages. */
export const appendFailures = (failures: ReadonlyArray<Failure>) => {
  const all = failures.map((full) => {
    const { errorCode, ...of } = full
    return { full, short: { ...of, message: errorCode } }
  })
  const headers = headerOf<Partial<Failure>>(all, (count) => ({ network: "*", message: `and ${count} more` }))
  return HttpApp.appendPreResponseHandler((_, response) =>
    Effect.succeed(HttpServerResponse.setHeaders(response, headers))
  )
}
