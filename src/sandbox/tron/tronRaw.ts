import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bytesToHex } from "viem/utils"
import { multicallAddress } from "../../chains/tron/Client.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import type { TronTransaction } from "../../chains/tron/TronTransaction.ts"
import { bytesOf, fieldsOf, numberOf } from "../../chains/tron/TronTransaction.ts"
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

const [transferType, callType] = [1, 31]
const names: Readonly<Record<number, string>> = {
  [transferType]: "TransferContract",
  [callType]: "TriggerSmartContract"
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

/** Contract in the format of the HTTP API; `data` is the call data of a call other than a transfer. */
export const contractJson = (
  { amount, contract, from, to }: TronTransfer,
  data = contract && `a9059cbb${word(hexOf(to).slice(2))}${word(amount.toString(16))}`
) => {
  const type = names[data === undefined ? transferType : callType]
  const owner_address = hexOf(from)
  const value =
    data === undefined
      ? { amount: Number(amount), owner_address, to_address: hexOf(to) }
      : contract === undefined
        ? { data, owner_address, contract_address: hexOf(to), call_value: Number(amount) }
        : { data, owner_address, contract_address: hexOf(contract.address) }
  return { parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }
}

const word = (digits: string) => digits.padStart(64, "0")
