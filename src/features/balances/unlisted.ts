import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { Holding } from "../../chains/Chain.ts"
import { type UnlistedTokens, unreadUnlisted } from "../../chains/kit/holdings/unlisted.ts"
import type { Balance, UnlistedMeta } from "../../domain/Balance.ts"
import * as Multiplier from "../../domain/Multiplier.ts"
import type { Price } from "../../domain/Price.ts"
import type { TokenName } from "../../domain/tokens/TokenFacts.ts"
import type { Judgement } from "../../domain/tokens/Verdict.ts"
import { each } from "../../kernel/each.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { contractKey } from "../../providers/DefiLlama.ts"
import type { ContractPrices } from "../prices/ContractPrices.ts"
import type { Contract } from "../prices/PriceSource.ts"
import { llamaChains } from "../prices/Pricing.ts"
import type { Judged } from "../tokens/verdict.ts"
import type { AddressRead } from "./readAddresses.ts"
import { byWorth, type toBalance } from "./rows.ts"

/** An address whose rows are complete but for its unlisted tokens. */
interface Valued extends AddressRead {
  readonly rows: ReadonlyArray<Balance>
}

/** Judges a token by the tokens that are listed now. */
export type Judge = (token: Judged) => Judgement

/** Makes the row of an unlisted token, without its verdict. */
type RowOf = (read: AddressRead, holding: Holding, price: Price | undefined) => ReturnType<typeof toBalance>

type ValuedRow = ReturnType<RowOf>

/** By value, then by trust: priced tokens first, suspicious ones last. They have no price. */
const byTrust = Order.combine(
  Order.make<ValuedRow>((a, b) => Math.sign(byWorth(a, b)) as -1 | 0 | 1),
  Order.mapInput(Order.boolean, ({ row }: ValuedRow) => row.verdict === "suspicious")
)

/** Prices of contracts; see {@link ContractPrices}. */
type PricesOf = (typeof ContractPrices.Service)["of"]

/**
 * Adds the unlisted tokens to the rows of each address, after its listed ones and the suspicious ones last, and marks all
 * tokens with their verdicts. Names and prices are read for at most `within` ms: without them, they are empty. A suspicious
 * token has no price. Cannot fail.
 */
export const withUnlisted = <A extends Valued>(
  reads: ReadonlyArray<A>,
  judge: Judge,
  pricesOf: PricesOf,
  rowOf: RowOf,
  within: number
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const names = yield* namesOf(reads, within / 2)
    const judged = reads.map((read) => {
      const unlisted = unlistedOf(read)
      const named = unlisted.tokens.map((holding) => withName(holding, names.get(read.network)))
      const judgementOf = (holding: Holding, hasPrice: boolean) => judge(judgedOf(read, holding, unlisted, hasPrice))
      return { read, unlisted, named, judgementOf }
    })
    const trusted = judged.flatMap(({ judgementOf, named, read: { network } }) =>
      named.flatMap((holding) =>
        Multiplier.inForce(holding.scaling) === undefined && judgementOf(holding, false).verdict === "unknown"
          ? contractOf(network, holding)
          : []
      )
    )
    const prices = trusted.length === 0 ? new Map<string, Price>() : yield* pricesOf(trusted, within / 2)
    return yield* inTurn(judged, ({ judgementOf, named, read, unlisted }) => {
      const others = named.map((holding) => {
        const [contract] = contractOf(read.network, holding)
        const isTrusted = contract !== undefined && judgementOf(holding, false).verdict === "unknown"
        const price = isTrusted ? prices.get(contractKey(contract)) : undefined
        const { row, worth } = rowOf(read, holding, price)
        return { worth, row: { ...row, listed: false, ...judgementOf(holding, row.tokenPrice !== null) } }
      })
      const rows = read.rows.map((row): Balance => {
        if (row.contractAddress === null) return { ...row, unlisted: metaOf(unlisted) }
        return { ...row, listed: true, ...judge(judgedRow(row)) }
      })
      return { ...read, rows: [...rows, ...others.sort(byTrust).map(({ row }) => row)] }
    })
  })

const judgedRow = ({ blockchain, contractAddress, tokenName, tokenPrice, tokenSymbol }: Balance): Judged => ({
  network: blockchain,
  address: contractAddress ?? "",
  name: tokenName,
  symbol: tokenSymbol,
  listed: true,
  hasPrice: tokenPrice !== null
})

const judgedOf = (
  { network: { facts } }: AddressRead,
  { asset }: Holding,
  { scams }: UnlistedTokens,
  hasPrice: boolean
): Judged => {
  const { address, name, symbol } = asset === "native" ? { address: "", name: "", symbol: "" } : asset
  const signs = scams?.has(address) === true ? (["source-says-scam"] as const) : []
  return { network: facts.id, address, name, symbol, listed: false, hasPrice, signs }
}

/** The contract of a token at the source of prices; empty if that does not have the network. */
const contractOf = ({ facts: { platform } }: AddressRead["network"], { asset }: Holding): ReadonlyArray<Contract> => {
  const chain = llamaChains.get(platform ?? "")
  return chain === undefined || asset === "native" ? [] : [{ chain, address: asset.address }]
}

/** The unlisted tokens of an address, or why they are missing. */
const unlistedOf = ({ missing, network, rows, unlisted, whole }: Valued): UnlistedTokens => {
  if (unlisted !== undefined) return unlisted
  if (whole && missing === undefined)
    return unreadUnlisted({ reason: "not_listed", message: `no source lists the tokens of ${network.facts.name}` })
  const [native] = rows
  return unreadUnlisted(
    missing ?? { reason: native?.errorCode ?? "upstream_error", message: native?.error ?? "the address was not read" }
  )
}

const metaOf = ({ omitted, unread, withoutDecimals }: UnlistedTokens): UnlistedMeta => ({
  complete: unread === undefined && omitted === 0,
  truncated: omitted,
  withoutDecimals,
  ...(unread === undefined ? {} : { error: unread.message, errorCode: unread.reason })
})

type Names = ReadonlyMap<string, TokenName>

/** The names of the unlisted tokens of each network, if they did not come with the balances. */
const namesOf = (
  reads: ReadonlyArray<AddressRead>,
  duration: number
): Effect.Effect<ReadonlyMap<AddressRead["network"], Names>> =>
  Effect.map(
    each([...Map.groupBy(reads, ({ network }) => network)], ([network, some]) => {
      const open = some.flatMap(({ unlisted }) =>
        (unlisted?.tokens ?? []).flatMap(({ asset }) =>
          asset !== "native" && asset.symbol === "" ? [asset.address] : []
        )
      )
      const read =
        open.length === 0 || network.tokenNames === undefined
          ? Effect.succeed<Names>(new Map())
          : timeoutTo(network.tokenNames([...new Set(open)]), {
              duration,
              onTimeout: () => Effect.succeed<Names>(new Map())
            })
      return Effect.map(read, (names) => [network, names] as const)
    }),
    (all) => new Map(all)
  )

/** The decimals are those of the reading of the balance. */
const withName = (holding: Holding, names: Names = new Map()): Holding => {
  const { asset } = holding
  const own = asset === "native" ? undefined : names.get(asset.address)
  return asset === "native" || own === undefined
    ? holding
    : { ...holding, asset: { ...asset, name: own.name, symbol: own.symbol } }
}
