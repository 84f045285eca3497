import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { AbilitySources, Chain, FirstTransaction } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { type Explorer, unserved } from "./history/Explorers.ts"
import * as OldestListed from "./history/OldestListed.ts"
import * as Quantity from "./Quantity.ts"

/**
 * Finds the oldest transaction that names an address in the lists of explorers. Only Etherscan lists coins of the first
 * block; without it, a node with the state of that block is called.
 */
export const make = (facts: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) => {
  const oldestListed = OldestListed.make(facts.genesis)
  const numberOf = Quantity.make(nodes)

  /** Whether an address had coins in the first block; undefined if no node has the state of that block. */
  const givenAtFirst = (address: string) =>
    Effect.map(numberOf("eth_getBalance", address, "0x0"), (balance) =>
      balance === undefined ? undefined : balance > 0n
    )

  /** Why an explorer's empty response cannot be right; undefined if it may be. */
  const contradiction = (address: string) =>
    Effect.map(
      Effect.all(
        [numberOf("eth_getTransactionCount", address, "latest"), numberOf("eth_getBalance", address, "latest")],
        { concurrency: "unbounded" }
      ),
      ([sent = 0n, balance = 0n]) =>
        sent > 0n
          ? "returned no transactions of an address that has sent some"
          : balance > 0n
            ? "returned no transactions of an address that has coins"
            : undefined
    )

  const seek = (
    among: ReadonlyArray<Explorer>,
    address: string
  ): Effect.Effect<Option.Option<FirstTransaction>, UpstreamError> =>
    Effect.gen(function* () {
      const { first, partial, returnsGenesis } = yield* oldestListed(among, address)
      const { genesis } = facts
      const given = genesis === undefined || returnsGenesis ? false : yield* givenAtFirst(address)
      if (genesis !== undefined && given === true) return Option.some({ at: genesis })
      const [preferred, ...others] = among
      if (first !== undefined) {
        if (partial && others.length > 0) {
          const second = yield* Effect.orElseSucceed(seek(others, address), () => Option.none())
          if (Option.exists(second, ({ at }) => at <= first.at)) return second
        }
        const uncertainty = partial ? unprocessed : given === undefined ? unremembered : undefined
        return Option.some({ at: first.at, ...(uncertainty === undefined ? {} : { uncertainty }) })
      }
      const wrong = partial ? unprocessed : yield* contradiction(address)
      if (wrong === undefined || preferred === undefined) return Option.none()
      return yield* others.length > 0
        ? seek(others, address)
        : preferred.upstream.fault({ reason: "bad_answer", detail: wrong })
    })

  const off = unserved(facts, explorers)
  const firstTransaction: Chain["Type"]["firstTransaction"] = (address) =>
    off === undefined
      ? seek(explorers, address).pipe(
          Effect.mapError(unread),
          span("Evm.firstTransaction", { attributes: { network: facts.id } })
        )
      : Effect.fail(off)
  const served: AbilitySources =
    facts.firstTransactions === false
      ? Either.left("first transactions are looked up on other networks only")
      : off === undefined
        ? Either.right(explorers.map(({ name }) => name))
        : Either.left(off.message)
  return { served, ...(facts.firstTransactions === false ? {} : { firstTransaction }) }
}

const unprocessed = "not all internal transfers are processed yet: there may be an older one"
const unremembered = "it may have had coins in the first block: no node has the state of that block"
