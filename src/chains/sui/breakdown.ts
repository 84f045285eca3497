import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { sui } from "../../catalogue/sui.ts"
import { each } from "../../kernel/each.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { BreakdownReader, DetailedBalance } from "../Chain.ts"
import { byKeyOrFault, impossible, isPossible } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { SuiProvider } from "./Provider.ts"
import { readAllPages } from "./SuiWire.ts"

// Staked SUI is held in separate objects outside the balance, each with its principal (sui-system, staking_pool.move).
// Rewards depend on the pool's exchange rate at unstaking and are not read.

/** Limit of pages with 50 objects each; no address has more stakes. */
const maxPages = 20

type Stakes = Either.Either.Right<Effect.Effect.Success<ReturnType<SuiProvider["stakes"]>>["stakes"]>

const principalOf = ({ contents: { json } }: Stakes["nodes"][number]) =>
  BigInt(typeof json.principal === "string" ? json.principal : json.principal.value)

const readPage = (provider: SuiProvider, host: Endpoint, owner: string, after: string | null) =>
  Effect.gen(function* () {
    const { amount, stakes } = yield* provider.stakes(host, owner, after)
    if (!isPossible(sui)(amount)) return yield* host.fault(impossible)
    return { amount, stakes: Either.mapLeft(stakes, host.fault) }
  })

const readAddress = (
  provider: SuiProvider,
  host: Endpoint,
  owner: string
): Effect.Effect<DetailedBalance, UpstreamError> =>
  Effect.gen(function* () {
    const { amount, stakes } = yield* readPage(provider, host, owner, null)
    const read = Effect.flatMap(stakes, (first) =>
      readAllPages(first, maxPages, (after) =>
        Effect.flatMap(readPage(provider, host, owner, after), (page) => page.stakes)
      )
    )
    const total = Effect.flatMap(read, ({ last, rows }) => {
      if (last.hasNextPage) return host.fault(endless)
      // By address, because an object may move from one page to the next.
      return Either.match(byKeyOrFault(rows.map((stake) => [stake.address, principalOf(stake)])), {
        onLeft: host.fault,
        onRight: (principals) => {
          const staked = [...principals.values()].reduce((sum, principal) => sum + principal, 0n)
          return isPossible(sui)(staked) ? Effect.succeed(staked) : host.fault(impossible)
        }
      })
    })
    return yield* Effect.match(total, {
      onFailure: (error) => ({ amount, parts: { spendable: amount }, missing: unread(error) }),
      onSuccess: (staked) => ({ amount, parts: { spendable: amount, staked } })
    })
  })

const endless: Fault = { reason: "bad_answer", detail: "returned pages without an end" }

/** Reads each address with at least one call. */
export const breakdown = (provider: SuiProvider): BreakdownReader => ({
  parts: ["spendable", "staked"],
  read: (addresses) =>
    each(addresses, (owner) =>
      Effect.either(
        Effect.mapError(
          provider.hosts.over((host) => readAddress(provider, host, owner)),
          unread
        )
      )
    )
})
