import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { networkOver } from "../support/chains.ts"
import { byHost, json, type Reply, type SentRequest, simulatedClient } from "../support/http.ts"
import { assert } from "../support/vitest.ts"

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

/** Reads the transaction contexts of addresses in canonical form from these hosts. */
export const read = Effect.fnUntraced(function* (
  network: string,
  addresses: ReadonlyArray<string>,
  hosts: Hosts,
  environment: Readonly<Record<string, string>>
) {
  const { layer, requests } = simulatedClient(byHost(hosts))
  const chain = yield* networkOver(network, layer, { environment })
  const reader = yield* chain.transactionContexts?.(addresses) ?? Effect.dieMessage("no contexts")
  return { results: yield* Effect.forEach(addresses, (address) => Effect.either(reader(address))), requests }
})

/** The context of the first of the addresses. */
export const first = (...request: Parameters<typeof read>) =>
  Effect.map(read(...request), ({ results: [result] }) =>
    result === undefined ? assert.fail("nothing") : Either.getOrThrowWith(result, ({ message }) => new Error(message))
  )

/** The reason why the context of the first of the addresses cannot be read. */
export const failure = (...request: Parameters<typeof read>) =>
  Effect.map(read(...request), ({ results: [result] }) =>
    result === undefined ? assert.fail("nothing") : Either.getOrThrow(Either.flip(result))
  )

/** A call of JSON-RPC. */
export interface Call {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** JSON-RPC node that answers calls and batches with these results. An Error becomes a JSON-RPC error. */
export const node =
  (results: (call: Call) => unknown) =>
  ({ body }: SentRequest): Reply => {
    const answer = (call: Call) => {
      const result = results(call)
      return result instanceof Error
        ? { jsonrpc: "2.0", id: call.id, error: { code: -32000, message: result.message } }
        : { jsonrpc: "2.0", id: call.id, result: result ?? null }
    }
    const sent = JSON.parse(body) as Call | ReadonlyArray<Call>
    return json(Array.isArray(sent) ? sent.map(answer) : answer(sent as Call))
  }
