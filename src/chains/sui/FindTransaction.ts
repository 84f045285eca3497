import * as Effect from "effect/Effect"
import { gap } from "../../domain/history/Gap.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { FoundTransaction, ReadFailure } from "../Chain.ts"
import { findTransaction } from "../findFirst.ts"
import { atHost } from "./Transactions.ts"

/** Looks up transactions by their digests, as their senders see them. */
export const make =
  (hosts: Upstream) =>
  (digest: string): Effect.Effect<FoundTransaction, ReadFailure> =>
    Effect.map(
      findTransaction(hosts.addresses, (host) => atHost(host, digest)),
      (found) => ({
        transaction: found?.transaction,
        sources: found === undefined ? [] : [hosts.name],
        gaps: found?.isWhole === false ? [gap("transfers", "some transfers: there are too many of them")] : []
      })
    ).pipe(span("Sui.transaction"))
