import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { polkadot } from "../../../../catalogue/polkadot.ts"
import { toSeconds } from "../../../../domain/units.ts"
import { answerOf, answersOf, bound, resultOf } from "../../../../jsonrpc/boundCalls.ts"
import * as Client from "../../../../jsonrpc/Client.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { byKeyOrFault } from "../../../kit/holdings/amounts.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"
import {
  decodeHeight,
  decodeTimestamp,
  genesisKey,
  heightKey,
  metadataKey,
  type Stored,
  timestampKey
} from "../../storage.ts"
import * as calls from "./calls.ts"

/** Storage values by requested key. */
export type Values = ReadonlyMap<string, Stored>

/** The genesis hash of Polkadot Asset Hub. */
export const genesis = "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"

/** The name of the runtime of Polkadot Asset Hub. */
export const specName = "statemint"

/**
 * Reads storage at the node's best block, in one call. Fails if the genesis block is not that of Asset Hub: the relay
 * chain and other chains return empty accounts, because the balances moved to Asset Hub. Fails if the block is old: a
 * node that stopped before the migration also returns empty accounts.
 */
export const read = (node: Upstream.Endpoint, keys: ReadonlyArray<string>): Effect.Effect<Values, UpstreamError> =>
  Effect.gen(function* () {
    const requested = [genesisKey, timestampKey, ...keys]
    const outcome = yield* Client.call(node, Call.methodOf(calls.storageAt, { keys: requested }))
    const values = Either.isRight(outcome) ? decoded(outcome.right, requested) : yield* readSingly(node, requested)
    if (values === undefined) return yield* node.fault(noStorage)
    if (!(yield* isAssetHub(node, values))) return yield* node.fault(wrongChain)
    const made = decodeTimestamp(values.get(timestampKey))
    if (Option.isNone(made)) return yield* node.fault(noStorage)
    yield* requireCurrent(node, polkadot, toSeconds(made.value))
    return values
  })

/** The node's best block, which must be current. */
export const headOf = (node: Upstream.Endpoint) =>
  Effect.flatMap(read(node, [heightKey]), (values) =>
    Option.match(Option.all([decodeHeight(values.get(heightKey)), decodeTimestamp(values.get(timestampKey))]), {
      onNone: () => node.fault(noStorage),
      onSome: ([height, made]) => Effect.succeed({ height, time: toSeconds(made) })
    })
  )

/** Calls a function of the runtime and returns its result; none if the node rejects the call. */
export const runtimeCall = (
  node: Upstream.Endpoint,
  name: string,
  input: string
): Effect.Effect<Option.Option<unknown>, UpstreamError> =>
  Effect.map(Client.call(node, Call.methodOf(calls.runtimeCall, { name, input })), Either.getRight)

/** The nodes at POLKADOT_RPC_URLS. */
export const connect = Effect.gen(function* () {
  return yield* Upstream.make({
    name: "polkadot-rpc",
    calls,
    urls: yield* declare.urls({
      name: "POLKADOT_RPC_URLS",
      default: polkadot.nodes,
      meaning: "JSON-RPC nodes of Polkadot Asset Hub"
    }),
    canary
  })
})

/** Checks that a node serves Asset Hub and returns a value that must exist: the metadata of USDT. */
const canary = (node: Upstream.Endpoint) =>
  Effect.flatMap(read(node, [metadataKey("1984")]), (values) =>
    values.get(metadataKey("1984")) === null ? node.fault(wrongChain) : Effect.void
  )

const isAssetHub = (node: Upstream.Endpoint, values: Values) => {
  const first = values.get(genesisKey)
  if (first !== null) return Effect.succeed(first === genesis)
  return Effect.map(answerOf(node, bound(calls.runtimeName, {})), (version) =>
    Option.exists(Either.getRight(version), (runtime) => runtime.specName === specName)
  )
}

/** Undefined if a requested key is missing; a key without a value is null. */
const decoded = (result: unknown, requested: ReadonlyArray<string>): Values | undefined => {
  const sets = Option.getOrUndefined(resultOf(calls.storageAt, Either.right(result)))
  if (sets === undefined) return undefined
  const values = Option.getOrUndefined(Either.getRight(byKeyOrFault(sets[0].changes)))
  return requested.every((key) => values?.has(key)) ? values : undefined
}

const readSingly = (node: Upstream.Endpoint, requested: ReadonlyArray<string>) =>
  Effect.map(
    answersOf(
      node,
      requested.map((key) => bound(calls.storage, { key }))
    ),
    (answers): Values | undefined =>
      Option.match(Either.getRight(Either.all(answers)), {
        onNone: () => undefined,
        onSome: (found) => new Map(requested.map((key, index) => [key, found[index] ?? null]))
      })
  )

const noStorage: Fault = { reason: "bad_answer", detail: "the node did not return its storage" }
export const wrongChain: Fault = { reason: "bad_answer", detail: "the node does not serve Polkadot Asset Hub" }
