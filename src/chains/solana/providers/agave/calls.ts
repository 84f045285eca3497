import * as Schema from "effect/Schema"
import { solana } from "../../../../catalogue/solana.ts"
import { Height, Seconds, Slot } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { undecoded } from "../../../../upstream/response/rows.ts"
import { uint64 } from "../../../kit/holdings/amounts.ts"
import { commitment, token, token2022 } from "../../programs.ts"

// The methods of Agave and other nodes for accounts, also of the Token and the Token-2022 program
// (solana-program.com), and for fees; those for transactions are in transactionCalls.ts.

/** The address of the documentation. @public */
export const documentation = "https://solana.com/docs/rpc/http"

/** A u64 as a bare JSON number; beyond 2^53 it is decoded as a bigint. */
export const Lamports = Schema.Union(
  Schema.NonNegativeInt,
  Schema.NonNegativeBigIntFromSelf.pipe(Schema.lessThanOrEqualToBigInt(uint64))
)

/** A u64 in decimal digits. */
export const Units = Schema.String.pipe(
  Schema.pattern(/^\d{1,20}$/),
  Schema.filter((text) => BigInt(text) <= uint64)
)

const none = () => [] as const

export const genesisHash = Call.rpc("getGenesisHash", { params: none, response: Schema.String })

export const newestSlot = Call.rpc("getSlot", { params: none, response: Schema.NonNegativeInt })

interface OfOwner {
  readonly owner: string
}

export const balance = Call.rpc("getBalance", {
  params: ({ owner }: OfOwner) => [owner, { commitment }] as const,
  response: Schema.Struct({ value: Lamports })
})

/** The clock of the chain: the time of a node's newest block is an i64 at byte 32. */
const clockAddress = "SysvarC1ock11111111111111111111111111111111"
const time = { offset: 32, length: 8 }

const Positive = Schema.Int.pipe(Schema.positive())
const PositiveSlot = Schema.compose(Positive, Slot)

const parsed = "jsonParsed"

export const clock = Call.rpc("getAccountInfo", {
  note: "The clock sysvar: the time of the newest block of a commitment.",
  params: (at: { readonly commitment: string }) =>
    [clockAddress, { commitment: at.commitment, encoding: parsed }] as const,
  response: Schema.Struct({
    context: Schema.Struct({ slot: PositiveSlot }),
    value: Schema.Struct({
      data: Schema.Struct({ parsed: Schema.Struct({ info: Schema.Struct({ unixTimestamp: Seconds }) }) })
    })
  })
})

export const Mint = Schema.Struct({
  parsed: Schema.Struct({
    type: Schema.Literal("mint"),
    info: Schema.Struct({
      decimals: Schema.Int.pipe(Schema.between(0, 255)),
      extensions: Schema.optional(
        Schema.Array(Schema.Struct({ extension: Schema.String, state: Schema.optional(Schema.Unknown) }))
      )
    })
  })
})

export const mint = Call.rpc("getAccountInfo", {
  perOpen: { balance: "varies", history: "varies" },
  note: "What a mint declares; its data are bytes if the node cannot parse them.",
  params: (of: { readonly mint: string }) => [of.mint, { commitment, encoding: parsed }] as const,
  response: Schema.Struct({ value: Schema.NullOr(Schema.Struct({ data: undecoded(Mint) })) })
})

const base64 = Schema.Literal("base64")

export const ClockAccount = Schema.Struct({
  data: Schema.Union(
    Schema.Tuple(Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length === time.length)), base64),
    Schema.Struct({
      parsed: Schema.Struct({ type: Schema.Literal("clock"), info: Schema.Struct({ unixTimestamp: Schema.Int }) })
    })
  )
})

/** The maximum that `getMultipleAccounts` accepts, without the clock. */
export const accountsPerCall = 99

/** Null for an address that was never used. */
export const Account = Schema.NullOr(Schema.Struct({ lamports: Lamports }))
export const SizedAccount = Schema.NullOr(Schema.Struct({ lamports: Lamports, space: Schema.NonNegativeInt }))

export const accounts = Call.rpc("getMultipleAccounts", {
  perOpen: { balance: "varies", history: "varies" },
  note: "At most 100 accounts; the last one is the clock.",
  params: ({ addresses }: { readonly addresses: ReadonlyArray<string> }) =>
    [[...addresses, clockAddress], { commitment, encoding: "base64", dataSlice: time }] as const,
  response: Schema.Struct({ value: Schema.Array(undecoded(Schema.Union(SizedAccount, ClockAccount))) })
})

const MintOrBytes = Schema.Union(Mint, Schema.Tuple(Schema.String, base64))

export const mints = Call.rpc("getMultipleAccounts", {
  params: (of: { readonly mints: ReadonlyArray<string> }) =>
    [[...of.mints, clockAddress], { commitment, encoding: parsed }] as const,
  note: "Mints, or accounts with the name of a mint, whose data are bytes.",
  response: Schema.Struct({ value: Schema.Array(undecoded(Schema.NullOr(Schema.Struct({ data: MintOrBytes })))) })
})

export const TokenAmount = Schema.Struct({
  /** Base units. */
  amount: Units,
  decimals: Schema.Int.pipe(Schema.between(0, 255))
})

interface OfProgram extends OfOwner {
  readonly programId: string
}

export const tokenAccounts = Call.rpc("getTokenAccountsByOwner", {
  note: "The list is rejected if the node cannot parse an account.",
  params: ({ owner, programId }: OfProgram) => [owner, { programId }, { commitment, encoding: parsed }] as const,
  response: Schema.Struct({
    value: Schema.Array(
      Schema.Struct({
        pubkey: Schema.NonEmptyString,
        account: Schema.Struct({
          owner: Schema.Literal(token, token2022),
          data: Schema.Struct({
            parsed: Schema.Struct({
              info: Schema.Struct({
                mint: Schema.NonEmptyString,
                owner: Schema.String,
                state: Schema.String,
                tokenAmount: TokenAmount
              })
            })
          })
        })
      })
    )
  })
})

/** The bytes of mint, owner and amount, with which the accounts of both token programs start. */
const head = { offset: 0, length: 72 }

const Bytes = Schema.Tuple(
  Schema.Uint8ArrayFromBase64.pipe(Schema.filter(({ length }) => length >= head.length)),
  base64
)

/** In either encoding: a node that cannot parse an account returns its bytes. */
const InEitherForm = Schema.Struct({
  value: Schema.Array(
    Schema.Struct({
      pubkey: Schema.NonEmptyString,
      account: Schema.Struct({
        data: Schema.Union(
          Bytes,
          Schema.Struct({
            parsed: Schema.Struct({
              info: Schema.Struct({ mint: Schema.NonEmptyString, tokenAmount: undecoded(TokenAmount) })
            })
          })
        )
      })
    })
  )
})

export const tokenBalances = Call.rpc("getTokenAccountsByOwner", {
  perOpen: { balance: 2, history: 2 },
  params: ({ owner, programId }: OfProgram) =>
    [owner, { programId }, { commitment, encoding: "base64", dataSlice: head }] as const,
  response: InEitherForm
})

interface Filtered extends OfOwner {
  readonly filter: { readonly programId: string } | { readonly mint: string }
}

export const parsedBalances = Call.rpc("getTokenAccountsByOwner", {
  note: "A node that cannot parse an account returns its bytes. Refuses (-32602) what is no mint.",
  params: ({ filter, owner }: Filtered) => [owner, filter, { commitment, encoding: parsed }] as const,
  response: InEitherForm
})

export const rent = Call.rpc("getMinimumBalanceForRentExemption", {
  note: "Lamports: so far 0.00089 SOL for an empty account, and 0.00204 SOL for a token account.",
  params: ({ bytes }: { readonly bytes: number }) => [bytes, { commitment }] as const,
  response: Schema.Int.pipe(Schema.between(1, 100_000_000))
})

/** Staked coins are in accounts of the Stake program; StakeStateV2 has the withdraw authority at byte 44. */
const stakeProgram = "Stake11111111111111111111111111111111111111"
const stakeSize = 200
const withdrawerAt = 44

export const stakes = Call.rpc("getProgramAccounts", {
  note: "The stakes of an address, by their withdraw authority. Many public nodes reject the method.",
  params: ({ owner }: OfOwner) =>
    [
      stakeProgram,
      {
        commitment,
        encoding: "base64",
        dataSlice: { offset: 0, length: 0 },
        filters: [{ dataSize: stakeSize }, { memcmp: { offset: withdrawerAt, bytes: owner } }]
      }
    ] as const,
  response: Schema.Array(
    Schema.Struct({ pubkey: Schema.NonEmptyString, account: Schema.Struct({ lamports: Lamports }) })
  )
})

const BlockHash = Schema.String.pipe(Schema.pattern(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/))

export const latestBlockhash = Call.rpc("getLatestBlockhash", {
  params: () => [{ commitment }] as const,
  response: Schema.Struct({
    context: Schema.Struct({ slot: PositiveSlot }),
    value: Schema.Struct({ blockhash: BlockHash, lastValidBlockHeight: Schema.compose(Positive, Height) })
  })
})

/** Nodes return at most this many slots. */
const maxSlots = 150

/** A slot may have a price far above all others. */
export const SlotFee = Schema.Struct({
  slot: Schema.NonNegativeInt,
  prioritizationFee: Schema.NonNegative.pipe(Schema.finite())
})

export const priorityFees = Call.rpc("getRecentPrioritizationFees", {
  note: "The lowest fee that was paid in each of the last 150 slots, micro-lamports per compute unit.",
  params: none,
  response: Schema.Array(undecoded(SlotFee)).pipe(Schema.maxItems(2 * maxSlots))
})

export const messageFee = Call.rpc("getFeeForMessage", {
  note: "Lamports. Null, if the blockhash has expired, is rejected.",
  params: ({ message }: { readonly message: string }) => [message, { commitment }] as const,
  response: Schema.Struct({ value: Schema.Int.pipe(Schema.between(1, Number(solana.maxTransferFee))) })
})
