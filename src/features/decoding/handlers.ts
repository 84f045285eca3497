import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SignedTransaction } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { incomplete, type SignedPayment, type UnknownMember } from "../../chains/kit/sending/content.ts"
import { problemsOf } from "../../chains/kit/sending/outcomes.ts"
import { invalid } from "../../contract/problem/issues.ts"
import type { DecodedTransaction, DecodeRequest } from "../../contract/transactions/DecodingApi.ts"
import * as Amount from "../../domain/Amount.ts"
import { type Millis, now, numberOrNull } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { type AnyNetwork, notValid, supporting } from "../reading.ts"

/** The decimals of a token; undefined if they are not known. */
type DecimalsOf = (token: string) => number | undefined

const amountOf =
  ({ facts }: AnyNetwork, decimalsOf: DecimalsOf) =>
  (payment: SignedPayment) => {
    const { amount, tag, to, token } = payment
    const decimals = token === undefined ? facts.native.decimals : (payment.decimals ?? decimalsOf(token))
    return {
      to: to ?? null,
      token: token ?? null,
      amountBaseUnits: String(amount),
      amount: decimals === undefined ? null : Amount.format(amount, decimals),
      ...(tag === undefined ? {} : { tag })
    }
  }

/** A number of the wire; null if it is absent, or larger than clients read exactly. */
const exact = (value: bigint | undefined): number | null =>
  value === undefined || value > BigInt(Number.MAX_SAFE_INTEGER) ? null : Number(value)

const notListed = "the contract that it calls is not in the loaded list of tokens, so that it may do something else"

const toWire = (
  network: AnyNetwork,
  signed: SignedTransaction,
  decimalsOf: DecimalsOf,
  clock: Millis
): DecodedTransaction => {
  const { assumed = [], calls = [], chainId, fee, from, nonce, payments, unknown: unread } = signed.content()
  const isAssumed = assumed.some((token) => decimalsOf(token) === undefined)
  const unknown = { ...unread, ...incomplete([unread.amounts, isAssumed && notListed]) }
  const { expiry, hash, lastBlock, off, uses } = signed
  return {
    network: network.facts.id,
    hash,
    chainId: exact(chainId),
    from: from ?? null,
    to: [...new Set([...payments.flatMap(({ to }) => to ?? []), ...calls])],
    amounts: payments.map(amountOf(network, decimalsOf)),
    complete: unknown.amounts === undefined,
    fee: fee === undefined ? null : String(fee.amount),
    feeIsMaximum: fee?.isMaximum ?? null,
    nonce: exact(nonce),
    spends: uses !== undefined && "outputs" in uses ? uses.outputs : [],
    expiresAt: Number.isSafeInteger(expiry) ? numberOrNull(expiry) : null,
    lastBlock: numberOrNull(lastBlock),
    problems: [
      ...problemsOf(signed, clock),
      ...(off === undefined ? [] : [{ reason: off.reason, message: `${off.message}.` }])
    ],
    unknown: Object.entries(unknown).map(([member, message]) => ({ member: member as UnknownMember, message }))
  }
}

/** POST /transactions/decode: what a signed transaction would do, by its bytes alone. Calls no upstream. */
export const decoding = Effect.gen(function* () {
  const networks = yield* Chains
  const registry = yield* TokenRegistry
  return Effect.fnUntraced(
    function* ({ payload: { network: name, transaction } }: { readonly payload: DecodeRequest }) {
      const { ability, network } = yield* supporting(networks, name, ({ sending }) => sending)
      const signed = yield* Either.mapLeft(ability.main(transaction), notValid("transaction"))
      const tokens = (yield* registry.lists).get(network.facts.platform ?? "")
      return toWire(network, signed, (token) => tokens?.decimalsOf(token), yield* now)
    },
    Effect.catchTag("NoResult", ({ member = "", message }) => invalid([{ path: member, message }])),
    span("Sending.decode")
  )
})
