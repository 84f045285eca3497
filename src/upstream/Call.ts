import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as UrlParams from "@effect/platform/UrlParams"
import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Schema from "effect/Schema"
import * as ResponseDecoder from "./response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "./Upstream.ts"
import type { Fault, UpstreamError } from "./UpstreamError.ts"

/** A call that a provider offers. The adapter makes it and the sandbox answers it: both are typed by it. */
export interface Call<Path extends string, P, B, A, I> {
  readonly method: "GET" | "POST"
  /** Relative to the base address; names in braces are parameters, such as `/txs/{hash}`. */
  readonly path: Path
  readonly query?: (parameters: P) => UrlParams.CoercibleRecord
  /** JSON, plain text, or bytes of the type `application/cbor`. */
  readonly body?: (parameters: P) => B
  readonly response: Schema.Schema<A, I>
  /** Whether the response is about what was requested. */
  readonly about?: (response: A, parameters: P) => boolean
  /** Limits, cost and oddities of the provider, which no schema has. */
  readonly note?: string
  readonly perOpen?: PerOpen
}

/**
 * How often opening a wallet needs a call, in batches too: for the balances of an address that was not read before, and
 * for 20 entries of its history. `varies` is a number that depends on the wallet.
 */
export type PerOpen = Readonly<Partial<Record<"balance" | "history", number | "varies">>>

/** The parameters that a path names. */
export type Named<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? { readonly [K in Name]: string } & Named<Rest>
  : unknown

type Parts<P, B, A, I, Path extends string> = Omit<Call<Path, P, B, A, I>, "method" | "path">

export const get = <const Path extends string, A, I, P = unknown>(
  path: Path,
  parts: Parts<P & Named<Path>, undefined, A, I, Path>
): Call<Path, P & Named<Path>, undefined, A, I> => ({ method: "GET", path, ...parts })

export const post = <const Path extends string, B, A, I, P = unknown>(
  path: Path,
  parts: Parts<P & Named<Path>, B, A, I, Path>
): Call<Path, P & Named<Path>, B, A, I> => ({ method: "POST", path, ...parts })

/** A method of a JSON-RPC API. The client of its nodes puts the parameters into a request, and takes the result out. */
export interface RpcCall<P, B, A, I> extends Pick<Call<"", P, B, A, I>, "about" | "note" | "perOpen" | "response"> {
  readonly rpc: string
  readonly params: (parameters: P) => B
}

export const rpc = <B, A, I, P = unknown>(
  rpc: string,
  parts: Omit<RpcCall<P, B, A, I>, "rpc">
): RpcCall<P, B, A, I> => ({
  rpc,
  ...parts
})

/** A document of a GraphQL API, by the field that it reads; the response is the data. */
export interface GraphQlCall<P, A, I> extends Pick<Call<"", P, undefined, A, I>, "note" | "perOpen" | "response"> {
  readonly graphql: string
  readonly document: (parameters: P) => string
  readonly variables: (parameters: P) => Readonly<Record<string, unknown>>
}

export const graphql = <P, R>(
  graphql: string,
  parts: Omit<GraphQlCall<P, unknown, unknown>, "graphql" | "response"> & { readonly response: R }
) => ({ graphql, ...parts })

/** A call as the clients of JSON-RPC nodes send it. */
export const methodOf = <P, B>(
  { params, rpc }: Pick<RpcCall<P, B, unknown, unknown>, "params" | "rpc">,
  parameters: P
) => ({
  method: rpc,
  params: params(parameters)
})

/**
 * The request of a call. Encodes the parameters of its path, whose form the caller has checked; colons, which addresses
 * of some networks have, need no encoding there.
 */
export const requestOf = <P, A, I>({ body, method, path, query }: Call<string, P, unknown, A, I>, parameters: P) => {
  const named = parameters as Readonly<Record<string, unknown>>
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(named[name])).replaceAll("%3A", ":")
  )
  const request = HttpClientRequest.setUrlParams(HttpClientRequest.make(method)(filled), query?.(parameters) ?? {})
  const content = body?.(parameters)
  if (content === undefined) return request
  if (typeof content === "string") return HttpClientRequest.bodyText(request, content)
  return content instanceof Uint8Array
    ? HttpClientRequest.bodyUint8Array(request, content, "application/cbor")
    : HttpClientRequest.bodyUnsafeJson(request, content)
}

/** Decodes the response to a call; it is a fault if it is about something else. */
export const decoding = <P, A, I>(
  { about = () => true, response }: Pick<Call<string, P, unknown, A, I>, "about" | "response">,
  parameters: P,
  options?: ResponseDecoder.DecodeOptions
): ResponseDecoder.Decoder<A> => {
  const decode = ResponseDecoder.fitting(response, options)
  return (answer) =>
    Either.filterOrLeft(
      decode(answer),
      (found) => about(found, parameters),
      () => notRequested
    )
}

export const notRequested: Fault = { reason: "bad_answer", detail: "returned data that was not requested" }

/** Makes a call that changes nothing at one address. */
export const readAt = <P, A, I>(
  address: Pick<Endpoint, "read">,
  call: Call<string, P, unknown, A, I>,
  parameters: P,
  options?: ResponseDecoder.DecodeOptions
) => address.read(requestOf(call, parameters), decoding(call, parameters, options))

/** Makes calls that change nothing at the addresses of an upstream, in their order. */
export const reading =
  (upstream: Pick<Upstream, "over">, options?: ResponseDecoder.DecodeOptions) =>
  <P, A, I>(call: Call<string, P, unknown, A, I>, parameters: P): Effect.Effect<A, UpstreamError> =>
    upstream.over((address) => readAt(address, call, parameters, options))

export type CallReader = ReturnType<typeof reading>

/** Makes calls that change nothing; `convert` may find a fault in a response. */
export type ConvertingReader = <P, A, I, B>(
  call: Call<string, P, unknown, A, I>,
  parameters: P,
  convert: (found: A, answer: ResponseDecoder.UpstreamResponse) => Either.Either<B, Fault>
) => Effect.Effect<B, UpstreamError>

/** As {@link readAt}, with a conversion. */
export const convertingAt =
  (address: Pick<Endpoint, "read">, options?: ResponseDecoder.DecodeOptions): ConvertingReader =>
  (call, parameters, convert) => {
    const decode = decoding(call, parameters, options)
    return address.read(requestOf(call, parameters), (answer) =>
      Either.flatMap(decode(answer), (found) => convert(found, answer))
    )
  }

/** As {@link reading}, with a conversion. */
export const converting =
  (upstream: Pick<Upstream, "over">, options?: ResponseDecoder.DecodeOptions): ConvertingReader =>
  (call, parameters, convert) =>
    upstream.over((address) => convertingAt(address, options)(call, parameters, convert))
