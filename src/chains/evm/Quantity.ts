import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Client from "../../jsonrpc/Client.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"

/** Maximum time that a request waits for the number, which is only a hint. */
const maxWait = "2 seconds"

/** Reads a number of an address at a block from nodes. Cannot fail: undefined if no node returns it in time. */
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
          (value) =>
            value === undefined
              ? node.fault({ reason: "upstream_error", detail: "returned an error" })
              : Effect.succeed<bigint | undefined>(value)
        )
      )
      .pipe(
        timeoutTo({ duration: maxWait, onTimeout: () => Effect.succeed(undefined) }),
        Effect.catchAll(() => Effect.succeed(undefined))
      )

/**
 * A node without the state of a block returns an error with any HTTP status. It still works, so its circuit must not
 * open because of it.
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
