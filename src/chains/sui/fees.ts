import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { span } from "../../kernel/span.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { FeeSource, ReadFailure } from "../Chain.ts"
import { ofNodes } from "../kit/fees/comparedFees.ts"
import { sameLevels, secondsOf, slowLifetime } from "../kit/fees/feeLevels.ts"
import * as GraphQl from "./GraphQl.ts"

// Gas on Sui (docs.sui.io/concepts/tokenomics/gas-in-sui): computation units at the epoch's reference gas price, plus
// storage at the prices of the protocol configuration.

const query = `query { chainIdentifier epoch { referenceGasPrice protocolConfigs { computation: config(key: "base_tx_cost_fixed") { value } byte: config(key: "obj_data_cost_refundable") { value } storage: config(key: "storage_gas_price") { value } rebate: config(key: "storage_rebate_rate") { value } } } }`

/** The charged size of a SUI coin object, bytes. */
const coinBytes = 130n

/** The denominator of the rebate rate, which is in basis points. */
const rebateParts = 10_000n

const Digits = Schema.Union(Schema.String.pipe(Schema.pattern(/^\d{1,15}$/)), Schema.NonNegativeInt).pipe(
  Schema.transform(Schema.BigIntFromSelf, { strict: true, decode: BigInt, encode: String })
)

/** MIST per computation unit; the cheapest transaction is charged 1,000 units. */
export const GasPrice = Digits.pipe(Schema.filter((price) => price > 0n && price * 1_000n <= sui.maxTransferFee))

const Config = Schema.Struct({ value: Digits })
const Configs = Schema.Struct({ computation: Config, byte: Config, storage: Config, rebate: Config })

export const fees = (hosts: Upstream): FeeSource => ({
  lifetime: slowLifetime,
  current: ofNodes(sui, hosts, read).pipe(span("Sui.fees"))
})

const read = (host: Endpoint) =>
  Effect.gen(function* () {
    const reply = yield* GraphQl.read(host, query, {})
    const price = yield* Either.mapLeft(reply.at(["epoch", "referenceGasPrice"], GasPrice), host.fault)
    const configs = Either.mapLeft(
      reply.at(["epoch", "protocolConfigs"], Configs),
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

/** The storage fee of the two resulting coins, less the rebate for the original coin. */
const storageOf = ({ byte, rebate, storage }: typeof Configs.Type): bigint => {
  const coin = coinBytes * byte.value * storage.value
  return 2n * coin - (coin * rebate.value) / rebateParts
}
