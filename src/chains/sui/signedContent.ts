import { incomplete, type SignedContent, type SignedPayment, unknownToken } from "../kit/sending/content.ts"
import * as TransactionData from "./jsonrpc/TransactionData.ts"

// The effects of a transaction by its commands.

/** A transaction, and how often its commands use each argument, by {@link keyOf}. */
interface Used {
  readonly data: TransactionData.ExpiringTransaction
  readonly uses: ReadonlyMap<string, number>
  /** Arguments of calls, which may change them. */
  readonly given: ReadonlySet<string>
}

/** The command and the place of a result; undefined for other arguments. */
const resultOf = (argument: TransactionData.Argument): readonly [command: number, place: number] | undefined => {
  if (typeof argument !== "object" || "Input" in argument) return undefined
  return "NestedResult" in argument ? argument.NestedResult : [argument.Result, 0]
}

const keyOf = (argument: TransactionData.Argument): string =>
  typeof argument === "object" && "Input" in argument ? `${argument.Input}` : String(resultOf(argument) ?? argument)

const argumentsOf = (command: TransactionData.Command): ReadonlyArray<TransactionData.Argument> => {
  if ("MoveCall" in command) return command.MoveCall.arguments ?? []
  if ("TransferObjects" in command) return [...command.TransferObjects[0], command.TransferObjects[1]]
  if ("SplitCoins" in command) return [command.SplitCoins[0], ...command.SplitCoins[1]]
  if ("MergeCoins" in command) return [command.MergeCoins[0], ...command.MergeCoins[1]]
  if ("MakeMoveVec" in command) return command.MakeMoveVec[1]
  return "Upgrade" in command ? [command.Upgrade[2]] : []
}

const usedIn = (data: TransactionData.ExpiringTransaction): Used => {
  const uses = new Map<string, number>()
  for (const key of data.commands.flatMap(argumentsOf).map(keyOf)) uses.set(key, (uses.get(key) ?? 0) + 1)
  const calls = data.commands.filter((command) => "MoveCall" in command)
  return { data, uses, given: new Set(calls.flatMap(argumentsOf).map(keyOf)) }
}

const pureIn = ({ data: { inputs }, given }: Used, argument: TransactionData.Argument | undefined): Uint8Array => {
  const input = typeof argument === "object" && "Input" in argument ? inputs[argument.Input] : undefined
  return argument !== undefined && input !== undefined && "pure" in input && !given.has(keyOf(argument))
    ? input.pure
    : new Uint8Array()
}

/** The coin that an argument was split from, and how much of it; undefined for a whole object, or a coin that changes. */
const splitOf = (used: Used, argument: TransactionData.Argument): Omit<SignedPayment, "to"> | undefined => {
  const [index, place] = resultOf(argument) ?? []
  const command = index === undefined ? undefined : used.data.commands[index]
  // Any use besides the transfer may merge other coins into it, or split it again.
  if (
    place === undefined ||
    command === undefined ||
    !("SplitCoins" in command) ||
    used.uses.get(keyOf(argument)) !== 1
  )
    return undefined
  const [coin, amounts] = command.SplitCoins
  const amount = TransactionData.amount(pureIn(used, amounts[place]))
  if (amount === undefined) return undefined
  return { ...(coin === "GasCoin" ? {} : { token: unknownToken }), amount }
}

interface Transferred {
  readonly payments: ReadonlyArray<SignedPayment>
  /** Whether an object moves whose amount is not in the bytes. */
  readonly isWhole: boolean
}

/** The payments of a transfer of objects. */
const transferred = (used: Used, command: TransactionData.Command): Transferred => {
  if (!("TransferObjects" in command)) return { payments: [], isWhole: false }
  const [objects, recipient] = command.TransferObjects
  const to = TransactionData.recipient(pureIn(used, recipient))
  const parts = objects.map((object) => splitOf(used, object))
  return {
    payments: parts.flatMap((part) => (part === undefined ? [] : [{ ...(to === undefined ? {} : { to }), ...part }])),
    isWhole: parts.includes(undefined)
  }
}

const packagesOf = (command: TransactionData.Command): ReadonlyArray<string> =>
  "MoveCall" in command ? [command.MoveCall.package] : []

/** Whether a command merges coins into an object that is not the sender's alone, such as a shared one. */
const mergesAway =
  ({ inputs }: TransactionData.ExpiringTransaction) =>
  (command: TransactionData.Command): boolean => {
    const into = "MergeCoins" in command ? command.MergeCoins[0] : undefined
    const input = typeof into === "object" && "Input" in into ? inputs[into.Input] : undefined
    return input !== undefined && !("json" in input && input.json.objectType === "immOrOwnedObject")
  }

/** Why the time is unknown at which a transaction expires; undefined if it does not. */
const endOf = ({ expiration }: TransactionData.ExpiringTransaction): string | undefined => {
  if (expiration === undefined) return "its expiration is of an unknown kind"
  const { hasTimes = false, lastEpoch } = expiration
  if (lastEpoch !== undefined) return `it ends with the epoch ${lastEpoch}`
  return hasTimes ? "it has bounds in time, which nodes do not support yet" : undefined
}

/** The effects of a transaction, whose sponsor may pay the fee. */
export const contentOf = (data: TransactionData.ExpiringTransaction): SignedContent => {
  const { commands, gas, sender } = data
  const used = usedIn(data)
  const moved = commands.map((command) => transferred(used, command))
  const payments = moved.flatMap((each) => each.payments)
  const publishes = commands.some((command) => "Publish" in command || "Upgrade" in command)
  const calls = [...new Set(commands.flatMap(packagesOf))]
  const end = endOf(data)
  return {
    from: sender,
    payments,
    calls,
    fee: { amount: gas.budget, isMaximum: true },
    unknown: {
      ...incomplete([
        moved.some(({ isWhole }) => isWhole) &&
          "it transfers whole objects, or coins that change, whose amounts are not in its bytes",
        payments.some(({ token }) => token !== undefined) && "the types of its coins are not in its bytes",
        payments.some(({ to }) => to === undefined) && "a recipient is not in its bytes",
        gas.owner !== sender && used.uses.has("GasCoin") && "it uses the coins of the sponsor of its fee",
        commands.some(mergesAway(data)) && "it merges coins into an object that others may use",
        calls.length > 0 && "it calls functions, which may move more",
        publishes && "it publishes a package"
      ]),
      ...(end === undefined ? {} : { expiresAt: end })
    }
  }
}
