import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sui } from "../../catalogue/sui.ts"
import { span } from "../../kernel/span.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { ofNodes } from "../kit/fees/comparedFees.ts"
import { sameLevels, secondsOf, slowLifetime } from "../kit/fees/feeLevels.ts"
import type { SuiProvider } from "./Provider.ts"

// Gas on Sui (docs.sui.io/concepts/tokenomics/gas-in-sui): computation units at the epoch's reference gas price, plus
// storage at the prices of the protocol configuration.

/** The charged size of a SUI coin object, bytes. */
const coinBytes = 130n

/** The denominator of the rebate rate, which is in basis points. */
const rebateParts = 10_000n

export const fees = (provider: SuiProvider): FeeSource => ({
  lifetime: slowLifetime,
  current: ofNodes(sui, provider.hosts, read(provider)).pipe(span("Sui.fees"))
})

const read = (provider: SuiProvider) => (host: Endpoint) =>
  Effect.gen(function* () {
    const { configs: found, price } = yield* provider.fees(host)
    const configs = Either.mapLeft(
      found,
      (): ReadFailure => ({ reason: "bad_answer", message: "the protocol's storage prices could not be read" })
    )
    const storage = Either.map(configs, storageOf)
    const transfer = Either.zipWith(
      configs,
      storage,
      ({ computation }, forStorage) => computation.value * price + forStorage
    )
    return {
      family: "sui" as const,
      levels: sameLevels("sui", { rates: { gasPriceMist: String(price) }, transfer }, secondsOf(1, sui)),
      basis: {
        transferComputationUnits: Either.getOrNull(Either.map(configs, ({ computation }) => String(computation.value))),
        transferStorageMist: Either.getOrNull(Either.map(storage, String))
      },
      transfer: "a transfer of SUI that splits a coin in two"
    }
  })

type Configs = Either.Either.Right<Effect.Effect.Success<ReturnType<SuiProvider["fees"]>>["configs"]>

/** The storage fee of the two resulting coins, less the rebate for the original coin. */
const storageOf = ({ byte, rebate, storage }: Configs): bigint => {
  const coin = coinBytes * byte.value * storage.value
  return 2n * coin - (coin * rebate.value) / rebateParts
}
