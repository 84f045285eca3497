import { blake2b } from "@noble/hashes/blake2b"
import { base58, base64 } from "@scure/base"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as CoinType from "../../chains/sui/CoinType.ts"
import * as TransactionData from "../../chains/sui/jsonrpc/TransactionData.ts"
import type * as calls from "../../chains/sui/providers/graphql/calls.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import type { SignedEvent } from "../world/Submit.ts"
import * as Submit from "../world/Submit.ts"
import * as SuiSystem from "./SuiSystem.ts"
import type { CoinObject } from "./suiObjects.ts"

/** A decoded transaction with its effects. */
export interface SuiOutcome {
  readonly digest: string
  readonly sender: string
  readonly failed: boolean
  /** Movements of the transaction. The gas owner is the sender of the first movement. */
  readonly event: SignedEvent
  readonly effects: Readonly<Record<string, unknown>> &
    Pick<NonNullable<typeof calls.Checkpointed.Encoded>["effects"], "status" | "gasEffects">
}

type ObjectsById = (id: string) => CoinObject | undefined

const storageCost = 988_000n

/** A transfer of a whole coin object or of a part split off a coin. */
interface SuiTransfer {
  readonly coin: CoinObject | "gas"
  readonly amount: bigint
  readonly to: string
  readonly isWhole: boolean
}

const transfersOf = (
  { commands, inputs }: TransactionData.TransactionData,
  objects: ObjectsById
): ReadonlyArray<SuiTransfer> => {
  const pure = (argument: TransactionData.Argument) => {
    const input = typeof argument === "object" && "Input" in argument ? inputs[argument.Input] : undefined
    return input !== undefined && "pure" in input ? input.pure : new Uint8Array()
  }
  const object = (argument: TransactionData.Argument) => {
    if (argument === "GasCoin") return argument
    const input = "Input" in argument ? inputs[argument.Input] : undefined
    return input !== undefined && "json" in input ? objects(String(input.json.objectId)) : undefined
  }
  return commands.flatMap((command) => {
    if (!("TransferObjects" in command)) return []
    const [moved, recipient] = command.TransferObjects
    const to = TransactionData.recipient(pure(recipient)) ?? ""
    return moved.flatMap((argument): ReadonlyArray<SuiTransfer> => {
      const [from, place] =
        typeof argument === "object" && "NestedResult" in argument
          ? argument.NestedResult
          : [typeof argument === "object" && "Result" in argument ? argument.Result : -1, 0]
      const split = commands[from]
      if (split !== undefined && "SplitCoins" in split) {
        const [coin, amounts] = split.SplitCoins
        const source = object(coin)
        const amount = amounts[place] === undefined ? undefined : TransactionData.amount(pure(amounts[place]))
        if (source === undefined || amount === undefined) return []
        return [{ coin: source === "GasCoin" ? "gas" : source, amount, to, isWhole: false }]
      }
      const coin = object(argument)
      return coin === undefined || coin === "GasCoin" ? [] : [{ coin, amount: coin.amount, to, isWhole: true }]
    })
  })
}

/** Executes the commands of wallet payments without validation. Other commands cost gas and have no effect. */
export const run = (
  bytes: Uint8Array,
  objects: ObjectsById,
  facts: NetworkFacts,
  now: number
): Either.Either<SuiOutcome, string> =>
  Either.map(TransactionData.parse(bytes), (data) => outcomeOf(bytes, data, objects, facts, now))

/** Executes a transaction if it is valid; left is the validators' error. */
export const execute = (
  bytes: Uint8Array,
  signatures: ReadonlyArray<string>,
  objects: ObjectsById,
  facts: NetworkFacts,
  now: number
): Either.Either<SuiOutcome, string> =>
  Either.gen(function* () {
    const data = yield* Either.mapLeft(TransactionData.parse(bytes), () => "Invalid transaction data")
    const { gas, sender } = data
    for (const { digest, objectId, version } of gas.payment) {
      const object = objects(objectId)
      if (object === undefined || BigInt(object.version) !== version || object.digest !== digest)
        return yield* Either.left(
          `Could not find the referenced object ${objectId} at version Some(SequenceNumber(${version}))`
        )
    }
    if (gas.payment.length === 0) return yield* Either.left("Invalid user input: gas payment is empty")
    const given = gas.payment.reduce((sum, { objectId }) => sum + (objects(objectId)?.amount ?? 0n), 0n)
    if (given < gas.budget)
      return yield* Either.left(`Balance of gas object ${given} is lower than the needed amount: ${gas.budget}`)
    if (!signatures.some((signature) => signedBy(sender, bytes, base64.decode(signature))))
      return yield* Either.left(`Invalid user signature: Required Signature from ${sender} is absent`)
    return outcomeOf(bytes, data, objects, facts, now)
  })

const outcomeOf = (
  bytes: Uint8Array,
  data: TransactionData.TransactionData,
  objects: ObjectsById,
  facts: NetworkFacts,
  now: number
): SuiOutcome => {
  const { gas, sender } = data
  const digest = TransactionData.digestOf(bytes)
  const transfers = transfersOf(data, objects)
  const paid = gas.payment.flatMap(({ objectId }) => objects(objectId) ?? [])
  const available = Submit.available(facts, gas.owner)
  const given = paid.reduce((sum, coinObject) => sum + coinObject.amount, 0n)
  const funds = gas.payment.length === 0 || available < given ? available : given
  const wanted = transfers.reduce((sum, { amount, coin }) => sum + (coin === "gas" ? amount : 0n), 0n)
  const failed = wanted > funds || transfers.some(({ amount, coin }) => coin !== "gas" && amount > coin.amount)
  const done = failed ? [] : transfers
  const created = done.filter(({ isWhole }) => !isWhole)
  const cost = costOf(gas.price, done.length, created.length)
  const fee = cost.computationCost + cost.storageCost - cost.storageRebate
  const [first] = gas.payment
  const gasId = first?.objectId ?? SuiSystem.objectId("gas", digest)
  const before = paid.find(({ id }) => id === gasId)
  const lamport = 1 + Math.max(299_999_999, ...[...paid, ...coinsOf(done)].map(({ version }) => version))
  const changed = (id: string, coin: Pick<CoinObject, "version" | "digest" | "owner"> | undefined, owner: string) => ({
    ...output(digest, lamport, id, owner),
    inputState: "INPUT_OBJECT_STATE_EXISTS",
    inputVersion: String(coin?.version ?? lamport - 1),
    inputDigest: coin?.digest ?? SuiSystem.digest(id),
    inputOwner: { kind: "ADDRESS", address: coin?.owner ?? gas.owner },
    idOperation: "NONE"
  })
  const gasObject = changed(gasId, before, gas.owner)
  const changes = [
    { type: CoinType.sui, change: gasObject },
    ...done.map(({ coin, to, isWhole }, index) => {
      const type = coin === "gas" ? CoinType.sui : coin.type
      const change =
        isWhole && coin !== "gas"
          ? changed(coin.id, coin, to)
          : {
              ...output(digest, lamport, SuiSystem.objectId(digest, String(index)), to),
              inputState: "INPUT_OBJECT_STATE_DOES_NOT_EXIST",
              idOperation: "CREATED"
            }
      return { type, change }
    }),
    ...[...new Set(created.flatMap(({ coin }) => (coin === "gas" ? [] : [coin])))].map((coin) => ({
      type: coin.type,
      change: changed(coin.id, coin, coin.owner)
    }))
  ]
  return {
    digest,
    sender,
    failed,
    event: eventOf(digest, gas.owner, failed, fee, transfers),
    effects: {
      digest,
      status: failed ? "FAILURE" : "SUCCESS",
      executionError: failed ? outOfCoins : null,
      gasEffects: { gasSummary: numbersOf(cost) },
      effectsJson: {
        version: 2,
        status: failed ? { success: false, error: { kind: "INSUFFICIENT_COIN_BALANCE" } } : { success: true },
        epoch: String(SuiSystem.epochAt(now)),
        gasUsed: Object.fromEntries(Object.entries(cost).map(([name, amount]) => [name, String(amount)])),
        transactionDigest: digest,
        gasObject,
        dependencies: [SuiSystem.digest("previous", gasId)],
        lamportVersion: String(lamport),
        changedObjects: changes.map(({ change }) => change)
      },
      effectsBcs: Buffer.from(digest).toString("base64"),
      events: { nodes: [], pageInfo: { hasNextPage: false } },
      balanceChangesJson: balanceChanges(gas.owner, fee, done),
      objectChanges: objectChanges(changes)
    }
  }
}

const numbersOf = ({ computationCost, storageCost, storageRebate, ...more }: Readonly<Record<CostName, bigint>>) => ({
  ...Object.fromEntries(Object.entries(more).map(([name, amount]) => [name, Number(amount)])),
  computationCost: Number(computationCost),
  storageCost: Number(storageCost),
  storageRebate: Number(storageRebate)
})

type CostName = "computationCost" | "storageCost" | "storageRebate"

const eventOf = (
  digest: string,
  payer: string,
  failed: boolean,
  fee: bigint,
  transfers: ReadonlyArray<SuiTransfer>
): SignedEvent => {
  const moved = transfers.map(({ amount, coin, to }) => ({
    from: coin === "gas" ? payer : coin.owner,
    to,
    amount,
    ...(coin === "gas" || coin.contract === undefined ? {} : { contract: coin.contract })
  }))
  const [first, ...others] = moved
  const isFirst = first?.from === payer
  return {
    id: Buffer.from(base58.decode(digest)).toString("hex"),
    ...(isFirst ? first : { from: payer, amount: 0n }),
    extra: isFirst ? others : moved,
    fee,
    failed
  }
}

const costOf = (price: bigint, changed: number, created: number) => ({
  computationCost: 1_000n * price,
  storageCost: storageCost * BigInt(1 + changed),
  storageRebate: 978_120n * BigInt(1 + changed - created),
  nonRefundableStorageFee: 9_880n
})

export const outOfCoins = {
  message: "InsufficientCoinBalance in command 0",
  abortCode: null,
  sourceLineNumber: null,
  module: null,
  function: null
}

const output = (digest: string, lamport: number, id: string, owner: string) => ({
  objectId: id,
  outputState: "OUTPUT_OBJECT_STATE_OBJECT_WRITE",
  outputVersion: String(lamport),
  outputDigest: SuiSystem.digest(digest, id),
  outputOwner: { kind: "ADDRESS", address: owner }
})

/** Balance changes per owner and coin type. The owner of the gas objects pays the fee. */
const balanceChanges = (gasOwner: string, fee: bigint, transfers: ReadonlyArray<SuiTransfer>) => {
  const balances = new Map<string, bigint>()
  const add = (owner: string, type: string, amount: bigint) =>
    balances.set(`${owner} ${type}`, (balances.get(`${owner} ${type}`) ?? 0n) + amount)
  add(gasOwner, CoinType.sui, -fee)
  for (const { amount, coin, to } of transfers) {
    const type = coin === "gas" ? CoinType.sui : coin.type
    add(coin === "gas" ? gasOwner : coin.owner, type, -amount)
    add(to, type, amount)
  }
  return [...balances].map(([key, amount]) => {
    const [owner = "", coinType = ""] = key.split(" ")
    return { address: owner, coinType, amount: String(amount) }
  })
}

const contents = (type: string) => ({
  asMoveObject: { contents: { type: { repr: `0x${"2".padStart(64, "0")}::coin::Coin<${type}>` } } },
  asMovePackage: null
})

const objectChanges = (
  changes: ReadonlyArray<{
    readonly type: string
    readonly change: { readonly objectId: string; readonly inputState: string }
  }>
) => ({
  nodes: changes.map(({ change, type }) => ({
    address: change.objectId,
    inputState: change.inputState.endsWith("NOT_EXIST") ? null : contents(type),
    outputState: contents(type)
  })),
  pageInfo: { hasNextPage: false }
})

const coinsOf = (transfers: ReadonlyArray<SuiTransfer>) =>
  transfers.flatMap(({ coin }) => (coin === "gas" ? [] : [coin]))

/** Verifies an Ed25519 signature of the intent and transaction hash: flag 0, signature, public key. */
const signedBy = (sender: string, bytes: Uint8Array, signature: Uint8Array): boolean => {
  const key = signature.slice(65)
  if (signature[0] !== 0 || key.length !== 32) return false
  const owner = `0x${Buffer.from(blake2b(Buffer.concat([Buffer.from([0]), key]), { dkLen: 32 })).toString("hex")}`
  const message = blake2b(Buffer.concat([Buffer.from([0, 0, 0]), bytes]), { dkLen: 32 })
  return owner === sender && Ed25519.isSigned(key, message, signature.slice(1, 65))
}
