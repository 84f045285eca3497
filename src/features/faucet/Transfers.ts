import * as Effect from "effect/Effect"
import * as Redacted from "effect/Redacted"
import type { Hex } from "viem"
import { keccak256 } from "viem/utils"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { broadcast, isKnown } from "./broadcast.ts"
import { type ChainState, chainState } from "./chainState.ts"
import { type FundingError, notSent, uncertain, unreached } from "./FundingError.ts"
import { begin, type FundingMethod, type Job, undo } from "./Job.ts"
import { outOfFunds, plainTransfer, transferGas } from "./transferGas.ts"

/** How often a transfer is tried again where its nonce was taken by another. */
const maxRetries = 8

/** Own transactions that are remembered, to see whether the node still has them. */
const remembered = 10_000

/**
 * Transfers that are signed here with the operator's key. The nonce is read from the node before each of them: a nonce that
 * is counted here would leave a gap after a node has lost its pool, and a transaction after a gap is never included.
 */
export const make = (
  upstream: Upstream,
  privateKey: Redacted.Redacted<Hex>,
  value: bigint
): Effect.Effect<FundingMethod> =>
  Effect.gen(function* () {
    // Curves are loaded only where there is a key.
    const { privateKeyToAccount } = yield* Effect.promise(() => import("./privateKeyToAccount.ts"))
    const account = privateKeyToAccount(Redacted.value(privateKey))
    const funder = account.address
    const own = ownTransactions(upstream)

    const signed = (to: Hex, nonce: number, gas: bigint, { chainId, fees }: ChainState) =>
      Effect.tryPromise({
        try: () => account.signTransaction({ to, value, nonce, gas, chainId: Number(chainId), ...fees }),
        catch: () => notSent("The transfer could not be signed.")
      })

    /** `floor`: nonces below it are taken, whatever the node returns. */
    const attempt = (to: Hex, job: Job, floor: number, retries: number): Effect.Effect<Hex, FundingError> =>
      Effect.gen(function* () {
        const state = yield* Effect.mapError(chainState(upstream, funder.toLowerCase()), unreached)
        yield* own.sameChain(state)
        const price = state.fees.type === "legacy" ? state.fees.gasPrice : state.fees.maxFeePerGas
        const affords = (gas: bigint) => state.balance === undefined || state.balance >= value + gas * price
        if (!affords(plainTransfer)) return yield* outOfFunds(funder, state.balance)
        const gas = yield* transferGas(upstream, funder, to, value)
        if (!affords(gas)) return yield* outOfFunds(funder, state.balance)
        const nonce = Math.max(yield* own.freeNonce(state), floor)
        const raw = yield* signed(to, nonce, gas, state)
        const hash = keccak256(raw)
        yield* begin(job, hash)
        const result = yield* broadcast(upstream, raw, hash, job)
        if (result === "duplicate" || result === "nonceTaken") own.remember(state, nonce, hash)
        if (result === "duplicate") return hash
        if (result === "unclear") return yield* uncertain(hash)
        yield* undo(job)
        if (result === "outOfFunds") return yield* outOfFunds(funder)
        if (result === "refused" || retries === 0)
          return yield* notSent("The node of the test network refused the transfer.")
        return yield* attempt(to, job, result === "nonceTaken" ? nonce + 1 : floor, retries - 1)
      })

    return {
      give: (to, job) => attempt(to, job, 0, maxRetries)
    }
  })

/** The funder's transactions that the node has accepted. */
const ownTransactions = (upstream: Upstream) => {
  const byNonce = BoundedMap.sized<Hex>(remembered)
  let newest = -1
  let chain: bigint | undefined

  return {
    sameChain: ({ chainId }: ChainState) =>
      Effect.suspend(() =>
        chain === undefined || chain === chainId
          ? Effect.void
          : notSent(`The node of the test network is on chain ${chainId}, and was on chain ${chain} before.`)
      ),
    /** A node that does not count its pool returns the nonce of a transaction that it still has. */
    freeNonce: ({ nonce }: ChainState) =>
      Effect.suspend(() => {
        const earlier = nonce > newest ? undefined : byNonce.get(String(nonce))
        return earlier === undefined
          ? Effect.succeed(nonce)
          : Effect.map(Effect.mapError(isKnown(upstream, earlier), unreached), (isThere) =>
              isThere ? newest + 1 : nonce
            )
      }),
    remember: ({ chainId }: ChainState, nonce: number, hash: Hex) => {
      byNonce.set(String(nonce), hash)
      newest = nonce
      chain = chainId
    }
  }
}
