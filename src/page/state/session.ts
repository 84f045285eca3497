import { WalletDataError } from "../../client/Client.ts"
import { makePageClient, type PageClient } from "./client.ts"
import { guarded } from "./guarded.ts"
import { currentRoute } from "./navigation.ts"
import { type RecordedCall, recorded } from "./recording.ts"
import { makeStore } from "./store.ts"
import { readStored, writeStored } from "./stored.ts"

/** The latest call of each method since the route was opened. */
export const calls = makeStore<ReadonlyMap<string, RecordedCall>>(new Map())

export const record = (call: RecordedCall) => calls.set(new Map(calls.get()).set(call.method.join("."), call))

currentRoute.subscribe(() => calls.set(new Map()))

/** State of the API key: `missing`: the service requires a key; `refused`: it rejected the key. */
export type KeyState = "fine" | "missing" | "refused"

export interface Session {
  readonly client: PageClient
  readonly key: KeyState
  /** True if requests carry a key. */
  readonly isKeyed: boolean
}

const item = "wallet-data-api-key"

/**
 * Options of the client, except the key. If the service says to wait for longer than a few seconds, the page says so
 * instead of waiting.
 */
export const clientOptions = { baseUrl: "", retryDelay: 300, maxRetryDelay: 5_000 }

const sessionWith = (apiKey: string | undefined): Session => {
  try {
    const client = guarded(recorded(makePageClient({ ...clientOptions, apiKey }), record))
    return { client, key: "fine", isKeyed: apiKey !== undefined }
  } catch {
    // No header can have the key.
    return { ...sessionWith(undefined), key: "refused" }
  }
}

/** The current client. Entering a key replaces it, so that dependent data is read again. */
export const session = makeStore(sessionWith(readStored(item, "sessionStorage")))

/** Stores the key until the tab is closed, and continues with it. */
export const enterKey = (key: string) => {
  writeStored(item, key, "sessionStorage")
  session.set(sessionWith(key))
}

const keyStates = new Map<string | undefined, KeyState>([
  ["urn:problem-type:unauthorized", "missing"],
  ["urn:problem-type:forbidden", "refused"]
])

/**
 * Prompts for a key if a request of this client failed for a missing or rejected key; returns true in that case. Does
 * not prompt for a client that has been replaced: its failures do not concern the current key.
 */
export const promptForKey =
  (client: PageClient) =>
  (error: unknown): boolean => {
    const key = error instanceof WalletDataError ? keyStates.get(error.type) : undefined
    if (key === undefined) return false
    if (session.get().client === client) session.set({ ...session.get(), key })
    return true
  }

/** Calls `read` after the page was drawn, in the second frame, and again with each new client. */
export const onEachClient = (read: (client: PageClient) => unknown): void => {
  let { client } = session.get()
  session.subscribe(() => {
    if (session.get().client === client) return
    client = session.get().client
    read(client)
  })
  requestAnimationFrame(() => requestAnimationFrame(() => read(client)))
}
