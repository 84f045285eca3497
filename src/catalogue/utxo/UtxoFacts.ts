import type { NetworkFacts } from "../NetworkFacts.ts"

type Numbers<Count extends number, Below extends ReadonlyArray<number> = []> = Below["length"] extends Count
  ? Below[number]
  : Numbers<Count, [...Below, Below["length"]]>

/** A version of one byte: addresses of other networks have two, which nothing here reads. */
export type Byte = Numbers<256>

/** How a network writes its addresses. */
export interface Coding {
  /** Version bytes of base58check addresses; the first is the one to write. */
  readonly keyHash: readonly [Byte, ...ReadonlyArray<Byte>]
  readonly scriptHash: readonly [Byte, ...ReadonlyArray<Byte>]
  /** The human-readable part of witness addresses, where there are any. */
  readonly hrp?: string
  /** The prefix of CashAddr, where it is the form to write. */
  readonly cashaddr?: string
  /** Version bytes of extended public keys (SLIP-132), by the letters that they begin with. */
  readonly extended: Readonly<Record<string, number>>
  /** Witness versions that are no addresses: what is behind them only its owner sees; and what all of that is called. */
  readonly hidden?: { readonly name: string; readonly versions: ReadonlyArray<number> }
}

/** What a network's transactions may have. */
export interface Rules {
  /** The form with witnesses (BIP-144). */
  readonly witness: boolean
  /** Parts that belong to an extension block (MWEB). */
  readonly extension?: boolean
  /** Confirmations after which a newly mined output can be spent (`COINBASE_MATURITY` of its node). */
  readonly coinbaseMaturity: number
  /** No transaction moves more than this, base units. */
  readonly maxAmount: bigint
}

/** A kind of indexer, and its public instances that need no key. */
export interface Indexer {
  readonly kind: "blockbook" | "blockchainInfo" | "blockCypher" | "esplora" | "haskoin"
  readonly urls: ReadonlyArray<string>
  /** True where its public instances are not used for histories. */
  readonly balancesOnly?: boolean
  /** True where it understands base58 addresses alone, though the network writes CashAddr. */
  readonly base58Only?: boolean
}

/** The facts of a network of the Bitcoin family. */
export interface UtxoFacts extends NetworkFacts {
  readonly family: "utxo"
  readonly coding: Coding
  readonly transactions: Rules
  /** Its indexers, in the order of their use. */
  readonly indexers: ReadonlyArray<Indexer>
  /** An address in canonical form that has received something. */
  readonly sample: string
}
