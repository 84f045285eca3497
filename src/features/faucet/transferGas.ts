import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import { formatEther, numberToHex } from "viem/utils"
import { quantity } from "../../chains/evm/strategies/calls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { FundingError, notSent, unreached } from "./FundingError.ts"
import { read } from "./nodeCalls.ts"
import { meaningOf } from "./refusals.ts"

/** Gas of a transfer to an address without code. */
export const plainTransfer = 21_000n

const unpayable = new FundingError({
  reason: "invalid_address",
  detail: "there is a contract at this address, which accepts no coins"
})

const fundsExhausted = notSent("The funding account of the test network is out of funds: its operator must refill it.")

/** Fails, and informs the operator. */
export const outOfFunds = (funder: Hex, balance?: bigint): Effect.Effect<never, FundingError> =>
  Effect.zipRight(
    Effect.logWarning(
      `the funder of the test network, ${funder}, is out of funds${balance === undefined ? "" : `: it has ${formatEther(balance)}`}`
    ),
    fundsExhausted
  )

/** A transfer to a contract may cost more, or be refused. */
export const transferGas = (upstream: Upstream, from: Hex, to: Hex, value: bigint) =>
  upstream
    .over((node) =>
      read(node, {
        method: "eth_estimateGas",
        params: [{ from: from.toLowerCase(), to, value: numberToHex(value) }]
      })
    )
    .pipe(
      Effect.mapError(unreached),
      Effect.flatMap((outcome) => {
        if (Either.isLeft(outcome)) return unestimated(from, outcome.left)
        const gas = Option.getOrElse(quantity(outcome), () => plainTransfer)
        return Effect.succeed(gas <= plainTransfer ? plainTransfer : (gas * 6n) / 5n)
      })
    )

const unestimated = (from: Hex, refusal: Client.RpcError): Effect.Effect<bigint, FundingError> => {
  const meaning = meaningOf(refusal)
  if (meaning === "unknownMethod") return Effect.succeed(plainTransfer)
  if (meaning === "outOfFunds") return outOfFunds(from)
  return refusal.code === 3 || /revert/i.test(refusal.detail)
    ? unpayable
    : notSent("The node refuses to estimate the transfer.")
}
