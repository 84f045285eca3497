import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import * as declare from "../../../settings/declare.ts"
import type { Explorer } from "../Provider.ts"
import * as Etherscan from "./etherscan/Etherscan.ts"

/** Explorers that several networks share are built once; the others are built for each network. */
export class Explorers extends Context.Tag("chains/evm/providers/Explorers")<
  Explorers,
  {
    /** The explorers of a network, the preferred one first. */
    readonly of: (
      facts: EvmFacts
    ) => Effect.Effect<
      ReadonlyArray<Explorer>,
      Effect.Effect.Error<ReturnType<typeof Etherscan.blockscout>>,
      Effect.Effect.Context<ReturnType<typeof Etherscan.blockscout>>
    >
  }
>() {
  static readonly layer = Layer.effect(
    Explorers,
    Effect.gen(function* () {
      const etherscan = yield* Etherscan.etherscan
      const routescan = yield* Etherscan.routescan
      const blockscoutKey = yield* declare.secret({
        name: "BLOCKSCOUT_API_KEY",
        allowed: "a key of Blockscout's PRO API, or of self-hosted instances",
        meaning: "Blockscout key; with it, its PRO API is used instead of the public instances"
      })
      return {
        of: (facts: EvmFacts) =>
          Effect.map(Etherscan.blockscout(facts, blockscoutKey), (own) => [
            ...(etherscan === undefined || facts.explorers?.etherscan !== true ? [] : [etherscan(facts)]),
            ...own,
            ...(facts.explorers?.routescan === true ? [routescan(facts)] : [])
          ])
      }
    })
  )
}
