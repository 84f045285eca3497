import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type * as Cache from "../../storage/Cache.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/** Cache lookup for a source that returns one key per call, within the budget share of charts. */
export const queryCoinByCoin =
  <A>(query: (key: string, cached: A | undefined) => Effect.Effect<Option.Option<A>, UpstreamError>) =>
  (
    keys: ReadonlyArray<string>,
    cached: ReadonlyMap<string, A>
  ): Effect.Effect<Cache.Answer<A, UpstreamError>, UpstreamError> =>
    Effect.forEach(keys, (key) => Effect.map(query(key, cached.get(key)), (found) => [key, found] as const)).pipe(
      Effect.map((all) => ({
        found: new Map(all.flatMap(([key, found]) => (Option.isSome(found) ? [[key, found.value] as const] : []))),
        failed: new Map()
      })),
      Effect.provideService(CurrentPriority, priorities.chart)
    )
