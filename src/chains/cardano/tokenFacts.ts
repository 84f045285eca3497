import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { TokenFacts } from "../../domain/tokens/TokenFacts.ts"
import { span } from "../../kernel/span.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Chain, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { type CardanoProvider, type Metadata, unanswered } from "./Provider.ts"

// Native assets move by the rules of the ledger alone: only minting depends on a script, the policy, which is not read.

const noPolicy: ReadFailure = { reason: "not_listed", message: "the minting policy of the asset is not read" }
const incomplete: ReadFailure = { reason: "not_listed", message: "the asset is not described in the token registry" }

const factsOf = ({ name, symbol, ...declared }: Metadata): TokenFacts => {
  const { decimals, supply } = { decimals: declared.decimals ?? null, supply: declared.supply ?? null }
  const isWhole = decimals !== null && name !== "" && symbol !== "" && supply !== null
  return {
    standard: "Cardano native asset",
    name: name === "" ? null : name,
    symbol: symbol === "" ? null : symbol,
    decimals,
    supply,
    powers: { mint: null },
    unread: isWhole ? noPolicy : incomplete
  }
}

/** Reads the metadata and the supply of an asset; none if it was never minted, by a source that follows the network. */
export const tokenFacts =
  (
    sources: ReadonlyArray<CardanoProvider>,
    newest: NonNullable<Chain["Type"]["newestBlock"]>
  ): NonNullable<Chain["Type"]["tokenFacts"]> =>
  (unit) =>
    Sources.first(sources, (source) => source.metadata(unit), { none: unanswered }).pipe(
      Effect.mapError(unread),
      Effect.flatMap((metadata) =>
        metadata === undefined ? Effect.as(newest, Option.none()) : Effect.succeedSome(factsOf(metadata))
      ),
      span("Cardano.tokenFacts")
    )
