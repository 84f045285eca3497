import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { solana } from "../../catalogue/solana.ts"
import type { SolanaContext, SolanaTokenAccount } from "../../domain/TransactionContext.ts"
import { Height, height, numberOf, Seconds, Slot } from "../../domain/units.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { largest, uniqueByKey, withShared } from "../kit/context/Contexts.ts"
import { requireCurrent, requireHeight } from "../kit/status/currentHead.ts"
import { Balance, balanceOf, byOwner, decoded, TokenAmount } from "./accounts.ts"
import { commitment, token, token2022 } from "./programs.ts"

/** Bytes of a token account without extensions. */
const tokenAccountBytes = 165

const rentOf = (bytes: number): Client.ClientCall => ({
  method: "getMinimumBalanceForRentExemption",
  params: [bytes, { commitment }]
})

const Positive = Schema.Int.pipe(Schema.positive())
const PositiveSlot = Schema.compose(Positive, Slot)

const Latest = Schema.Struct({
  context: Schema.Struct({ slot: PositiveSlot }),
  value: Schema.Struct({
    blockhash: Schema.String.pipe(Schema.pattern(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)),
    lastValidBlockHeight: Schema.compose(Positive, Height)
  })
})

/** The clock sysvar: the time of the newest block of a commitment. */
export const clockAt = (commitment: string): Client.ClientCall => ({
  method: "getAccountInfo",
  params: ["SysvarC1ock11111111111111111111111111111111", { commitment, encoding: "jsonParsed" }]
})
const clock = clockAt(commitment)

const Sysvar = Schema.Struct({
  context: Schema.Struct({ slot: PositiveSlot }),
  value: Schema.Struct({
    data: Schema.Struct({ parsed: Schema.Struct({ info: Schema.Struct({ unixTimestamp: Seconds }) }) })
  })
})

/** The slot and the time in a response to {@link clockAt}. */
export const headIn = (node: Endpoint, sysvar: Client.Outcome | undefined) =>
  Either.mapBoth(decoded(Sysvar, sysvar), {
    onLeft: node.fault,
    onRight: ({ context, value: { data } }) => ({
      height: height(numberOf(context.slot)),
      time: data.parsed.info.unixTimestamp
    })
  })

/** The newest confirmed slot of a node. */
export const headOf = (node: Endpoint) => Effect.flatMap(callAll(node, [clock]), ([sysvar]) => headIn(node, sysvar))

/** Lamports that an account must hold: so far 0.00089 SOL when empty, and 0.00204 SOL for a token account. */
const Rent = Schema.Int.pipe(Schema.between(1, 100_000_000))

/** `getTokenAccountsByOwner`, parsed by the node; the list is rejected if the node cannot parse an account. */
const TokenAccounts = Schema.Struct({
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

/** The part of a context that all addresses share. */
type SolanaNetwork = Pick<
  SolanaContext,
  "blockhash" | "lastValidBlockHeight" | "slot" | "rentExemptMinimum" | "tokenAccountRent"
>

/** Reads what is needed to build transactions; a block hash and the rent once for all addresses. */
export const contexts = (nodes: Upstream) =>
  withShared(
    () => network(nodes),
    (address, shared) => read(nodes, address, shared)
  )

/** Reads a recent block hash and the rent of accounts: one request for all addresses. */
const network = (nodes: Upstream): Effect.Effect<SolanaNetwork, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [latest, empty, ofToken, sysvar] = yield* callAll(node, [
        { method: "getLatestBlockhash", params: [{ commitment }] },
        rentOf(0),
        rentOf(tokenAccountBytes),
        clock
      ])
      const read = Either.all([
        decoded(Latest, latest),
        decoded(Rent, empty),
        decoded(Rent, ofToken),
        decoded(Sysvar, sysvar)
      ])
      const [{ context, value }, minimum, rent, { value: account }] = yield* Effect.mapError(read, node.fault)
      yield* requireCurrent(node, solana, account.data.parsed.info.unixTimestamp)
      const [slot, lastValidBlockHeight] = [numberOf(context.slot), numberOf(value.lastValidBlockHeight)]
      yield* requireHeight(node, solana, height(slot))
      // A height is at most its slot, because not every slot has a block, and a block hash is valid for 150 of them.
      if (lastValidBlockHeight > slot + 150) return yield* node.fault(contradictory)
      return {
        ...value,
        lastValidBlockHeight,
        slot,
        rentExemptMinimum: String(minimum),
        tokenAccountRent: String(rent)
      }
    })
  )

const tokensOf = (owner: string, programId: string) => byOwner(owner, { programId }, { encoding: "jsonParsed" })

const contradictory: Fault = { reason: "bad_answer", detail: "returned values that contradict each other" }
const others: Fault = { reason: "bad_answer", detail: "returned token accounts of another owner" }

/** Reads what is needed to build transactions of an address, in one request. */
const read = (nodes: Upstream, owner: string, shared: SolanaNetwork): Effect.Effect<SolanaContext, UpstreamError> =>
  nodes.over((node) =>
    Effect.gen(function* () {
      const [balance, ...lists] = yield* callAll(
        node,
        [balanceOf(owner), tokensOf(owner, token), tokensOf(owner, token2022)],
        { exact: true }
      )
      const { value } = yield* Effect.mapError(decoded(Balance, balance), node.fault)
      const read = yield* Effect.mapError(Either.all(lists.map((list) => decoded(TokenAccounts, list))), node.fault)
      const rows = read.flatMap((list) => list.value)
      if (rows.some(({ account }) => account.data.parsed.info.owner !== owner)) return yield* node.fault(others)
      const all = uniqueByKey(rows.map(toAccount), ({ address }) => address)
      if (all === undefined) return yield* node.fault(contradictory)
      const tokenAccounts = largest(all, ({ amount }) => BigInt(amount))
      return {
        family: "solana" as const,
        ...shared,
        balance: String(value),
        tokenAccounts,
        truncated: tokenAccounts.length < all.length,
        count: all.length
      }
    })
  )

const toAccount = ({ account, pubkey }: (typeof TokenAccounts.Type)["value"][number]): SolanaTokenAccount => {
  const { mint, state, tokenAmount } = account.data.parsed.info
  return {
    address: pubkey,
    mint,
    program: account.owner,
    amount: tokenAmount.amount,
    decimals: tokenAmount.decimals,
    state
  }
}
