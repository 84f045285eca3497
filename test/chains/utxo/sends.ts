import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import { byHost, type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"
import { Litecoin } from "../../support/networks.ts"
import { hashOf, responseTo, sample, serialize } from "../../support/rawTransactions.ts"
import { settled } from "../../support/settled.ts"
import { upstreamDependencies } from "../../support/upstream.ts"
import type { Module } from "./made.ts"

export const made = sample()
export const hex = serialize(made)
export const hash = hashOf(made)

export type Replies = Readonly<Record<string, Reply | ((request: SentRequest) => Reply)>>

export const environment = {
  LITECOIN_RPC_URLS: "http://tester:secret@node.test,http://node2.test",
  LITECOIN_BLOCKBOOK_URLS: "http://blockbook.test",
  LITECOIN_ESPLORA_URLS: "http://esplora.test"
}

/** The network over these hosts, alive until the scope closes. Timeouts end with the scope. */
export const built = Effect.fnUntraced(function* (
  { layer }: Module,
  hosts: Readonly<Record<string, (request: SentRequest) => Reply>>,
  variables: Readonly<Record<string, string>>
) {
  const outside = simulatedClient(byHost(hosts))
  const context = yield* Layer.build(Layer.provide(layer, upstreamDependencies(outside, variables)))
  return { requests: outside.requests, rawTransactions: Context.get(context, Chain).rawTransactions }
})

/** Outcome over hosts with these replies, and the hosts that were requested, in order. */
export const runOver = (
  what: "send" | "find",
  replies: Replies,
  variables: Readonly<Record<string, string>> = environment,
  module: Module = Litecoin
) =>
  Effect.gen(function* () {
    const hosts = Object.fromEntries(
      Object.entries(replies).map(
        ([host, reply]) => [`${host}.test`, typeof reply === "function" ? reply : () => reply] as const
      )
    )
    const { requests, rawTransactions } = yield* built(module, hosts, variables)
    const outcome =
      what === "send"
        ? yield* settled(
            Effect.either(
              responseTo(Either.getOrThrow(rawTransactions?.prepareSend?.(hex) ?? Either.left("no sending")))
            )
          )
        : yield* settled(
            Effect.either(Either.getOrThrow(rawTransactions?.prepareLookup(hash) ?? Either.right(Effect.never)))
          )
    return { outcome, requests, hosts: requests.map(({ url }) => url.host.replace(".test", "")) }
  }).pipe(Effect.scoped)

export const only = (kind: string) => ({
  LITECOIN_RPC_URLS: ",",
  LITECOIN_BLOCKBOOK_URLS: ",",
  LITECOIN_ESPLORA_URLS: ",",
  [`LITECOIN_${kind}_URLS`]: kind === "RPC" ? "http://node.test" : `http://${kind.toLowerCase()}.test`
})
