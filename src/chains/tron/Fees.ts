import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { tron } from "../../catalogue/tron.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource, Resources } from "../Chain.ts"
import { sameLevels, secondsOf, slowLifetime } from "../feeLevels.ts"
import { unread } from "../tokenList.ts"
import { AccountResources, Sun } from "./TronWire.ts"

// The resource model of Tron (developers.tron.network/docs/resource-model): `/wallet/getchainparameters` has the prices,
// `/wallet/getaccountresource` what an account may use.

/** A signed transfer of TRX, bytes; the network adds 64 to its length for the result. */
const transferBandwidth = 268

const Parameters = Schema.Struct({
  chainParameter: Schema.Array(Schema.Struct({ key: Schema.String, value: Schema.optional(Schema.Unknown) })).pipe(
    Schema.maxItems(1_000)
  )
})

const sun = Schema.decodeUnknownEither(Sun)

const left = (limit: number, used: number) => Math.max(limit - used, 0)

export const make = (trongrid: Upstream): FeeSource => ({
  lifetime: slowLifetime,
  current: trongrid.read(HttpClientRequest.get("/wallet/getchainparameters"), Parameters).pipe(
    Effect.flatMap(({ chainParameter }) => {
      const parameter = (name: string) => sun(chainParameter.find(({ key }) => key === name)?.value)
      return Either.mapLeft(
        Either.all({
          energy: parameter("getEnergyFee"),
          bandwidth: parameter("getTransactionFee"),
          newAccount: Either.right({
            contract: parameter("getCreateNewAccountFeeInSystemContract"),
            bandwidth: parameter("getCreateAccountFee")
          })
        }),
        () => trongrid.fault(noPrices)
      )
    }),
    Effect.map(({ bandwidth, energy, newAccount }) => ({
      family: "tron" as const,
      levels: sameLevels(
        "tron",
        {
          rates: { energyPriceSun: String(energy), bandwidthPriceSun: String(bandwidth) },
          transfer: Either.right(bandwidth * BigInt(transferBandwidth))
        },
        secondsOf(1, tron.blockTime)
      ),
      basis: {
        transferBandwidth,
        newAccountFeeSun: Either.getOrNull(
          Either.zipWith(newAccount.contract, newAccount.bandwidth, (fee, forBandwidth) => String(fee + forBandwidth))
        )
      },
      transfer: `a transfer of TRX to an active account, ${transferBandwidth} bytes of bandwidth`
    })),
    Effect.mapError(unread),
    span("Tron.fees")
  ),
  resources: (address) =>
    trongrid
      .read(
        HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/wallet/getaccountresource"), {
          address,
          visible: true
        }),
        AccountResources
      )
      .pipe(
        Effect.map((account): Resources => {
          const freeBandwidth = left(account.freeNetLimit, account.freeNetUsed)
          const stakedBandwidth = left(account.NetLimit, account.NetUsed)
          return {
            freeBandwidth,
            stakedBandwidth,
            stakedEnergy: left(account.EnergyLimit, account.EnergyUsed),
            coverTransfer: Math.max(freeBandwidth, stakedBandwidth) >= transferBandwidth
          }
        }),
        Effect.mapError(unread),
        span("Tron.resources")
      )
})

const noPrices: Fault = { reason: "bad_answer", detail: "returned no prices of energy and bandwidth" }
