import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Order from "effect/Order"
import type { Holding } from "../../chains/Chain.ts"
import { type UnlistedTokens, unreadUnlisted } from "../../chains/kit/holdings/unlisted.ts"
import type { Balance, UnlistedMeta } from "../../domain/Balance.ts"
import type { TokenName } from "../../domain/tokens/TokenFacts.ts"
import type { Judgement } from "../../domain/tokens/Verdict.ts"
import { each } from "../../kernel/each.ts"
import { inTurn } from "../../kernel/Scheduler.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import type { Judged } from "../tokens/verdict.ts"
import type { AddressRead } from "./readAddresses.ts"

/** An address whose rows are complete but for its unlisted tokens. */
interface Valued extends AddressRead {
  readonly rows: ReadonlyArray<Balance>
}

/** Judges a token by the tokens that are listed now. */
export type Judge = (token: Judged) => Judgement

/** Makes the row of an unlisted token, without its verdict. */
type RowOf = (read: AddressRead, holding: Holding) => Balance

const bySuspicion = Order.mapInput(Order.boolean, ({ verdict }: Balance) => verdict === "suspicious")

/**
 * Adds the unlisted tokens to the rows of each address, after its listed ones and the suspicious ones last, and marks all
 * tokens with their verdicts. The names of tokens are read for at most `within` ms: they are empty then. Cannot fail.
 */
export const withUnlisted = <A extends Valued>(
  reads: ReadonlyArray<A>,
  judge: Judge,
  rowOf: RowOf,
  within: number
): Effect.Effect<ReadonlyArray<A>> =>
  Effect.gen(function* () {
    const names = yield* namesOf(reads, within)
    return yield* inTurn(reads, (read) => {
      const unlisted = unlistedOf(read)
      const named = unlisted.tokens.map((holding) => rowOf(read, withName(holding, names.get(read.network))))
      const marked = (row: Balance, listed: boolean): Balance => ({
        ...row,
        listed,
        ...judge({
          network: row.blockchain,
          address: row.contractAddress ?? "",
          name: row.tokenName,
          symbol: row.tokenSymbol,
          listed,
          hasPrice: row.tokenPrice !== null,
          signs: unlisted.scams?.has(row.contractAddress ?? "") === true ? ["source-says-scam"] : []
        })
      })
      const listed = read.rows.map((row): Balance => {
        if (row.contractAddress !== null) return marked(row, true)
        return { ...row, unlisted: metaOf(unlisted) }
      })
      const others = named.map((row) => marked(row, false))
      return { ...read, rows: [...listed, ...Arr.sort(others, bySuspicion)] }
    })
  })

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
          : timeoutTo(network.tokenNames(Arr.dedupe(open)), {
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
