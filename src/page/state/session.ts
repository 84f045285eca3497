import { make, type WalletData, WalletDataError } from "../../client/Client.ts"
import { record } from "./calls.ts"
import { recorded } from "./recording.ts"
import { makeStore } from "./store.ts"

/** Whether the service needs an API key that it has not got: none was given, or it accepts another one only. */
export type KeyState = "fine" | "missing" | "refused"

export interface Session {
  readonly client: WalletData
  readonly key: KeyState
  /** Whether a key is sent. */
  readonly isKeyed: boolean
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

/** Of the client, but for the key. */
export const clientOptions = { baseUrl: "", retryDelay: 300 }

const sessionWith = (apiKey: string | undefined): Session => ({
  client: recorded(make({ ...clientOptions, apiKey }), record),
  key: "fine",
  isKeyed: apiKey !== undefined
})

/** The client of the service; a new one whenever a key was entered, so that what depends on it is read again. */
export const session = makeStore(sessionWith(storedKey()))

/** Goes on with this key. */
export const enterKey = (key: string) => {
  storeKey(key)
  session.set(sessionWith(key))
}

const keyStates = new Map<string | undefined, KeyState>([
  ["urn:problem-type:unauthorized", "missing"],
  ["urn:problem-type:forbidden", "refused"]
])

/**
 * Asks for a key where that is what a request of this client has failed for; returns whether it is. What a client that has
 * been replaced hears afterwards says nothing of the key that was entered since.
 */
export const needsKey =
  (client: WalletData) =>
  (error: unknown): boolean => {
    const key = error instanceof WalletDataError ? keyStates.get(error.type) : undefined
    if (key === undefined) return false
    if (session.get().client === client) session.set({ ...session.get(), key })
    return true
  }

/** Reads something now, and again with each client that has another key. */
export const withEachClient = (read: (client: WalletData) => unknown): void => {
  let { client } = session.get()
  session.subscribe(() => {
    if (session.get().client === client) return
    client = session.get().client
    read(client)
  })
  read(client)
}
