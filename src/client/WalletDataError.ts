import type { components } from "./types.ts"

type Schemas = components["schemas"]

/** What kind of problem the service reports; stable, to be compared by programs. */
export type ProblemType = {
  [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name]["type"] : never
}[keyof Schemas]

/** A value of the request that was refused, and why. */
export type Issue = Schemas["Issue"]

/**
 * What went wrong:
 * - `problem`: the service answered with a problem document; `type` says which.
 * - `status`: an answer with another status than success and no problem document, such as a node's own refusal; see `body`.
 * - `response`: an answer that is not usable: it is not valid JSON, too large, cut off, or a redirect.
 * - `network`: no answer, or only a part of it, since the connection failed.
 * - `timeout`: no complete answer within the client's time limit.
 * - `aborted`: the caller's signal; its reason is the `cause`.
 */
export type ErrorKind = "problem" | "status" | "response" | "network" | "timeout" | "aborted"

interface ErrorContent {
  readonly kind: ErrorKind
  readonly message: string
  readonly status?: number | undefined
  readonly type?: ProblemType | undefined
  readonly title?: string | undefined
  readonly detail?: string | undefined
  readonly issues?: ReadonlyArray<Issue> | undefined
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly body?: unknown
  readonly cause?: unknown
}

/** Whatever a method of the client fails with. */
export class WalletDataError extends Error {
  override readonly name = "WalletDataError"
  readonly kind: ErrorKind
  /** The HTTP status, where there was an answer. */
  readonly status: number | undefined
  /** The type of the problem, such as `urn:problem-type:invalid-request`. */
  readonly type: ProblemType | undefined
  readonly title: string | undefined
  /** What happened to this request, for people. */
  readonly detail: string | undefined
  /** The values of the request that were refused; empty where there are none. */
  readonly issues: ReadonlyArray<Issue>
  /** To be quoted when the problem is reported to the operator. */
  readonly requestId: string | undefined
  /** In how many seconds the service wants to be called again, where it says so. */
  readonly retryAfter: number | undefined
  /** The body of an answer with an error status: JSON where it is JSON, else text. */
  readonly body: unknown

  constructor(content: ErrorContent) {
    super(content.message, content.cause === undefined ? undefined : { cause: content.cause })
    this.kind = content.kind
    this.status = content.status
    this.type = content.type
    this.title = content.title
    this.detail = content.detail
    this.issues = content.issues ?? []
    this.requestId = content.requestId
    this.retryAfter = content.retryAfter
    this.body = content.body
  }
}

/** An answer that cannot be used. */
export const unusable = (message: string, cause?: unknown) => new WalletDataError({ kind: "response", message, cause })

/** A connection that failed; what the client itself reports is passed on. */
export const disconnected = (cause: unknown) =>
  cause instanceof WalletDataError
    ? cause
    : new WalletDataError({
        kind: "network",
        message: `The service could not be reached: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })
