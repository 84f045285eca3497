import { sha256 } from "@noble/hashes/sha2"
import { base58, base58check, bech32 } from "@scure/base"
import type { Family, NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"

// Addresses with a documented purpose. Each encodes the name of its purpose in ASCII, followed by zeros.

type Payload = (length: number) => Buffer

export type LandmarkFacts = Pick<NetworkFacts, "id"> & {
  readonly family?: Family
  readonly coding?: UtxoFacts["coding"]
}

/** Header of a Cardano address without a stake key, of the main network (CIP-19). */
const enterprise = 0x61

const utxo = (payload: Payload, coding: UtxoFacts["coding"]) => {
  const hash = payload(20)
  return UtxoAddress.encode(
    coding,
    coding.hrp === undefined ? { kind: "keyHash", hash } : { kind: "witness", version: 0, program: hash }
  )
}

/** The address of a network that encodes a name. */
const named = (name: string): ((facts: LandmarkFacts) => string | undefined) => {
  const payload: Payload = (length) => Buffer.concat([Buffer.from(name)], length)
  const cardano = bech32.encode("addr", bech32.toWords(Uint8Array.of(enterprise, ...payload(28))), false)
  const evm = `0x${payload(20).toString("hex")}`
  const ripple = RippleAddress.ofAccount(payload(20))
  const solana = base58.encode(payload(32))
  const key = `0x${payload(32).toString("hex")}`
  const ton = `0:${payload(32).toString("hex")}`
  const tron = base58check(sha256).encode(Uint8Array.of(0x41, ...payload(20)))
  const [polkadot, sui] = [key, key]
  const addresses: Partial<Record<Family, string>> = { cardano, evm, polkadot, ripple, solana, sui, ton, tron }
  return ({ coding, family = "evm" }) => (coding === undefined ? addresses[family] : utxo(payload, coding))
}

/** Address whose history also contains the rare forms of transactions that sources are known to list. */
export const museum = named("museum")

/** Address whose history and holdings are longer than the pages and windows of the sources. */
export const busy = named("busy")

/** Address that holds the tokens which no list has. */
export const airdropped = named("airdropped")

/** Header of a Cardano account of a key, of the main network (CIP-19). */
const account = 0xe1

/** Cardano account like the busy address: sources have other endpoints for accounts. */
export const busyAccount = bech32.encode(
  "stake",
  bech32.toWords(Uint8Array.of(account, ...Buffer.concat([Buffer.from("busy")], 28))),
  false
)
