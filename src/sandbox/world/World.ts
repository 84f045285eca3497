import { hash } from "node:crypto"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import type { Family, NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { parse as cardano } from "../../chains/cardano/CardanoAddress.ts"
import { parse as evm } from "../../chains/evm/EvmAddress.ts"
import { parse as polkadot } from "../../chains/polkadot/PolkadotAddress.ts"
import { parse as ripple } from "../../chains/ripple/RippleAddress.ts"
import { parse as solana } from "../../chains/solana/SolanaAddress.ts"
import { parse as sui } from "../../chains/sui/SuiAddress.ts"
import { parse as ton } from "../../chains/ton/TonAddress.ts"
import { parse as tron } from "../../chains/tron/TronAddress.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { isBusy } from "./busy.ts"
import { type Coin, coins, contractOn, walkOf } from "./coins.ts"
import * as Landmarks from "./Landmarks.ts"
import { unlistedCoins } from "./unlisted.ts"
import * as WorldState from "./WorldState.ts"

/** Why an operation on a world was rejected; the world is unchanged. */
export class WorldError extends Schema.TaggedError<WorldError>()("WorldError", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const wrong = (problem: string) => new WorldError({ problem })

type Parse = (text: string) => Either.Either<string, string>

const parsers: Record<Exclude<Family, "utxo">, Parse> = { cardano, evm, polkadot, ripple, solana, sui, ton, tron }

/** Converts an address to the canonical form that simulated upstreams use; left describes why the text is invalid. */
const canonical = (facts: NetworkFacts, text: string): Either.Either<string, string> =>
  facts.family === "utxo" ? UtxoAddress.parse(facts as UtxoFacts)(text) : parsers[facts.family](text)

/** Default seed of initial balances; another seed changes the balances of all addresses. */
export const defaultSeed = "wallet-data"

interface Transfer {
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  /** Token address; absent for the native coin. */
  readonly token?: string
}

/**
 * A simulated world. The seed determines the initial balances; tests change them through these methods, and every
 * simulated upstream of the network reports the change. Networks are given by id or alias, addresses and tokens in any
 * spelling, amounts in base units. Prices, fees and blocks are the same in all worlds.
 */
export interface World {
  readonly seed: string
  /** State that the simulated upstreams read. */
  readonly state: WorldState.WorldState
  /**
   * Adds to a balance immediately; no other address of the world pays. On some networks, as in reality, an account
   * without native coins does not exist, and its tokens are not visible.
   */
  readonly fund: (network: string, address: string, amount: bigint, token?: string) => Effect.Effect<void, WorldError>
  /** Sets a balance immediately. */
  readonly set: (network: string, address: string, amount: bigint, token?: string) => Effect.Effect<void, WorldError>
  /**
   * Sends from one address to another, without a fee. While the transfer is pending, no balance and no list includes
   * it, except the lists of Tron and of the Bitcoin family; the latter's indexers also include it in unconfirmed
   * amounts. Fails if the sender's balance minus its pending sends is too low.
   */
  readonly send: (network: string, transfer: Transfer) => Effect.Effect<void, WorldError>
  /** Makes all pending sends final, on one network or on all; returns their number. */
  readonly confirm: (network?: string) => Effect.Effect<number, WorldError>
  /** Balance of an address without pending amounts. */
  readonly balanceOf: (network: string, address: string, token?: string) => Effect.Effect<bigint, WorldError>
}

/**
 * Facts of a network with its world. Simulated upstreams are built from them, so each sees only its own world. Without
 * a world, there are no events, and the seed is the default.
 */
export type InWorld<F = Pick<NetworkFacts, "native"> & Landmarks.LandmarkFacts> = F & {
  readonly world?: World
}

const drawn = (seed: string, words: ReadonlyArray<string>): number =>
  hash("sha256", [seed, ...words].join("|"), "buffer").readUInt32BE(0) / 0xffffffff

/** Deterministic pseudo-random number from 0 to 1 for these words; the same in every world. */
export const randomOf = (...words: ReadonlyArray<string>): number => drawn(defaultSeed, words)

/** Deterministic pseudo-random number from 0 to 1 for these words, the network and the seed of its world. */
export const randomIn = ({ id, world }: InWorld, ...words: ReadonlyArray<string>): number =>
  drawn(world?.seed ?? defaultSeed, [id, ...words])

/** A token on a simulated chain. */
export interface Contract {
  readonly coin: Coin
  readonly address: string
  readonly decimals: number
}

const contractsIn = (all: ReadonlyArray<Coin>, platform: string | undefined): ReadonlyArray<Contract> =>
  platform === undefined
    ? []
    : all.flatMap((coin) => {
        const contract = contractOn(coin, platform)
        return contract === undefined ? [] : [{ coin, ...contract }]
      })

/** The tokens that token lists have. */
export const listedOn = (platform: string | undefined): ReadonlyArray<Contract> => contractsIn(coins, platform)

/** All tokens of a platform, the unlisted ones last. */
export const contractsOn = (platform: string | undefined): ReadonlyArray<Contract> => [
  ...listedOn(platform),
  ...contractsIn(unlistedCoins, platform)
]

/**
 * Initial native balance of an address, in base units. One in ten addresses is unused; the others hold up to a few
 * thousand dollars' worth.
 */
export const initialNative = (facts: InWorld, address: string): bigint => {
  if (randomIn(facts, "empty", address) < 0.1 && !isLandmark(facts, address)) return 0n
  return amount(usdOf(facts), facts.native.decimals, randomIn(facts, "native", address))
}

const isLandmark = (facts: InWorld, address: string) =>
  address === Landmarks.museum(facts) || address === Landmarks.airdropped(facts) || isBusy(facts, address)

const usdOf = ({ native }: InWorld) => coins.find(({ id }) => id === native.coinId)?.usd ?? 1

/** Amount of the native coin that is worth this amount of a token at the prices of the table; at least one base unit. */
export const worthOf = (facts: InWorld, { coin, decimals }: Contract, amount: bigint): bigint => {
  const exact = (usd: number) => BigInt(Math.round(usd * 1e9))
  return (
    1n +
    (amount * exact(coin.usd) * 10n ** BigInt(facts.native.decimals)) / (exact(usdOf(facts)) * 10n ** BigInt(decimals))
  )
}

/**
 * Initial token balance of an address, in base units; 0 for most tokens. Museums hold all odd coins, the address of
 * airdrops all unlisted tokens, and others none of them.
 */
export const initialTokens = (facts: InWorld, { address, coin, decimals }: Contract, holder: string): bigint => {
  if (coin.isUnlisted === true && holder !== Landmarks.airdropped(facts)) return 0n
  const isOwned =
    coin.odd === undefined
      ? coin.isUnlisted === true || randomIn(facts, "holds", address, holder) <= 0.35 || isBusy(facts, holder)
      : holder === Landmarks.museum(facts)
  return !isOwned || initialNative(facts, holder) === 0n
    ? 0n
    : amount(coin.usd, Math.min(decimals, maxDecimals), randomIn(facts, address, holder))
}

/** Decimals of the largest amounts: a balance must fit into the integers of the network. */
const maxDecimals = 18

/** Current native balance of an address, in base units. */
export const native = (facts: InWorld, address: string): bigint =>
  initialNative(facts, address) + (facts.world?.state.change(facts.id, address) ?? 0n)

/** Current token balance of an address, in base units. */
export const tokenBalance = (facts: InWorld, contract: Contract, holder: string): bigint =>
  initialTokens(facts, contract, holder) + (facts.world?.state.change(facts.id, holder, contract) ?? 0n)

/** Stake of an address, on networks that report it separately from the balance; half of the used addresses have one. */
export const stakeOf = (facts: InWorld, address: string): bigint =>
  randomIn(facts, "stakes", address) < 0.5 && !isBusy(facts, address) ? 0n : initialNative(facts, address) / 4n

/** Rewards of the stake that can be withdrawn. */
export const rewardsOf = (facts: InWorld, address: string): bigint => stakeOf(facts, address) / 50n

/** Maximum balance that upstreams can write as a JSON number without loss of precision; EVM upstreams write strings. */
const maxBalance = ({ family, supply }: NetworkFacts): bigint =>
  family === "evm" ? supply : supply < safe ? supply : safe

const safe = BigInt(Number.MAX_SAFE_INTEGER)

interface WorldOptions {
  readonly seed?: string
  /** Networks of the world. Default: the catalogue. */
  readonly networks?: ReadonlyArray<NetworkFacts>
}

const addressOn = (facts: NetworkFacts, text: string) =>
  Effect.mapError(canonical(facts, text), (problem) => wrong(`"${text}" is not a ${facts.name} address: ${problem}`))

const tokenOn = (facts: NetworkFacts, text: string | undefined) => {
  const found = contractsOn(facts.platform).find(({ address }) => address.toLowerCase() === text?.toLowerCase())
  return text === undefined || found !== undefined
    ? Effect.succeed(found)
    : Effect.fail(wrong(`no token of the simulated ${facts.name} has the address "${text}"`))
}

/** An address and an asset of a network, with functions that read the current balance and the pending amounts. */
const holdingOf = (facts: InWorld<NetworkFacts>, state: WorldState.WorldState, address: string, asset?: Contract) => ({
  facts,
  address,
  asset: asset === undefined ? {} : { contract: asset },
  maxBalance: asset === undefined ? maxBalance(facts) : undefined,
  amount: () => (asset === undefined ? native(facts, address) : tokenBalance(facts, asset, address)),
  /** Sum of pending transfers to or from the address. */
  pending: (side: "from" | "to") =>
    state
      .pending(facts.id, address)
      .filter((event) => event[side] === address && event.contract?.address === asset?.address)
      .reduce((sum, { amount }) => sum + amount, 0n)
})

type Holding = ReturnType<typeof holdingOf>

/** Problem text if the balance would exceed the maximum. */
const excess = ({ facts, maxBalance }: Holding, amount: bigint): string | undefined =>
  maxBalance !== undefined && amount > maxBalance
    ? `no address of the simulated ${facts.name} can hold more than ${maxBalance}`
    : undefined

const unfit = (holding: Holding, wanted: bigint): string | undefined => {
  const leaving = holding.pending("from")
  if (wanted < 0n) return "balance must not be negative"
  if (wanted < leaving) return `${holding.address} has pending sends of ${leaving}, which its balance must cover`
  return excess(holding, wanted + holding.pending("to"))
}

const unsendable = (from: Holding, to: Holding, amount: bigint): string | undefined => {
  const available = from.amount() - from.pending("from")
  if (amount <= 0n) return "amount must be at least one base unit"
  if (from.address === to.address) return "sender and recipient must be different"
  if (available < amount) return `${from.address} can send at most ${available} on ${from.facts.name}, not ${amount}`
  return excess(to, to.amount() + to.pending("to") + amount)
}

/** Current time in UNIX seconds. */
const second = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1000))

/**
 * Canonical address of a network's museum, whose history contains the rare forms of transactions that sources list;
 * undefined for a network that is not in the catalogue. The network is given by id or alias.
 */
export const museum = (network: string): string | undefined => {
  const facts = inCatalogue(network)
  return facts === undefined ? undefined : Landmarks.museum(facts)
}

/**
 * Canonical address that holds all unlisted tokens of a network; undefined for a network that is not in the catalogue.
 * The network is given by id or alias.
 */
export const airdropped = (network: string): string | undefined => {
  const facts = inCatalogue(network)
  return facts === undefined ? undefined : Landmarks.airdropped(facts)
}

/**
 * Canonical address of a network's busy address, whose history is longer than the pages and windows of the sources;
 * undefined for a network that is not in the catalogue. The network is given by id or alias.
 */
export const busy = (network: string): string | undefined => {
  const facts = inCatalogue(network)
  return facts === undefined ? undefined : Landmarks.busy(facts)
}

const inCatalogue = (network: string) =>
  Catalogue.all.find(({ aliases, id }) => id === network || aliases.includes(network))

/** Creates a world. Worlds in the same process share no state. */
export const make = ({ networks = Catalogue.all, seed = defaultSeed }: WorldOptions = {}): World => {
  const state = WorldState.make()
  let sequence = 0

  const factsOf = (network: string) =>
    Effect.fromNullable(networks.find(({ aliases, id }) => id === network || aliases.includes(network))).pipe(
      Effect.mapError(() => wrong(`unknown network "${network}"`)),
      Effect.map((facts): InWorld<NetworkFacts> => ({ ...facts, world }))
    )

  const find = (network: string, text: string, token: string | undefined) =>
    Effect.gen(function* () {
      const facts = yield* factsOf(network)
      return holdingOf(facts, state, yield* addressOn(facts, text), yield* tokenOn(facts, token))
    })

  const identified = <E>({ id }: NetworkFacts, event: E) => ({
    ...event,
    id: hash("sha256", [seed, id, "event", String(sequence++)].join("|"))
  })

  /** Changes a balance. Check and change are atomic: both run synchronously. */
  const changed = (holding: Holding, wanted: (amount: bigint) => bigint) =>
    Effect.flatMap(second, (now) => {
      const { address, amount, asset, facts } = holding
      const difference = wanted(amount()) - amount()
      const problem = unfit(holding, amount() + difference)
      if (problem !== undefined) return wrong(problem)
      const party = difference > 0n ? { to: address, amount: difference } : { from: address, amount: -difference }
      if (difference !== 0n) state.settle(facts.id, identified(facts, { ...asset, ...party }), now)
      return Effect.void
    })

  const world: World = {
    seed,
    state,
    fund: (network, address, amount, token) =>
      amount < 0n
        ? wrong("amount must not be negative")
        : Effect.flatMap(find(network, address, token), (holding) => changed(holding, (before) => before + amount)),
    set: (network, address, amount, token) =>
      Effect.flatMap(find(network, address, token), (holding) => changed(holding, () => amount)),
    send: (network, { amount, from, to, token }) =>
      Effect.gen(function* () {
        const [payer, payee] = [yield* find(network, from, token), yield* find(network, to, token)]
        const seen = yield* second
        const problem = unsendable(payer, payee, amount)
        if (problem !== undefined) return yield* wrong(problem)
        const { asset, facts } = payer
        state.wait(facts.id, identified(facts, { ...asset, from: payer.address, to: payee.address, amount, seen }))
      }),
    confirm: (network) =>
      Effect.gen(function* () {
        const ids = network === undefined ? state.networks() : [(yield* factsOf(network)).id]
        const now = yield* second
        return ids.reduce((sum, id) => sum + state.confirm(id, now), 0)
      }),
    balanceOf: (network, address, token) => Effect.map(find(network, address, token), ({ amount }) => amount())
  }
  return world
}

const minute = 60_000
const year = 365 * 24 * 60 * minute

/** Start of 2026, when every coin has the price of the table. */
const base = Date.UTC(2026, 0, 1)

/** Pseudo-random number from -1 to 1 (integer hash of Murmur3). Faster than `randomOf`, because charts need thousands. */
const noise = (seed: number, index: number): number => {
  const mixed = Math.imul(seed ^ Math.imul(index, 0x9e3779b1), 0x85ebca6b)
  const more = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return ((more ^ (more >>> 16)) >>> 0) / 2 ** 31 - 1
}

/**
 * Random walk at a time in ms, with a standard deviation of about 1 per year. It is a sum of noises, each with values
 * at multiples of a period and straight lines between them. The periods are one minute to eight years, in powers of 2.
 */
const walk = (id: string, at: number): number => {
  const seed = Math.floor(randomOf("walk", id) * 2 ** 31)
  let sum = 0
  for (let period = minute, octave = 1; period < 9 * year; period *= 2, octave++) {
    const index = Math.floor(at / period)
    const share = at / period - index
    const own = seed ^ Math.imul(octave, 0x27d4eb2d)
    sum += Math.sqrt(period / year / 1.4) * ((1 - share) * noise(own, index) + share * noise(own, index + 1))
  }
  return sum
}

/** Price of a coin in US dollars: a random walk that moves every minute, the same in every world; constant if odd. */
export const priceOf = (coin: Coin, now: number): number => {
  if (coin.odd !== undefined) return coin.usd
  const { source, volatility } = walkOf(coin)
  const at = Math.floor(now / minute) * minute
  return Number((coin.usd * Math.exp(volatility * (walk(source, at) - walk(source, base)))).toPrecision(8))
}

/** Amount in base units worth up to about 5,000 dollars, with non-zero digits down to the last decimal. */
const amount = (usd: number, decimals: number, share: number): bigint => {
  const whole = (5_000 * share ** 3) / usd
  const micro = BigInt(Math.max(1, Math.floor(whole * 1e6)))
  const digits = BigInt(Math.floor(share * 1e15))
  return decimals < 6
    ? micro / 10n ** BigInt(6 - decimals) + 1n
    : micro * 10n ** BigInt(decimals - 6) + (digits % 10n ** BigInt(decimals - 6))
}
