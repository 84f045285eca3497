import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../catalogue/sui.ts"
import { each } from "../../kernel/each.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance } from "../Chain.ts"
import { byKeyOrFault, impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import * as CoinType from "./CoinType.ts"
import * as GraphQl from "./GraphQl.ts"
import { Balance, Digits } from "./holdings.ts"
import { Page, pageOf, readAllPages } from "./SuiWire.ts"

// Staked SUI is held in separate objects outside the balance, each with its principal (sui-system, staking_pool.move).
// Rewards depend on the pool's exchange rate at unstaking and are not read.

const stakedType = "0x3::staking_pool::StakedSui"

/** Limit of pages with 50 objects each; no address has more stakes. */
const maxPages = 20

const query = `query ($owner: SuiAddress!, $coin: String!, $stake: ObjectFilter, $after: String) {
  chainIdentifier
  address(address: $owner) {
    balance(coinType: $coin) { totalBalance }
    objects(first: 50, after: $after, filter: $stake) {
      ${pageOf("address contents { json }")}
    }
  }
}`

/** The principal is a Move `Balance`: either the bare value or an object that contains it. */
const Principal = Schema.Union(Digits, Schema.Struct({ value: Digits }))

const Stakes = Page(
  Schema.Struct({
    address: Schema.NonEmptyString,
    contents: Schema.Struct({ json: Schema.Struct({ principal: Principal }) })
  })
)

const principalOf = (principal: typeof Principal.Type) =>
  BigInt(typeof principal === "string" ? principal : principal.value)

const readPage = (host: Endpoint, owner: string, after: string | null) =>
  Effect.gen(function* () {
    const variables = { owner, coin: CoinType.sui, stake: { type: stakedType }, after }
    const reply = yield* GraphQl.read(host, query, variables)
    const { balance } = yield* Either.mapLeft(reply.at(["address"], Balance), host.fault)
    const amount = BigInt(balance.totalBalance)
    if (!isPossible(sui)(amount)) return yield* host.fault(impossible)
    return { amount, stakes: Either.mapLeft(reply.at(["address", "objects"], Stakes), host.fault) }
  })

const readAddress = (host: Endpoint, owner: string): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.gen(function* () {
    const { amount, stakes } = yield* readPage(host, owner, null)
    const read = Effect.flatMap(stakes, (first) =>
      readAllPages(first, maxPages, (after) => Effect.flatMap(readPage(host, owner, after), (page) => page.stakes))
    )
    const total = Effect.flatMap(read, ({ last, rows }) => {
      if (last.hasNextPage) return host.fault(endless)
      // By address, because an object may move from one page to the next.
      return Either.match(
        byKeyOrFault(rows.map(({ address, contents }) => [address, principalOf(contents.json.principal)])),
        {
          onLeft: host.fault,
          onRight: (principals) => {
            const staked = [...principals.values()].reduce((sum, principal) => sum + principal, 0n)
            return isPossible(sui)(staked) ? Effect.succeed(staked) : host.fault(impossible)
          }
        }
      )
    })
    return yield* Effect.match(total, {
      onFailure: (error) => ({ amount, parts: { spendable: amount }, missing: unread(error) }),
      onSuccess: (staked) => ({ amount, parts: { spendable: amount, staked } })
    })
  })

const endless: Fault = { reason: "bad_answer", detail: "returned pages without an end" }

/** Reads each address with at least one call. */
export const breakdown = (hosts: Upstream): BreakdownReader => ({
  parts: ["spendable", "staked"],
  read: (addresses) =>
    each(addresses, (owner) =>
      Effect.either(
        Effect.mapError(
          hosts.over((host) => readAddress(host, owner)),
          unread
        )
      )
    )
})
