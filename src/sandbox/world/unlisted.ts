import { hash } from "node:crypto"
import { sha256 } from "@noble/hashes/sha2"
import { base58, base58check } from "@scure/base"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import type { Family } from "../../catalogue/NetworkFacts.ts"
import * as RippleAddress from "../../chains/ripple/RippleAddress.ts"
import type { Coin } from "./coins.ts"

// Tokens that no list has. Only the address of airdrops holds them.

/** An unlisted token that says nothing wrong, and the forms of frauds that wallets receive. */
const texts: ReadonlyArray<readonly [id: string, symbol: string, name: string]> = [
  ["harbour-token", "HRBR", "Harbour Token"],
  ["claim-link", "$5000", "Visit usdt-claim.example to claim rewards"],
  ["lookalike", "USD\u0422", "Tether USD"],
  ["hidden", "US\u200bDC", "USD Coin"],
  ["direction", "\u202eHTE", "\u202emuerehtE"]
]

type AddressOf = (bytes: Buffer, symbol: string, index: number) => string

const hex = (text: string | Buffer) => Buffer.from(text as string).toString("hex")

const cardano = (bytes: Buffer, symbol: string) => hex(bytes.subarray(0, 28)) + hex(symbol)
const evm = (bytes: Buffer) => `0x${hex(bytes.subarray(0, 20))}`
const polkadot = (_: Buffer, __: string, index: number) => String(900_000 + index)
const ripple = (bytes: Buffer, symbol: string) =>
  `${RippleAddress.ofAccount(bytes.subarray(0, 20))}.${hex(symbol).padEnd(40, "0").toUpperCase()}`
const solana = (bytes: Buffer) => base58.encode(bytes)
const sui = (bytes: Buffer) => `0x${hex(bytes)}::coin::COIN`
const ton = (bytes: Buffer) => `0:${hex(bytes)}`
const tron = (bytes: Buffer) => base58check(sha256).encode(Uint8Array.of(0x41, ...bytes.subarray(0, 20)))

/** The form of contracts on the networks of a family. */
const forms: Readonly<Partial<Record<Family, AddressOf>>> = { cardano, evm, polkadot, ripple, solana, sui, ton, tron }

/** The tokens of all networks, which the simulated markets do not list. */
export const unlistedCoins: ReadonlyArray<Coin> = texts.map(([id, symbol, name], index) => ({
  id,
  symbol,
  name,
  usd: 1,
  decimals: 6,
  contracts: Object.fromEntries(
    Catalogue.all.flatMap(({ family, platform }) => {
      const addressOf = forms[family]
      return platform === undefined || addressOf === undefined
        ? []
        : [[platform, addressOf(hash("sha256", `${platform}|${id}`, "buffer"), symbol, index)]]
    })
  ),
  isUnlisted: true
}))
