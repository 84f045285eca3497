import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bytesToHex } from "viem/utils"
import { multicallAddress } from "../../chains/tron/providers/trongrid/contracts.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { bytesOf, fieldsOf, numberOf, type TronTransaction } from "../../chains/tron/TronTransaction.ts"
import { millis } from "../../domain/units.ts"
import * as EvmContracts from "../evm/EvmContracts.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import type * as World from "../world/World.ts"

// Transfers of TRX and TRC-20 tokens in Tron's protobuf messages (github.com/tronprotocol/protocol).

/** A transfer. Without a contract it moves TRX. */
export interface TronTransfer {
  /** Base58 address. */
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly contract?: World.Contract
}

/** The 21 bytes of an address in hexadecimal digits. */
export const hexOf = (address: string) => `41${TronAddress.toEvm(address).slice(2)}`
const base58 = (bytes: Uint8Array) => Either.getOrUndefined(TronAddress.parse(Buffer.from(bytes).toString("hex")))

const [transferType, assetType, callType] = [1, 2, 31]

/** Types that return staked coins, or pay a reward, to their owner: the only account that they name. */
export const unstaking = { unfreeze: 12, withdraw: 13, withdrawExpired: 56 } as const
type Unstaking = (typeof unstaking)[keyof typeof unstaking]

const names: Readonly<Record<number, string>> = {
  [transferType]: "TransferContract",
  [assetType]: "TransferAssetContract",
  [callType]: "TriggerSmartContract",
  [unstaking.unfreeze]: "UnfreezeBalanceContract",
  [unstaking.withdraw]: "WithdrawBalanceContract",
  [unstaking.withdrawExpired]: "WithdrawExpireUnfreezeContract"
}

/** Converts the 20 bytes of an address to base58, which everything except contracts uses. */
export const spelled = (address: string) => Either.getOrElse(TronAddress.parse(`41${address.slice(2)}`), () => "")

/** Contracts of the chain. Contracts use addresses of 20 bytes; everything else uses base58. */
export const contracts = (facts: LedgerFacts): EvmContracts.ContractFacts => ({
  ...facts,
  multicall: TronAddress.toEvm(multicallAddress).toLowerCase(),
  spelled
})

/** Decodes a transfer; undefined for other transactions. */
export const read = (facts: LedgerFacts, { contract }: TronTransaction): TronTransfer | undefined => {
  const fields = Option.getOrUndefined(fieldsOf(contract.parameter)) ?? []
  const address = (index: number) => {
    const [bytes] = bytesOf(fields, index)
    return bytes === undefined ? undefined : base58(bytes)
  }
  const [from, second] = [address(1), address(2)]
  if (
    from === undefined ||
    second === undefined ||
    contract.typeUrl !== `type.googleapis.com/protocol.${names[contract.type]}`
  )
    return undefined
  if (contract.type === transferType) return { from, to: second, amount: numberOf(fields, 3) }
  const [data = new Uint8Array()] = bytesOf(fields, 4)
  const call = { from, to: TronAddress.toEvm(second), data: bytesToHex(data) }
  return EvmContracts.transferred(contracts(facts), call)
}

// The other way round: messages are encoded like the network does, which leaves numbers that are zero out.

type ProtobufValue = bigint | Uint8Array

const varint = (value: bigint): ReadonlyArray<number> =>
  value < 128n ? [Number(value)] : [Number(value & 127n) | 128, ...varint(value >> 7n)]

const message = (...fields: ReadonlyArray<readonly [number: number, value: ProtobufValue]>): Buffer =>
  Buffer.concat(
    fields.flatMap(([number, value]) => {
      if (typeof value === "bigint")
        return value === 0n ? [] : [Buffer.from([...varint(BigInt(8 * number)), ...varint(value)])]
      return [Buffer.from([...varint(BigInt(8 * number + 2)), ...varint(BigInt(value.length))]), value]
    })
  )

const hexOfBytes = (bytes: Uint8Array | undefined) => Buffer.from(bytes ?? []).toString("hex")
const bytesIn = (hex: string) => Buffer.from(hex, "hex")

/**
 * A transfer of TRX or of an asset, a call of a contract if there is call data (hex), or an order of another type.
 * Addresses are 21 bytes in hex.
 */
export interface TronOrder {
  readonly from: string
  /** Empty if the type names no other account. */
  readonly to: string
  /** Sun, or units of the asset. */
  readonly amount: bigint
  readonly data?: string
  /** Id of a TRC-10 asset. */
  readonly asset?: string
  readonly unstakes?: Unstaking
}

/** The parts of a transaction that its sender chooses freely. Times in ms. */
export interface TronEnvelope {
  readonly refBlockBytes: string
  readonly refBlockHash: string
  readonly expiration: number
  readonly timestamp: number
  readonly feeLimit: bigint
  readonly signature: string
}

/** A transaction, generated or parsed from the bytes that were sent. */
export type TronSigned = Omit<TronTransaction, "hex">

/** Encodes a transaction; its id is the hash of the encoded raw data. */
export const encode = (order: TronOrder, envelope: TronEnvelope): TronSigned => {
  const { amount, asset, data, from, to, unstakes } = order
  const { expiration, feeLimit, signature, timestamp } = envelope
  const type = unstakes ?? (asset !== undefined ? assetType : data === undefined ? transferType : callType)
  const typeUrl = `type.googleapis.com/protocol.${names[type]}`
  const [refBlockBytes, refBlockHash] = [bytesIn(envelope.refBlockBytes), bytesIn(envelope.refBlockHash)]
  const values =
    unstakes === undefined
      ? [bytesIn(from), bytesIn(to), amount, ...(data === undefined ? [] : [bytesIn(data)])]
      : [bytesIn(from)]
  const parameter = message(
    ...(asset === undefined ? values : [Buffer.from(asset), ...values]).map(
      (value, index) => [index + 1, value] as const
    )
  )
  const raw = message(
    [1, refBlockBytes],
    [4, refBlockHash],
    [8, BigInt(expiration)],
    [11, message([1, BigInt(type)], [2, message([1, Buffer.from(typeUrl)], [2, parameter])])],
    [14, BigInt(timestamp)],
    [18, feeLimit]
  )
  return {
    id: createHash("sha256").update(raw).digest("hex"),
    raw,
    signatures: [bytesIn(signature)],
    refBlockBytes,
    refBlockHash,
    expiration: millis(expiration),
    timestamp: millis(timestamp),
    feeLimit,
    data: new Uint8Array(),
    hasUnknownFields: false,
    contract: { type, typeUrl, parameter }
  }
}

/** True for a call of a contract, which costs energy. */
export const isCall = ({ contract }: TronSigned) => contract.type === callType

/** A transaction in the format of the HTTP API, which leaves numbers that are zero out. */
export const transactionJson = (transaction: TronSigned) => {
  const { contract, expiration, feeLimit, id, raw, refBlockBytes, refBlockHash, signatures, timestamp } = transaction
  const fields = Option.getOrElse(fieldsOf(contract.parameter), () => [])
  const isAsset = contract.type === assetType
  const first = isAsset ? 2 : 1
  const at = (field: number) => bytesOf(fields, field)[0]
  const [owner_address = "", other = "", data = ""] = [at(first), at(first + 1), at(4)].map(hexOfBytes)
  const amount = Number(numberOf(fields, first + 2))
  const value = isCall(transaction)
    ? { data, owner_address, contract_address: other, ...(amount === 0 ? {} : { call_value: amount }) }
    : other === ""
      ? { owner_address }
      : {
          amount,
          ...(isAsset ? { asset_name: Buffer.from(at(1) ?? []).toString() } : {}),
          owner_address,
          to_address: other
        }
  return {
    signature: signatures.map(hexOfBytes),
    txID: id,
    raw_data: {
      contract: [{ parameter: { value, type_url: contract.typeUrl }, type: names[contract.type] ?? "" }] as const,
      ref_block_bytes: hexOfBytes(refBlockBytes),
      ref_block_hash: hexOfBytes(refBlockHash),
      expiration,
      ...(feeLimit === 0n ? {} : { fee_limit: Number(feeLimit) }),
      ...(timestamp === millis(0) ? {} : { timestamp })
    },
    raw_data_hex: hexOfBytes(raw)
  }
}
