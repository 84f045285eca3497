import { unescape } from "node:querystring"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"

/** Names of header fields or query parameters, and the operator's keys in them. */
export type Keys = ReadonlyArray<readonly [name: string, key: Redacted.Redacted<string>]>

/** The user part, long path segments and the query of an address may contain keys. */
const parsed = (address: string) => {
  const url = new URL(address)
  const user = unescape(url.username)
  const password = unescape(url.password)
  const pair = `${user}:${password}`
  const parameters = [...url.searchParams]
  const segments = url.pathname.split("/").filter((segment) => segment.length >= 16)
  // Without a password the user is the key.
  const hidden = [pair, password === "" ? user : password, ...segments, ...parameters.map(([, value]) => value)]
  return {
    base: `${url.protocol}//${url.host}${url.pathname.replace(/\/+$/, "")}`,
    parameters,
    authorization: pair === ":" ? undefined : Redacted.make(`Basic ${Encoding.encodeBase64(pair)}`),
    secrets: hidden.filter((secret) => secret.length > 2).map((secret) => Redacted.make(secret))
  }
}

/** Adds the keys of an address to requests, and lists its secrets. */
export const credentials = (address: string, headers: Keys, queryParameters: Keys) => {
  const { authorization, base, parameters, secrets } = parsed(address)
  const all = [...secrets, ...[...headers, ...queryParameters].map(([, key]) => key)]
  return {
    secrets: all,
    isKeyless: authorization === undefined && all.length === 0,
    /** Adds the complete address and all keys to the request. */
    prepare: (request: HttpClientRequest.HttpClientRequest): HttpClientRequest.HttpClientRequest => {
      let prepared = HttpClientRequest.setUrl(request, `${base}${request.url}`)
      for (const [name, value] of parameters) prepared = HttpClientRequest.appendUrlParam(prepared, name, value)
      for (const [name, key] of queryParameters)
        prepared = HttpClientRequest.appendUrlParam(prepared, name, Redacted.value(key))
      if (authorization !== undefined)
        prepared = HttpClientRequest.setHeader(prepared, "authorization", Redacted.value(authorization))
      for (const [name, key] of headers) prepared = HttpClientRequest.setHeader(prepared, name, Redacted.value(key))
      return HttpClientRequest.setHeader(prepared, "user-agent", "wallet-data")
    }
  }
}
