import { currentRoute } from "./navigation.ts"
import type { RecordedCall } from "./recording.ts"
import { makeStore } from "./store.ts"

/** The latest call of each method since the route was opened. */
export const calls = makeStore<ReadonlyMap<string, RecordedCall>>(new Map())

export const record = (call: RecordedCall) => calls.set(new Map(calls.get()).set(call.method.join("."), call))

currentRoute.subscribe(() => calls.set(new Map()))
