import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Upstream } from "../../upstream/Upstream.ts"
import { follow } from "../kit/holdings/tokenList.ts"
import { tokens } from "./PolkadotAsset.ts"
import { read } from "./providers/substrate/Substrate.ts"
import { assetMetadata, metadataKey } from "./storage.ts"

/** The token list, whose decimals are those of the chain once they are read. */
export const assetsOf = (nodes: Upstream) =>
  Effect.map(follow(tokens, [nodes.name]), (assets) => ({
    ...assets,
    /** Reads the decimals of assets and confirms them. Cannot fail. */
    confirmListed: (ids: ReadonlyArray<string>) =>
      nodes
        .over((node) => read(node, ids.map(metadataKey)))
        .pipe(
          Effect.flatMap((values) =>
            assets.confirm(
              new Map(
                ids.flatMap((id) =>
                  Option.toArray(assetMetadata(values.get(metadataKey(id)) ?? null)).map(
                    ({ decimals }) => [id, decimals] as const
                  )
                )
              )
            )
          ),
          Effect.catchAll(({ message }) => Effect.logDebug(`decimals of assets: ${message}`))
        )
  }))

export type PolkadotAssets = Effect.Effect.Success<ReturnType<typeof assetsOf>>
