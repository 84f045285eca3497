import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"

/** A request as a provider counts it. */
export interface CountedCall {
  readonly host: string
  readonly path: string
  readonly query: URLSearchParams
  /** By name in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

export const callOf = ({ body, headers }: HttpClientRequest.HttpClientRequest, url: URL): CountedCall => ({
  host: url.host,
  path: url.pathname,
  query: url.searchParams,
  headers,
  body: body._tag === "Uint8Array" ? Buffer.from(body.body).toString("utf8") : ""
})

/** Calls that a plan allows in a time. */
export interface Limit {
  readonly calls: number
  /** Length of the window, ms; it starts with its first call. */
  readonly every: number
  /** True if the calls become available again one by one. */
  readonly refills?: true
  /** How long all calls are refused after a refusal, ms. Default: until the window allows the call. */
  readonly suspends?: number
  /** The counters of a request, one entry per counted call. Default: one call, and one counter for all requests. */
  readonly counters?: (call: CountedCall) => ReadonlyArray<string>
}

/** The limit that a call exceeds. */
export interface Exceeded extends Pick<Limit, "calls" | "every"> {
  /** Time until the provider accepts the call, ms. */
  readonly wait: number
  /** The counter that has no calls left; empty if all requests share it. */
  readonly counter: string
  /** True if the request has the operator's key. */
  readonly isKeyed: boolean
}

type Refuse = (exceeded: Exceeded, call: CountedCall) => Response

/** How a provider limits its callers. */
export interface Provider {
  /** Limits of the free plan; empty if the provider publishes no number. */
  readonly plan: ReadonlyArray<Limit>
  /** Header field or query parameter of the key. */
  readonly key?: string
  /** Limits with a free key, if they differ. */
  readonly keyedPlan?: ReadonlyArray<Limit>
  /** True if the hosts of the provider count together. */
  readonly countsAllHosts?: true
  /** The refusal by status and headers. If there is no such form, it is that of the body. */
  readonly header: Refuse
  /** The refusal that only the body shows. If there is no such form, it is that of the header. */
  readonly body: Refuse
}

export const isKeyed = ({ key }: Provider, { headers, query }: CountedCall): boolean =>
  key !== undefined && (headers[key.toLowerCase()] !== undefined || query.has(key))

export const second = 1_000
export const minute = 60 * second
export const day = 24 * 60 * minute

/** The whole seconds after which a call is accepted. */
export const seconds = ({ wait }: Pick<Exceeded, "wait">): string => String(Math.max(1, Math.ceil(wait / 1_000)))

type Headers = Readonly<Record<string, string>>

export const json = (body: unknown, status: number, headers: Headers = {}): Response =>
  new Response(JSON.stringify(body), { status, headers: { "content-type": "application/json", ...headers } })

export const text = (body: string, status: number, headers: Headers = {}): Response =>
  new Response(body, { status, headers: { "content-type": "text/plain; charset=utf-8", ...headers } })

export const html = (body: string, status: number, headers: Headers = {}): Response =>
  new Response(body, { status, headers: { "content-type": "text/html", ...headers } })

/** A provider with one form of refusal. */
export const always = (refuse: Refuse): Pick<Provider, "header" | "body"> => ({ header: refuse, body: refuse })

/** developers.cloudflare.com/support: error 1015, with Retry-After since 2026-03-12. */
export const cloudflare: Refuse = (exceeded) => text("error code: 1015", 429, { "retry-after": seconds(exceeded) })

/** The page of nginx for this status. */
export const nginx: Refuse = () =>
  html(
    "<html>\r\n<head><title>429 Too Many Requests</title></head>\r\n<body>\r\n<center><h1>429 Too Many Requests</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n",
    429
  )
