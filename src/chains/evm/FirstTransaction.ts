import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { EvmFacts } from "../../catalogue/EvmFacts.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Chain, FirstTransaction, Served } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { type Explorer, unserved } from "./history/Explorers.ts"
import type * as ExplorerWire from "./history/ExplorerWire.ts"
import * as FirstExplorer from "./history/FirstExplorer.ts"
import * as Oldest from "./history/Oldest.ts"
import * as Quantity from "./Quantity.ts"

/**
 * The oldest transaction that names an address. Explorers return several lists, and all are needed: an address that was
 * only paid by contracts, or in tokens, has no transactions of its own. Coins of the first block are on the list of
 * Etherscan alone; without it a node with the state of that block is called.
 */
export const make = (info: EvmFacts, nodes: Upstream, explorers: ReadonlyArray<Explorer>) => {
  const firstExplorer = FirstExplorer.make()
  const numberOf = Quantity.make(nodes)

  const listed = <K extends ExplorerWire.Kind>(
    among: ReadonlyArray<Explorer>,
    kind: K,
    address: string,
    before: number | undefined
  ) => firstExplorer(among, (explorer) => Oldest.ask(explorer, kind, address, { before, genesis: info.genesis }))

  /** Of all kinds of tokens. */
  const tokens = (among: ReadonlyArray<Explorer>, address: string, before: number | undefined) =>
    firstExplorer(among, (explorer) =>
      each(["tokentx", ...(explorer.nfts ?? [])], (action) =>
        Oldest.ask(explorer, "tokentx", address, { before, genesis: info.genesis, action })
      )
    )

  const lists = (among: ReadonlyArray<Explorer>, address: string) =>
    Effect.gen(function* () {
      const own = yield* listed(among, "txlist", address, undefined)
      const before = own.first?.block
      if (before === 0) return { first: own.first, returnsGenesis: true, partial: false }
      const [internal, received] = yield* Effect.all(
        [listed(among, "txlistinternal", address, before), tokens(among, address, before)],
        { concurrency: "unbounded" }
      )
      const all = [own, internal, ...received]
      const first = all
        .flatMap((item) => (item.first === undefined ? [] : [item.first]))
        .reduce<Oldest.OldestPosition | undefined>(
          (least, element) => (least && least.block <= element.block ? least : element),
          undefined
        )
      return { first, returnsGenesis: own.explorer.listsGenesis === true, partial: all.some(({ partial }) => partial) }
    })

  /** Undefined where no node has the state of the first block. */
  const givenAtFirst = (address: string) =>
    Effect.map(numberOf("eth_getBalance", address, "0x0"), (balance) =>
      balance === undefined ? undefined : balance > 0n
    )

  /** Why an empty response of an explorer cannot be right. */
  const contradiction = (address: string) =>
    Effect.map(
      Effect.all(
        [numberOf("eth_getTransactionCount", address, "latest"), numberOf("eth_getBalance", address, "latest")],
        {
          concurrency: "unbounded"
        }
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
      const { first, partial, returnsGenesis } = yield* lists(among, address)
      const { genesis } = info
      const given = genesis === undefined || returnsGenesis ? false : yield* givenAtFirst(address)
      if (genesis !== undefined && given === true) return Option.some({ at: genesis })
      const [preferred, ...others] = among
      if (first !== undefined) {
        if (partial && others.length > 0) {
          const second = yield* Effect.orElseSucceed(seek(others, address), () => Option.none())
          if (Option.exists(second, ({ at }) => at <= first.at)) return second
        }
        const uncertainty = partial ? unprocessed : given === undefined ? unremembered : undefined
        return Option.some({ at: first.at, ...(uncertainty === undefined ? {} : { uncertainty: uncertainty }) })
      }
      const wrong = partial ? unprocessed : yield* contradiction(address)
      if (wrong === undefined || preferred === undefined) return Option.none()
      return yield* others.length > 0
        ? seek(others, address)
        : preferred.upstream.fault({ reason: "bad_answer", detail: wrong })
    })

  const off = unserved(info, explorers)
  const firstTransaction: Chain["Type"]["firstTransaction"] = (address) =>
    off === undefined
      ? seek(explorers, address).pipe(
          Effect.mapError(unread),
          span("Evm.firstTransaction", { attributes: { network: info.id } })
        )
      : Effect.fail(off)
  const served: Served =
    info.firstTransactions === false
      ? Either.left("first transactions are looked up on other networks only")
      : off === undefined
        ? Either.right(explorers.map(({ name }) => name))
        : Either.left(off.message)
  return { served, ...(info.firstTransactions === false ? {} : { firstTransaction }) }
}

const unprocessed = "not all internal transfers are processed yet: there may be an older one"
const unremembered = "whether it had coins in the first block is not known: no node has the state of that block"
