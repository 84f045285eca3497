import * as Effect from "effect/Effect"
import { each } from "../../../kernel/each.ts"
import type { Explorer } from "./Explorers.ts"
import type * as ExplorerWire from "./ExplorerWire.ts"
import * as FirstExplorer from "./FirstExplorer.ts"
import * as Oldest from "./Oldest.ts"

/**
 * Finds the oldest row on all lists of explorers that name an address. All lists are needed: an address that was only
 * paid by contracts, or in tokens, is not on the list of transactions.
 */
export const make = (genesis: number | undefined) => {
  const firstExplorer = FirstExplorer.make()

  const listed = <K extends ExplorerWire.Kind>(
    among: ReadonlyArray<Explorer>,
    kind: K,
    address: string,
    before: number | undefined
  ) => firstExplorer(among, (explorer) => Oldest.readOldest(explorer, kind, address, { before, genesis }))

  /** The lists of all kinds of tokens. */
  const tokens = (among: ReadonlyArray<Explorer>, address: string, before: number | undefined) =>
    firstExplorer(among, (explorer) =>
      each(["tokentx", ...(explorer.nfts ?? [])], (action) =>
        Oldest.readOldest(explorer, "tokentx", address, { before, genesis, action })
      )
    )

  return (among: ReadonlyArray<Explorer>, address: string) =>
    Effect.gen(function* () {
      const own = yield* listed(among, "txlist", address, undefined)
      const before = own.first?.block
      if (before === 0) return { first: own.first, returnsGenesis: true, partial: false }
      const [internal, received] = yield* Effect.all(
        [listed(among, "txlistinternal", address, before), tokens(among, address, before)],
        { concurrency: "unbounded" }
      )
      const all = [own, internal, ...received]
      const [first] = all.flatMap(({ first }) => first ?? []).sort((a, b) => a.block - b.block)
      return { first, returnsGenesis: own.explorer.listsGenesis === true, partial: all.some(({ partial }) => partial) }
    })
}
