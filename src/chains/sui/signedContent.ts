import { incomplete, type SignedContent, type SignedPayment, unknownToken } from "../sending/content.ts"
import * as TransactionData from "./jsonrpc/TransactionData.ts"

// The effects of a transaction by its commands.

const pureIn = (
  { inputs }: TransactionData.ExpiringTransaction,
  argument: TransactionData.Argument | undefined
): Uint8Array => {
  const input = typeof argument === "object" && "Input" in argument ? inputs[argument.Input] : undefined
  return input !== undefined && "pure" in input ? input.pure : new Uint8Array()
}

/** The coin that an argument was split from, and how much of it; undefined for a whole object. */
const splitOf = (
  data: TransactionData.ExpiringTransaction,
  argument: TransactionData.Argument
): Omit<SignedPayment, "to"> | undefined => {
  if (typeof argument !== "object" || "Input" in argument) return undefined
  const [index, place] = "NestedResult" in argument ? argument.NestedResult : [argument.Result, 0]
  const command = data.commands[index]
  if (command === undefined || !("SplitCoins" in command)) return undefined
  const [coin, amounts] = command.SplitCoins
  const amount = TransactionData.amount(pureIn(data, amounts[place]))
  if (amount === undefined) return undefined
  return { ...(coin === "GasCoin" ? {} : { token: unknownToken }), amount }
}

interface Moved {
  readonly payments: ReadonlyArray<SignedPayment>
  /** Whether an object moves whose amount is not in the bytes. */
  readonly isWhole: boolean
}

/** The payments of a transfer of objects. */
const transferred = (data: TransactionData.ExpiringTransaction, command: TransactionData.Command): Moved => {
  if (!("TransferObjects" in command)) return { payments: [], isWhole: false }
  const [objects, recipient] = command.TransferObjects
  const to = TransactionData.recipient(pureIn(data, recipient))
  const parts = objects.map((object) => splitOf(data, object))
  return {
    payments: parts.flatMap((part) => (part === undefined ? [] : [{ ...(to === undefined ? {} : { to }), ...part }])),
    isWhole: parts.includes(undefined)
  }
}

const packagesOf = (command: TransactionData.Command): ReadonlyArray<string> =>
  "MoveCall" in command ? [String(command.MoveCall.package)] : []

/** The effects of a transaction, whose sponsor may pay the fee. */
export const contentOf = (data: TransactionData.ExpiringTransaction): SignedContent => {
  const { commands, gas, lastEpoch, sender } = data
  const moved = commands.map((command) => transferred(data, command))
  const payments = moved.flatMap((each) => each.payments)
  const publishes = commands.some((command) => "Publish" in command || "Upgrade" in command)
  const calls = [...new Set(commands.flatMap(packagesOf))]
  return {
    from: sender,
    payments,
    calls,
    fee: { amount: gas.budget, isMaximum: true },
    unknown: {
      ...incomplete([
        moved.some(({ isWhole }) => isWhole) && "it transfers whole objects, whose amounts are not in its bytes",
        payments.some(({ token }) => token !== undefined) && "the types of its coins are not in its bytes",
        calls.length > 0 && "it calls functions, which may move more",
        publishes && "it publishes a package"
      ]),
      ...(lastEpoch === undefined ? {} : { expiresAt: `it ends with the epoch ${lastEpoch}` })
    }
  }
}
