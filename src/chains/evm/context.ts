import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type EvmFacts, maxGasPriceOf } from "../../catalogue/evm/EvmFacts.ts"
import type { EvmContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import { resultOf } from "../../jsonrpc/boundCalls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { batchSize, callAll } from "../../jsonrpc/callAll.ts"
import { each } from "../../kernel/each.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { ofNode, perAddress } from "../kit/context/Contexts.ts"
import { isPossible, isWithin } from "../kit/holdings/amounts.ts"
import { requireHeight } from "../kit/status/currentHead.ts"
import { delegateIn } from "./delegation.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { quantity } from "./providers/node/results.ts"

const shared: ReadonlyArray<Client.ClientCall> = [...newestBlockCalls, Call.methodOf(calls.gasPrice, {})]

const ofAccount = (address: string): ReadonlyArray<Client.ClientCall> => [
  Call.methodOf(calls.transactionCount, { address }),
  Call.methodOf(calls.transactionCount, { address, block: "pending" }),
  Call.methodOf(calls.balance, { address }),
  Call.methodOf(calls.code, { address })
]

/** Calls of an account. */
const callsEach = ofAccount("").length

/** Plausible nonces: no account has sent this many transactions, though nonces may have 64 bits (EIP-2681). */
const isNonce = isWithin(2n ** 32n)

/** Each batch also has the chain and the newest block: the next may reach a backend that lags, with an old nonce. */
const addressesPerBatch = Math.floor((batchSize - shared.length) / callsEach)

/** Reads what is needed to build transactions. `off` is the reason if there are no nodes. */
export const contexts = (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  off === undefined
    ? ofNode(nodes, (node, addresses) => read(node, facts, addresses))
    : perAddress(() => Effect.fail(off))

/** Reads the data for building transactions of each address. */
const read = (node: Endpoint, facts: EvmFacts, addresses: ReadonlyArray<string>) =>
  Effect.map(
    each(Arr.chunksOf(addresses, addressesPerBatch), (part) => inBatch(node, facts, part), 4),
    Arr.flatten
  )

const inBatch = (node: Endpoint, facts: EvmFacts, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const outcomes = yield* callAll(node, [...shared, ...addresses.flatMap(ofAccount)], { perCall: true })
    const block = yield* currentBlock(node, facts, outcomes)
    const isPrice = isWithin(maxGasPriceOf(facts))
    const gasPrice = Option.filter(quantity(outcomes[2]), (price) => price > 0n && isPrice(price))
    if (Option.isNone(gasPrice) || !isPrice(block.baseFee ?? 0n)) return yield* node.fault(incomplete)
    yield* requireHeight(node, facts, block.number)
    const contextOf = ([latest, pending, balance, code]: ReadonlyArray<Client.Outcome>) =>
      Option.match(
        Option.all({
          nonce: Option.filter(quantity(latest), isNonce),
          pendingNonce: Option.filter(quantity(pending), isNonce),
          balance: Option.filter(quantity(balance), isPossible(facts))
        }),
        {
          onNone: () => Either.left(node.fault(incomplete)),
          onSome: ({ balance, nonce, pendingNonce }): Either.Either<EvmContext, UpstreamError> =>
            // A pending nonce below the latest means that the node is between two blocks.
            pendingNonce < nonce
              ? Either.left(node.fault(contradictory))
              : Either.right({
                  family: "evm",
                  chainId: facts.chainId,
                  nonce: Number(nonce),
                  pendingNonce: Number(pendingNonce),
                  balance: String(balance),
                  block: numberOf(block.number),
                  baseFeePerGas: block.baseFee === undefined ? null : String(block.baseFee),
                  gasPrice: String(gasPrice.value),
                  ...Option.match(resultOf(calls.code, code), {
                    onNone: () => ({}),
                    onSome: (text) => ({ delegatedTo: Option.getOrNull(delegateIn(text)) })
                  })
                })
        }
      )
    return Arr.chunksOf(outcomes.slice(shared.length), callsEach).map(contextOf)
  })

const incomplete: Fault = { reason: "bad_answer", detail: "the node returned incomplete data for a transaction" }
const contradictory: Fault = { reason: "bad_answer", detail: "the node returned a pending nonce below the latest" }
