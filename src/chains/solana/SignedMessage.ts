import { base58 } from "@scure/base"
import { incomplete, type SignedContent, type SignedPayment, unknownToken } from "../kit/sending/content.ts"
import { token, token2022 } from "./programs.ts"

// The message of a transaction (solana.com/docs/core/transactions) and what its instructions say that they do.

const keyBytes = 32

interface SignedInstruction {
  readonly program: string | undefined
  /** Undefined if a lookup table has the account. */
  readonly accounts: ReadonlyArray<string | undefined>
  readonly data: Buffer
}

/** A message after its header. */
export interface SignedMessage {
  readonly keys: ReadonlyArray<string>
  readonly blockhash: string
  readonly instructions: ReadonlyArray<SignedInstruction>
}

/**
 * Parses what follows the header: keys, block hash and instructions, and in version 0 the lookup tables; undefined
 * unless they end with the bytes.
 */
export const messageIn = (bytes: Uint8Array, isVersion0: boolean): SignedMessage | undefined => {
  let at = 0
  const take = (count: number): Buffer => {
    at += count
    return Buffer.from(bytes.subarray(at - count, at))
  }
  /** A count in groups of seven bits, the lowest first; a transaction has no room for more than two. */
  const count = (): number => {
    const [first = 0] = take(1)
    return first < 128 ? first : first - 128 + (take(1)[0] ?? 0) * 128
  }
  /** A count of more items than there are bytes ends the reading. */
  const list = <A>(read: () => A): ReadonlyArray<A> => {
    const items: Array<A> = []
    for (let left = count(); left > 0; left--) {
      if (at >= bytes.length) at = Number.POSITIVE_INFINITY
      if (at > bytes.length) break
      items.push(read())
    }
    return items
  }
  const keys = list(() => base58.encode(take(keyBytes)))
  const blockhash = base58.encode(take(keyBytes))
  const instructions = list(() => {
    const [program = 0] = take(1)
    const accounts = [...take(count())].map((index) => keys[index])
    return { program: keys[program], accounts, data: take(count()) }
  })
  if (isVersion0) {
    list(() => {
      take(keyBytes)
      take(count())
      take(count())
    })
  }
  return at === bytes.length ? { keys, blockhash, instructions } : undefined
}

const system = "11111111111111111111111111111111"
const computeBudget = "ComputeBudget111111111111111111111111111111"
const associatedToken = "ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL"
const memos = ["MemoSq4gqABAXKb96qnH8TysNcWxMyWCqXgDLGmfcHr", "Memo1UhkJRfHyvLMcVucJwxXeuD728EqVDDwQDxFMNo"]

/** Precompiled programs, whose signatures cost as much as those of the transaction. */
const verifiers = /^(Ed25519SigVerify|KeccakSecp256k|Secp256r1SigVerify)/

/** Instructions of the system program, by their number of 32 bits. */
const [createAccount, systemTransfer, advanceNonce] = [0, 2, 4]

const isAdvance = ({ data, program }: SignedInstruction) =>
  program === system && data.length >= 4 && data.readUInt32LE(0) === advanceNonce

/** Whether a nonce of an account replaces the recent block hash. */
export const hasDurableNonce = ({ instructions: [first] }: SignedMessage): boolean =>
  first !== undefined && isAdvance(first)

/** Whether an instruction creates a token account, at the least unless it exists. */
const isCreation = ({ data: [kind = 0], program }: SignedInstruction) => program === associatedToken && kind <= 1

/** The owner and the mint of token accounts that the transaction creates, unless they exist. */
const createdIn = ({ instructions }: SignedMessage) =>
  new Map(
    instructions
      .filter(isCreation)
      .flatMap(({ accounts: [, account, owner, mint] }) =>
        account === undefined ? [] : [[account, { owner, mint }] as const]
      )
  )

type Created = ReturnType<typeof createdIn>

/** Transfers of the token programs, by the first byte. */
const [transfer, transferChecked] = [3, 12]

const paid = (to: string | undefined, payment: Omit<SignedPayment, "to">): SignedPayment => ({
  ...(to === undefined ? {} : { to }),
  ...payment
})

const tokenPayment = ({ accounts, data }: SignedInstruction, created: Created): SignedPayment | undefined => {
  const isChecked = data[0] === transferChecked
  if (data.length !== (isChecked ? 10 : 9) || (!isChecked && data[0] !== transfer)) return undefined
  const account = accounts[isChecked ? 2 : 1]
  const { mint, owner = account } = created.get(account ?? "") ?? {}
  const stated = (isChecked ? accounts[1] : undefined) ?? mint ?? unknownToken
  const amount = data.readBigUInt64LE(1)
  return paid(owner, { token: stated, amount, ...(isChecked ? { decimals: data.readUInt8(9) } : {}) })
}

const systemPayment = ({ accounts: [, to], data }: SignedInstruction): SignedPayment | undefined => {
  const kind = data.length >= 12 ? data.readUInt32LE(0) : undefined
  return kind === systemTransfer || kind === createAccount ? paid(to, { amount: data.readBigUInt64LE(4) }) : undefined
}

/** The payment of an instruction; null if it moves nothing, undefined if its bytes do not say. */
const paymentOf = (instruction: SignedInstruction, created: Created): SignedPayment | null | undefined => {
  const { program = "" } = instruction
  if (program === computeBudget || memos.includes(program)) return null
  if (isCreation(instruction) || isAdvance(instruction)) return null
  if (program === system) return systemPayment(instruction)
  return program === token || program === token2022 ? tokenPayment(instruction, created) : undefined
}

/** Lamports for each signature. */
const signatureFee = 5_000n

/** The most compute units of a transaction, which also bounds higher limits. */
const maxUnits = 1_400_000

const [heapFrame, unitLimit, unitPrice, dataLimit] = [1, 2, 3, 4]

/** The sizes of instructions of the compute budget, by their first byte. Bytes after them are ignored. */
const budgetSizes = new Map([
  [heapFrame, 5],
  [unitLimit, 5],
  [unitPrice, 9],
  [dataLimit, 5]
])

/** Instructions of the compute budget by their first byte; undefined if one of them is not read, or occurs twice. */
const budgetOf = ({ instructions }: SignedMessage): ReadonlyMap<number, Buffer> | undefined => {
  const budget = new Map<number, Buffer>()
  for (const { data, program } of instructions) {
    if (program !== computeBudget) continue
    const [kind = 0] = data
    if (budget.has(kind) || data.length < (budgetSizes.get(kind) ?? Number.POSITIVE_INFINITY)) return undefined
    budget.set(kind, data)
  }
  return budget
}

/** Fee of the signatures, and the price of the compute units of the limit; undefined if the bytes do not say. */
const feeOf = (message: SignedMessage, signers: number): bigint | undefined => {
  if (message.instructions.some(({ program = "" }) => verifiers.test(program))) return undefined
  const budget = budgetOf(message)
  if (budget === undefined) return undefined
  const limit = budget.get(unitLimit)?.readUInt32LE(1)
  const price = budget.get(unitPrice)?.readBigUInt64LE(1) ?? 0n
  if (price > 0n && limit === undefined) return undefined
  const priority = (price * BigInt(Math.min(limit ?? 0, maxUnits)) + 999_999n) / 1_000_000n
  return signatureFee * BigInt(signers) + priority
}

/** What a message does. The first signer pays the fee. */
export const contentOf = (message: SignedMessage, signers: number): SignedContent => {
  const { instructions, keys } = message
  const created = createdIn(message)
  const read = instructions.map((instruction) => [instruction, paymentOf(instruction, created)] as const)
  const payments = read.flatMap(([, payment]) => payment ?? [])
  const others = read.filter(([, payment]) => payment === undefined)
  const toAccounts = payments.some(
    ({ to, token }) => token !== undefined && ![...created.values()].some(({ owner }) => owner === to)
  )
  const fee = feeOf(message, signers)
  const [from] = keys
  const isSole = signers === 1 && from !== undefined
  return {
    ...(isSole ? { from } : {}),
    payments,
    calls: [...new Set(others.flatMap(([{ program }]) => program ?? []))],
    ...(fee === undefined ? {} : { fee: { amount: fee, isMaximum: false } }),
    unknown: {
      ...(isSole ? {} : { from: `${signers} accounts signed it: ${keys.slice(0, signers).join(", ")}` }),
      ...(fee === undefined ? { fee: "its bytes do not determine the price of its compute units or signatures" } : {}),
      ...incomplete([
        others.length > 0 && "it calls programs, which may move more",
        instructions.some(isCreation) && "it may pay the rent of token accounts",
        toAccounts && "tokens go to token accounts, whose owners are not in its bytes"
      ]),
      expiresAt: hasDurableNonce(message)
        ? "it uses a durable nonce, which does not expire"
        : "it ends about a minute after the block whose hash it names"
    }
  }
}
