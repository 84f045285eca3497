import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { resultOf } from "../../jsonrpc/boundCalls.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { ReadFailure, RecipientAccount } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { delegateIn } from "./delegation.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"

// An account of a key has no code, or that of a delegation.

/** Well-known addresses without a key, to which coins are sent to destroy them. */
const burnt = ["0x0000000000000000000000000000000000000000", "0x000000000000000000000000000000000000dead"]

/** Reads the account at an address from the first node that can. `off` is the reason if there are no nodes. */
export const recipient =
  (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  (address: string): Effect.Effect<RecipientAccount, ReadFailure> =>
    off === undefined
      ? nodes
          .over((node) => atNode(node, facts, address))
          .pipe(Effect.mapError(unread), span("Evm.recipient", { attributes: { network: facts.id } }))
      : Effect.fail(off)

const atNode = (node: Endpoint, facts: EvmFacts, address: string) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...newestBlockCalls, Call.methodOf(calls.code, { address })], {
      perCall: true
    })
    yield* currentBlock(node, facts, outcomes)
    const code = Option.getOrUndefined(resultOf(calls.code, outcomes[newestBlockCalls.length]))
    if (code === undefined) return yield* node.fault(noCode)
    const isBurnt = burnt.includes(address)
    const account: RecipientAccount = Option.match(delegateIn(code), {
      onNone: () => ({ kind: code === "0x" ? "account" : "contract", isBurnt }),
      onSome: (delegatedTo) => ({ kind: "account", delegatedTo, isBurnt })
    })
    return account
  })

const noCode: Fault = { reason: "bad_answer", detail: "the node did not return the code of the account" }
