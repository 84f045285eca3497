import * as Effect from "effect/Effect"
import type { Standing } from "../../src/upstream/Sources.ts"

/** How a source stands that is ready or not, as a test says at the time. */
export const standing = (ready: () => boolean = () => true): Effect.Effect<Standing> =>
  Effect.sync(() => ({ state: ready() ? "works" : "limited", usual: 1_000 }))
