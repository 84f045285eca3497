import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address as EvmAddress } from "viem"
import type * as Client from "../../../jsonrpc/Client.ts"
import { decodeQuantity, decodeWord, encodeBalanceOf } from "../multicall.ts"

export { callAll } from "../../../jsonrpc/callAll.ts"

export const balanceOf = (holder: EvmAddress, token: EvmAddress, block = "latest"): Client.ClientCall => ({
  method: "eth_call",
  params: [{ to: token, data: encodeBalanceOf(holder) }, block]
})

/** The call format for results of contracts. */
export const ofContracts = { ofContracts: true }

/** The first word of a result. */
export const word = (outcome: Client.Outcome | undefined) => text(outcome, decodeWord)

/** The quantity in a result. */
export const quantity = (outcome: Client.Outcome | undefined) => text(outcome, decodeQuantity)

/** The code of an account, hex. */
export const codeIn = (outcome: Client.Outcome | undefined) =>
  text(outcome, (hex) => (/^0x([0-9a-f]{2})*$/i.test(hex) ? Option.some(hex) : Option.none()))

const text = <A>(outcome: Client.Outcome | undefined, decode: (hex: string) => Option.Option<A>) =>
  outcome !== undefined && Either.isRight(outcome) && typeof outcome.right === "string"
    ? decode(outcome.right)
    : Option.none<A>()
