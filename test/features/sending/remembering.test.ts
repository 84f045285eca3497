import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as FiberSet from "effect/FiberSet"
import type { SignedTransaction } from "../../../src/chains/Chain.ts"
import { accepted } from "../../../src/chains/kit/sending/outcomes.ts"
import { remembering } from "../../../src/features/sending/remembering.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { assert, describe, it } from "../../support/vitest.ts"

describe("a call of a client that a node accepts", () => {
  it("is an accepted send, unless the node may drop the transaction by the rules of its method", function* () {
    const ofEffect = Task.fromEffect(yield* FiberSet.makeRuntime<never>())
    const events: Array<string> = []
    const event = (name: string) => Effect.sync(() => void events.push(name))
    const signed = { hash: "0x5", decided: () => Either.right(accepted(false)) } as unknown as SignedTransaction
    const rpc = remembering(
      {
        facts: { id: "net" },
        rpc: {
          main: { call: () => Task.ended(Exit.succeed({ member: "result", text: '"0x5"' })) },
          signedIn: () => ["text"]
        },
        sending: { main: () => Either.right(signed) }
      } as never,
      {
        remember: () => Effect.succeed({ earlier: undefined, accept: event("accept"), forget: event("forget") }),
        find: () => Effect.die("not read"),
        using: () => Effect.die("not read")
      },
      ofEffect
    )
    for (const [method, expected] of [
      ["eth_sendRawTransaction", ["accept"]],
      ["sendTransaction", ["accept"]],
      ["eth_sendPrivateTransaction", []],
      ["eth_sendRawTransactionConditional", []],
      ["eth_sendBundle", []]
    ] as const) {
      events.length = 0
      yield* Task.toEffect(rpc?.call({ method, params: "[]" }) ?? assert.fail("no calls"))
      assert.deepStrictEqual<unknown>(events, expected, method)
    }
  })
})
