import { assert, describe, it } from "@effect/vitest"
import { blake2b } from "@noble/hashes/blake2"
import * as Option from "effect/Option"
import { bytesToHex, hexToBytes } from "viem/utils"
import {
  accountKey,
  assetBalance,
  assetMetadata,
  genesisKey,
  heightKey,
  holderKey,
  metadataKey,
  timestampKey
} from "../../../src/chains/polkadot/storage.ts"
import * as AssetHub from "../../support/AssetHub.ts"

const xx = (bytes: Uint8Array, seed: bigint) => AssetHub.le(Bun.hash.xxHash64(bytes, seed), 8)
const twox128 = (name: string) => xx(Buffer.from(name), 0n) + xx(Buffer.from(name), 1n)
const concat = (hex: string) => bytesToHex(blake2b(hexToBytes(`0x${hex}`), { dkLen: 16 })).slice(2) + hex
const account = "0xa6659e4c3f22c2aa97d54a36e31ab57a617af62bd43ec62ed570771492069270" as const

describe("storage keys", () => {
  it("consist of the hashes of the pallet name, the item name and the requested keys", () => {
    assert.strictEqual(accountKey(account), `0x${twox128("System")}${twox128("Account")}${concat(account.slice(2))}`)
    const usdt = concat("c0070000")
    assert.strictEqual(metadataKey("1984"), `0x${twox128("Assets")}${twox128("Metadata")}${usdt}`)
    assert.strictEqual(
      holderKey("1984", account),
      `0x${twox128("Assets")}${twox128("Account")}${usdt}${concat(account.slice(2))}`
    )
    const block = new Uint8Array(4)
    assert.strictEqual(timestampKey, `0x${twox128("Timestamp")}${twox128("Now")}`)
    assert.strictEqual(heightKey, `0x${twox128("System")}${twox128("Number")}`)
    assert.strictEqual(genesisKey, `0x${twox128("System")}${twox128("BlockHash")}${xx(block, 0n)}00000000`)
  })
})

describe("an asset account", () => {
  const balance = AssetHub.le(2n ** 127n + 5n, 16)

  it("starts with its balance, whatever the reason for its existence", () => {
    for (const rest of ["0000", "0001", "0103", `0202${"00".repeat(16)}`, `0004${"11".repeat(48)}`])
      assert.deepStrictEqual(assetBalance(`0x${balance}${rest}`), Option.some(2n ** 127n + 5n))
    assert.deepStrictEqual(assetBalance(null), Option.some(0n))
  })

  it("is rejected if it has another format", () => {
    for (const rest of ["", "00", "000000", "0300", "0005", "0002", "00010000"])
      assert.deepStrictEqual(assetBalance(`0x${balance}${rest}`), Option.none(), rest)
  })
})

describe("asset metadata", () => {
  it("contains the name, the symbol and the decimals", () => {
    const stored = AssetHub.metadata("Tether USD₮", "USDt", 6) as `0x${string}`
    assert.deepStrictEqual(assetMetadata(stored), Option.some({ name: "Tether USD₮", symbol: "USDt", decimals: 6 }))
    const long = "a".repeat(70)
    const name = `${AssetHub.le((70n << 2n) | 1n, 2)}${Buffer.from(long).toString("hex")}`
    assert.deepStrictEqual(
      assetMetadata(`0x${"00".repeat(16)}${name}${"00"}${"0c"}${"00"}`),
      Option.some({ name: long, symbol: "", decimals: 12 })
    )
  })

  it("is rejected if it is missing, cut off or too long", () => {
    const whole = AssetHub.metadata("Tether", "USDt", 6)
    assert.deepStrictEqual(assetMetadata(null), Option.none())
    assert.deepStrictEqual(assetMetadata(`${whole}00` as `0x${string}`), Option.none())
    for (let length = 2; length < whole.length; length += 2)
      assert.deepStrictEqual(assetMetadata(whole.slice(0, length) as `0x${string}`), Option.none())
  })
})
