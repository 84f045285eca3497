import { linesOf, parsed } from "./bodies.ts"
import { type CallOptions, checkedCall } from "./ClientOptions.ts"
import { isObject } from "./failures.ts"
import { type Guard, guard } from "./guard.ts"
import type { Build, Transport } from "./Transport.ts"
import type { components } from "./types.ts"
import { unusable } from "./WalletDataError.ts"

/** Part that is missing from a stream without a mention in its data. */
export type Failure = Extract<
  components["schemas"]["BalancesLine"],
  { readonly failures: ReadonlyArray<unknown> }
>["failures"][number]

/**
 * Yields each value as soon as the service sends it; on platforms without streams, such as React Native, all values at
 * the end. Reading the first value starts the request; leaving the loop early aborts it. A truncated stream fails with
 * an error, so a stream that ends normally is complete.
 */
export interface Stream<A> extends AsyncGenerator<A, void, undefined> {
  /** Parts that are missing from the values so far; complete when the stream has ended. */
  readonly failures: ReadonlyArray<Failure>
}

async function* values<A>(
  { open, settings }: Transport,
  build: Build,
  options: CallOptions,
  failures: Array<Failure>,
  leaving: AbortController
): AsyncGenerator<A, void, undefined> {
  const { signal: outer, timeout } = checkedCall(options, settings)
  const { signal } = leaving
  const leave = () => leaving.abort(outer?.reason)
  if (outer?.aborted) leave()
  outer?.addEventListener("abort", leave)
  let limit: Guard | undefined
  try {
    const response = await open(() => ({ ...build(), accept: "application/x-ndjson" }), { timeout, signal })
    limit = guard(timeout, signal)
    for await (const text of linesOf(response, limit, settings.maxBytes)) {
      // Other lines have arrived with the one before.
      limit.check()
      if (text.trim() === "") continue
      const line = parsed(text)
      if (!isObject(line)) throw unusable("A line of the stream is not an object")
      if (line.done === true) return
      const { failures: missing, ...data } = line
      if (Array.isArray(missing)) for (const failure of missing) failures.push(failure)
      if (Object.keys(data).length > 0) yield data as A
    }
  } finally {
    limit?.stop()
    outer?.removeEventListener("abort", leave)
  }
  throw unusable("The stream was cut off: its last line did not arrive")
}

/** Streams the response to a request. */
export const stream = <A>(transport: Transport, build: Build, options: CallOptions = {}): Stream<A> => {
  const failures: Array<Failure> = []
  const leaving = new AbortController()
  const all = values<A>(transport, build, options, failures, leaving)
  const end = all.return.bind(all)
  // A generator returns only after its pending read, which is aborted.
  const leave = (value: void | PromiseLike<void>) => {
    leaving.abort()
    return end(value)
  }
  // Bound methods also work behind a proxy.
  return Object.assign(all, { failures, return: leave, next: all.next.bind(all), throw: all.throw.bind(all) })
}
