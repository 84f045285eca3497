import { blake2b } from "@noble/hashes/blake2"
import { base58, bech32 } from "@scure/base"
import { numberToHex } from "viem/utils"
import { digest } from "./CardanoChain.ts"

// A serialised transaction (CDDL of the Conway era), and addresses in it.

/** An output with its owner, coins and assets. */
export interface CardanoOutput {
  readonly address: string
  readonly account?: string
  readonly lovelace: bigint
  /** Quantities by unit. */
  readonly assets?: ReadonlyMap<string, bigint>
}

/** A spent output with the transaction that made it. */
export interface CardanoInput extends CardanoOutput {
  readonly txHash: string
  readonly index: number
}

/** The contents of a transaction. */
export interface CardanoParts {
  readonly fee: bigint
  readonly valid: boolean
  readonly inputs: ReadonlyArray<CardanoInput>
  readonly outputs: ReadonlyArray<CardanoOutput>
  /** Spent if the script failed; otherwise only listed. */
  readonly collateral: ReadonlyArray<CardanoInput>
  /** Outputs that a script reads and does not spend. */
  readonly references?: ReadonlyArray<CardanoInput>
  /** New assets, quantities by unit. */
  readonly minted?: ReadonlyMap<string, bigint>
  /** Deposit of a registration; negative if it is returned. */
  readonly deposit?: bigint
  /** Rewards that leave an account. */
  readonly withdrawn?: { readonly account: string; readonly lovelace: bigint }
  /** Its name at Koios, its number, and the hashes of the key and the pool. */
  readonly certificate?: { readonly type: string; readonly item: readonly [number, string, ...ReadonlyArray<string>] }
  /** Last slot that may include it. */
  readonly lastSlot?: number
}

/** A transaction with its bytes. */
export interface SerialisedCardano extends CardanoParts {
  readonly hash: string
  readonly bytes: Uint8Array
}

export const addressBytes = (address: string): Uint8Array =>
  address.startsWith("addr1")
    ? Uint8Array.from(bech32.fromWords(bech32.decode(address as `${string}1${string}`, 1023).words))
    : base58.decode(address)

export const addressText = (address: Uint8Array) => bech32.encode("addr", bech32.toWords(address), 1023)

/** The account of an address with a stake key or script (CIP-19); null for others. */
export const accountOf = (address: string): string | null => {
  const [header = 0xff, ...rest] = addressBytes(address)
  const type = header >> 4
  return type > 3
    ? null
    : bech32.encode("stake", bech32.toWords(Uint8Array.of(type < 2 ? 0xe1 : 0xf1, ...rest.slice(28))))
}

export const split = (unit: string) => ({ policy_id: unit.slice(0, 56), asset_name: unit.slice(56) })

// CBOR (RFC 8949) in hexadecimal digits, which are faster to join than bytes.

/** Start of an item: its major type, and its value or length. */
const head = (type: number, value: bigint | number): string => {
  const size = value < 24 ? 0 : value < 256 ? 1 : value < 65_536 ? 2 : value < 4_294_967_296 ? 4 : 8
  const short = size === 0 ? Number(value) : 24 + Math.log2(size)
  const first = (32 * type + short).toString(16).padStart(2, "0")
  return size === 0 ? first : first + value.toString(16).padStart(2 * size, "0")
}

const bytes = (hex: string) => head(2, hex.length / 2) + hex
/** An integer; above 64 bits a bignum, which a world may hold. */
const integer = (value: bigint | number) =>
  value < 2n ** 64n ? head(0, value) : `c2${bytes(numberToHex(value, { size: 32 }).slice(2))}`
const list = (items: ReadonlyArray<string>) => head(4, items.length) + items.join("")
const map = (entries: ReadonlyArray<readonly [key: string, value: string]>) =>
  head(5, entries.length) + entries.flat().join("")

/** Quantities by policy and name. */
const nested = (assets: ReadonlyMap<string, bigint>) =>
  map(
    [...Map.groupBy(assets, ([unit]) => split(unit).policy_id)].map(([policy, entries]) => [
      bytes(policy),
      map(entries.map(([unit, quantity]) => [bytes(split(unit).asset_name), integer(quantity)]))
    ])
  )

const outputItem = ({ address, assets = new Map(), lovelace }: CardanoOutput) =>
  map([
    [integer(0), bytes(Buffer.from(addressBytes(address)).toString("hex"))],
    [integer(1), assets.size === 0 ? integer(lovelace) : list([integer(lovelace), nested(assets)])]
  ])

const inputItems = (inputs: ReadonlyArray<CardanoInput>) =>
  list(inputs.map(({ index, txHash }) => list([bytes(txHash), integer(index)])))

const certificateItem = ([number, keyHash, ...pools]: NonNullable<CardanoParts["certificate"]>["item"]) =>
  list([integer(number), list([integer(0), bytes(keyHash)]), ...pools.map(bytes)])

const accountHex = (account: string) =>
  Buffer.from(bech32.fromWords(bech32.decode(account as `${string}1${string}`).words)).toString("hex")

/** Serialises a transaction. Its signature and scripts are invalid, because the keys of its inputs are unknown. */
export const serialised = (parts: CardanoParts): SerialisedCardano => {
  const { certificate, collateral, fee, inputs, lastSlot, minted, outputs, references = [], valid, withdrawn } = parts
  const seed = digest("witness", ...inputs.map(({ index, txHash }) => `${txHash}#${index}`))
  const body = map([
    [integer(0), inputItems(inputs)],
    [integer(1), list(outputs.map(outputItem))],
    [integer(2), integer(fee)],
    ...(lastSlot === undefined ? [] : [[integer(3), integer(lastSlot)] as const]),
    ...(certificate === undefined ? [] : [[integer(4), list([certificateItem(certificate.item)])] as const]),
    ...(withdrawn === undefined
      ? []
      : [[integer(5), map([[bytes(accountHex(withdrawn.account)), integer(withdrawn.lovelace)]])] as const]),
    ...(minted === undefined ? [] : [[integer(9), nested(minted)] as const]),
    ...(collateral.length === 0
      ? []
      : [[integer(11), bytes(seed)] as const, [integer(13), inputItems(collateral)] as const]),
    ...(references.length === 0 ? [] : [[integer(18), inputItems(references)] as const])
  ])
  const witnesses = map([[integer(0), list([list([bytes(seed), bytes(seed.repeat(2))])])]])
  return {
    ...parts,
    hash: Buffer.from(blake2b(Buffer.from(body, "hex"), { dkLen: 32 })).toString("hex"),
    bytes: Buffer.from(list([body, witnesses, valid ? "f5" : "f4", "f6"]), "hex")
  }
}
