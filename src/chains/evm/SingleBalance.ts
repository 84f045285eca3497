import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import { type EvmFacts, evmSupply } from "../../catalogue/evm/EvmFacts.ts"
import type { Token } from "../../domain/Token.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { impossible } from "../amounts.ts"
import type { Holding } from "../Chain.ts"
import { unregistered } from "../tokenList.ts"
import { decimalsSelector, toDecimals } from "./Decimals.ts"
import { currentBlock, newestBlockCalls, wrongChain } from "./newestBlock.ts"
import { balanceOf, callAll, quantity, word } from "./strategies/calls.ts"

/** Fails if a node is not on the expected chain. */
export const chain = (chainId: number) => (node: Endpoint) =>
  Effect.flatMap(callAll(node, [{ method: "eth_chainId", params: [] }]), ([answer]) =>
    Option.getOrUndefined(quantity(answer)) === BigInt(chainId) ? Effect.void : Effect.fail(node.fault(wrongChain))
  )

/** The native balance of one address. */
export const native = (nodes: Upstream, facts: EvmFacts, holder: EvmAddress): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const outcomes = yield* callAll(node, [
        ...newestBlockCalls,
        { method: "eth_getBalance", params: [holder, "latest"] }
      ])
      yield* currentBlock(node, facts, outcomes)
      const amount = quantity(outcomes[2])
      if (Option.isNone(amount))
        return yield* node.fault({ reason: "bad_answer", detail: "the node returned no balance" })
      if (amount.value > evmSupply) return yield* node.fault(impossible)
      return { asset: "native" as const, amount: Either.right(amount.value) }
    })
  )

/**
 * The balance of one token. The decimals that it declares are read in the same request; if it declares none, those of
 * the registry are used. A token without either fails, because its balance cannot be formatted.
 */
export const token = (
  nodes: Upstream,
  facts: EvmFacts,
  holder: EvmAddress,
  contract: EvmAddress,
  registered: Option.Option<Token>
): Effect.Effect<Holding, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const outcomes = yield* callAll(node, [
        ...newestBlockCalls,
        balanceOf(holder, contract),
        { method: "eth_call", params: [{ to: contract, data: decimalsSelector }, "latest"] }
      ])
      yield* currentBlock(node, facts, outcomes)
      const [, , balance, decimals] = outcomes
      const declared = Option.map(Option.flatMap(word(decimals), toDecimals), (own) => ({
        ...Option.getOrElse(registered, () => unregistered(contract)(own)),
        decimals: own
      }))
      const asset = Option.orElse(declared, () => registered)
      const amount = word(balance)
      if (Option.isNone(asset) || Option.isNone(amount))
        return yield* node.fault({
          reason: "bad_answer",
          detail: "no token at this address returns a balance and its decimals",
          final: true
        })
      return { asset: asset.value, amount: Either.right(amount.value) }
    })
  )
