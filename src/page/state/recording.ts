import type { PageClient } from "./client.ts"

/** A call of the client, with its result so far. */
export interface RecordedCall {
  /** Path of the method in the client, such as `balances`, `stream`. */
  readonly method: ReadonlyArray<string>
  /** The arguments of the call, without those that only the page needs. */
  readonly args: ReadonlyArray<unknown>
  /** True if the result is a stream of values. */
  readonly isStream: boolean
  readonly answer:
    | { readonly state: "waiting" }
    | { readonly state: "failed"; readonly error: unknown }
    /** For a stream: its first values, and the number of all values. */
    | { readonly state: "answered"; readonly data: unknown; readonly values?: number }
}

/** The number of stored values of a stream. */
const maxValues = 50

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Removes the abort signal, which is specific to the page and not part of a repeated call. */
const withoutSignal = (args: ReadonlyArray<unknown>): ReadonlyArray<unknown> =>
  args.flatMap((argument) => {
    if (!isObject(argument) || !("signal" in argument)) return [argument]
    const { signal: _, ...rest } = argument
    return Object.keys(rest).length === 0 ? [] : [rest]
  })

/** Files are not stored, only their type and size. */
const summaryOf = (data: unknown): unknown => (data instanceof Blob ? { type: data.type, bytes: data.size } : data)

type Values = AsyncGenerator<unknown, void, undefined>

/** Records values as the caller reads them. Errors are only seen by the caller. */
const watch = (values: Values, answered: (data: ReadonlyArray<unknown>, count: number) => void) => {
  const { next } = values
  const first: Array<unknown> = []
  let count = 0
  values.next = async () => {
    const step = await next()
    if (step.done === true) answered(first, count)
    else {
      if (first.length < maxValues) first.push(step.value)
      count += 1
      if (count === 1) answered([...first], count)
    }
    return step
  }
}

/** Wraps a client and records each call: when it starts, and again when more of its response arrives. */
export const recorded = (client: PageClient, record: (call: RecordedCall) => void): PageClient => {
  const called = (method: ReadonlyArray<string>, args: ReadonlyArray<unknown>, result: unknown) => {
    const isStream = isObject(result) && Symbol.asyncIterator in result
    if (!isStream && !(result instanceof Promise)) return
    const call = { method, args: withoutSignal(args), isStream }
    record({ ...call, answer: { state: "waiting" } })
    if (isStream)
      watch(result as Values, (data, values) => record({ ...call, answer: { state: "answered", data, values } }))
    else
      result.then(
        (data: unknown) => record({ ...call, answer: { state: "answered", data: summaryOf(data) } }),
        (error: unknown) => record({ ...call, answer: { state: "failed", error } })
      )
  }
  const watched = <A extends object>(target: A, method: ReadonlyArray<string>): A =>
    new Proxy(target, {
      get: (of, name) => {
        const value: unknown = Reflect.get(of, name)
        const isPart = typeof name === "string" && Object.hasOwn(of, name)
        return isPart && (typeof value === "function" || isObject(value)) ? watched(value, [...method, name]) : value
      },
      apply: (of, _, args: ReadonlyArray<unknown>) => {
        const result: unknown = Reflect.apply(of as never, undefined, args)
        called(method, args, result)
        return result
      }
    })
  return watched(client, [])
}
