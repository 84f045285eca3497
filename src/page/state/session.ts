import { make, type WalletData, WalletDataError } from "../../client/Client.ts"
import { makeStore } from "./store.ts"

/** Whether the service needs an API key that it has not got: none was given, or it accepts another one only. */
export type KeyState = "fine" | "missing" | "refused"

export interface Session {
  readonly client: WalletData
  readonly key: KeyState
}

const item = "wallet-data-api-key"

/** Of this tab, until it is closed. Where the browser has no storage for the page, the key lasts until it is reloaded. */
const storedKey = (): string | undefined => {
  try {
    return sessionStorage.getItem(item) ?? undefined
  } catch {
    return undefined
  }
}

const storeKey = (key: string) => {
  try {
    sessionStorage.setItem(item, key)
  } catch {}
}

const clientWith = (apiKey: string | undefined) => make({ baseUrl: "", apiKey, retryDelay: 300 })

/** The client of the service; a new one whenever a key was entered, so that what depends on it is read again. */
export const session = makeStore<Session>({ client: clientWith(storedKey()), key: "fine" })

/** Goes on with this key. */
export const enterKey = (key: string) => {
  storeKey(key)
  session.set({ client: clientWith(key), key: "fine" })
}

const keyStates = new Map<string | undefined, KeyState>([
  ["urn:problem-type:unauthorized", "missing"],
  ["urn:problem-type:forbidden", "refused"]
])

/** Asks for a key where that is what a request to the service has failed for; returns whether it is. */
export const needsKey = (error: unknown): boolean => {
  const key = error instanceof WalletDataError ? keyStates.get(error.type) : undefined
  if (key === undefined) return false
  session.set({ ...session.get(), key })
  return true
}
