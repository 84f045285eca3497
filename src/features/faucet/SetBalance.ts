import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import { numberToHex } from "viem/utils"
import { quantity } from "../../chains/evm/strategies/calls.ts"
import { didNotArrive, type Upstream } from "../../upstream/Upstream.ts"
import * as Funding from "./Funding.ts"

/** Anvil's method, which other development nodes also have. Parameters: address and quantity. */
const method = "anvil_setBalance"

const notSupported = new Funding.FundingError({
  reason: "not_configured",
  detail:
    "Funding a test network account is not configured: the node of TESTNET_RPC_URL has no anvil_setBalance, so set TESTNET_FUNDER_PRIVATE_KEY."
})

/** Lets the node set the balance of an address to its current balance plus the amount. */
export const make = (upstream: Upstream, amount: bigint): Funding.FundingMethod => {
  const balanceOf = (address: Hex) =>
    upstream.over((node) =>
      Effect.flatMap(Funding.read(node, { method: "eth_getBalance", params: [address, "latest"] }), (outcome) =>
        Option.match(quantity(outcome), {
          onNone: () => Effect.fail(node.fault({ reason: "bad_answer", detail: "it did not return the balance" })),
          onSome: Effect.succeed
        })
      )
    )

  const set = (address: Hex, balance: bigint, job: Funding.Job): Effect.Effect<void, Funding.FundingError> => {
    const checked = Effect.flatMap(Effect.option(balanceOf(address)), (now) =>
      Option.exists(now, (value) => value >= balance) ? Effect.void : Funding.uncertain(undefined)
    )
    return Effect.matchEffect(Funding.send(upstream, { method, params: [address, numberToHex(balance)] }), {
      onFailure: (error) =>
        didNotArrive(error)
          ? Effect.zipRight(Funding.markNotSent(job), Funding.unreached(error))
          : Effect.zipRight(Effect.logWarning("looking up the result of a funding", error), checked),
      onSuccess: Either.match({
        onRight: () => Effect.void,
        onLeft: (refusal) => {
          const meaning = Funding.meaningOf(refusal)
          if (meaning === "unknownMethod") return Effect.zipRight(Funding.markNotSent(job), notSupported)
          const refused = Funding.notSent("The node of the test network refused to set the balance.")
          return Effect.zipRight(
            Effect.logDebug(Funding.describe(refusal)),
            meaning === "unclear" ? checked : Effect.zipRight(Funding.markNotSent(job), refused)
          )
        }
      })
    })
  }

  return {
    give: (address, job) =>
      Effect.gen(function* () {
        const balance = yield* Effect.mapError(balanceOf(address), Funding.unreached)
        yield* Funding.markSent(job)
        yield* set(address, balance + amount, job)
        return null
      })
  }
}
