import { retryAfterOf } from "./retries.ts"
import { type Issue, type ProblemType, WalletDataError } from "./WalletDataError.ts"

/** Part that is missing from a response, from the header `x-partial-failures`. */
export interface PartialFailure {
  readonly message: string
  /** The id as in the request; `*` in the element that counts failures beyond the header's limit. */
  readonly network?: string
  readonly address?: string
  /** For prices: the chain id. */
  readonly chain?: string
  /** For series: the coin id, and the period in days. */
  readonly coin?: string
  readonly period?: string
  /** For programs: why it is missing; `unknown_network` or `unknown_coin` if the service does not have it. */
  readonly errorCode?: string
}

type Json = Readonly<Record<string, unknown>>

export const isObject = (value: unknown): value is Json =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const jsonOr = (text: string, otherwise: unknown): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return otherwise
  }
}

/** Parses `x-partial-failures`; returns an empty list if it is malformed. */
export const partialFailuresIn = (header: string | null): ReadonlyArray<PartialFailure> => {
  const elements = jsonOr(header ?? "[]", [])
  return Array.isArray(elements) ? elements.filter((issue) => typeof issue?.message === "string") : []
}

/** Whether the body, or an element of it, has the member: others may come from a gateway. */
export const isData = (text: string, member: string | undefined) =>
  member !== undefined && [jsonOr(text, 0)].flat().some((value) => isObject(value) && member in value)

export const hasType = (response: Response, type: string) =>
  (response.headers.get("content-type") ?? "").toLowerCase().startsWith(type)

const textIn = (value: unknown) => (typeof value === "string" ? value : undefined)

const isIssue = (value: unknown): value is Issue =>
  isObject(value) && typeof value.path === "string" && typeof value.message === "string"

/** Maximum length of a body excerpt in a message. */
const maxShown = 200

/** Creates the error for a response with an error status. */
export const errorOf = (response: Response, text: string): WalletDataError => {
  const { headers, status } = response
  const body = jsonOr(text, text)
  const problem = hasType(response, "application/problem+json") && isObject(body) ? body : undefined
  const type = textIn(problem?.type)
  const detail = textIn(problem?.detail)
  const issues = problem?.issues
  return new WalletDataError({
    // Gateways return problems with types that the service does not have.
    kind: type?.startsWith("urn:problem-type:") ? "problem" : "status",
    message: detail ?? `The service returned status ${status}: ${text.slice(0, maxShown)}`,
    status,
    type: type as ProblemType | undefined,
    title: textIn(problem?.title),
    detail,
    issues: Array.isArray(issues) ? issues.filter(isIssue) : [],
    requestId: headers.get("x-request-id") ?? textIn(problem?.requestId),
    retryAfter: retryAfterOf(headers.get("retry-after"), headers.get("date"), Date.now()),
    body
  })
}

/** Problems by which the service has refused a request. */
const refusal = /^urn:problem-type:(not-implemented|shutting-down|overloaded)$/

/**
 * Whether the error leaves open if a request that was sent had its side effect: only a known problem of the service is a
 * refusal. A gateway returns 408 or 499 for a request that it has passed on.
 */
const isUncertain = ({ body, kind, status = 500, type = "" }: WalletDataError) =>
  (status >= 500 || status === 408 || status === 499) &&
  kind !== "invalid" &&
  !(kind === "problem" && (refusal.test(type) || (isObject(body) && body.sent === "no")))

/** The error of a request with a side effect: says so if the side effect may have happened. */
export const withSideEffect = (error: unknown): unknown => {
  if (!(error instanceof WalletDataError) || !isUncertain(error)) return error
  const advice = "The request may have arrived: if it sends a transaction, look that up before you send it again"
  return new WalletDataError({
    ...error,
    message: `${error.message}. ${advice}`,
    cause: error.cause,
    mayHaveArrived: true
  })
}
