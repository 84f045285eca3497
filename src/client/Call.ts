import type { PartialFailure } from "./failures.ts"

/** A response with its status and header fields. */
export interface ClientResponse<A> {
  readonly data: A
  readonly status: number
  readonly headers: Headers
  readonly requestId: string | undefined
  /** Parts that are missing from the data without a mention in it; empty if it is complete. */
  readonly partialFailures: ReadonlyArray<PartialFailure>
  /** Whether the data comes from the ETag cache, after a 304 of the service. */
  readonly cached: boolean
}

/** The promise of a response's data; `withResponse()` promises the whole response. Both belong to the same request. */
export class Call<A> extends Promise<A> {
  // A `#answer` could not be read through a proxy.
  private readonly answer: Promise<ClientResponse<A>>

  constructor(answer: Promise<ClientResponse<A>>) {
    // Never settles: `then`, `catch` and `finally` use `answer`.
    super(() => {})
    this.answer = answer
  }

  /** `then`, `catch` and `finally` return ordinary promises. */
  static override get [Symbol.species]() {
    return Promise
  }

  /** Returns the data with the partial failures, the request id, the status and the headers. */
  withResponse(): Promise<ClientResponse<A>> {
    return this.answer
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has it
  override then<B = A, C = never>(
    onData?: ((data: A) => B | PromiseLike<B>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: same type as in Promise
    onError?: ((error: any) => C | PromiseLike<C>) | null
  ): Promise<B | C> {
    return this.answer.then(({ data }) => data).then(onData, onError)
  }

  // biome-ignore lint/suspicious/noExplicitAny: same type as in Promise
  override catch<C = never>(onError?: ((error: any) => C | PromiseLike<C>) | null): Promise<A | C> {
    return this.then(undefined, onError)
  }

  override finally(onEnd?: (() => void) | null): Promise<A> {
    return this.answer.then(({ data }) => data).finally(onEnd)
  }
}
