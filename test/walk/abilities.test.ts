import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { History } from "../../src/contract/HistoryApi.ts"
import type { NetworkDescription } from "../../src/contract/StatusApi.ts"
import type { AddressContexts } from "../../src/contract/TransactionsApi.ts"
import type { Balance, TokenBalance } from "../../src/domain/Balance.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { body, Service, textOf } from "../support/app.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { firstOf, makeWalk, type Network } from "./walk.ts"

type Abilities = NetworkDescription["abilities"]

/** What a route returns for an ability, and why it returns nothing. */
type Found = readonly [result: unknown, reason: string | null | undefined]

/** The body of a response, or the reason of a problem. */
const read = Effect.fnUntraced(function* <A>(response: Response, found: (value: A) => Found) {
  const value = yield* body<A & { readonly detail?: string }>(response)
  return response.ok ? found(value) : ([null, value.detail] as const)
})

const failuresOf = (response: Response) => response.headers.get("x-partial-failures")

const newest = Effect.fnUntraced(function* (info: Network) {
  const { post } = yield* Service
  const response = yield* post("/history", { networks: { [info.id]: [firstOf(info)] }, limit: 1 })
  return yield* read<History>(response, (lists) => [lists[info.id]?.[firstOf(info)]?.[0]?.hash, failuresOf(response)])
})

const firstCalls: Readonly<Record<string, readonly [method: string, params: unknown]>> = {
  evm: ["eth_chainId", []],
  solana: ["getSlot", []],
  sui: ["sui_getChainIdentifier", []],
  ton: ["getMasterchainInfo", {}]
}

const requests: Record<keyof Abilities, (info: Network) => Effect.Effect<Found, never, Service>> = {
  balance: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const response = yield* post("/balance", { networks: { [info.id]: [firstOf(info)] } })
    return yield* read<ReadonlyArray<Balance>>(response, ([row]) => [row?.balance, row?.error])
  }),
  tokens: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const tokenAddress = World.contractsOn(info.platform)[0]?.address ?? "any"
    const response = yield* post("/balance/token", { networkId: info.id, address: firstOf(info), tokenAddress })
    return yield* read<TokenBalance>(response, ({ balance, error }) => [balance, error])
  }),
  history: newest,
  export: Effect.fnUntraced(function* (info) {
    const { get } = yield* Service
    const response = yield* get(`/history/export?addresses=${encodeURIComponent(`${info.id}:${firstOf(info)}`)}`)
    const [line] = (yield* textOf(response)).split("\n")
    const { failures, hash } = JSON.parse(line ?? "")
    return [hash, failures?.[0].message]
  }),
  rpc: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const [method, params] = firstCalls[info.family] ?? ["any", []]
    const response = yield* post(`/utils/rpc/${info.id}`, { jsonrpc: "2.0", id: 1, method, params })
    return yield* read<{ readonly result?: unknown; readonly error?: { readonly message: string } }>(
      response,
      ({ error, result }) => [result, error?.message]
    )
  }),
  rawTransactions: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const [hash] = yield* newest(info)
    const response = yield* post("/utils/getrawtransaction", { chain: info.id, tx: hash ?? "12".repeat(32) })
    return yield* read(response, (answer) => [answer, null])
  }),
  firstTransaction: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const address = info.family === "evm" ? firstOf(info) : holder(1)
    const response = yield* post("/utils/first-tx", { networkIds: [info.id], address })
    // Networks that the route does not support are skipped.
    const skipped = Catalogue.firstTransactions.includes(info.id) ? null : "is not in the response"
    return yield* read<Record<string, unknown>>(response, (found) => [found[info.id], failuresOf(response) ?? skipped])
  }),
  fees: Effect.fnUntraced(function* (info) {
    const { get } = yield* Service
    const response = yield* get(`/utils/fees/${info.id}`)
    type Fees = { readonly transfer: { readonly fee: string | null; readonly error?: string } }
    return yield* read<Fees>(response, ({ transfer: { error, fee } }) => [fee, error])
  }),
  transactionContext: Effect.fnUntraced(function* (info) {
    const { post } = yield* Service
    const response = yield* post("/utils/transaction-context", { networks: { [info.id]: [firstOf(info)] } })
    return yield* read<typeof AddressContexts.Type>(response, (contexts) => {
      const { context, error } = contexts[info.id]?.[firstOf(info)] ?? {}
      return [context, error]
    })
  })
}

const networks = Effect.gen(function* () {
  const { get } = yield* Service
  return yield* body<ReadonlyArray<NetworkDescription>>(yield* get("/networks"))
})

const abilities = Object.keys(requests) as ReadonlyArray<keyof Abilities>

describe("the abilities of GET /networks", () => {
  layer(makeWalk().layer, { excludeTestServices: true })((it) => {
    for (const info of Catalogue.all)
      it(`of ${info.id} work if they are available, and have a reason otherwise`, function* () {
        const results = yield* Effect.forEach(abilities, (name) => requests[name](info))
        // Token lists are loaded by now.
        const found = (yield* networks).find(({ id }) => id === info.id)?.abilities
        assert.hasAllKeys(found, abilities)
        for (const [index, name] of abilities.entries()) {
          const { available, reason } = found?.[name] ?? {}
          const [result, why] = results[index] ?? []
          const text = `${info.id} ${name} ${JSON.stringify([result, why, reason])}`
          assert.deepStrictEqual([result != null, why == null, reason === undefined], Array(3).fill(available), text)
        }
      })
  })

  // The sandbox has default keys.
  layer(makeWalk({ UPSTREAMS: "live" }).layer, { excludeTestServices: true })((it) => {
    it("have a reason if a key is missing, and their routes return it instead of a result", function* () {
      const missing: Array<string> = []
      for (const found of yield* networks)
        for (const name of abilities) {
          const { available, reason = "" } = found.abilities[name]
          const info = Catalogue.all.find(({ id }) => id === found.id)
          if (available || !reason.includes("KEY") || info === undefined) continue
          const [result, why] = yield* requests[name](info)
          missing.push(`${found.id} ${name}`)
          assert.isTrue(result == null && why != null, JSON.stringify([found.id, name, result, why]))
        }
      assert.includeMembers(missing, ["bsc history", "bsc export", "bsc firstTransaction", "polkadot history"])
    })
  })
})
