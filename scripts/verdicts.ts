import { readFileSync } from "node:fs"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { CoinId } from "../src/domain/CoinId.ts"
import { verdictReasons } from "../src/domain/tokens/Verdict.ts"
import { judge, listedTexts } from "../src/features/tokens/verdict.ts"
import { listOf, type RegisteredToken } from "../src/providers/TokenRegistry.ts"

// Judges every token of real token lists (NETWORK=FILE, in the format of tokenlists.org) as if no list had it, and prints
// how many get each reason: false alarms, or copies. `extensions.coingeckoId` says which contracts are of one coin.

interface ListedEntry extends Pick<RegisteredToken, "address" | "decimals" | "name" | "symbol"> {
  readonly extensions?: { readonly coingeckoId?: string }
}

const isCoin = /^[\w.-]+$/

const lists = new Map(
  process.argv.slice(2).map((argument) => {
    const [id, file = ""] = argument.split("=")
    const facts = Catalogue.all.find((network) => network.id === id)
    const { tokens }: { readonly tokens: ReadonlyArray<ListedEntry> } = JSON.parse(readFileSync(file, "utf8"))
    const known = tokens.flatMap(({ address, decimals, extensions, name, symbol }): ReadonlyArray<RegisteredToken> => {
      const coin = extensions?.coingeckoId ?? ""
      return isCoin.test(coin) ? [{ address, coinId: CoinId.make(coin), decimals, name, symbol, thumbnail: "" }] : []
    })
    return [facts?.platform ?? "", listOf(known, 0)] as const
  })
)
const listed = listedTexts(lists, Catalogue.all)
const counts = new Map<string, number>()
const count = (what: string) => counts.set(what, (counts.get(what) ?? 0) + 1)
for (const { id, platform } of Catalogue.all)
  for (const { address, name, symbol } of lists.get(platform ?? "")?.tokens ?? []) {
    const token = { network: id, address, name, symbol, hasPrice: true }
    count(`as listed: ${judge({ ...token, listed: true }, listed).verdict}`)
    const { reasons, verdict } = judge({ ...token, listed: false }, listed)
    count(`as unlisted: ${verdict}`)
    for (const reason of reasons) count(reason)
  }
const order = [...counts.keys()].filter((what) => what.startsWith("as "))
console.table(
  [...order, ...verdictReasons].flatMap((what) => (counts.has(what) ? [{ what, tokens: counts.get(what) }] : []))
)
