import * as Effect from "effect/Effect"
import { solana } from "../../catalogue/solana.ts"
import type { SolanaContext, SolanaTokenAccount } from "../../domain/TransactionContext.ts"
import { height, numberOf } from "../../domain/units.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { largest, uniqueByKey, withShared } from "../kit/context/Contexts.ts"
import { requireCurrent, requireHeight } from "../kit/status/currentHead.ts"
import type { SolanaProvider } from "./Provider.ts"

/** The part of a context that all addresses share. */
type SolanaNetwork = Pick<
  SolanaContext,
  "blockhash" | "lastValidBlockHeight" | "slot" | "rentExemptMinimum" | "tokenAccountRent"
>

/** Reads what is needed to build transactions; a block hash and the rent once for all addresses. */
export const contexts = (agave: SolanaProvider) =>
  withShared(
    () => network(agave),
    (address, shared) => read(agave, address, shared)
  )

/** Reads a recent block hash and the rent of accounts: one request for all addresses. */
const network = (agave: SolanaProvider): Effect.Effect<SolanaNetwork, UpstreamError> =>
  agave.nodes.over((node) =>
    Effect.gen(function* () {
      const [{ context, value }, emptyRent, tokenRent, clock] = yield* agave.network(node)
      yield* requireCurrent(node, solana, clock.value.data.parsed.info.unixTimestamp)
      const [slot, lastValidBlockHeight] = [numberOf(context.slot), numberOf(value.lastValidBlockHeight)]
      yield* requireHeight(node, solana, height(slot))
      // A height is at most its slot, because not every slot has a block, and a block hash is valid for 150 of them.
      if (lastValidBlockHeight > slot + 150) return yield* node.fault(contradictory)
      return {
        ...value,
        lastValidBlockHeight,
        slot,
        rentExemptMinimum: String(emptyRent),
        tokenAccountRent: String(tokenRent)
      }
    })
  )

const contradictory: Fault = { reason: "bad_answer", detail: "returned values that contradict each other" }
const others: Fault = { reason: "bad_answer", detail: "returned token accounts of another owner" }

/** Reads what is needed to build transactions of an address, in one request. */
const read = (agave: SolanaProvider, owner: string, shared: SolanaNetwork) =>
  agave.nodes.over((node) =>
    Effect.gen(function* () {
      const { accounts, lamports } = yield* agave.owned(node, owner)
      if (accounts.some(({ account }) => account.data.parsed.info.owner !== owner)) return yield* node.fault(others)
      const read = accounts.map(({ account: { data, owner: program }, pubkey }): SolanaTokenAccount => {
        const { mint, state, tokenAmount } = data.parsed.info
        return { address: pubkey, mint, program, ...tokenAmount, state }
      })
      const all = uniqueByKey(read, ({ address }) => address)
      if (all === undefined) return yield* node.fault(contradictory)
      const tokenAccounts = largest(all, ({ amount }) => BigInt(amount))
      return {
        family: "solana" as const,
        ...shared,
        balance: String(lamports),
        tokenAccounts,
        truncated: tokenAccounts.length < all.length,
        count: all.length
      }
    })
  )
