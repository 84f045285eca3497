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
import { type Coin, coins, contractOn } from "./coins.ts"
import * as WorldState from "./WorldState.ts"

/** Why nothing was changed in a world, in words. */
export class WorldError extends Schema.TaggedError<WorldError>()("WorldError", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

const wrong = (problem: string) => new WorldError({ problem })

type Parse = (text: string) => Either.Either<string, string>

const parsers: Record<Exclude<Family, "utxo">, Parse> = { cardano, evm, polkadot, ripple, solana, sui, ton, tron }

/** An address in the form by which the simulated upstreams know it; left is what is wrong with the text. */
const canonical = (facts: NetworkFacts, text: string): Either.Either<string, string> =>
  facts.family === "utxo" ? UtxoAddress.parse(facts as UtxoFacts)(text) : parsers[facts.family](text)

/** With another one, every address of the simulated world holds something else. */
export const defaultSeed = "wallet-data"

interface Transfer {
  readonly from: string
  readonly to: string
  /** Base units. */
  readonly amount: bigint
  /** The address of a token; the native coin without it. */
  readonly token?: string
}

/**
 * A simulated world. What its addresses hold in the beginning is decided by its seed; tests change it by what is here, and
 * every simulated upstream of the network shows it. Networks are named by id or alias, addresses and tokens in any
 * spelling, amounts are base units. Prices, fees and blocks are the same in all worlds.
 */
export interface World {
  readonly seed: string
  /** For the simulated upstreams. */
  readonly state: WorldState.WorldState
  /**
   * Gives an address more, at once and from outside of the world. On some networks, as in reality, an account without the
   * native coin does not exist, and its tokens are not seen.
   */
  readonly fund: (network: string, address: string, amount: bigint, token?: string) => Effect.Effect<void, WorldError>
  /** Makes an address hold exactly this, at once. */
  readonly set: (network: string, address: string, amount: bigint, token?: string) => Effect.Effect<void, WorldError>
  /**
   * Sends from one address to another, without a fee. It is pending until it is confirmed: until then it is in no balance and
   * on no list, but for the lists of Tron and of the Bitcoin family, whose indexers count it in their unconfirmed amounts too.
   * Fails where the sender has too little, less what is pending already.
   */
  readonly send: (network: string, transfer: Transfer) => Effect.Effect<void, WorldError>
  /** Makes everything that is pending final, on one network or on all; how many sends there were. */
  readonly confirm: (network?: string) => Effect.Effect<number, WorldError>
  /** What an address holds, without what is pending. */
  readonly balanceOf: (network: string, address: string, token?: string) => Effect.Effect<bigint, WorldError>
}

/**
 * The facts of a network in a world. Simulated upstreams are made of them, so that none sees another world; without one,
 * nothing has ever happened, and the seed is the default.
 */
export type Inhabited<F = Pick<NetworkFacts, "id" | "native">> = F & { readonly world?: World }

const drawn = (seed: string, words: ReadonlyArray<string>): number =>
  hash("sha256", [seed, ...words].join("|"), "buffer").readUInt32BE(0) / 0xffffffff

/** A number from 0 to 1, always the same for the same words, in every world. */
export const chance = (...words: ReadonlyArray<string>): number => drawn(defaultSeed, words)

/** A number from 0 to 1, always the same for the same words in worlds of the same seed. */
export const chanceIn = ({ id, world }: Inhabited, ...words: ReadonlyArray<string>): number =>
  drawn(world?.seed ?? defaultSeed, [id, ...words])

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
 * What an address held of the native coin in the beginning, in base units: one of ten addresses was never used, the others
 * held up to some thousand dollars' worth.
 */
export const firstNative = (facts: Inhabited, address: string): bigint => {
  if (chanceIn(facts, "empty", address) < 0.1) return 0n
  const coin = coins.find(({ id }) => id === facts.native.coinId)
  return amount(coin?.usd ?? 1, facts.native.decimals, chanceIn(facts, "native", address))
}

/** What an address held of a token in the beginning, in base units: of most tokens nothing. */
export const firstTokens = (facts: Inhabited, { address, coin, decimals }: Contract, holder: string): bigint =>
  firstNative(facts, holder) === 0n || chanceIn(facts, "holds", address, holder) > 0.35
    ? 0n
    : amount(coin.usd, decimals, chanceIn(facts, address, holder))

/** What an address holds of the native coin, in base units. */
export const native = (facts: Inhabited, address: string): bigint =>
  firstNative(facts, address) + (facts.world?.state.change(facts.id, address) ?? 0n)

/** What an address holds of a token, in base units. */
export const tokenBalance = (facts: Inhabited, contract: Contract, holder: string): bigint =>
  firstTokens(facts, contract, holder) + (facts.world?.state.change(facts.id, holder, contract) ?? 0n)

/** What an address has staked beside its balance, on networks where stakes are beside it; half of the used ones have. */
export const stakeOf = (facts: Inhabited, address: string): bigint =>
  chanceIn(facts, "stakes", address) < 0.5 ? 0n : firstNative(facts, address) / 4n

/** The rewards of it that wait to be withdrawn. */
export const rewardsOf = (facts: Inhabited, address: string): bigint => stakeOf(facts, address) / 50n

/** What simulated upstreams can write into JSON as a number without changing it; those of EVM networks write text. */
const most = ({ family, supply }: NetworkFacts): bigint => (family === "evm" ? supply : supply < safe ? supply : safe)

const safe = BigInt(Number.MAX_SAFE_INTEGER)

interface WorldOptions {
  readonly seed?: string
  /** The networks that there are; those of the catalogue without it. */
  readonly networks?: ReadonlyArray<NetworkFacts>
}

const addressOn = (facts: NetworkFacts, text: string) =>
  Effect.mapError(canonical(facts, text), (problem) => wrong(`"${text}" is no address on ${facts.name}: ${problem}`))

const tokenOn = (facts: NetworkFacts, text: string | undefined) => {
  const found = contractsOn(facts.platform).find(({ address }) => address.toLowerCase() === text?.toLowerCase())
  return text === undefined || found !== undefined
    ? Effect.succeed(found)
    : Effect.fail(wrong(`no token of the simulated ${facts.name} has the address "${text}"`))
}

/** An address and an asset of a network, and what it holds of it whenever that is read. */
const holdingOf = (
  facts: Inhabited<NetworkFacts>,
  state: WorldState.WorldState,
  address: string,
  asset?: Contract
) => ({
  facts,
  address,
  asset: asset === undefined ? {} : { contract: asset },
  most: asset === undefined ? most(facts) : undefined,
  amount: () => (asset === undefined ? native(facts, address) : tokenBalance(facts, asset, address)),
  /** What is pending, on its way to it or from it. */
  pending: (side: "from" | "to") =>
    state
      .pending(facts.id, address)
      .filter((event) => event[side] === address && event.contract?.address === asset?.address)
      .reduce((sum, { amount }) => sum + amount, 0n)
})

type Holding = ReturnType<typeof holdingOf>

/** Why an address cannot hold this. */
const excess = ({ facts, most }: Holding, amount: bigint): string | undefined =>
  most !== undefined && amount > most
    ? `no address of the simulated ${facts.name} can hold more than ${most}`
    : undefined

const unfit = (holding: Holding, wanted: bigint): string | undefined => {
  const leaving = holding.pending("from")
  if (wanted < 0n) return "no address can hold less than nothing"
  if (wanted < leaving) return `${holding.address} is about to send ${leaving}, and has to hold as much until then`
  return excess(holding, wanted + holding.pending("to"))
}

const unsendable = (from: Holding, to: Holding, amount: bigint): string | undefined => {
  const available = from.amount() - from.pending("from")
  if (amount <= 0n) return "at least one base unit has to be sent"
  if (from.address === to.address) return "an address cannot send to itself here"
  if (available < amount) return `${from.address} has ${available} to send on ${from.facts.name}, not ${amount}`
  return excess(to, to.amount() + to.pending("to") + amount)
}

/** UNIX seconds. */
const second = Effect.map(Clock.currentTimeMillis, (now) => Math.floor(now / 1000))

/** A world of its own: two worlds in one process have nothing in common. */
export const make = ({ networks = Catalogue.all, seed = defaultSeed }: WorldOptions = {}): World => {
  const state = WorldState.make()
  let sequence = 0

  const factsOf = (network: string) =>
    Effect.fromNullable(networks.find(({ aliases, id }) => id === network || aliases.includes(network))).pipe(
      Effect.mapError(() => wrong(`there is no network "${network}"`)),
      Effect.map((facts): Inhabited<NetworkFacts> => ({ ...facts, world }))
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

  /** Nothing else happens between the check and the change. */
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
        ? wrong("what is given cannot be less than nothing")
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
