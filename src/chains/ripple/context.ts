import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { ripple } from "../../catalogue/ripple.ts"
import type { RippleContext } from "../../domain/TransactionContext.ts"
import { height, now, numberOf, secondsOf, shift, toSeconds } from "../../domain/units.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { withShared } from "../kit/context/Contexts.ts"
import { requireHead } from "../kit/status/currentHead.ts"
import type { RippleProvider } from "./Provider.ts"

// Reserves and sequences as in xrpl.org/docs/concepts/accounts.

/** The data that all addresses share. Amounts are in drops. */
interface RippleNetwork {
  readonly ledger: number
  readonly reserveBase: bigint
  readonly reserveIncrement: bigint
  readonly baseFee: string
  readonly openLedgerFee: string
}

/** Reads what is needed to build transactions; the state of the ledger once for all addresses. */
export const contexts = (rippled: RippleProvider) =>
  withShared(
    () => network(rippled),
    (address, shared) => read(rippled, address, shared)
  )

/** Reads the state of the ledger with two calls to one node, for all addresses. */
export const network = (rippled: RippleProvider): Effect.Effect<RippleNetwork, UpstreamError> =>
  rippled.nodes.over((node) =>
    Effect.gen(function* () {
      const [{ info }, { drops }] = yield* Effect.all([rippled.server(node), rippled.fee(node)], {
        concurrency: 2
      })
      const { age, reserve_base_xrp, reserve_inc_xrp, seq } = info.validated_ledger
      const { time } = info
      const clock = time === undefined ? toSeconds(yield* now) : secondsOf(time)
      yield* requireHead(node, ripple, { height: height(numberOf(seq)), time: shift(clock, -age) })
      return {
        ledger: numberOf(seq),
        reserveBase: reserve_base_xrp,
        reserveIncrement: reserve_inc_xrp,
        baseFee: drops.base_fee,
        openLedgerFee: drops.open_ledger_fee
      }
    })
  )

/** Reads the data needed to build a transaction of an address. */
const read = (
  rippled: RippleProvider,
  address: string,
  { reserveBase, reserveIncrement, ...shared }: RippleNetwork
): Effect.Effect<RippleContext, UpstreamError> =>
  Effect.map(rippled.openAccount(address), (found) => {
    const { account_data: account, queue_data: queue } = Option.getOrElse(found, () => absent)
    return {
      family: "ripple" as const,
      activated: Option.isSome(found),
      sequence: Option.isNone(found) ? null : Math.max(account.Sequence, (queue?.highest_sequence ?? -1) + 1),
      balance: account.Balance,
      ownerCount: account.OwnerCount,
      ...shared,
      reserveBase: String(reserveBase),
      reserveIncrement: String(reserveIncrement),
      reserve: String(reserveBase + BigInt(account.OwnerCount) * reserveIncrement)
    }
  })

const absent: Option.Option.Value<Effect.Effect.Success<ReturnType<RippleProvider["openAccount"]>>> = {
  account_data: { Account: "", Balance: "0", Sequence: 0, OwnerCount: 0 }
}
