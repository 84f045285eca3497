import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { lookups } from "../../kernel/collections/lookups.ts"
import { each } from "../../kernel/each.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { BreakdownReader, DetailedBalance, ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { call, type RippleClient } from "./Client.ts"

// xrpl.org/docs/concepts/accounts/reserves: an account needs a base reserve, plus an increment per object that it owns.
// Validators vote on both amounts; server_info returns them in XRP.

/** The reserve requirements, drops. */
interface Reserves {
  readonly base: bigint
  readonly perObject: bigint
}

/** XRP with up to six decimals; no reserve was ever above 200 XRP. */
const Xrp = Schema.Number.pipe(Schema.between(0, 10_000))
const drops = (xrp: number) => BigInt(Math.round(xrp * 1e6))

const ServerInfo = Schema.Struct({
  info: Schema.Struct({ validated_ledger: Schema.Struct({ reserve_base_xrp: Xrp, reserve_inc_xrp: Xrp }) })
})

const readReserves = (nodes: Upstream) =>
  nodes.over((node) =>
    Effect.flatMap(call(node, "server_info", {}, ServerInfo), (response) =>
      Option.match(response, {
        onNone: () => node.fault({ reason: "bad_answer", detail: "did not return the reserves" }),
        onSome: ({ info: { validated_ledger: ledger } }) =>
          Effect.succeed<Reserves>({ base: drops(ledger.reserve_base_xrp), perObject: drops(ledger.reserve_inc_xrp) })
      })
    )
  )

/** Splits a balance; the reserve is capped at the balance, because a raised reserve may exceed it. */
const toDetail = (
  { drops: amount, objects }: { readonly drops: bigint; readonly objects: number | undefined },
  { base, perObject }: Reserves
): DetailedBalance => {
  if (amount === 0n) return { amount, parts: { spendable: 0n, reserved: 0n } }
  if (objects === undefined) return { amount, parts: {}, missing: uncounted }
  const wanted = base + BigInt(objects) * perObject
  const reserved = wanted < amount ? wanted : amount
  return { amount, parts: { spendable: amount - reserved, reserved } }
}

const uncounted: ReadFailure = { reason: "bad_answer", message: "the node did not return the number of owned objects" }

/** Reads reserves with one call per account, plus one call for the ledger's requirements, cached for ten minutes. */
export const breakdown = (client: RippleClient): Effect.Effect<BreakdownReader> =>
  Effect.map(
    lookups({
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "10 minutes" : 0),
      lookup: (_: "reserves") => readReserves(client.nodes)
    }),
    (reserves) => ({
      parts: ["spendable", "reserved"],
      read: (addresses) =>
        each(addresses, (address) =>
          Effect.zipWith(client.account(address, false), reserves("reserves"), toDetail, { concurrent: true }).pipe(
            Effect.mapError(unread),
            Effect.either
          )
        )
    })
  )
