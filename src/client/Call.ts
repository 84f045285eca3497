import type { PartialFailure } from "./failures.ts"

/** An answer with what stands in its header. */
export interface ClientResponse<A> {
  readonly data: A
  readonly status: number
  readonly headers: Headers
  readonly requestId: string | undefined
  /** What is missing from the data and is not said in it; empty where nothing is. */
  readonly partialFailures: ReadonlyArray<PartialFailure>
  /** Whether the data is that of an earlier answer, which the service has confirmed. */
  readonly cached: boolean
}

/** The promise of the data of an answer; `withResponse()` is the promise of all of it. Both are of one request. */
export class Call<A> extends Promise<A> {
  readonly #answer: Promise<ClientResponse<A>>

  constructor(answer: Promise<ClientResponse<A>>) {
    // Never settled: every reaction is to the answer.
    super(() => {})
    this.#answer = answer
  }

  /** Reactions return ordinary promises. */
  static override get [Symbol.species]() {
    return Promise
  }

  /** The data and the partial failures, the id of the request, the status and the header fields. */
  withResponse(): Promise<ClientResponse<A>> {
    return this.#answer
  }

  // biome-ignore lint/suspicious/noThenProperty: a promise has it
  override then<B = A, C = never>(
    onData?: ((data: A) => B | PromiseLike<B>) | null,
    // biome-ignore lint/suspicious/noExplicitAny: as of every promise
    onError?: ((error: any) => C | PromiseLike<C>) | null
  ): Promise<B | C> {
    return this.#answer.then(({ data }) => data).then(onData, onError)
  }

  // biome-ignore lint/suspicious/noExplicitAny: as of every promise
  override catch<C = never>(onError?: ((error: any) => C | PromiseLike<C>) | null): Promise<A | C> {
    return this.then(undefined, onError)
  }

  override finally(onEnd?: (() => void) | null): Promise<A> {
    return this.#answer.then(({ data }) => data).finally(onEnd)
  }
}
