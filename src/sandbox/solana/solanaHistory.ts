import { createHash } from "node:crypto"
import { base58 } from "@scure/base"
import * as Option from "effect/Option"
import { formatUnits } from "viem/utils"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { wrappedSol } from "../../chains/solana/programs.ts"
import type { signatures } from "../../chains/solana/providers/agave/transactionCalls.ts"
import type { RpcRequest } from "../world/answers.ts"
import { ledger, type Move } from "../world/ledger.ts"
import { memoized, remembered } from "../world/memoized.ts"
import type * as World from "../world/World.ts"
import * as SolanaChain from "./SolanaChain.ts"
import type { SolanaAccount, TokenAccountOf } from "./SolanaMuseum.ts"
import * as SolanaMuseum from "./SolanaMuseum.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"

/** Rent-exempt minimum of a token account, lamports. */
const rent = 2_039_280

/** Maximum number of signatures per page. */
const largestPage = 1_000

type Parameters = ReadonlyArray<unknown>

interface SignedMove {
  readonly move: Move
  readonly signature: string
}

/** History of a simulated chain, with its token accounts. */
export const solanaHistory = (facts: NetworkFacts) => {
  const owners = remembered<{ readonly owner: string; readonly mint: string; readonly index: number }>()
  const slots = remembered<ReadonlyArray<string>, number>()

  const remember = (signature: string, slot: number): void => {
    const known = slots.get(slot) ?? []
    if (!known.includes(signature)) slots.set(slot, [...known, signature])
  }

  /** Address of a token account. A mint's balance is split over several; incoming transfers go to the first. */
  const tokenAccount = (owner: string, { address }: World.Contract, index: number): string => {
    const account = base58.encode(createHash("sha256").update(`${owner} ${address} ${index}`).digest())
    owners.set(account, { owner, mint: address, index })
    return account
  }

  const signed = memoized(
    (network: typeof facts, holder): ReadonlyArray<SignedMove> =>
      ledger(network, holder)
        .map((move) => ({ move, signature: signatureOf(move, holder) }))
        .reverse()
  )

  /** Transactions of an address or token account between two signatures, newest first. */
  const touched = (account: string, before?: string, until?: string): ReadonlyArray<SignedMove> => {
    const token = owners.get(account)
    const all = signed(facts, token?.owner ?? account)
    // A signature of another account of the holder is a position, too.
    const start = before === undefined ? 0 : all.findIndex(({ signature }) => signature === before) + 1
    const end = all.findIndex(({ signature }) => signature === until)
    return all.slice(start, end < 0 ? all.length : end).filter(({ move }) =>
      token === undefined
        ? // Incoming token transfers contain the token account instead of the owner.
          move.contract === undefined || move.direction === "out"
        : move.contract?.address === token.mint && SolanaMuseum.touches(move, token.index)
    )
  }

  return {
    tokenAccount,
    /** Owner and mint of a token account; undefined if it was never returned. */
    tokenOf: (account: string) => owners.get(account),
    /** Makes a transaction known as one of a slot. */
    remember,
    /** Signatures of the known transactions of a slot. */
    signaturesIn: (slot: number): ReadonlyArray<string> => slots.get(slot) ?? [],
    getSignaturesForAddress: ([account, options]: RpcRequest<ReturnType<typeof signatures.params>>["params"]) => {
      const { before, limit = largestPage, until }: { before?: string; limit?: number; until?: string } = options ?? {}
      if (limit > largestPage) return undefined
      const page = touched(String(account), before, until).slice(0, limit)
      for (const { move, signature } of page) remember(signature, SolanaChain.slotOf(move.at))
      return page.map(({ move, signature }) => ({
        signature,
        slot: SolanaChain.slotOf(move.at),
        err: move.failed ? SolanaMuseum.failureOf(move) : null,
        memo: SolanaMuseum.memoOf(move),
        blockTime: move.at,
        confirmationStatus: "finalized"
      }))
    },
    /** Result in jsonParsed if requested, else in json with account indices: past transactions have no raw bytes. */
    getTransaction: ([signature, options]: Parameters) => {
      const { encoding = "json" } = (options ?? {}) as { readonly encoding?: string }
      const bytes = Option.getOrUndefined(SolanaChain.fromBase58(String(signature)))
      if (bytes?.length !== 64) return undefined
      const id = Buffer.from(bytes.subarray(0, 32)).toString("hex")
      const holder = base58.encode(bytes.subarray(32))
      const move = ledger(facts, holder).find((candidate) => candidate.id === id)
      return move === undefined ? null : transaction(facts, move, holder, tokenAccount, encoding)
    }
  }
}

/** Signature: the real one of a sent transaction; else it contains the owner or sender, so look-ups need no state. */
const signatureOf = ({ direction, id, counterparty }: Move, holder: string): string => {
  if (id.length === 128) return base58.encode(Buffer.from(id, "hex"))
  const owner = direction === "in" ? (counterparty ?? holder) : holder
  return base58.encode(Uint8Array.of(...Buffer.from(id, "hex"), ...base58.decode(owner)))
}

/** Instruction data of a transfer by the system program, or of a transfer or mint by a token program. */
const dataOf = (move: Move): Uint8Array => {
  const { contract, kind } = move
  const data = Buffer.alloc(contract === undefined ? 12 : 9)
  const begin = contract === undefined ? data.writeUInt32LE(2) : data.writeUInt8(kind === "mint" ? 7 : 3)
  data.writeBigUInt64LE(SolanaMuseum.amountOf(move), begin)
  return data
}

const accountsOf = (
  move: Move,
  sender: string,
  receiver: string,
  tokenAccount: TokenAccountOf
): ReadonlyArray<SolanaAccount> => {
  const { amount, contract, failed, kind, received = 0n } = move
  const [moved, fee, back] = [failed ? 0n : amount, Number(SolanaMuseum.feeOf(move)), Number(received)]
  const wrapped = contract?.address === wrappedSol ? Number(moved) : 0
  if (contract === undefined)
    return [
      { pubkey: sender, coins: [7_000_000_000 + Number(moved) + fee, 7_000_000_000] },
      { pubkey: receiver, coins: [1_000_000, 1_000_000 + Number(moved)] }
    ]
  const source: SolanaAccount = {
    pubkey: tokenAccount(sender, contract, 0),
    coins: [rent + wrapped, rent],
    tokens: { owner: sender, before: moved + 5n, after: 5n }
  }
  return [
    { pubkey: sender, coins: [7_000_000_000 + fee, 7_000_000_000 + back] },
    ...(kind === "mint" ? [] : [source]),
    {
      pubkey: tokenAccount(receiver, contract, 0),
      coins: [rent, rent + wrapped],
      tokens: { owner: receiver, before: 3n, after: moved + 3n }
    },
    // The pool of a swap pays the coins.
    ...(back === 0 ? [] : [{ pubkey: receiver, coins: [1_000_000 + back, 1_000_000] } as const])
  ]
}

const tokenBalances = (all: ReadonlyArray<SolanaAccount>, contract: Move["contract"], side: "before" | "after") =>
  all.flatMap(({ tokens }, accountIndex) => {
    const balance = tokens?.[side]
    return balance === undefined || contract === undefined
      ? []
      : [
          {
            accountIndex,
            mint: contract.address,
            owner: tokens?.owner ?? null,
            programId: SolanaTransaction.tokenProgram,
            uiTokenAmount: {
              amount: String(balance),
              decimals: contract.decimals,
              uiAmount: balance === 0n ? null : Number(formatUnits(balance, contract.decimals)),
              uiAmountString: formatUnits(balance, contract.decimals)
            }
          }
        ]
  })

const transaction = (
  chain: Pick<NetworkFacts, "id">,
  move: Move,
  holder: string,
  tokenAccount: TokenAccountOf,
  encoding: string
) => {
  const { at, contract, direction, exhibit, failed, id } = move
  const other = move.counterparty ?? base58.encode(Buffer.from(move.seed, "hex"))
  const [sender, receiver] = direction === "out" ? [holder, other] : [other, holder]
  const program = contract === undefined ? SolanaTransaction.systemProgram : SolanaTransaction.tokenProgram
  const usual: ReadonlyArray<SolanaAccount> = [
    ...accountsOf(move, sender, receiver, tokenAccount),
    { pubkey: program, coins: [1, 1] }
  ]
  const all =
    exhibit === undefined ? usual : SolanaMuseum.exhibitedAccounts(move, sender, receiver, usual, tokenAccount)
  const keys = all.map(({ pubkey }) => pubkey)
  const slot = SolanaChain.slotOf(at)
  const instruction = {
    programIdIndex: keys.indexOf(program),
    accounts: contract === undefined ? [0, keys.length > 2 ? 1 : 0] : [1, move.kind === "mint" ? 1 : 2, 0],
    data: dataOf(move)
  }
  const signatures = [base58.decode(signatureOf(move, holder)), ...SolanaMuseum.furtherSignatures(move)]
  const message = {
    bytes: new Uint8Array(),
    version: Number.parseInt(id.slice(0, 1), 16) % 2,
    header: { numRequiredSignatures: signatures.length, numReadonlySignedAccounts: 0, numReadonlyUnsignedAccounts: 1 },
    keys,
    blockhash: SolanaChain.blockhash(chain.id, slot),
    instructions: [instruction]
  }
  const shown = encoding === "jsonParsed" ? encoding : "json"
  const row = SolanaTransaction.row({ bytes: message.bytes, signatures, message }, shown, {
    slot,
    at,
    err: failed ? SolanaMuseum.failureOf(move) : null,
    fee: SolanaMuseum.feeOf(move),
    units: 0,
    logs: [],
    coins: [all.map(({ coins }) => BigInt(coins[0])), all.map(({ coins }) => BigInt(coins[1]))],
    tokens: [tokenBalances(all, contract, "before"), tokenBalances(all, contract, "after")]
  })
  return exhibit === undefined ? row : SolanaMuseum.exhibited(move, row, keys, shown, receiver)
}
