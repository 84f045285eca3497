import { hash } from "node:crypto"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { type Coin, coins, contractOn } from "./coins.ts"

/** Change it, and every address of the simulated world holds something else. */
const seed = "wallet-data"

/** A number from 0 to 1, always the same for the same words. */
export const chance = (...words: ReadonlyArray<string>): number =>
  hash("sha256", [seed, ...words].join("|"), "buffer").readUInt32BE(0) / 0xffffffff

/** A token as the simulated chain knows it. */
export interface Contract {
  readonly coin: Coin
  readonly address: string
  readonly decimals: number
}

export const contractsOn = (platform: string | undefined): ReadonlyArray<Contract> =>
  platform === undefined
    ? []
    : coins.flatMap((coin) => {
        const contract = contractOn(coin, platform)
        return contract === undefined ? [] : [{ coin, ...contract }]
      })

/**
 * What an address holds of the native coin, in base units: one of ten addresses was never used, the others hold up to
 * some thousand dollars' worth.
 */
export const native = (facts: Pick<NetworkFacts, "id" | "native">, address: string): bigint => {
  if (chance(facts.id, "empty", address) < 0.1) return 0n
  const coin = coins.find(({ id }) => id === facts.native.coinId)
  return amount(coin?.usd ?? 1, facts.native.decimals, chance(facts.id, "native", address))
}

/** What an address holds of a token, in base units: of most tokens nothing. */
export const tokenBalance = (
  facts: Pick<NetworkFacts, "id" | "native">,
  { address, coin, decimals }: Contract,
  holder: string
): bigint =>
  native(facts, holder) === 0n || chance(facts.id, "holds", address, holder) > 0.35
    ? 0n
    : amount(coin.usd, decimals, chance(facts.id, address, holder))

/** The price of a coin; it moves a little from hour to hour. */
export const priceOf = (coin: Coin, now: number): number =>
  Number((coin.usd * (1 + (chance(coin.id, String(Math.floor(now / 3_600_000))) - 0.5) / 50)).toPrecision(8))

/** Base units worth up to about 5,000 dollars, with odd digits down to the last decimal. */
const amount = (usd: number, decimals: number, share: number): bigint => {
  const whole = (5_000 * share ** 3) / usd
  const micro = BigInt(Math.max(1, Math.floor(whole * 1e6)))
  const digits = BigInt(Math.floor(share * 1e15))
  return decimals < 6
    ? micro / 10n ** BigInt(6 - decimals) + 1n
    : micro * 10n ** BigInt(decimals - 6) + (digits % 10n ** BigInt(decimals - 6))
}
