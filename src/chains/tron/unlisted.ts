import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import { each } from "../../kernel/each.ts"
import type { TokenList } from "../../providers/TokenRegistry.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { missingTokens, unread } from "../kit/holdings/tokenList.ts"
import {
  type Declared,
  inTime,
  maxUnlisted,
  noBalance,
  notIn,
  readUnlisted,
  type Unlisted
} from "../kit/holdings/unlisted.ts"
import type { TronProvider } from "./Provider.ts"
import * as TronAddress from "./TronAddress.ts"

/**
 * The tokens of addresses that are not listed. Which exist is read from the index, which knows those that had a transfer
 * event; how much an address has, and the decimals, from the contracts.
 */
export const unlistedOf = (
  trongrid: TronProvider,
  addresses: ReadonlyArray<string>,
  known: Option.Option<TokenList>,
  time: number
): ReturnType<typeof readUnlisted> =>
  inTime(
    time,
    addresses,
    Effect.flatMap(
      each(addresses, (address) =>
        Effect.map(Effect.either(ownedBy(trongrid, address, known)), Either.mapLeft(unread))
      ),
      (read) => readUnlisted(read, declaredBy(trongrid))
    )
  )

const ownedBy = (
  trongrid: TronProvider,
  address: string,
  known: Option.Option<TokenList>
): Effect.Effect<Either.Either.Right<Unlisted>, UpstreamError> =>
  Effect.gen(function* () {
    const { trc20 } = yield* trongrid.indexed(address)
    const contracts = new Set(trc20.filter(Predicate.isRecord).flatMap((entry) => Object.keys(entry)))
    const parsed = Array.from(contracts, TronAddress.parse)
    const candidates = notIn(
      known,
      parsed.flatMap((contract) => (Either.isRight(contract) ? [{ address: contract.right, amount: undefined }] : []))
    )
    const holder = TronAddress.toEvm(address)
    const called = candidates.slice(0, maxUnlisted)
    const amounts =
      called.length === 0
        ? []
        : yield* trongrid.balances(called.map((token) => ({ holder, token: TronAddress.toEvm(token.address) })))
    const owned = called.map((token, index) => ({
      address: token.address,
      amount: Option.getOrUndefined(amounts[index] ?? Option.none())
    }))
    const isWhole = parsed.every(Either.isRight) && trc20.every(Predicate.isRecord)
    return {
      owned: owned.filter(({ amount }) => amount !== undefined && amount > 0n),
      more: candidates.length - called.length,
      unread:
        missingTokens(known) ??
        (isWhole ? undefined : nameless) ??
        (owned.some(({ amount }) => amount === undefined) ? noBalance : undefined)
    }
  })

/** The decimals that tokens declare; null for those that declare none. */
const declaredBy = (trongrid: TronProvider) => (tokens: ReadonlyArray<string>) =>
  Effect.match(trongrid.allDecimals(tokens), {
    onFailure: (error) => new Map(tokens.map((token) => [token, Either.left(unread(error))] as const)),
    onSuccess: (found) =>
      new Map(
        tokens.map((token, index): readonly [string, Either.Either<Declared | null, ReadFailure>] => [
          token,
          Either.right(
            Option.getOrNull(Option.map(found[index] ?? Option.none<number>(), (decimals) => ({ decimals })))
          )
        ])
      )
  })

const nameless: ReadFailure = { reason: "bad_answer", message: "the index returned tokens without a contract" }
