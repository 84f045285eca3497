import { once } from "../../kernel/once.ts"
import type { ApiKey } from "./ApiKey.ts"
import type { ApiKeys } from "./ApiKeys.ts"
import { clientOf, networkOf } from "./clientAddress.ts"
import { none, type TrustedProxies } from "./TrustedProxies.ts"

/** What a request says of who sends it. */
export interface Caller {
  /** By its name in lower case. */
  readonly header: (name: string) => string | undefined
  /** The address at the other end of the socket. */
  readonly address: () => string
}

/** Who sends a request; each is found out when it is needed, and once. */
export interface Identity {
  /** The key that was sent, as it was. */
  readonly given: string | undefined
  /** The accepted key that it is. */
  readonly key: () => ApiKey | undefined
  /** The address of the client, past the proxies that are trusted. */
  readonly address: () => string
  /** For whom requests are counted: the key or, also of a key that is wrong, the network of the address. */
  readonly client: () => string
}

const bearer = /^bearer +(\S+)$/i

/** Prometheus can send no other header field. */
const bearerOf = ({ header }: Caller) => bearer.exec(header("authorization") ?? "")?.[1]

/** The address of the client, past the proxies that are trusted. */
const addressOf =
  (trusted: TrustedProxies) =>
  ({ address, header }: Caller): string =>
    clientOf(trusted, trusted === none ? undefined : header("x-forwarded-for"), address())

const noKey = () => undefined

export const make = (keys: ApiKeys, isKeyed: boolean, trusted: TrustedProxies) => {
  const addressed = addressOf(trusted)
  /** Who sends the request to this path. */
  return (caller: Caller, path: string): Identity => {
    const given = isKeyed
      ? (caller.header("x-api-key") ?? (path === "/metrics" ? bearerOf(caller) : undefined))
      : undefined
    const key = given === undefined ? noKey : once(() => keys.find(given))
    const address = once(() => addressed(caller))
    return {
      given,
      key,
      address,
      client: () => {
        const name = key()?.name
        return name === undefined ? `at ${networkOf(address()) ?? address()}` : `key ${name}`
      }
    }
  }
}
