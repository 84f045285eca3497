import type { components } from "./types.ts"

type Schemas = components["schemas"]

/** Type of a problem that the service reports. Stable: programs may compare it. */
export type ProblemType = {
  [Name in keyof Schemas]: Name extends `${string}Problem` ? Schemas[Name]["type"] : never
}[keyof Schemas]

/** An invalid value of the request and the reason. */
export type Issue = Schemas["Issue"]

/**
 * What went wrong:
 * - `problem`: the service returned a problem document; `type` identifies it.
 * - `status`: error status without a problem document, such as an error of a node; see `body`.
 * - `response`: unusable response: not valid JSON, too large, cut off, or a redirect.
 * - `invalid`: the request has a part that cannot be sent, such as a value that is not JSON; `cause` has the reason.
 * - `network`: the connection failed before the response was complete.
 * - `timeout`: no complete response within the client's time limit.
 * - `aborted`: the caller's signal aborted the request; `cause` is the signal's reason.
 */
export type ErrorKind = "problem" | "status" | "response" | "invalid" | "network" | "timeout" | "aborted"

interface ErrorContent {
  readonly kind: ErrorKind
  readonly message: string
  readonly status?: number | undefined
  readonly type?: ProblemType | undefined
  readonly title?: string | undefined
  readonly detail?: string | undefined
  readonly issues?: ReadonlyArray<Issue>
  readonly requestId?: string | undefined
  readonly retryAfter?: number | undefined
  readonly body?: unknown
  readonly cause?: unknown
  readonly mayHaveArrived?: boolean
}

/** The error of every method of the client. */
export class WalletDataError extends Error {
  override readonly name = "WalletDataError"
  readonly kind!: ErrorKind
  /** HTTP status of the error response; undefined without a response. */
  readonly status!: number | undefined
  /** The type of the problem, such as `urn:problem-type:invalid-request`. */
  readonly type!: ProblemType | undefined
  readonly title!: string | undefined
  /** Explanation of this failure for people. */
  readonly detail!: string | undefined
  /** Invalid values of the request; may be empty. */
  readonly issues: ReadonlyArray<Issue> = []
  /** Quote this id when reporting the problem to the operator. */
  readonly requestId!: string | undefined
  /** Seconds until the service accepts the request again; undefined if the response does not say. */
  readonly retryAfter!: number | undefined
  /** Body of an error response: parsed if it is JSON, else text. */
  readonly body!: unknown
  /**
   * Whether the failed request may have had its side effect, such as a sent transaction. Always false for reads, and if
   * the service or a node refused the request.
   */
  readonly mayHaveArrived: boolean = false

  constructor({ cause, message, ...content }: ErrorContent) {
    super(message, cause === undefined ? undefined : { cause })
    Object.assign(this, content)
  }

  /** For logs: the message too, which JSON leaves out of errors. */
  toJSON() {
    return { ...this, message: this.message }
  }
}

/** Error for an unusable response. */
export const unusable = (message: string, cause?: unknown) => new WalletDataError({ kind: "response", message, cause })

/** Converts errors to WalletDataErrors of this kind; returns a WalletDataError unchanged. */
const as = (kind: ErrorKind, what: string) => (cause: unknown) =>
  cause instanceof WalletDataError
    ? cause
    : new WalletDataError({
        kind,
        message: `${what}: ${cause instanceof Error ? cause.message : String(cause)}`,
        cause
      })

/** The error of a failed connection. */
export const disconnected = as("network", "The service could not be reached")

/** The error of a request that cannot be sent. */
export const unsendable = as("invalid", "The request could not be sent")

/** Runs what may throw because of what a caller passed. */
export const sendable = <A>(run: () => A): A => {
  try {
    return run()
  } catch (cause) {
    throw unsendable(cause)
  }
}
