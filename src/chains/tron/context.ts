import * as Effect from "effect/Effect"
import type { TronContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { withShared } from "../kit/context/Contexts.ts"
import type { TronClient } from "./Client.ts"
import { trx } from "./holdings.ts"
import { newestOf, type TronBlock } from "./newestBlock.ts"
import { AccountResources, post, walletAccount } from "./TronWire.ts"

// `getaccount` and `getaccountresource` of a node's HTTP API (`/wallet`).

/** Reads what is needed to build transactions; the newest block once for all addresses. */
export const contexts = (client: TronClient) =>
  withShared(
    () => newestOf(client.upstream),
    (address, block) => read(client, address, block)
  )

/** Reads the data for building transactions of an address. */
const read = (client: TronClient, address: string, block: TronBlock): Effect.Effect<TronContext, UpstreamError> =>
  Effect.gen(function* () {
    const { upstream: trongrid } = client
    const of = { address, visible: true }
    const [account, resources] = yield* Effect.all(
      [
        trongrid.read(post("/wallet/getaccount", of), walletAccount(address)),
        trongrid.read(post("/wallet/getaccountresource", of), AccountResources)
      ],
      { concurrency: 2 }
    )
    const activated = "address" in account
    // A wrong response may also be an empty object.
    if (!activated && (yield* trx(client, address)) !== 0n) return yield* trongrid.fault(contradiction)
    if (activated && resources.TotalNetLimit === undefined) return yield* trongrid.fault(noResources)
    return {
      family: "tron" as const,
      activated,
      balance: String(account.balance),
      block: { ...block, number: numberOf(block.number), timestamp: numberOf(block.timestamp) },
      freeBandwidth: Math.max(resources.freeNetLimit - resources.freeNetUsed, 0),
      stakedBandwidth: Math.max(resources.NetLimit - resources.NetUsed, 0),
      energy: Math.max(resources.EnergyLimit - resources.EnergyUsed, 0)
    }
  })

const noResources: Fault = { reason: "bad_answer", detail: "returned no resources for an active account" }
const contradiction: Fault = { reason: "bad_answer", detail: "returned no account for an address that has coins" }
