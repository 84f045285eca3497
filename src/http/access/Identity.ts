import { lazy } from "../../kernel/lazy.ts"
import { memoizeLast } from "../../kernel/memoizeLast.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import { clientOf, networkOf } from "./clientAddress.ts"
import { none, type TrustedProxies } from "./TrustedProxies.ts"

/** Header fields and peer address of a request. */
export interface Caller {
  /** Value of a header field by its lower-case name. */
  readonly header: (name: string) => string | undefined
  /** Address of the peer of the socket. */
  readonly address: () => string
}

/** Identity of the sender of a request. Each value is computed on first use and cached. */
export interface Identity {
  /** The key as sent. */
  readonly given: string | undefined
  readonly key: () => ApiKey | undefined
  /** Address of the client, behind trusted proxies. */
  readonly address: () => string
  /** The client for which requests are counted: the key or, without a valid key, the network of the address. */
  readonly client: () => string
}

const bearer = /^bearer +(\S+)$/i

/** Prometheus can send the key only in the Authorization header. */
const bearerOf = ({ header }: Caller) => bearer.exec(header("authorization") ?? "")?.[1]

const addressOf =
  (trusted: TrustedProxies) =>
  ({ address, header }: Caller): string =>
    clientOf(trusted, trusted === none ? undefined : header("x-forwarded-for"), address())

const noKey = () => undefined

/** The network of the address of the last client, or the address. */
const networkAt = memoizeLast((address: string) => networkOf(address) ?? address)

/** The client of a key, by the key's name. */
export const clientOfKey = (name: string) => `key ${name}`

export const make = (keys: Pick<ApiKeys, "find">, isKeyed: boolean, trusted: TrustedProxies) => {
  const addressed = addressOf(trusted)
  /** Identifies the sender of a request to this path. */
  return (caller: Caller, path: string): Identity => {
    const given = isKeyed
      ? (caller.header("x-api-key") ?? (path === "/metrics" ? bearerOf(caller) : undefined))
      : undefined
    const key = given === undefined ? noKey : lazy(() => keys.find(given))
    const address = lazy(() => addressed(caller))
    return {
      given,
      key,
      address,
      client: lazy(() => {
        const name = key()?.name
        return name === undefined ? `at ${networkAt(address())}` : clientOfKey(name)
      })
    }
  }
}
