import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { LeverAbility } from "../upstream/levers/Lever.ts"
import { CurrentUse } from "../upstream/levers/Levers.ts"
import type { Chain, FeeSource, ReadSigned } from "./Chain.ts"

type Uses = <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const usesOf =
  (network: string) =>
  (ability?: LeverAbility): Uses => {
    const use = ability === undefined ? { network } : { network, ability }
    return (effect) => Effect.provideService(effect, CurrentUse, use)
  }

/** The effect that a parsed text has, with its use. */
const sends =
  (uses: Uses) =>
  <S extends { readonly send: Effect.Effect<unknown, unknown> }>(signed: S): S => ({
    ...signed,
    send: uses(signed.send)
  })

/** Says of every read of a network which ability it is for, so that levers of one ability apply to it. */
export const withUses = (chain: Context.Tag.Service<Chain>): Context.Tag.Service<Chain> => {
  const of = usesOf(chain.facts.id)
  const [any, balance, raw, fees, contexts] = [
    of(),
    of("balance"),
    of("rawTransactions"),
    of("fees"),
    of("transactionContext")
  ]
  const { breakdown, displayedPrices, estimate, firstTransaction, history, newestBlock, protocolParameters } = chain
  const { fees: source, rawTransactions, recipient, replacement, scalings, sending, statuses, transaction } = chain
  const { transactionContexts } = chain
  return {
    ...chain,
    holdings: (addresses, options) => balance(chain.holdings(addresses, options)),
    holding: (address, token) => balance(chain.holding(address, token)),
    abilities: any(chain.abilities),
    ...(scalings && { scalings: (tokens) => balance(scalings(tokens)) }),
    ...(displayedPrices && { displayedPrices: (tokens) => balance(displayedPrices(tokens)) }),
    ...(breakdown !== undefined &&
      breakdown !== "whole" && {
        breakdown: { ...breakdown, read: (addresses) => balance(breakdown.read(addresses)) }
      }),
    ...(history && { history: (query) => of("history")(history(query)) }),
    ...(newestBlock && { newestBlock: any(newestBlock) }),
    ...(statuses && { statuses: { ...statuses, read: (hashes) => raw(statuses.read(hashes)) } }),
    ...(transaction && { transaction: (hash) => raw(transaction(hash)) }),
    ...(replacement && { replacement: (hash) => raw(replacement(hash)) }),
    ...(rawTransactions && { rawTransactions: withRawUses(rawTransactions, raw) }),
    ...(sending && {
      sending: {
        main: reading(sending.main, raw),
        ...(sending.testnet && { testnet: reading(sending.testnet, raw) })
      }
    }),
    ...(estimate && { estimate: (unsigned) => fees(estimate(unsigned)) }),
    ...(source && { fees: withFeeUses(source, fees) }),
    ...(recipient && { recipient: (address) => any(recipient(address)) }),
    ...(firstTransaction && { firstTransaction: (address) => of("firstTransaction")(firstTransaction(address)) }),
    ...(protocolParameters && {
      protocolParameters: { current: contexts(protocolParameters.current), block: contexts(protocolParameters.block) }
    }),
    ...(transactionContexts && {
      transactionContexts: (addresses) =>
        contexts(Effect.map(transactionContexts(addresses), (read) => (address) => contexts(read(address))))
    })
  }
}

const reading =
  (read: ReadSigned, raw: Uses): ReadSigned =>
  (text) =>
    Either.map(read(text), sends(raw))

const withFeeUses = ({ current, resources, ...source }: FeeSource, fees: Uses): FeeSource => ({
  ...source,
  current: fees(current),
  ...(resources && { resources: (address) => fees(resources(address)) })
})

const withRawUses = (
  { prepareLookup, prepareSend }: NonNullable<Context.Tag.Service<Chain>["rawTransactions"]>,
  raw: Uses
): NonNullable<Context.Tag.Service<Chain>["rawTransactions"]> => ({
  prepareLookup: (text) => Either.map(prepareLookup(text), raw),
  ...(prepareSend && { prepareSend: (text) => Either.map(prepareSend(text), sends(raw)) })
})
