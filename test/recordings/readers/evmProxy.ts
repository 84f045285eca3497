import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { simulatedClient } from "../../support/http.ts"
import { call, rpcOver } from "../../support/rpc.ts"
import { firstUrl, run, upstreamDependencies } from "../../support/upstream.ts"
import { type Rows, recordedAs, row } from "../table.ts"

interface Envelope {
  readonly error?: unknown
  readonly result?: unknown
}

/** HTTP 429 means that the node did not process the call; a response without a JSON-RPC envelope comes from a gateway. */
const expected = ({ response }: Exchange) => {
  const body = response.body as Envelope
  if (response.status === 429) return "rate_limited"
  if (body.error !== undefined && !("jsonrpc" in body) && !("id" in body)) return "bad_answer"
  return [body.error === undefined ? "result" : "error", JSON.stringify(body.error ?? body.result)]
}

const passedOn = row(
  (recording) => {
    const body = recording.response.body as Envelope
    const request = recording.request.body as { readonly method: string; readonly params: unknown } | null
    const again = { ...body, ...("id" in body ? { id: 1 } : {}) }
    const outside = simulatedClient(() => replay({ ...recording, response: { ...recording.response, body: again } }))
    return Effect.gen(function* () {
      const rpc = yield* rpcOver(EvmMethodPolicy.make({ chainId: 8453, blockTime: 2_000, finality: 10 }), [firstUrl])
      const sent = call(request?.method ?? "eth_getTransactionReceipt", JSON.stringify(request?.params ?? ["0x01"]))
      const outcome = yield* run(rpc.call(sent))
      return Either.match(outcome, {
        onLeft: ({ reason }): unknown => reason,
        onRight: ({ member, text }) => [member, text]
      })
    }).pipe(Effect.scoped, Effect.provide(upstreamDependencies(outside)))
  },
  recordedAs(expected),
  "is passed on by the proxy"
)

/** These rows, and for each name that the proxy passes on its response; it splits batches before it sends them. */
export const withPassedOn = (names: ReadonlyArray<string>, rows: Rows): Rows => ({
  ...rows,
  ...Object.fromEntries(
    names.filter((name) => !name.startsWith("batch-")).map((name) => [name, [rows[name] ?? [], passedOn].flat()])
  )
})
