import { lookup } from "node:dns/promises"
import { isIPv6 } from "node:net"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import { isPublic } from "./publicAddress.ts"

/** How hosts are found and checked. Tests replace it. */
export interface HostAccess {
  /** All addresses of a host name. */
  readonly resolve: (host: string) => Promise<ReadonlyArray<string>>
  readonly isAllowed: (address: string) => boolean
  readonly port: number
  /** Certificates to trust instead of the usual ones. */
  readonly ca?: string
}

const live: HostAccess = {
  resolve: (host) => lookup(host, { all: true }).then((all) => all.map(({ address }) => address)),
  isAllowed: isPublic,
  port: 443
}

/** Maximum number of addresses of a host that are tried. */
const maxAddresses = 3

/**
 * Sends a GET by https to the host of the URL. Resolves the name once, requires that all its addresses are public, and
 * connects to one of these addresses, so that a second resolution cannot lead elsewhere. The certificate must be valid for
 * the name. Does not follow redirects, decompress, reuse connections or send cookies. The body is not read.
 */
export const over =
  ({ ca, isAllowed, port, resolve }: HostAccess) =>
  (
    request: HttpClientRequest.HttpClientRequest,
    { hostname, pathname, search }: URL,
    signal: AbortSignal
  ): Effect.Effect<HttpClientResponse.HttpClientResponse, HttpClientError.HttpClientError> => {
    const failure = (cause: unknown) => new HttpClientError.RequestError({ request, reason: "Transport", cause })
    const connect = (address: string) =>
      Effect.tryPromise({
        try: () =>
          globalThis.fetch(`https://${isIPv6(address) ? `[${address}]` : address}:${port}${pathname}${search}`, {
            headers: { ...request.headers, host: hostname },
            redirect: "manual",
            decompress: false,
            keepalive: false,
            signal,
            tls: { serverName: hostname, ...(ca === undefined ? {} : { ca }) }
          }),
        catch: failure
      })
    return Effect.tryPromise({ try: () => resolve(hostname), catch: failure }).pipe(
      Effect.filterOrFail(
        (addresses): addresses is Arr.NonEmptyReadonlyArray<string> =>
          Arr.isNonEmptyReadonlyArray(addresses) && addresses.every(isAllowed),
        () => failure("not a public host")
      ),
      Effect.flatMap((addresses) => Effect.firstSuccessOf(Arr.map(Arr.take(addresses, maxAddresses), connect))),
      Effect.map((response) => HttpClientResponse.fromWeb(request, response))
    )
  }

export const get = over(live)
