import { base58 } from "@scure/base"
import { incomplete, type SignedContent, type SignedPayment, unknownToken } from "../sending/content.ts"
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

/** The owner and the mint of token accounts that the transaction creates, unless they exist. */
const createdIn = ({ instructions }: SignedMessage) =>
  new Map(
    instructions.flatMap(({ accounts: [, account, owner, mint], data: [kind = 0], program }) =>
      program === associatedToken && kind <= 1 && account !== undefined ? [[account, { owner, mint }] as const] : []
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
  if (program === computeBudget || program === associatedToken || memos.includes(program)) return null
  if (isAdvance(instruction)) return null
  if (program === system) return systemPayment(instruction)
  return program === token || program === token2022 ? tokenPayment(instruction, created) : undefined
}

/** Lamports for each signature. */
const signatureFee = 5_000n

/** Fee of the signatures, and the price of the compute units of the limit; undefined if the bytes do not say. */
const feeOf = ({ instructions }: SignedMessage, signers: number): bigint | undefined => {
  if (instructions.some(({ program = "" }) => verifiers.test(program))) return undefined
  const budget = instructions.filter(({ program }) => program === computeBudget)
  const limit = budget.find(({ data }) => data[0] === 2 && data.length === 5)?.data.readUInt32LE(1)
  const price = budget.find(({ data }) => data[0] === 3 && data.length === 9)?.data.readBigUInt64LE(1) ?? 0n
  if (price > 0n && limit === undefined) return undefined
  const priority = (price * BigInt(limit ?? 0) + 999_999n) / 1_000_000n
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
  return {
    ...(from === undefined ? {} : { from }),
    payments,
    calls: [...new Set(others.flatMap(([{ program }]) => program ?? []))],
    ...(fee === undefined ? {} : { fee: { amount: fee, isMaximum: false } }),
    unknown: {
      ...(fee === undefined ? { fee: "the price of its compute units has no limit in its bytes" } : {}),
      ...incomplete([
        others.length > 0 && "it calls programs, which may move more",
        created.size > 0 && "it may pay the rent of token accounts",
        toAccounts && "tokens go to token accounts, whose owners are not in its bytes"
      ]),
      expiresAt: hasDurableNonce(message)
        ? "it uses a durable nonce, which does not expire"
        : "it ends about a minute after the block whose hash it names"
    }
  }
}
