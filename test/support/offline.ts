import { createHash, createPrivateKey, createPublicKey, sign } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import { bech32 } from "@scure/base"
import * as schnorr from "@scure/sr25519"

// Transaction builders that follow the networks' documentation, for networks whose libraries are too large for a test.
// Each takes only values of a transaction context.

/** An Ed25519 key from a seed (RFC 8032, RFC 8410). */
export const ed25519 = (seed: Uint8Array) => {
  const key = createPrivateKey({
    key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]),
    format: "der",
    type: "pkcs8"
  })
  const spki = createPublicKey(key).export({ format: "der", type: "spki" })
  return { publicKey: spki.subarray(-32), sign: (message: Uint8Array) => sign(null, message, key) }
}

// Cardano: CBOR (RFC 8949) of the Conway era (github.com/IntersectMBO/cardano-ledger, conway.cddl).

const head = (major: number, value: bigint): Buffer => {
  if (value < 24n) return Buffer.of((major << 5) | Number(value))
  const width = [1, 2, 4, 8].find((bytes) => value < 256n ** BigInt(bytes)) ?? 8
  const digits = value.toString(16).padStart(2 * width, "0")
  return Buffer.concat([Buffer.of((major << 5) | (24 + Math.log2(width))), Buffer.from(digits, "hex")])
}
const int = (value: bigint | number) => head(0, BigInt(value))
const bytes = (value: Uint8Array) => Buffer.concat([head(2, BigInt(value.length)), value])
const list = (...items: ReadonlyArray<Uint8Array>) => Buffer.concat([head(4, BigInt(items.length)), ...items])
const map = (...entries: ReadonlyArray<readonly [Uint8Array, Uint8Array]>) =>
  Buffer.concat([head(5, BigInt(entries.length)), ...entries.flat()])

const addressBytes = (address: string) =>
  Uint8Array.from(bech32.fromWords(bech32.decode(address as `${string}1${string}`, 1023).words))

/** The mainnet address of a key, without a stake part (CIP-19). */
export const cardanoAddress = (publicKey: Uint8Array) =>
  bech32.encode("addr", bech32.toWords(Uint8Array.of(0x61, ...blake2b(publicKey, { dkLen: 28 }))), 1023)

interface CardanoPayment {
  readonly inputs: ReadonlyArray<{ readonly txHash: string; readonly index: number }>
  readonly outputs: ReadonlyArray<{
    readonly address: string
    readonly lovelace: bigint
    readonly assets: ReadonlyArray<{ readonly unit: string; readonly quantity: string }>
  }>
  readonly fee: bigint
  readonly ttl: number
}

const valueOf = ({ assets, lovelace }: CardanoPayment["outputs"][number]) => {
  if (assets.length === 0) return int(lovelace)
  const policies = Map.groupBy(assets, ({ unit }) => unit.slice(0, 56))
  return list(
    int(lovelace),
    map(
      ...Array.from(policies, ([policy, all]): readonly [Buffer, Buffer] => [
        bytes(Buffer.from(policy, "hex")),
        map(
          ...all.map(({ quantity, unit }): readonly [Buffer, Buffer] => [
            bytes(Buffer.from(unit.slice(56), "hex")),
            int(BigInt(quantity))
          ])
        )
      ])
    )
  )
}

/** A signed transaction in hex, and its id. */
export const cardanoTransaction = (
  { fee, inputs, outputs, ttl }: CardanoPayment,
  key: ReturnType<typeof ed25519>
): { readonly hex: string; readonly id: string } => {
  const body = map(
    [int(0), list(...inputs.map(({ index, txHash }) => list(bytes(Buffer.from(txHash, "hex")), int(index))))],
    [
      int(1),
      list(...outputs.map((output) => map([int(0), bytes(addressBytes(output.address))], [int(1), valueOf(output)])))
    ],
    [int(2), int(fee)],
    [int(3), int(ttl)]
  )
  const id = blake2b(body, { dkLen: 32 })
  const witnesses = map([int(0), list(list(bytes(key.publicKey), bytes(key.sign(id))))])
  return {
    hex: list(body, witnesses, Buffer.of(0xf5), Buffer.of(0xf6)).toString("hex"),
    id: Buffer.from(id).toString("hex")
  }
}

// Tron: Protocol Buffers (protobuf.dev) of `Transaction.raw` and `TransferContract` (github.com/tronprotocol/protocol).

const varint = (value: bigint): Buffer =>
  value < 128n ? Buffer.of(Number(value)) : Buffer.concat([Buffer.of(Number(value & 127n) | 128), varint(value >> 7n)])
const number = (field: number, value: bigint) => Buffer.concat([varint(BigInt(field << 3)), varint(value)])
const field = (index: number, value: Uint8Array) =>
  Buffer.concat([varint(BigInt((index << 3) | 2)), varint(BigInt(value.length)), value])

interface TronTransfer {
  readonly refBlockBytes: string
  readonly refBlockHash: string
  /** ms */
  readonly timestamp: number
  readonly expiration: number
  /** 21 bytes each, hex. */
  readonly from: string
  readonly to: string
  /** sun */
  readonly amount: bigint
}

/** The bytes to sign, and their hash, which is the transaction id. */
export const tronTransfer = ({
  amount,
  expiration,
  from,
  refBlockBytes,
  refBlockHash,
  timestamp,
  to
}: TronTransfer) => {
  const transfer = Buffer.concat([
    field(1, Buffer.from(from, "hex")),
    field(2, Buffer.from(to, "hex")),
    number(3, amount)
  ])
  const any = Buffer.concat([
    field(1, Buffer.from("type.googleapis.com/protocol.TransferContract")),
    field(2, transfer)
  ])
  const raw = Buffer.concat([
    field(1, Buffer.from(refBlockBytes, "hex")),
    field(4, Buffer.from(refBlockHash, "hex")),
    number(8, BigInt(expiration)),
    field(11, Buffer.concat([number(1, 1n), field(2, any)])),
    number(14, BigInt(timestamp))
  ])
  return { raw, id: createHash("sha256").update(raw).digest() }
}

/** The transaction in hex, from the raw data and a 65-byte signature (`0x…`). */
export const tronSigned = (raw: Uint8Array, signature: string) =>
  Buffer.concat([field(1, raw), field(2, Buffer.from(signature.slice(2), "hex"))]).toString("hex")

// Polkadot: SCALE (docs.polkadot.com) of an extrinsic of version 4, with the extensions of Asset Hub's runtime.

const compact = (value: bigint): Buffer => {
  const fixed = (size: number, mode: bigint) => {
    const out = Buffer.alloc(8)
    out.writeBigUInt64LE((value << 2n) | mode)
    return out.subarray(0, size)
  }
  if (value < 1n << 6n) return fixed(1, 0n)
  if (value < 1n << 14n) return fixed(2, 1n)
  if (value < 1n << 30n) return fixed(4, 2n)
  const digits = Buffer.from(
    value.toString(16).padStart(value.toString(16).length + (value.toString(16).length % 2), "0"),
    "hex"
  ).reverse()
  return Buffer.concat([Buffer.of(((digits.length - 4) << 2) | 3), digits])
}
const u32 = (value: number) => {
  const out = Buffer.alloc(4)
  out.writeUInt32LE(value)
  return out
}
const hex = (text: string) => Buffer.from(text.slice(2), "hex")

interface PolkadotTransfer {
  readonly nonce: number
  readonly era: { readonly encoded: string }
  readonly specVersion: number
  readonly transactionVersion: number
  readonly genesisHash: string
  readonly blockHash: string
}

type Signer = Pick<ReturnType<typeof ed25519>, "publicKey" | "sign">

/** An Sr25519 key, the type that most Polkadot wallets use. */
export const sr25519 = (index: number): Signer => {
  const secret = schnorr.secretFromSeed(new Uint8Array(32).fill(index))
  return {
    publicKey: Buffer.from(schnorr.getPublicKey(secret)),
    sign: (message) => Buffer.from(schnorr.sign(secret, message))
  }
}

/**
 * A signed `Balances.transfer_keep_alive` to a public key, and the signed bytes; `scheme` 0 is Ed25519, 1 is Sr25519.
 */
export const polkadotTransfer = (
  context: PolkadotTransfer,
  to: Uint8Array,
  planck: bigint,
  key: Signer,
  account = key.publicKey,
  scheme = 0
) => {
  const call = Buffer.concat([Buffer.of(10, 3, 0), to, compact(planck)])
  // CheckEra, CheckNonce, ChargeAssetTxPayment (tip, no asset), CheckMetadataHash (off).
  const extra = Buffer.concat([hex(context.era.encoded), compact(BigInt(context.nonce)), compact(0n), Buffer.of(0, 0)])
  const implied = Buffer.concat([
    u32(context.specVersion),
    u32(context.transactionVersion),
    hex(context.genesisHash),
    hex(context.blockHash),
    Buffer.of(0)
  ])
  const payload = Buffer.concat([call, extra, implied])
  const signed = payload.length > 256 ? Buffer.from(blake2b(payload, { dkLen: 32 })) : payload
  const body = Buffer.concat([Buffer.of(0x84, 0), account, Buffer.of(scheme), key.sign(signed), extra, call])
  return { extrinsic: Buffer.concat([compact(BigInt(body.length)), body]), signed }
}
