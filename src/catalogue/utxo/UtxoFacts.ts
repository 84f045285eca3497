import type { NetworkFacts } from "../NetworkFacts.ts"

type Numbers<Count extends number, Below extends ReadonlyArray<number> = []> = Below["length"] extends Count
  ? Below[number]
  : Numbers<Count, [...Below, Below["length"]]>

/** A version of one byte. Some other networks use two bytes, which this code does not support. */
export type Byte = Numbers<256>

/** Address encoding of a network. */
export interface Coding {
  /** Version bytes of base58check addresses; the first is used for encoding. */
  readonly keyHash: readonly [Byte, ...ReadonlyArray<Byte>]
  readonly scriptHash: readonly [Byte, ...ReadonlyArray<Byte>]
  /** The human-readable part of witness addresses, if there are any. */
  readonly hrp?: string
  /** The prefix of CashAddr, if addresses are encoded in that form. */
  readonly cashaddr?: string
  /** Version bytes of extended public keys (SLIP-132), by the letters at their start. */
  readonly extended: Readonly<Record<string, number>>
  /** Witness versions that are not addresses, as only the owner sees their coins; and the name of that feature. */
  readonly hidden?: { readonly name: string; readonly versions: ReadonlyArray<number> }
}

/** Transaction rules of a network. */
export interface Rules {
  /** Whether transactions may have witnesses (BIP-144). */
  readonly witness: boolean
  /** Whether transactions may have parts of an extension block (MWEB). */
  readonly extension?: boolean
  /** Confirmations after which a newly mined output can be spent (`COINBASE_MATURITY` of its node). */
  readonly coinbaseMaturity: number
  /** Confirmations after which an output that left an extension block can be spent (`PEGOUT_MATURITY`). */
  readonly pegOutMaturity?: number
  /** Maximum amount of a transaction, base units. */
  readonly maxAmount: bigint
}

/** How nodes with default settings treat a pending transaction. Rates are base units per 1,000 virtual bytes. */
export interface MempoolPolicy {
  /** Which transactions may be replaced: any, those that signal it in a sequence number (BIP-125), or none. */
  readonly replaces: "any" | "signalling" | "none"
  /** The rate that a replacement pays in addition, for its own size (`incrementalrelayfee`). */
  readonly increment: bigint
  /** The lowest rate of a transaction (`minrelaytxfee`). */
  readonly least: bigint
  /** False if miners do not consider the fee of a transaction that spends its outputs (CPFP). */
  readonly countsChildren: boolean
  /** The least output that nodes relay, base units. Absent if it depends on the form of the address (Bitcoin Core). */
  readonly dust?: bigint
}

/** A kind of indexer, and its public instances that need no key. */
export interface Indexer {
  readonly kind: "blockbook" | "blockchainInfo" | "blockCypher" | "esplora" | "haskoin"
  readonly urls: ReadonlyArray<string>
  /** True if its public instances are not used for histories. */
  readonly balancesOnly?: boolean
  /** True if it accepts only base58 addresses, although the network uses CashAddr. */
  readonly base58Only?: boolean
}

/** The facts of a network of the Bitcoin family. */
export interface UtxoFacts extends NetworkFacts {
  readonly family: "utxo"
  readonly coding: Coding
  readonly transactions: Rules
  readonly mempool: MempoolPolicy
  /** Its indexers, in the order of their use. */
  readonly indexers: ReadonlyArray<Indexer>
  /** An address in canonical form that has received something. */
  readonly sampleAddress: string
}
