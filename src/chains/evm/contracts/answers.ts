import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { numberToHex } from "viem/utils"
import type { TokenFacts } from "../../../domain/tokens/TokenFacts.ts"
import type { ReadFailure } from "../../Chain.ts"
import { encodeBalanceOf, type MulticallCall } from "../multicall.ts"
import { type ContractResult, unreadResult } from "./readContracts.ts"
import { decimalsIn, nameCalls, textIn, wordIn } from "./tokenNames.ts"

// Calls of a contract, and facts of a token in their results: also on Tron, whose contracts have the same functions.

/** Two accounts without a known key. */
const accounts = [1, 2].map((number) => numberToHex(number, { size: 20 })) as [Address, Address]

const word = (digits: string) => digits.padStart(64, "0")
const interfaceOf = (id: string): Hex => `0x01ffc9a7${id.padEnd(64, "0")}`

/** Functions that any caller must get the same answer from. */
const queries = {
  supply: "0x18160ddd",
  balance: encodeBalanceOf(accounts[0]),
  allowance: `0xdd62ed3e${accounts.map((account) => word(account.slice(2))).join("")}`,
  /** No function that is known has this selector. */
  unknown: `0x0badc0de${word("")}${word("")}`,
  erc165: interfaceOf("01ffc9a7"),
  /** ERC-165 demands that this is false. */
  invalid: interfaceOf("ffffffff"),
  erc721: interfaceOf("80ac58cd"),
  erc1155: interfaceOf("d9b67a26"),
  paused: "0x5c975abb"
} as const satisfies Readonly<Record<string, Hex>>

/** Functions that return an account with rights, or how many have all rights: owner, getOwner, masterMinter and others. */
const authorities: ReadonlyArray<Hex> = [
  "0x8da5cb5b",
  "0x893d20e8",
  "0x35d99f35",
  "0x98e52f9a",
  "0x9fd0506d",
  "0xbd102430",
  `0xca15c873${word("")}`
]

/** The calls about a token: for its names, the queries, and the accounts with rights. */
export const tokenCalls = (target: Address): ReadonlyArray<MulticallCall> => [
  ...nameCalls(target),
  ...[...Object.values(queries), ...authorities].map((callData) => ({ target, callData }))
]

/** As many of {@link tokenCalls} as are repeated without Multicall3: `name` to `balance`. */
export const directCalls = 5

export type Answers = ReturnType<typeof answersOf>

/** The results by their meaning: `name` to `balance` of direct calls, the others of Multicall3. */
export const answersOf = (results: ReadonlyArray<ContractResult>, direct: ReadonlyArray<ContractResult>) => {
  const [
    name = unreadResult,
    symbol = unreadResult,
    decimals = unreadResult,
    supply = unreadResult,
    balance = unreadResult
  ] = direct
  const at = (query: keyof typeof queries) => results[3 + Object.keys(queries).indexOf(query)] ?? unreadResult
  const is = (query: keyof typeof queries) => Option.contains(wordIn(at(query)), 1n)
  const isErc165 = is("erc165") && Option.contains(wordIn(at("invalid")), 0n)
  return {
    name,
    symbol,
    decimals,
    supply,
    balance,
    standard: isErc165 && is("erc721") ? "ERC-721" : isErc165 && is("erc1155") ? "ERC-1155" : "ERC-20",
    isPaused: is("paused"),
    hasAuthority: results
      .slice(3 + Object.keys(queries).length)
      .some((result) => Option.exists(wordIn(result), isAccount)),
    isInconsistent:
      Option.exists(wordIn(at("allowance")), (allowed) => allowed !== 0n) ||
      Option.isSome(wordIn(at("unknown"))) ||
      direct.some((result, index) => isOther(result, results[index] ?? unreadResult))
  } as const
}

/** An address, or a small number of accounts. */
export const isAccount = (value: bigint) => value > 0n && value < 2n ** 160n

/** Whether a contract answered two callers differently. A result that is missing for another reason says nothing. */
const isOther = (a: ContractResult, b: ContractResult): boolean => {
  const [own, other] = [a, b].map(Either.match({ onLeft: ({ kind }) => kind, onRight: (data) => data.toLowerCase() }))
  return own !== other && ![own, other].some((text) => text === "unread" || text === "too_long")
}

/** Whether a contract certainly lacks a function: it reverts, or returns less than a word. */
const isMissing = Either.match({
  onLeft: ({ kind }: { readonly kind: string }) => kind === "reverted",
  onRight: (data: Hex) => data.length < 66
})

export const isNoToken = ({ balance, decimals, standard, supply }: Answers): boolean =>
  standard === "ERC-20" && isMissing(supply) && (isMissing(decimals) || isMissing(balance))

export const factsOf = (answers: Answers, powers: TokenFacts["powers"]): TokenFacts => {
  const isFungible = answers.standard === "ERC-20"
  const name = Option.getOrNull(textIn(answers.name))
  const symbol = Option.getOrNull(textIn(answers.symbol))
  const decimals = isFungible ? Option.getOrNull(decimalsIn(answers.decimals)) : null
  const supply = Option.getOrNull(wordIn(answers.supply))
  const missing = [
    ...(isFungible ? [] : ["its items are not fungible and have no decimals"]),
    ...(decimals === null && isFungible ? ["its decimals"] : []),
    ...(supply === null ? ["its supply"] : []),
    ...(name === null ? ["its name"] : []),
    ...(symbol === null ? ["its symbol"] : [])
  ]
  const hasUnknown = Object.values(powers).includes(null)
  return {
    standard: answers.standard,
    name,
    symbol,
    decimals,
    supply,
    powers,
    ...(answers.isInconsistent ? { inconsistent: true } : {}),
    ...(missing.length > 0
      ? { unread: { reason: isFungible ? "bad_answer" : "not_listed", message: `${unanswered}${missing.join(", ")}` } }
      : hasUnknown
        ? { unread: unknownPowers }
        : {})
  }
}

const unanswered = "the contract returns no usable value: "

const unknownPowers: ReadFailure = {
  reason: "not_listed",
  message: "the code of the contract does not show who may do what"
}
