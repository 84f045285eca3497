import * as Effect from "effect/Effect"
import type { Standing } from "../../src/upstream/Sources.ts"

/** State of a source: `works` if `ready` returns true at that time, else `limited`. */
export const standing = (ready: () => boolean = () => true): Effect.Effect<Standing> =>
  Effect.sync(() => ({ state: ready() ? "works" : "limited", usual: 1_000 }))
