/** A call as a simulated upstream sees it. */
export interface SimulatedRequest {
  readonly method: string
  /** Below the base address of the upstream, or the whole path. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  /** The body as it came, for what is no text. */
  readonly bytes?: Uint8Array
  /** ms */
  readonly now: number
}

/** A simulated upstream: what the real one would answer. */
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
