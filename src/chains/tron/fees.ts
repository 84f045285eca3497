import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { span } from "../../kernel/span.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource, Resources } from "../Chain.ts"
import { ofNodes } from "../kit/fees/comparedFees.ts"
import { sameLevels, secondsOf, slowLifetime } from "../kit/fees/feeLevels.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { Sun } from "./formats.ts"
import type { TronProvider } from "./Provider.ts"

// The resource model of Tron (developers.tron.network/docs/resource-model).

/** Bandwidth of a TRX transfer: bytes of the signed transaction and 64 that the network adds for the result. */
const transferBandwidth = 268

/** A price set by vote: above 0, and a unit never costs more than a whole transfer. */
const price = Schema.decodeUnknownEither(Sun.pipe(Schema.filter((sun) => sun > 0n && sun <= tron.maxTransferFee)))

/** Whether a price of energy, sun per unit, is plausible. */
const isEnergyPrice = (sun: bigint) => sun <= tron.maxEnergyPrice

/** The prices of energy and bandwidth, and the resources of accounts. */
export const fees = (trongrid: TronProvider): FeeSource => ({
  lifetime: slowLifetime,
  current: ofNodes(tron, trongrid.nodes, (node) => read(trongrid, node)).pipe(span("Tron.fees")),
  resources: (address) =>
    trongrid.resources(address).pipe(
      Effect.map(
        ({ energy, freeBandwidth, stakedBandwidth }): Resources => ({
          freeBandwidth,
          stakedBandwidth,
          stakedEnergy: energy,
          coverTransfer: Math.max(freeBandwidth, stakedBandwidth) >= transferBandwidth
        })
      ),
      Effect.mapError(unread),
      span("Tron.resources")
    )
})

const read = (trongrid: TronProvider, node: Endpoint) =>
  Effect.gen(function* () {
    const parameters = yield* trongrid.parameters(node)
    const parameter = (name: string) => price(parameters.find(({ key }) => key === name)?.value)
    const prices = Either.filterOrLeft(
      Either.all({ energy: parameter("getEnergyFee"), bandwidth: parameter("getTransactionFee") }),
      ({ energy }) => isEnergyPrice(energy),
      () => undefined
    )
    if (Either.isLeft(prices)) return yield* node.fault(noPrices)
    const { bandwidth, energy } = prices.right
    const newAccount = Either.zipWith(
      parameter("getCreateNewAccountFeeInSystemContract"),
      parameter("getCreateAccountFee"),
      (fee, forBandwidth) => String(fee + forBandwidth)
    )
    return {
      family: "tron" as const,
      levels: sameLevels(
        "tron",
        {
          rates: { energyPriceSun: String(energy), bandwidthPriceSun: String(bandwidth) },
          transfer: Either.right(bandwidth * BigInt(transferBandwidth))
        },
        secondsOf(1, tron)
      ),
      basis: { transferBandwidth, newAccountFeeSun: Either.getOrNull(newAccount) },
      transfer: `a transfer of TRX to an active account, ${transferBandwidth} bytes of bandwidth`
    }
  })

const noPrices: Fault = { reason: "bad_answer", detail: "returned no prices of energy and bandwidth" }
