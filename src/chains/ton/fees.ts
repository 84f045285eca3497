import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { ton } from "../../catalogue/ton.ts"
import * as Amount from "../../domain/Amount.ts"
import { span } from "../../kernel/span.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { FeeSource } from "../Chain.ts"
import { ofSources } from "../kit/fees/comparedFees.ts"
import { ceilDiv, sameLevels, secondsOf, slowLifetime } from "../kit/fees/feeLevels.ts"
import { type TonPrices, type TonProvider, type TonProviders, timedOut } from "./Provider.ts"

// Fees of TON (docs.ton.org, "Transaction fees"): parameter 21 of the configuration has the gas prices, parameter 25
// the message prices, both of the basechain.

/** Gas of a v4 R2 wallet that sends one message without a comment; equal for every transfer. */
const transferGas = 3308n

/**
 * The external message has one cell besides its root: the internal message with 1 TON. Its bits: flags and empty source
 * 6, destination 267, amount 36, no other currencies 1, fees 8, timestamps 96, no state and no body 2.
 */
const transferBits = 416n

const shared = 65_536n

const gasFee = ({ flatLimit, flatPrice, price }: TonPrices["gas"], gas: bigint): bigint =>
  gas <= flatLimit ? flatPrice : flatPrice + ceilDiv(price * (gas - flatLimit), shared)

const messageFee = ({ bit, cell, lump }: TonPrices["message"], bits: bigint, cells: bigint): bigint =>
  lump + ceilDiv(bit * bits + cell * cells, shared)

/** Converts 1/65536 units to a decimal; exact, because the divisor is a power of two. */
const decimal = (price: bigint): string => Amount.format((price * 10n ** 16n) / shared, 16)

/** Reads the prices from TonAPI, which needs one call, or else from TON Center, which needs two. */
export const fees = (providers: TonProviders): FeeSource => ({
  lifetime: slowLifetime,
  current: ofSources(ton, [...providers].reverse(), read, { none: timedOut }).pipe(span("Ton.fees"))
})

const read = ({ prices, fault }: TonProvider) =>
  prices.pipe(
    Effect.filterOrFail(
      ({ gas, message }) => [gas.price, message.lump, message.bit, message.cell].every((price) => price > 0n),
      () => fault(noPrices)
    ),
    Effect.map(({ gas, message }) => ({
      family: "ton" as const,
      levels: sameLevels(
        "ton",
        {
          rates: { gasPriceNanoton: decimal(gas.price) },
          transfer: Either.right(
            messageFee(message, transferBits, 1n) + gasFee(gas, transferGas) + messageFee(message, 0n, 0n)
          )
        },
        secondsOf(1, ton)
      ),
      basis: {
        transferGas: String(transferGas),
        messageLumpNanoton: String(message.lump),
        messageBitNanoton: decimal(message.bit),
        messageCellNanoton: decimal(message.cell)
      },
      transfer: "a transfer of TON without a comment from a wallet v4 R2 to an active account, excluding storage rent"
    }))
  )

const noPrices: Fault = { reason: "bad_answer", detail: "returned no prices for gas and messages" }
