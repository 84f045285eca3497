import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import type * as Client from "../../../jsonrpc/Client.ts"
import { decodeQuantity, decodeWord, encodeBalanceOf } from "../balanceOf.ts"

export { callAll } from "../../../jsonrpc/callAll.ts"

export const balanceOf = (holder: EvmAddress, token: EvmAddress): Client.ClientCall => ({
  method: "eth_call",
  params: [{ to: token, data: encodeBalanceOf(holder) }, "latest"]
})

/** How results of contracts are decoded. */
export const ofContracts = { ofContracts: true }

/** A result that begins with a word. */
export const word = (outcome: Client.Outcome | undefined) => text(outcome, decodeWord)

/** A result that is a quantity. */
export const quantity = (outcome: Client.Outcome | undefined) => text(outcome, decodeQuantity)

const text = <A>(outcome: Client.Outcome | undefined, decode: (hex: string) => Option.Option<A>) =>
  outcome !== undefined && Either.isRight(outcome) && typeof outcome.right === "string"
    ? decode(outcome.right)
    : Option.none<A>()
