import * as Effect from "effect/Effect"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import type * as CoinDecimals from "./CoinDecimals.ts"
import { atHost } from "./history.ts"
import type { SuiProvider } from "./Provider.ts"

/** Looks up transactions by their digests, as their senders see them; waits briefly for the decimals of their coins. */
export const findTransaction = (provider: SuiProvider, coins: CoinDecimals.Coins) =>
  confirming(found(provider), coins.list, coins.decimalsOf)

const found =
  (provider: SuiProvider) =>
  (digest: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.map(
      findAt(provider.hosts.addresses, (host) => atHost(provider, host, digest)),
      (found) => ({
        transaction: found?.transaction,
        sources: found === undefined ? [] : [provider.name],
        gaps: found?.isWhole === false ? [gap("transfers", "some transfers: there are too many of them")] : []
      })
    ).pipe(span("Sui.transaction"))
