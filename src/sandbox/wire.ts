/** A call as a simulated upstream sees it. */
export interface Asked {
  readonly method: string
  /** Below the base address of the upstream, or the whole path. */
  readonly path: string
  readonly query: URLSearchParams
  readonly body: string
  /** ms */
  readonly now: number
}

/** A simulated upstream: what the real one would answer. */
export type Simulated = (asked: Asked) => Response

export const json = (body: unknown, status = 200): Response => Response.json(body, { status })
