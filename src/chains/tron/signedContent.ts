import * as Either from "effect/Either"
import * as Option from "effect/Option"
import {
  incomplete,
  memoNotShown,
  memoText,
  type SignedContent,
  type SignedPayment,
  tokenTransferIn
} from "../kit/sending/content.ts"
import * as TronAddress from "./TronAddress.ts"
import { bytesOf, fieldsOf, numberOf, type TronTransaction } from "./TronTransaction.ts"

// What a transaction says that it does: `TransferContract`, `TransferAssetContract` and `TriggerSmartContract` of
// Tron's protocol.

/** Values of `ContractType`. */
const [transfer, assetTransfer, call] = [1, 2, 31]

const names: Readonly<Record<number, string>> = {
  [transfer]: "TransferContract",
  [assetTransfer]: "TransferAssetContract",
  [call]: "TriggerSmartContract"
}

/** Reads the parameter of a contract: addresses and numbers by the numbers of their fields. */
const readerOf = ({ contract }: TronTransaction) => {
  const fields = Option.getOrElse(fieldsOf(contract.parameter), () => [])
  const hexOf = (number: number) => Buffer.from(bytesOf(fields, number).at(-1) ?? []).toString("hex")
  const kind = names[contract.type]
  return {
    type: kind !== undefined && contract.typeUrl === `type.googleapis.com/protocol.${kind}` ? contract.type : undefined,
    hexOf,
    addressOf: (number: number) => Either.getOrUndefined(TronAddress.parse(hexOf(number))),
    amountOf: (number: number) => numberOf(fields, number)
  }
}

type ContractReader = ReturnType<typeof readerOf>

const paid = (to: string | undefined, amount: bigint, token?: string): SignedPayment => ({
  ...(to === undefined ? {} : { to }),
  ...(token === undefined ? {} : { token }),
  amount
})

type Moves = Pick<SignedContent, "assumed" | "calls" | "payments">

/** The payments of a call, and the contract if it may do more than they say. */
const called = ({ addressOf, amountOf, hexOf }: ContractReader): Moves => {
  const contract = addressOf(2)
  const coins = amountOf(3) === 0n ? [] : [paid(contract, amountOf(3))]
  // A call that also pays with coins, or with tokens of the old kind, does more.
  const moved = amountOf(3) + amountOf(5) === 0n ? tokenTransferIn(hexOf(4)) : undefined
  if (moved === undefined || contract === undefined)
    return { payments: coins, calls: contract === undefined ? [] : [contract] }
  const to = Either.getOrUndefined(TronAddress.parse(`41${moved.to}`))
  return { payments: [paid(to, moved.amount, contract)], assumed: [contract] }
}

const movedBy = (reader: ContractReader): Moves => {
  const { addressOf, amountOf, hexOf, type } = reader
  if (type === transfer) return { payments: [paid(addressOf(2), amountOf(3))] }
  if (type === assetTransfer)
    return { payments: [paid(addressOf(3), amountOf(4), Buffer.from(hexOf(1), "hex").toString("utf8"))] }
  return type === call ? called(reader) : { payments: [] }
}

const noRecipient = "its recipient is not an address"

/** What a transaction does. Coins may move to an account that does not exist yet, which costs a fee. */
export const contentOf = (transaction: TronTransaction): SignedContent => {
  const reader = readerOf(transaction)
  const { type } = reader
  const tag = memoText(transaction.data)
  const { calls = [], payments, ...moves } = movedBy(reader)
  const from = type === undefined ? undefined : reader.addressOf(type === assetTransfer ? 2 : 1)
  const energy = type === call ? `; energy costs at most ${transaction.feeLimit} base units` : ""
  return {
    payments: payments.map((payment) => (tag === undefined || tag === "" ? payment : { ...payment, tag })),
    calls,
    ...moves,
    ...(from === undefined ? {} : { from }),
    unknown: {
      ...(from === undefined ? { from: "contracts of this type are not read" } : {}),
      fee: `what bandwidth and energy cost depends on the resources of the account${energy}`,
      ...incomplete([
        type === undefined && "contracts of this type are not read",
        type !== undefined &&
          [...calls, ...payments.map(({ to }) => to)].every((to) => to === undefined) &&
          noRecipient,
        calls.length > 0 && "it calls a contract, which may move more",
        tag === undefined && memoNotShown,
        transaction.hasUnknownFields && "it has fields that are not read"
      ])
    }
  }
}
