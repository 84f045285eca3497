import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { Api } from "../../contract/Api.ts"
import type { NetworkFees as Wire } from "../../contract/fees/networkFees.ts"
import { NotFound } from "../../contract/Problem.ts"
import { invalid } from "../../contract/problem/issues.ts"
import * as Amount from "../../domain/Amount.ts"
import { type AccountResources, type LevelName, levelNames } from "../../domain/fees/Fees.ts"
import { noPrice } from "../prices/Prices.ts"
import { type FeeReading, NetworkFees } from "./NetworkFees.ts"

type FeeLevel = FeeReading["fees"]["levels"][LevelName]

/** The response: adds decimal amounts and US dollars to the base units. Each null has a reason. */
export const toWire = (reading: FeeReading): Wire => {
  const { account, at, facts, fees } = reading
  const isFree = account !== undefined && Either.isRight(account.resources) && account.resources.right.coverTransfer
  const levels = Object.fromEntries(levelNames.map((name) => [name, toLevel(reading, fees.levels[name], isFree)]))
  const standard = toLevel(reading, fees.levels.standard, isFree)
  const { error, errorCode, transferFee: fee, transferFeeBaseUnits: feeBaseUnits, transferFeeUsd: feeUsd } = standard
  return {
    network: facts.id,
    family: fees.family,
    updatedAt: at ?? null,
    levels,
    basis: fees.basis,
    transfer: {
      description: isFree ? `${fees.transfer}, covered by the free resources of the address` : fees.transfer,
      fee,
      feeBaseUnits,
      feeUsd,
      ...(error === undefined ? {} : { error }),
      ...(errorCode === undefined ? {} : { errorCode })
    },
    ...(account === undefined ? {} : { account: toAccount(account) })
  } as unknown as Wire
}

const toLevel = ({ facts, price }: FeeReading, level: FeeLevel, isFree: boolean) => {
  const baseUnits = level.transferFeeBaseUnits === null ? undefined : isFree ? 0n : BigInt(level.transferFeeBaseUnits)
  const { decimals } = facts.native
  const unit = Option.flatMap(Either.getRight(price), ({ usd }) => Amount.price(usd))
  const usd = Option.flatMap(Option.fromNullable(baseUnits), (amount) =>
    amount === 0n
      ? Option.some("0")
      : Option.map(unit, (decimal) => Amount.plain(Amount.value(amount, decimals, decimal)))
  )
  const isUnpriced = baseUnits !== undefined && Option.isNone(usd)
  const reason = Either.match(price, { onLeft: (left) => left, onRight: () => "no_price" as const })
  return {
    ...level,
    transferFeeBaseUnits: baseUnits === undefined ? null : String(baseUnits),
    transferFee: baseUnits === undefined ? null : Amount.format(baseUnits, decimals),
    transferFeeUsd: Option.getOrNull(usd),
    ...(isUnpriced ? { error: noPrice(reason), errorCode: reason } : {})
  }
}

const toAccount = ({ address, resources }: NonNullable<FeeReading["account"]>): AccountResources =>
  Either.match(resources, {
    onLeft: ({ message, reason }) => ({
      address,
      freeBandwidth: null,
      stakedBandwidth: null,
      stakedEnergy: null,
      error: message,
      errorCode: reason
    }),
    onRight: ({ freeBandwidth, stakedBandwidth, stakedEnergy }) => ({
      address,
      freeBandwidth,
      stakedBandwidth,
      stakedEnergy
    })
  })

export const layer = HttpApiBuilder.group(Api, "fees", (handlers) =>
  Effect.map(NetworkFees, (fees) =>
    handlers.handle("fees", ({ path, urlParams }) =>
      Effect.mapBoth(fees.of(path.network, Option.fromNullable(urlParams.address)), {
        onFailure: ({ kind, message }) =>
          kind === "network" ? new NotFound({ detail: message }) : invalid([{ path: "address", message }]),
        onSuccess: toWire
      })
    )
  )
)
