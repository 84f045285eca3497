import * as Effect from "effect/Effect"
import type { TronContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { withShared } from "../kit/context/Contexts.ts"
import { trx } from "./holdings.ts"
import type { TronBlock, TronProvider } from "./Provider.ts"

/** Reads what is needed to build transactions; the newest block once for all addresses. */
export const contexts = (trongrid: TronProvider) =>
  withShared(
    () => trongrid.newest,
    (address, block) => read(trongrid, address, block)
  )

/** Reads the data for building transactions of an address. */
const read = (trongrid: TronProvider, address: string, block: TronBlock): Effect.Effect<TronContext, UpstreamError> =>
  Effect.gen(function* () {
    const [account, { isReturned, ...resources }] = yield* Effect.all(
      [trongrid.trx(address), trongrid.resources(address)],
      { concurrency: 2 }
    )
    const activated = account !== undefined
    // A wrong response may also be an empty object.
    if (!activated && (yield* trx(trongrid, address)) !== 0n) return yield* trongrid.fault(contradiction)
    if (activated && !isReturned) return yield* trongrid.fault(noResources)
    return {
      family: "tron" as const,
      activated,
      balance: String(account ?? 0n),
      block: { ...block, number: numberOf(block.number), timestamp: numberOf(block.timestamp) },
      ...resources
    }
  })

const noResources: Fault = { reason: "bad_answer", detail: "returned no resources for an active account" }
const contradiction: Fault = { reason: "bad_answer", detail: "returned no account for an address that has coins" }
