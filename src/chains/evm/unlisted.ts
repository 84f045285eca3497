import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { Address } from "viem"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { each } from "../../kernel/each.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { HoldingsResult, ReadFailure } from "../Chain.ts"
import { missingTokens, unread } from "../kit/holdings/tokenList.ts"
import { inTime, noBalance, notIn, type OwnedToken, readUnlisted, type Unlisted } from "../kit/holdings/unlisted.ts"
import { type Explorer, unserved } from "./Provider.ts"
import { maxTokensPerCall, packAddresses } from "./scanner/Codec.ts"
import type * as Balances from "./strategies/Balances.ts"
import type { EvmTokens } from "./tokens.ts"

/**
 * The tokens of addresses that are not listed. Which exist is read from an explorer; how much an address has, from a
 * node in one block, and the decimals from the contracts. A token whose contract returns no balance is not shown.
 */
export const unlisted = (
  facts: EvmFacts,
  read: ReturnType<typeof Balances.make>,
  explorers: ReadonlyArray<Explorer>,
  tokens: Pick<EvmTokens, "declared" | "list">,
  time: number
) => {
  const reason = unserved(facts, explorers)
  const sources = Arr.partition(explorers, ({ listsTokens }) => listsTokens !== true).flat()

  const ownedBy = (address: string, known: Option.Option<TokenList>) =>
    Effect.gen(function* () {
      const indexed = yield* Sources.first(sources, (explorer) => explorer.tokensOf(address), { none: unanswered })
      const candidates = notIn(
        known,
        indexed.contracts.map((contract) => ({ address: contract, amount: undefined }))
      ).filter((token) => facts.nativeTokens?.includes(token.address) !== true)
      const called = candidates.slice(0, maxCandidates).map((token) => token.address as Address)
      const holders = [address as Address]
      const packed = Arr.chunksOf(called, maxTokensPerCall).map((chunk) => ({
        tokens: chunk,
        hex: packAddresses(chunk)
      }))
      const [reading] =
        called.length === 0 ? [] : (yield* read({ chainId: facts.chainId, holders, tokens: called, packed })).holders
      return {
        owned: Array.from(reading?.balances ?? [], ([token, amount]): OwnedToken => ({ address: token, amount })),
        more: candidates.length - called.length,
        scams: indexed.scams,
        unread:
          missingTokens(known) ??
          (indexed.isWhole ? undefined : notWhole) ??
          (reading === undefined || reading.unread.size === 0 ? undefined : noBalance)
      }
    })

  const readAll = (addresses: ReadonlyArray<string>): Effect.Effect<Pick<HoldingsResult, "unlisted">> =>
    Effect.gen(function* () {
      if (reason !== undefined)
        return yield* readUnlisted(
          addresses.map((): Unlisted => Either.left(reason)),
          tokens.declared
        )
      const known = yield* tokens.list
      const owned = yield* each(addresses, (address) =>
        Effect.map(Effect.either(ownedBy(address, known)), Either.mapLeft(unread))
      )
      return yield* readUnlisted(owned, tokens.declared)
    })

  return (addresses: ReadonlyArray<string>) => inTime(time, addresses, readAll(addresses))
}

/** Tokens whose balances are read: an explorer also lists those that an address no longer has, or never had. */
const maxCandidates = 2_000

const unanswered = new UpstreamError({ upstream: "explorer", reason: "timeout", detail: "timed out" })

const notWhole: ReadFailure = {
  reason: "bad_answer",
  message: "the explorer knows only the tokens of the newest transfers, or lists some that cannot be read"
}
