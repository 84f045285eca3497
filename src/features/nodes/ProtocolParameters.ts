import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { EpochJson, ProtocolParameters as Parameters, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { span } from "../../kernel/span.ts"
import * as Cache from "../../storage/Cache.ts"

const schema = Schema.Struct({ epoch: Schema.Int, json: Schema.String })

/** Cache key of the newest values, of any epoch. */
const newest = "newest"

/** Parameters for building a transaction on a network whose rules change with each epoch. */
export class ProtocolParameters extends Context.Tag("features/nodes/ProtocolParameters")<
  ProtocolParameters,
  {
    /**
     * JSON of `{parameters, blockData}`: the parameters, at most three minutes old and of the epoch of the block if a
     * source has them, and the newest block, at most twenty seconds old.
     */
    readonly json: Effect.Effect<string, ReadFailure>
  }
>() {
  static readonly layer = Layer.scoped(
    ProtocolParameters,
    Effect.gen(function* () {
      const { all } = yield* Chains
      const source = Effect.map(all, (networks) => networks.flatMap(({ protocolParameters: own }) => own ?? [])[0])
      const from = (of: (parameters: Parameters) => Effect.Effect<EpochJson, ReadFailure>) =>
        Effect.flatMap(source, (found) => (found === undefined ? Effect.fail(notConfigured) : of(found)))
      const options = { version: 1, schema, notFound: 0, failure: "1 second", capacity: 16 } as const
      const lookup = (read: Effect.Effect<EpochJson, ReadFailure>) => (keys: ReadonlyArray<string>) =>
        Effect.map(read, (ofEpoch) => ({
          found: new Map(keys.map((key) => [key, ofEpoch])),
          failed: new Map<string, ReadFailure>()
        }))
      const parameters = yield* Cache.make({
        ...options,
        name: "protocol-parameters",
        fresh: "1 minute",
        stale: "2 minutes",
        lookup: lookup(from(({ current }) => current))
      })
      const blocks = yield* Cache.make({
        ...options,
        name: "newest-block",
        fresh: "10 seconds",
        stale: "10 seconds",
        lookup: lookup(from(({ block }) => block))
      })

      const get = (cache: Cache.Cache<EpochJson, ReadFailure>, key: string): Effect.Effect<EpochJson, ReadFailure> =>
        Effect.flatMap(
          cache.get(key),
          Option.match({ onNone: () => Effect.fail(notConfigured), onSome: Effect.succeed })
        )

      const json = Effect.gen(function* () {
        const [cached, block] = yield* Effect.all([get(parameters, newest), get(blocks, newest)], { concurrency: 2 })
        // The block is of a later epoch: the cached parameters may no longer be in force.
        const current = cached.epoch < block.epoch ? yield* get(parameters, `since ${block.epoch}`) : cached
        return `{"parameters":${current.json},"blockData":${block.json}}`
      })
      return { json: span("ProtocolParameters.json")(json) }
    })
  )
}

const notConfigured: ReadFailure = {
  reason: "not_configured",
  message: "no source of protocol parameters is configured"
}
