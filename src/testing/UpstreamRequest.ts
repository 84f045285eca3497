import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"

/** The response of an upstream, as the service read it. */
export interface UpstreamResponse {
  readonly status: number
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** Text of the body. */
  readonly body: string
}

/** A request of the service to an upstream. */
export interface UpstreamRequest {
  /** Name of the upstream, as in `/networks` and the metrics. */
  readonly upstream: string
  readonly method: string
  readonly url: string
  /** Text of the body; empty without a body. */
  readonly body: string
  /** Undefined until the service has read the whole response; stays undefined if the connection broke. */
  readonly response?: UpstreamResponse
}

/** The request to an upstream with this name. */
export const requestOf = (
  upstream: string,
  { body, method }: HttpClientRequest.HttpClientRequest,
  url: URL
): UpstreamRequest => ({
  upstream,
  method,
  url: url.href,
  body: body._tag === "Uint8Array" ? new TextDecoder().decode(body.body) : ""
})
