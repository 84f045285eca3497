import * as Effect from "effect/Effect"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { confirming } from "../kit/holdings/tokenList.ts"
import { findTransaction as findAt } from "../kit/sending/findFirst.ts"
import type * as CoinDecimals from "./CoinDecimals.ts"
import { atHost } from "./history.ts"

/** Looks up transactions by their digests, as their senders see them; waits briefly for the decimals of their coins. */
export const findTransaction = (hosts: Upstream, coins: CoinDecimals.Coins) =>
  confirming(found(hosts), coins.list, coins.decimalsOf)

const found =
  (hosts: Upstream) =>
  (digest: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.map(
      findAt(hosts.addresses, (host) => atHost(host, digest)),
      (found) => ({
        transaction: found?.transaction,
        sources: found === undefined ? [] : [hosts.name],
        gaps: found?.isWhole === false ? [gap("transfers", "some transfers: there are too many of them")] : []
      })
    ).pipe(span("Sui.transaction"))
