import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { formatEther, keccak256, numberToHex } from "viem/utils"
import { quantity } from "../../chains/evm/strategies/calls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import { didNotArrive, type Upstream } from "../../upstream/Upstream.ts"
import { type ChainState, chainState } from "./chainState.ts"
import { FundingError, notSent, uncertain, unreached } from "./FundingError.ts"
import { ask, type Meaning, meaningOf, tell, words } from "./fundingMessages.ts"
import { begin, type FundingMethod, type Job, undo } from "./Job.ts"

/** Gas of a transfer to an address without code. */
const plainTransfer = 21_000n

/** A nonce may be taken by others as often as this while one funding is sent. */
const tries = 8

/** Own transactions that are remembered, to see whether the node still has them. */
const remembered = 10_000

const unpayable = new FundingError({
  reason: "invalid_address",
  detail: "there is a contract at this address, which accepts no coins"
})

const runDry = notSent("The funding account of the test network is out of funds: its operator must refill it.")

/**
 * Transfers that are signed here with the operator's key. The node is asked for the nonce before each of them: one that is
 * counted here would leave a gap after a node has lost its pool, and what stands behind a gap never happens.
 */
export const make = (
  upstream: Upstream,
  privateKey: Redacted.Redacted<Hex>,
  value: bigint
): Effect.Effect<FundingMethod> =>
  Effect.gen(function* () {
    // Curves and word lists that nobody needs where there is no key.
    const { privateKeyToAccount } = yield* Effect.promise(() => import("viem/accounts"))
    const account = privateKeyToAccount(Redacted.value(privateKey))
    const from = account.address.toLowerCase()
    const own = BoundedMap.sized<Hex>(remembered)
    let chain: bigint | undefined
    let newest = -1

    const known = (hash: Hex) =>
      upstream.over((node) =>
        Effect.map(ask(node, { method: "eth_getTransactionByHash", params: [hash] }), (outcome) =>
          Either.match(outcome, {
            onLeft: () => false,
            onRight: Schema.is(Schema.Struct({ hash: Schema.Literal(hash) }))
          })
        )
      )

    /** A node that does not count its pool says again the nonce of what it still has. */
    const freeNonce = (told: number) =>
      Effect.suspend(() => {
        const earlier = told > newest ? undefined : own.get(String(told))
        return earlier === undefined
          ? Effect.succeed(told)
          : Effect.map(Effect.mapError(known(earlier), unreached), (there) => (there ? newest + 1 : told))
      })

    const sameChain = ({ chainId }: ChainState) =>
      Effect.suspend(() =>
        chain === undefined || chain === chainId
          ? Effect.void
          : notSent(`The node of the test network is on chain ${chainId}, and was on chain ${chain} before.`)
      )

    const dry = (balance: bigint | undefined) =>
      Effect.zipRight(
        Effect.logWarning(
          `the funder of the test network, ${account.address}, is out of funds${balance === undefined ? "" : `: it has ${formatEther(balance)}`}`
        ),
        runDry
      )

    /** To a contract it may cost more, or be refused. */
    const gasFor = (to: Hex) =>
      upstream
        .over((node) => ask(node, { method: "eth_estimateGas", params: [{ from, to, value: numberToHex(value) }] }))
        .pipe(
          Effect.mapError(unreached),
          Effect.flatMap((outcome) => {
            if (Either.isLeft(outcome)) return unestimated(outcome.left)
            const gas = Option.getOrElse(quantity(outcome), () => plainTransfer)
            return Effect.succeed(gas <= plainTransfer ? plainTransfer : (gas * 6n) / 5n)
          })
        )

    const unestimated = (refusal: Client.RpcError): Effect.Effect<bigint, FundingError> => {
      const meaning = meaningOf(refusal)
      if (meaning === "absent") return Effect.succeed(plainTransfer)
      if (meaning === "dry") return dry(undefined)
      return refusal.code === 3 || /revert/i.test(refusal.detail)
        ? unpayable
        : notSent("The node refuses to estimate the transfer.")
    }

    const signed = (to: Hex, nonce: number, gas: bigint, { chainId, fees }: ChainState) =>
      Effect.tryPromise({
        try: () => account.signTransaction({ to, value, nonce, gas, chainId: Number(chainId), ...fees }),
        catch: () => notSent("The transfer could not be signed.")
      })

    /** `floor`: nonces below it are taken, whatever the node counts. */
    const attempt = (to: Hex, job: Job, floor: number, left: number): Effect.Effect<Hex, FundingError> =>
      Effect.gen(function* () {
        const state = yield* Effect.mapError(chainState(upstream, from), unreached)
        yield* sameChain(state)
        const price = state.fees.type === "legacy" ? state.fees.gasPrice : state.fees.maxFeePerGas
        const affords = (gas: bigint) => state.balance === undefined || state.balance >= value + gas * price
        if (!affords(plainTransfer)) return yield* dry(state.balance)
        const gas = yield* gasFor(to)
        if (!affords(gas)) return yield* dry(state.balance)
        const nonce = Math.max(yield* freeNonce(state.nonce), floor)
        const raw = yield* signed(to, nonce, gas, state)
        const hash = keccak256(raw)
        yield* begin(job, hash)
        const became = yield* send(raw, hash, job)
        if (became === "known" || became === "occupied") {
          own.set(String(nonce), hash)
          newest = nonce
          chain = state.chainId
        }
        if (became === "known") return hash
        if (became === "unclear") return yield* uncertain(hash)
        yield* undo(job)
        if (became === "dry") return yield* dry(undefined)
        if (became === "refused" || left === 0)
          return yield* notSent("The node of the test network refused the transfer.")
        return yield* attempt(to, job, became === "occupied" ? nonce + 1 : floor, left - 1)
      })

    /** `known`: the node has it; `unclear`: it may have it. Anything else says why it has not. */
    const send = (raw: Hex, hash: Hex, job: Job): Effect.Effect<Meaning, FundingError> =>
      Effect.matchEffect(tell(upstream, { method: "eth_sendRawTransaction", params: [raw] }), {
        onFailure: (error) =>
          didNotArrive(error)
            ? Effect.zipRight(undo(job), unreached(error))
            : Effect.zipRight(
                Effect.logWarning("looking up the result of a funding", error),
                lookedUp(hash, "unclear")
              ),
        onSuccess: Either.match({
          onLeft: (refusal) => {
            const meaning = meaningOf(refusal)
            return meaning === "known" || meaning === "dry"
              ? Effect.succeed(meaning)
              : Effect.zipRight(Effect.logDebug(words(refusal)), lookedUp(hash, meaning))
          },
          onRight: (told) => (told === hash ? Effect.succeed<Meaning>("known") : lookedUp(hash, "unclear"))
        })
      })

    /** A node that has it has accepted it, whatever came back: the answer was lost, or something sent it twice. */
    const lookedUp = (hash: Hex, otherwise: Meaning): Effect.Effect<Meaning> =>
      known(hash).pipe(
        Effect.map((there): Meaning => (there ? "known" : otherwise)),
        Effect.catchAll((error) => Effect.as(Effect.logWarning(error), "unclear" as const))
      )

    return {
      give: (to, job) => attempt(to, job, 0, tries)
    }
  })
