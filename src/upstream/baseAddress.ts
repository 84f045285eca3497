import { unescape } from "node:querystring"
import * as Encoding from "effect/Encoding"
import * as Redacted from "effect/Redacted"

/**
 * An address as requests use it, and what of it is secret: keys stand in the user part, in long path segments and in the
 * query.
 */
export const baseAddress = (text: string) => {
  const url = new URL(text)
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
    secrets: hidden.filter((item) => item.length > 2).map((element) => Redacted.make(element))
  }
}
