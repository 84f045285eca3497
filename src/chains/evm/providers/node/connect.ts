import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../../../catalogue/evm/EvmFacts.ts"
import { variablePrefix } from "../../../../domain/NetworkId.ts"
import { callAll } from "../../../../jsonrpc/callAll.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { AbilitySources, ReadFailure } from "../../../Chain.ts"
import * as calls from "./calls.ts"
import { wrongChain } from "./newestBlock.ts"
import { quantity } from "./results.ts"

/** The nodes of a network, set by `<NETWORK>_RPC_URLS`. `off` is the reason if there are no nodes. */
export const connect = (facts: EvmFacts) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: `${variablePrefix(facts.id)}_RPC_URLS`,
      default: facts.nodes,
      meaning: `JSON-RPC nodes of ${facts.name}`
    })
    const nodes = yield* Upstream.make({ name: `${facts.id}-rpc`, urls, calls, canary: onChain(facts.chainId) })
    const off = urls.length > 0 ? undefined : facts.sunset === undefined ? notConfigured(facts) : shutDown(facts)
    const served: AbilitySources = off === undefined ? Either.right([nodes.name]) : Either.left(off.message)
    return { nodes, off, served }
  })

/** Fails if a node is not on the expected chain. */
export const onChain = (chainId: number) => (node: Endpoint) =>
  Effect.flatMap(callAll(node, [Call.methodOf(calls.chainId, {})]), ([answer]) => {
    const found = Option.getOrUndefined(quantity(answer))
    if (found === BigInt(chainId)) return Effect.void
    const which = found !== undefined && found <= BigInt(Number.MAX_SAFE_INTEGER) ? ` (${found}, not ${chainId})` : ""
    return Effect.fail(node.fault({ ...wrongChain, detail: `${wrongChain.detail}${which}` }))
  })

const shutDown = ({ name, sunset }: EvmFacts): ReadFailure => ({
  reason: "sunset",
  message: `${name} was shut down on ${sunset}`
})

const notConfigured = ({ id, name }: EvmFacts): ReadFailure => ({
  reason: "not_configured",
  message: `${name} has no node: set ${variablePrefix(id)}_RPC_URLS`
})
