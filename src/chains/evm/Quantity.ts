import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Client from "../../jsonrpc/Client.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as ResponseDecoder from "../../upstream/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"

/** A hint, not the answer itself: nobody waits longer for it. */
const patience = "2 seconds"

/** Asks nodes for a number about an address as of a block. Cannot fail: undefined where none of them told it in time. */
export const make =
  (nodes: Upstream) =>
  (method: string, address: string, block: string): Effect.Effect<bigint | undefined> =>
    nodes
      .over((node) =>
        Effect.flatMap(
          node.send(
            HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), {
              jsonrpc: "2.0",
              id: Client.onlyId,
              method,
              params: [address, block]
            }),
            quantity
          ),
          (told) =>
            told === undefined
              ? node.fault({ reason: "upstream_error", detail: "has no answer" })
              : Effect.succeed<bigint | undefined>(told)
        )
      )
      .pipe(
        timeoutTo({ duration: patience, onTimeout: () => Effect.succeed(undefined) }),
        Effect.catchAll(() => Effect.succeed(undefined))
      )

/**
 * A node that has forgotten a block says so with an error, of whatever HTTP status: it works all the same, and must not
 * rest because of it.
 */
const quantity: ResponseDecoder.Decoder<bigint | undefined> = (answer) =>
  Either.flatMap(
    Either.mapLeft(ResponseDecoder.json(answer), (fault) => ResponseDecoder.statusFault(answer) ?? fault),
    (body) => {
      const { error, result } = Predicate.isRecord(body) && Client.isResponseTo(Client.onlyId, body) ? body : {}
      if (typeof result === "string" && /^0x[0-9a-f]+$/i.test(result)) return Either.right(BigInt(result))
      if (error !== undefined && error !== null && answer.status !== 429) return Either.right(undefined)
      return Either.left(
        ResponseDecoder.statusFault(answer) ?? { reason: "bad_answer" as const, detail: "returned no number" }
      )
    }
  )
