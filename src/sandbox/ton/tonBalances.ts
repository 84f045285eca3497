import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { elector } from "../../chains/ton/Provider.ts"
import { spread } from "../world/busy.ts"
import * as World from "../world/World.ts"
import * as TonHistory from "./TonHistory.ts"

/** Balance of the elector contract, which holds the validators' stakes. */
const staked = 650_000_000_000_000_000n

/** Coins of an account, nanotons. */
export const balance = (facts: NetworkFacts, address: string) =>
  address === elector ? staked : World.native(facts, address)

/** Jetton wallets of an owner: those with a balance, and the first jetton even if its balance is zero. */
export const jettons = (
  facts: NetworkFacts,
  owner: string
): ReadonlyArray<OwnedJetton & { readonly contract: World.Contract }> =>
  World.native(facts, owner) === 0n
    ? []
    : TonHistory.masters(facts)
        .map((jetton) => ({ ...jetton, amount: World.tokenBalance(facts, jetton.contract, owner) }))
        .filter(({ amount }, index) => index === 0 || amount > 0n)

interface OwnedJetton {
  readonly master: string
  readonly amount: bigint
  /** Absent for a jetton without metadata. */
  readonly contract?: World.Contract
}

/** Jetton wallets of an owner; a busy one has others than those that TonAPI lists. */
export const allJettons = (facts: NetworkFacts, owner: string) =>
  spread<OwnedJetton>(facts, owner, jettons(facts, owner), 1_100, (index) => ({
    master: `0:${Buffer.concat([Buffer.from(`busy ${index}`)], 32).toString("hex")}`,
    amount: 1n
  }))
