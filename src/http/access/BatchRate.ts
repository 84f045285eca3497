import * as Context from "effect/Context"

/**
 * Counts the calls of a batch beyond its first one for the rate limit of the client; how many seconds it has to wait where
 * they are too many, and else zero.
 */
export class BatchRate extends Context.Reference<BatchRate>()("http/access/BatchRate", {
  defaultValue:
    () =>
    (_calls: number): number =>
      0
}) {}
