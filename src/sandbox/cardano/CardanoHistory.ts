import { bech32 } from "@scure/base"
import { isStake } from "../../chains/cardano/CardanoAddress.ts"
import { type LedgerFacts, ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import { digest, hashAt, heightAt, slotAt } from "./CardanoChain.ts"
import { exhibited, genesisTime } from "./cardanoMuseum.ts"
import { type CardanoOutput, type CardanoParts, type SerialisedCardano, serialised } from "./cardanoRaw.ts"

/** A transaction in a block, independent of an upstream's format. */
export interface SimulatedTransaction extends SerialisedCardano {
  readonly time: number
  /** Null for coins of the genesis block. */
  readonly height: number | null
  readonly index: number
  /** Its name in a museum: upstreams list it with rare members. */
  readonly exhibit?: string | undefined
}

/** Histories of holders. Transactions are looked up by hash after a list has returned them, sent ones always. */
export const histories = (facts: LedgerFacts, senderOf: (hash: string) => string | undefined) => {
  const byHash = remembered<SimulatedTransaction>()
  /** Newest first. */
  const of = (holder: string): ReadonlyArray<SimulatedTransaction> => {
    const all = transactionsOf(facts, holder)
    for (const simulated of all) byHash.set(simulated.hash, simulated)
    return all
  }
  return {
    of,
    by: (hash: string): SimulatedTransaction | undefined => {
      const sender = senderOf(hash)
      return byHash.get(hash) ?? (sender === undefined ? undefined : of(sender).find((other) => other.hash === hash))
    }
  }
}

const transactionsOf = memoized((facts: LedgerFacts, holder): ReadonlyArray<SimulatedTransaction> => {
  const moves = new Map(ledger(facts, holder).map((move) => [move.id, move]))
  const blocks = Map.groupBy(moves.values(), ({ at }) => at)
  return [...blocks.values()]
    .flatMap((block) => block.map((move, place) => transaction(holder, move, move.ordinal ?? place)))
    .reverse()
    .sort((a, b) => Number(a.height === null) - Number(b.height === null))
})

const encode = (prefix: string, bytes: Uint8Array) => bech32.encode(prefix, bech32.toWords(bytes), 1023)

const otherOutput = (id: string): CardanoOutput => ({
  address: encode("addr", Uint8Array.of(0x61, ...Buffer.from(id.slice(0, 56), "hex"))),
  lovelace: 0n
})

/** The holder's address; for an account, an address with the account's credential. */
export const own = (holder: string): CardanoOutput => {
  if (!isStake(holder)) return { address: holder, lovelace: 0n }
  const [header = 0, ...hash] = bech32.fromWords(bech32.decode(holder as `${string}1${string}`).words)
  const type = header >> 4 === 14 ? 0x01 : 0x21
  const bytes = Uint8Array.of(type, ...new Uint8Array(28).fill(7), ...hash)
  return { address: encode("addr", bytes), account: holder, lovelace: 0n }
}

/** Minimum lovelace of an output with an asset, and the change of a payer. */
const [least, change] = [1_200_000n, 2_000_000n]

/** Slots after which the transactions of the past would have expired. */
const validity = 7_200

const transaction = (holder: string, move: Move, place: number): SimulatedTransaction => ({
  ...((move.details as SerialisedCardano | undefined) ?? serialised(partsOf(holder, move))),
  ...(move.exhibit === "genesis"
    ? { time: genesisTime, height: null, index: 0 }
    : { time: move.at, height: heightAt(move.at), index: 3 + place }),
  exhibit: move.exhibit
})

const partsOf = (holder: string, move: Move): CardanoParts => {
  const { amount, at, contract, counterparty, failed, fee, id } = move
  const theirs = counterparty === undefined ? otherOutput(move.seed) : own(counterparty)
  const [from, to] = move.direction === "out" ? [own(holder), theirs] : [theirs, own(holder)]
  const assets = new Map(contract === undefined ? [] : [[contract.address, amount]])
  const txHash = digest("spent", id)
  const made = (
    inputs: ReadonlyArray<CardanoOutput>,
    outputs: ReadonlyArray<CardanoOutput>,
    secured?: CardanoOutput
  ): CardanoParts => ({
    inputs: inputs.map((input, index) => ({ ...input, txHash, index })),
    outputs,
    collateral: secured === undefined ? [] : [{ ...secured, txHash, index: inputs.indexOf(secured) }],
    fee,
    valid: !failed,
    lastSlot: slotAt(at) + validity,
    ...(move.kind === "mint" ? { minted: assets } : {})
  })
  const rare = exhibited(move, own(holder), theirs)
  if (rare !== undefined) {
    const { isSecured, outputs, read, spent, ...more } = rare
    const references = read === undefined ? {} : { references: [{ ...read, txHash: digest("read", id), index: 0 }] }
    return { ...made(spent, outputs, isSecured ? spent[0] : undefined), ...references, ...more }
  }
  if (failed) {
    const taken = { ...from, lovelace: fee + change }
    return made([taken], [{ ...from, lovelace: change }], taken)
  }
  const returned = { ...from, lovelace: change }
  if (contract === undefined)
    return made([{ ...from, lovelace: amount + fee + change }], [{ ...to, lovelace: amount }, returned])
  // The receiver provides the minimum coins of an output with an asset.
  const paying = { ...from, lovelace: change + fee, ...(move.kind === "mint" ? {} : { assets }) }
  return made([paying, { ...to, lovelace: least }], [{ ...to, lovelace: least, assets }, returned], paying)
}

/** Coins and assets of an output. */
export type CardanoValue = Pick<CardanoOutput, "lovelace" | "assets">

export const sumOf = (outputs: ReadonlyArray<CardanoOutput>) =>
  outputs.reduce((sum, { lovelace }) => sum + lovelace, 0n)

export const blockHash = (height: number | null) => (height === null ? digest("genesis") : hashAt(height))
