import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { Holding, ReadFailure } from "../../chains/Chain.ts"
import { maxText, type UnlistedTokens, unreadUnlisted } from "../../chains/kit/holdings/unlisted.ts"
import type { Balance, UnlistedMeta } from "../../domain/Balance.ts"
import * as Multiplier from "../../domain/Multiplier.ts"
import type { Price } from "../../domain/Price.ts"
import type { TokenName } from "../../domain/tokens/TokenFacts.ts"
import { type Judgement, verdictReasons } from "../../domain/tokens/Verdict.ts"
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
    const all = reads.flatMap((read) => {
      const unlisted = unlistedOf(read)
      return unlisted.tokens.map((holding) => ({
        read,
        ...named(holding, names.get(read.network)),
        scams: unlisted.scams
      }))
    })
    const judged = yield* inTurn(all, (token) => ({ ...token, ...judgementOf(token, judge) }))
    const isTrusted = ({ holding, isNamed, verdict }: JudgedToken) =>
      isNamed && verdict === "unknown" && Multiplier.inForce(holding.scaling) === undefined
    const trusted = judged.flatMap((token) => (isTrusted(token) ? contractOf(token.read.network, token.holding) : []))
    const prices = trusted.length === 0 ? new Map<string, Price>() : yield* pricesOf(trusted, within / 2)
    const shown = yield* inTurn(judged, (token) => {
      const [contract] = isTrusted(token) ? contractOf(token.read.network, token.holding) : []
      const price = contract === undefined ? undefined : prices.get(contractKey(contract))
      const { row, worth } = rowOf(token.read, token.holding, price)
      const { isNamed, reasons, verdict } = token
      const known = row.tokenPrice === null ? withoutPrice(reasons) : reasons
      return { read: token.read, isNamed, worth, row: { ...row, listed: false, verdict, reasons: known } }
    })
    const byRead = Map.groupBy(shown, ({ read }) => read)
    return yield* inTurn(reads, (read) => {
      const others = byRead.get(read) ?? []
      const meta = metaOf(
        unlistedOf(read),
        others.every(({ isNamed }) => isNamed)
      )
      const rows = read.rows.map(
        (row): Balance =>
          row.contractAddress === null ? { ...row, unlisted: meta } : { ...row, listed: true, ...judge(judgedRow(row)) }
      )
      return { ...read, rows: [...rows, ...others.toSorted(byTrust).map(({ row }) => row)] }
    })
  })

/** An unlisted token of an address. */
interface UnlistedHolding {
  readonly read: AddressRead
  readonly holding: Holding
  /** Whether its name was read, which may be empty. */
  readonly isNamed: boolean
  readonly scams: ReadonlySet<string> | undefined
}

interface JudgedToken extends UnlistedHolding, Judgement {}

const judgementOf = (
  { holding: { asset }, isNamed, read: { network }, scams }: UnlistedHolding,
  judge: Judge
): Judgement => {
  const { address, name, symbol } = asset === "native" ? { address: "", name: "", symbol: "" } : asset
  const signs = scams?.has(address) === true ? (["source-says-scam"] as const) : []
  const found = judge({ network: network.facts.id, address, name, symbol, listed: false, hasPrice: true, signs })
  return isNamed ? found : { ...found, reasons: found.reasons.filter((reason) => reason !== "no-name") }
}

/** Adds the reason that no source has a price, in the order of reasons. */
const withoutPrice = (reasons: Judgement["reasons"]): Judgement["reasons"] =>
  verdictReasons.filter((reason) => reason === "no-price" || reasons.includes(reason))

const judgedRow = ({ blockchain, contractAddress, tokenName, tokenPrice, tokenSymbol }: Balance): Judged => ({
  network: blockchain,
  address: contractAddress ?? "",
  name: tokenName,
  symbol: tokenSymbol,
  listed: true,
  hasPrice: tokenPrice !== null
})

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

const metaOf = ({ omitted, unread, withoutDecimals }: UnlistedTokens, areNamed: boolean): UnlistedMeta => {
  const reason = unread ?? (areNamed ? undefined : unnamed)
  return {
    complete: reason === undefined && omitted === 0 && withoutDecimals === 0,
    truncated: omitted,
    withoutDecimals,
    ...(reason === undefined ? {} : { error: reason.message, errorCode: reason.reason })
  }
}

const unnamed: ReadFailure = { reason: "bad_answer", message: "the names of some tokens could not be read" }

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

/** Adds the name of a token, if it did not come with the balance. The decimals are those of the reading of the balance. */
const named = (holding: Holding, names: Names = new Map()): Pick<UnlistedHolding, "holding" | "isNamed"> => {
  const { asset } = holding
  if (asset === "native" || asset.name !== "" || asset.symbol !== "") return { holding, isNamed: true }
  const own = names.get(asset.address)
  if (own === undefined) return { holding, isNamed: false }
  const [name, symbol] = [own.name.slice(0, maxText), own.symbol.slice(0, maxText)]
  return { holding: { ...holding, asset: { ...asset, name, symbol } }, isNamed: true }
}
