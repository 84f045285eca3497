/** A request to a simulated upstream. */
export interface SimulatedRequest {
  readonly method: string
  /** Path, with or without the path of the upstream's base address. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  /** Raw bytes of the body, for binary bodies. */
  readonly bytes?: Uint8Array
  /** Current time, ms. */
  readonly now: number
}

/** A simulated upstream: returns the response that the real one would return. */
export type Simulated = (request: SimulatedRequest) => Response

export const json = (body: unknown, status = 200): Response => Response.json(body, { status })

/** A node's error instead of a result (JSON-RPC 2.0). */
export interface Refusal {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

export const refused = (code: number, message: string, data?: unknown): Refusal =>
  data === undefined ? { code, message } : { code, message, data }
