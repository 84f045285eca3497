import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { now, type Seconds, seconds, shift, toSeconds } from "../../domain/units.ts"
import { answerOf, answersOf, bound } from "../../jsonrpc/boundCalls.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { networkOf } from "./context.ts"
import * as calls from "./providers/substrate/calls.ts"
import { accountKey, accountNonce, decodeTimestamp, timestampKey } from "./storage.ts"

/** What limits the validity of a mortal extrinsic. */
interface Mortality {
  readonly account: `0x${string}`
  readonly nonce: number
  /** Number of blocks that may include it. */
  readonly period: number
  readonly sentAt: Seconds
}

const isNumber = (text: string) => /^\d{1,12}$/.test(text)

/** Reads the notes of a mortal extrinsic; undefined for others. */
export const mortalityIn = ([account = "", ...numbers]: ReadonlyArray<string>): Mortality | undefined => {
  if (!/^0x[0-9a-f]{64}$/.test(account) || numbers.length !== 3 || !numbers.every(isNumber)) return undefined
  const [nonce = 0, period = 0, sentAt = 0] = numbers.map(Number)
  return { account: account as `0x${string}`, nonce, period, sentAt: seconds(sentAt) }
}

/** No blocks come faster, seconds. */
const shortestBlock = 2

/** Clocks of block producers may differ from that of this service, seconds. */
const clockTolerance = 30

/**
 * Whether no block can include it anymore: the node has finalized as many blocks since its sending as its era has, and
 * then its nonce is the next one of the account. An account that was emptied starts with nonce 0 again, so nonce 0 proves
 * nothing.
 */
export const isOver = (
  node: Endpoint,
  { account, nonce, period, sentAt }: Mortality
): Effect.Effect<boolean, UpstreamError> =>
  Effect.gen(function* () {
    if (nonce === 0 || toSeconds(yield* now) < shift(sentAt, shortestBlock * period)) return false
    const { block, blockHash } = yield* networkOf(node)
    if (block <= period) return false
    const [before, info] = yield* answersOf(node, [
      bound(calls.blockHash, { height: block - period }),
      bound(calls.storage, { key: accountKey(account), at: blockHash })
    ])
    if (!Option.contains(Option.flatMap(Either.getRight(info), accountNonce), nonce)) return false
    const at = Either.getOrElse(before, () => null)
    const time = yield* answerOf(node, bound(calls.storage, { key: timestampKey, at }))
    const made = Option.flatMap(Either.getRight(time), decodeTimestamp)
    if (Option.isNone(made)) return yield* node.fault(pruned)
    return shift(sentAt, clockTolerance) < toSeconds(made.value)
  })

const pruned: Fault = { reason: "upstream_error", detail: "the node does not have the state of an old block" }
