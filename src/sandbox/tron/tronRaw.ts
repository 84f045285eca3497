import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { decodeFunctionData, encodeFunctionData, parseAbi } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { bytesOf, fieldsOf, numberOf } from "../../chains/tron/protobuf.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import type { TronTransaction } from "../../chains/tron/TronTransaction.ts"
import * as World from "../world/World.ts"

// Transfers of TRX and of TRC-20 tokens as Tron's messages (github.com/tronprotocol/protocol).

/** A transfer; of the native coin without a contract. */
export interface TronTransfer {
  /** In base58. */
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly contract?: World.Contract
}

const abi = parseAbi(["function transfer(address to, uint256 value)"])

/** The 21 bytes of an address, in hex. */
export const hexOf = (address: string) => `41${TronAddress.toEvm(address).slice(2)}`
const base58 = (bytes: Uint8Array) => Either.getOrUndefined(TronAddress.parse(Buffer.from(bytes).toString("hex")))

const [transferType, callType] = [1, 31]
const names: Readonly<Record<number, string>> = {
  [transferType]: "TransferContract",
  [callType]: "TriggerSmartContract"
}

const callOf = (to: string, amount: bigint) =>
  encodeFunctionData({ abi, functionName: "transfer", args: [TronAddress.toEvm(to), amount] }).slice(2)

const decoded = Option.liftThrowable((data: Uint8Array) =>
  decodeFunctionData({ abi, data: `0x${Buffer.from(data).toString("hex")}` })
)

/** What a transaction transfers; undefined for everything else. */
export const read = (platform: string | undefined, { contract }: TronTransaction): TronTransfer | undefined => {
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
  const token = World.contractsOn(platform).find(({ address: of }) => of === second)
  const [data] = bytesOf(fields, 4)
  const call = data === undefined ? undefined : Option.getOrUndefined(decoded(data))
  const to = call === undefined ? undefined : base58(Buffer.from(`41${call.args[0].slice(2)}`, "hex"))
  return token === undefined || call === undefined || to === undefined
    ? undefined
    : { from, to, amount: call.args[1], contract: token }
}

/** The contract as the HTTP API writes it. */
export const contractJson = ({ amount, contract, from, to }: TronTransfer) => {
  const type = names[contract === undefined ? transferType : callType]
  const value =
    contract === undefined
      ? { amount: Number(amount), owner_address: hexOf(from), to_address: hexOf(to) }
      : { data: callOf(to, amount), owner_address: hexOf(from), contract_address: hexOf(contract.address) }
  return { parameter: { value, type_url: `type.googleapis.com/protocol.${type}` }, type }
}

export type TransferFacts = World.Inhabited<Pick<NetworkFacts, "id" | "native" | "platform">>
