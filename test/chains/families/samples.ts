import { sha256 } from "@noble/hashes/sha2"
import { base58, base58xrp, bech32, createBase58check } from "@scure/base"
import type { ChainFacts, Family } from "../../../src/catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import { friendly } from "../../../src/chains/ton/TonAddress.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"

// Valid addresses for requests about many addresses: one per number, derived from its hash.

const bytes = (index: number, count: number): Uint8Array =>
  Uint8Array.from([...sha256(`a sample, ${index}`), ...sha256(`and more, ${index}`)]).subarray(0, count)

const hex = (index: number, count: number) => Buffer.from(bytes(index, count)).toString("hex")

const families: Record<Family, (info: ChainFacts, index: number) => string> = {
  evm: (_, index) => `0x${hex(index, 20)}`,
  tron: (_, index) => createBase58check(sha256).encode(Uint8Array.of(0x41, ...bytes(index, 20))),
  utxo: (info, index) => UtxoAddress.base58((info as UtxoFacts).coding, "keyHash", bytes(index, 20)),
  // The longest form: a payment key and a stake key.
  cardano: (_, index) => bech32.encode("addr", bech32.toWords(Uint8Array.of(0x01, ...bytes(index, 56))), 1023),
  solana: (_, index) => base58.encode(bytes(index, 32)),
  sui: (_, index) => `0x${hex(index, 32)}`,
  ton: (_, index) => friendly(`0:${hex(index, 32)}`),
  ripple: (_, index) => {
    const payload = Uint8Array.of(0, ...bytes(index, 20))
    return base58xrp.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).subarray(0, 4)))
  },
  polkadot: (_, index) => `0x${hex(index, 32)}`
}

/** Returns `count` addresses of a network in a client's spelling, for the numbers from `from` on. */
export const samples = (info: ChainFacts, count: number, from = 0): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => families[info.family as Family](info, from + index))
