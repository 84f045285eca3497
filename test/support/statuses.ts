import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { StatusResult } from "../../src/chains/Chain.ts"
import type { Unsigned } from "../../src/domain/Estimate.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { Store } from "../../src/storage/Store.ts"
import { networkOver } from "./chains.ts"
import { byHost, json, type Reply, type SentRequest, simulatedClient } from "./http.ts"
import { settled } from "./settled.ts"

export interface RpcCall {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** JSON-RPC node that answers calls and batches with these results. An Error becomes a JSON-RPC error, with its `code` and `data` if it has them. */
export const node =
  (results: (call: RpcCall) => unknown) =>
  ({ body }: SentRequest): Reply => {
    const answer = (call: RpcCall) => {
      const result = results(call)
      return result instanceof Error
        ? { jsonrpc: "2.0", id: call.id, error: { code: -32000, ...result, message: result.message } }
        : { jsonrpc: "2.0", id: call.id, result: result ?? null }
    }
    const sent = JSON.parse(body) as RpcCall | ReadonlyArray<RpcCall>
    return json(Array.isArray(sent) ? sent.map(answer) : answer(sent as RpcCall))
  }

/** Result of `getAccountInfo` for the clock of Solana, in slot 100. */
export const solanaClock = (unixTimestamp: number) => ({
  context: { slot: 100 },
  value: { data: { parsed: { info: { unixTimestamp } } } }
})

/** Responses of TON's indexers about their newest block; undefined for another path. */
export const tonHead = ({ pathname }: URL, time = 0): Reply | undefined => {
  if (pathname.endsWith("/masterchainInfo")) return json({ last: { seqno: 100, gen_utime: String(time) } })
  return pathname.endsWith("/masterchain-head") ? json({ seqno: 100, gen_utime: time }) : undefined
}

/** A network over these hosts; a test may change the hosts between reads. */
const reading = Effect.fnUntraced(function* (
  network: string,
  hosts: Record<string, (request: SentRequest) => Reply>,
  environment: Readonly<Record<string, string>>,
  store: Layer.Layer<Store> = Memory.layer()
) {
  const { layer, requests } = simulatedClient((request) => byHost(hosts)(request))
  return { network: yield* networkOver(network, layer, { environment, store }), requests }
})

/** The statuses of a network over these hosts; a test may change the hosts between reads. */
export const statusesOver = Effect.fnUntraced(function* (...options: Parameters<typeof reading>) {
  const { network, requests } = yield* reading(...options)
  const { facts, statuses } = network
  const read = (...hashes: ReadonlyArray<string>) =>
    settled(statuses?.read(hashes) ?? Effect.dieMessage(`no statuses of ${facts.id}`))
  return { hash: statuses?.hash ?? Either.left, read, requests }
})

/** The newest block of a network over these hosts, or why it could not be read. */
export const newestBlockOver = (...options: Parameters<typeof reading>) =>
  Effect.scoped(
    Effect.flatMap(Effect.orDie(reading(...options)), ({ network: { facts, newestBlock } }) =>
      settled(Effect.merge(newestBlock ?? Effect.dieMessage(`no newest block of ${facts.id}`)))
    )
  )

/** A function that reads how a transaction of a network over these hosts can be replaced. */
export const replacementOver = (...options: Parameters<typeof reading>) =>
  Effect.map(
    Effect.orDie(reading(...options)),
    ({ network: { replacement } }) =>
      (hash: string) =>
        settled(replacement?.(hash) ?? Effect.dieMessage("cannot be replaced"))
  )

/** Reads how one transaction of a network over these hosts can be replaced. */
export const replacementOf = (hash: string, ...options: Parameters<typeof reading>) =>
  Effect.scoped(Effect.flatMap(replacementOver(...options), (read) => read(hash)))

/** A store in which every value is this list of texts. */
export const storeOf = (...texts: ReadonlyArray<string>): Layer.Layer<Store> =>
  Layer.map(Memory.layer(), (context) => {
    const store = Context.get(context, Store)
    const entries = {
      ...store.open("statuses", 1),
      getMany: (keys: ReadonlyArray<string>) =>
        Effect.succeed(new Map(keys.map((key) => [key, { at: 0, value: texts }] as const)))
    }
    return Context.make(Store, { ...store, open: () => entries })
  })

/** The estimate of a transaction on a network over these hosts. */
export const estimateOf = (transaction: Unsigned, ...options: Parameters<typeof reading>) =>
  Effect.scoped(
    Effect.flatMap(Effect.orDie(reading(...options)), ({ network: { estimate } }) =>
      settled(estimate?.(transaction) ?? Effect.dieMessage("has no estimates"))
    )
  )

/** The account at an address of a network over these hosts, or the reason of a failure. */
export const recipientOf = (address: string, ...options: Parameters<typeof reading>) =>
  Effect.scoped(
    Effect.flatMap(Effect.orDie(reading(...options)), ({ network: { recipient } }) =>
      Effect.merge(
        Effect.mapError(settled(recipient?.(address) ?? Effect.dieMessage("knows no accounts")), ({ reason }) => reason)
      )
    )
  )

/** A transaction of a network over these hosts by its hash, or the reason of a failure. */
export const transactionOf = (hash: string, ...options: Parameters<typeof reading>) =>
  Effect.scoped(
    Effect.flatMap(Effect.orDie(reading(...options)), ({ network: { transaction } }) =>
      Effect.either(
        Effect.mapError(settled(transaction?.(hash) ?? Effect.dieMessage("looks up nothing")), ({ reason }) => reason)
      )
    )
  )

/** A status without its absent fields, or the reason of a failure. */
export const stateOf = (result: StatusResult | undefined) =>
  result === undefined
    ? "nothing"
    : Either.match(result, { onLeft: ({ reason }) => reason, onRight: (status) => status })
