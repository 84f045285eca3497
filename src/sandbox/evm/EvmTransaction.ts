import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex, TransactionSerializableGeneric, TransactionSerialized } from "viem"
import { concatHex, hexToBytes, keccak256, padHex, parseTransaction, serializeTransaction, size } from "viem/utils"
import * as Secp256k1 from "../world/Secp256k1.ts"
import { type Refusal, refused } from "../world/wire.ts"
import * as EvmChain from "./EvmChain.ts"
import { type ContractCall, type ContractFacts, codeAt } from "./EvmContracts.ts"
import { withDataGas } from "./rollupFees.ts"

// Error texts are those of go-ethereum (core/error.go, core/txpool/errors.go), because clients classify errors by them.

/** A signed transaction. */
export interface Signed {
  readonly hash: Hex
  readonly call: ContractCall
  readonly type: keyof typeof typeNumbers
  readonly chainId: number
  readonly nonce: number
  /** Size of the signed transaction. */
  readonly bytes: number
  readonly gas: bigint
  readonly value: bigint
  /** Maximum fee and maximum priority fee per gas; equal for types before EIP-1559. */
  readonly maxFee: bigint
  readonly maxTip: bigint
  readonly accessList: ReadonlyArray<unknown>
  readonly signature: { readonly r: Hex; readonly s: Hex; readonly v: bigint; readonly yParity: number }
}

export const typeNumbers = { legacy: "0x0", eip2930: "0x1", eip1559: "0x2", eip7702: "0x4" } as const

const isKnown = (type: string): type is Signed["type"] => type in typeNumbers

const unreadable = refused(-32000, "rlp: value size exceeds available input length")

/** Decodes the parameter of `eth_sendRawTransaction`; recovers the sender from the signature. */
export const signed = (raw: unknown): Either.Either<Signed, Refusal> => {
  if (typeof raw !== "string" || raw.length % 2 !== 0 || !/^0x[0-9a-f]*$/i.test(raw))
    return Either.left(
      refused(-32602, "invalid argument 0: json: cannot unmarshal invalid hex string into hexutil.Bytes")
    )
  const parsed = Option.getOrUndefined(parse(raw))
  if (parsed === undefined) return Either.left(unreadable)
  const { r, s, type = "", v = BigInt(parsed.yParity ?? 0), yParity = 1 - (Number(v) % 2) } = parsed
  if (!isKnown(type)) return Either.left(refused(-32000, "transaction type not supported"))
  if (r === undefined || s === undefined) return Either.left(refused(-32000, "invalid sender"))
  if (parsed.chainId === undefined)
    return Either.left(refused(-32000, "only replay-protected (EIP-155) transactions allowed over RPC"))
  const { chainId, gasPrice = 0n } = parsed
  const signature = hexToBytes(concatHex([padHex(r, { size: 32 }), padHex(s, { size: 32 })]))
  return Option.match(Secp256k1.signerOf(hexToBytes(parsed.digest), signature, yParity), {
    onNone: () => Either.left(refused(-32000, "invalid sender")),
    onSome: (from) =>
      Either.right({
        hash: keccak256(raw as Hex),
        call: { from, to: parsed.to?.toLowerCase(), data: parsed.data ?? "0x" },
        type,
        chainId,
        nonce: parsed.nonce ?? 0,
        bytes: size(raw as Hex),
        gas: parsed.gas ?? 0n,
        value: parsed.value ?? 0n,
        maxFee: parsed.maxFeePerGas ?? gasPrice,
        maxTip: parsed.maxFeePerGas === undefined ? gasPrice : (parsed.maxPriorityFeePerGas ?? 0n),
        accessList: parsed.accessList ?? [],
        signature: { r, s, v, yParity }
      })
  })
}

/** Parses a transaction of any type; adds the digest that was signed. */
const parse = Option.liftThrowable((raw: string) => {
  const parsed = parseTransaction(raw as TransactionSerialized) as TransactionSerializableGeneric
  const { r: _, s: __, v: ___, yParity: ____, ...unsigned } = parsed
  return { ...parsed, digest: keccak256(serializeTransaction(unsigned as never)) }
})

/** Intrinsic gas: the cost before execution (yellow paper, G_transaction and following). */
export const intrinsic = ({ data, to }: Pick<ContractCall, "data" | "to">): bigint => {
  const bytes = Buffer.from(data.slice(2), "hex")
  const zeros = bytes.filter((byte) => byte === 0).length
  return 21_000n + (to === undefined ? 32_000n : 0n) + BigInt(4 * zeros + 16 * (bytes.length - zeros))
}

/** Total gas used: intrinsic gas plus contract execution or code storage, and on Arbitrum the gas for data. */
export const gasUsed = (facts: ContractFacts, call: ContractCall): bigint => withDataGas(facts, ownGas(facts, call))

/** Gas without that for data: as much is enough for a transaction to succeed. */
export const ownGas = (facts: ContractFacts, call: ContractCall): bigint => {
  const { data, to } = call
  const work = to === undefined ? 100n * BigInt(data.length) : codeAt(facts, to) === "0x" ? 0n : 30_000n
  return intrinsic(call) + work
}

/** Stateless validation: returns the node's error, or undefined. */
export const fault = (facts: ContractFacts, transaction: Signed): Refusal | undefined => {
  const { call, chainId, gas, maxFee, maxTip } = transaction
  if (chainId !== facts.chainId)
    return refused(-32000, `invalid sender: invalid chain id for signer: have ${chainId} want ${facts.chainId}`)
  if (gas > EvmChain.gasLimit) return refused(-32000, "exceeds block gas limit")
  if (maxTip > maxFee)
    return refused(
      -32000,
      `max priority fee per gas higher than max fee per gas: address ${call.from}, maxPriorityFeePerGas: ${maxTip}, maxFeePerGas: ${maxFee}`
    )
  const needed = intrinsic(call)
  return gas < needed ? refused(-32000, `intrinsic gas too low: gas ${gas}, minimum needed ${needed}`) : undefined
}
