import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { numberToHex } from "viem/utils"
import type { EvmFacts } from "../../../catalogue/evm/EvmFacts.ts"
import type { TokenFacts } from "../../../domain/tokens/TokenFacts.ts"
import { numberOf } from "../../../domain/units.ts"
import { resultOf } from "../../../jsonrpc/boundCalls.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { span } from "../../../kernel/span.ts"
import * as Call from "../../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { Chain, ReadFailure } from "../../Chain.ts"
import { unread } from "../../kit/holdings/tokenList.ts"
import { delegateIn } from "../delegation.ts"
import { encodeBalanceOf } from "../multicall.ts"
import * as calls from "../providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "../providers/node/newestBlock.ts"
import { codeFacts, minimalProxyTarget } from "./bytecode.ts"
import { type PowerEvidence, powersOf } from "./powers.ts"
import { type ContractResult, callOf, readContractsAt, resultIn, unreadResult } from "./readContracts.ts"
import { decimalsIn, nameCalls, textIn, wordIn } from "./tokenNames.ts"

/** Two accounts of which nobody has a key. */
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

/** Storage slots of proxies: of EIP-1967, of ZeppelinOS before it, and of EIP-1822. */
const slots = {
  implementation: "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
  admin: "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103",
  beacon: "0xa3f0ad74e5423aebfd80d3ef4346578335a9a72aeaee59ff6cb3582b35133d50",
  oldImplementation: "0x7050c9e0f4ca769c69bd3a8ef740bc37934f8e2c036e5a723fd8ee048ed3f8c3",
  oldAdmin: "0x10d6a54a4754c8869d6886b5f5d7fbfa5b4522237ea5c60d11bc4e7a1ff9390b",
  proxiable: "0xc5f16f0fcc639fa48a6947836d9850f504798523bf8c9a3a87d5876cf622bcf7"
} as const

/** `implementation()` of a beacon. */
const implementationSelector = "0x5c60da1b"

/** The gas of a call that is made directly; a contract that needs more cannot be used as a token. */
const gas = "0x989680"

/**
 * Reads the contract of a token in one block, from the first node that can; none if it certainly is no token. `off` is the
 * reason if there are no nodes.
 */
export const tokenFacts =
  (facts: EvmFacts, nodes: Upstream, scalings: NonNullable<Chain["Type"]["scalings"]>, off: ReadFailure | undefined) =>
  (token: string): Effect.Effect<Option.Option<TokenFacts>, ReadFailure> =>
    off !== undefined
      ? Effect.fail(off)
      : Effect.zipWith(
          Effect.mapError(
            nodes.over((node) => atNode(node, facts, token as Address)),
            unread
          ),
          scalings([token]),
          (found, scaled) =>
            Option.map(found, (own): TokenFacts => {
              const scaling = scaled.get(token)
              if (scaling === undefined) return own
              return Either.match(scaling, {
                onLeft: (failure): TokenFacts => ({ ...own, unread: own.unread ?? failure }),
                onRight: (scaling): TokenFacts => ({ ...own, scaling })
              })
            }),
          { concurrent: true }
        ).pipe(span("Evm.tokenFacts", { attributes: { network: facts.id } }))

const atNode = (node: Endpoint, facts: EvmFacts, token: Address) =>
  Effect.gen(function* () {
    const block = yield* currentBlock(node, facts, yield* callAll(node, newestBlockCalls))
    const at = numberToHex(numberOf(block.number))
    const named = Object.values(queries).map((callData) => ({ target: token, callData }))
    const rights = authorities.map((callData) => ({ target: token, callData }))
    const names = nameCalls(token)
    const again = [...names, ...named.slice(0, 2)]
    const [results, outcomes] = yield* Effect.zip(
      readContractsAt(node, facts, block, [...names, ...named, ...rights]),
      callAll(
        node,
        [
          Call.methodOf(calls.code, { address: token, block: at }),
          ...Object.values(slots).map((slot) => Call.methodOf(calls.storage, { address: token, slot, block: at })),
          ...again.map((call) => callOf(call, at, gas))
        ],
        { ofContracts: true, perCall: true }
      ),
      { concurrent: true }
    )
    const [code, ...stored] = outcomes
    const own = Option.getOrUndefined(resultOf(calls.code, code))
    if (own === undefined) return yield* node.fault(noCode)
    const words = stored
      .slice(0, slotNames.length)
      .map((outcome) => Option.map(resultOf(calls.storage, outcome), BigInt))
    // Wallets call tokens directly: these results are shown.
    const direct = stored.slice(slotNames.length).map(resultIn)
    const answers = answersOf(results, direct)
    if (isNoToken(answers)) return Option.none()
    const evidence = yield* evidenceOf(node, at, own, words, answers)
    return Option.some(factsOf(answers, powersOf(evidence)))
  })

const noCode: Fault = { reason: "bad_answer", detail: "the node did not return the code of the contract" }

const slotNames = Object.keys(slots) as ReadonlyArray<keyof typeof slots>

type Answers = ReturnType<typeof answersOf>

/** The results by their meaning: `name` to `balance` of direct calls, the others of Multicall3. */
const answersOf = (results: ReadonlyArray<ContractResult>, direct: ReadonlyArray<ContractResult>) => {
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
const isAccount = (value: bigint) => value > 0n && value < 2n ** 160n

/** Whether a contract answered two callers differently. A result that is missing for another reason says nothing. */
const isOther = (a: ContractResult, b: ContractResult): boolean => {
  const [own, other] = [a, b].map(Either.match({ onLeft: ({ kind }) => kind, onRight: (data) => data.toLowerCase() }))
  return own !== other && ![own, other].some((text) => text === "unread" || text === "too_long")
}

/** Whether a contract certainly lacks a function: it reverts, or returns less than a word. */
const lacks = Either.match({
  onLeft: ({ kind }: { readonly kind: string }) => kind === "reverted",
  onRight: (data: Hex) => data.length < 66
})

const isNoToken = ({ balance, decimals, standard, supply }: Answers): boolean =>
  standard === "ERC-20" && lacks(supply) && (lacks(decimals) || lacks(balance))

/** Reads the code that a proxy runs. */
const evidenceOf = (
  node: Endpoint,
  block: string,
  code: string,
  stored: ReadonlyArray<Option.Option<bigint>>,
  { hasAuthority, isPaused }: Answers
) =>
  Effect.gen(function* () {
    const slot = (name: keyof typeof slots) =>
      Option.getOrElse(stored[slotNames.indexOf(name)] ?? Option.none(), () => 0n)
    const minimal = minimalProxyTarget(code)
    const delegate = Option.getOrUndefined(delegateIn(code))?.address
    const beacon = slot("beacon")
    const named = [slot("implementation"), slot("oldImplementation"), slot("proxiable")].find((value) => value !== 0n)
    const fromBeacon = beacon === 0n ? undefined : yield* implementationOf(node, block, beacon)
    const target = minimal ?? delegate ?? fromBeacon ?? (named === undefined ? undefined : addressOf(named))
    const isProxy = target !== undefined || beacon !== 0n
    const hasAdmin = slot("admin") !== 0n || slot("oldAdmin") !== 0n
    const isReplaceable = delegate !== undefined || beacon !== 0n || (isProxy && hasAdmin)
    const base: PowerEvidence = {
      code: codeFacts(code),
      hasAuthority: hasAuthority || isReplaceable,
      isPaused,
      isReplaceable: isReplaceable ? true : minimal === undefined ? null : false
    }
    if (!isProxy) return base
    const running = target === undefined ? undefined : yield* codeOf(node, block, target)
    return { ...base, implementation: running === undefined ? undefined : codeFacts(running) }
  })

const addressOf = (value: bigint) => numberToHex(BigInt.asUintN(160, value), { size: 20 })

const codeOf = (node: Endpoint, block: string, address: string) =>
  Effect.map(
    callAll(node, [Call.methodOf(calls.code, { address, block })], { ofContracts: true, perCall: true }),
    ([code]) => Option.getOrUndefined(resultOf(calls.code, code))
  )

const implementationOf = (node: Endpoint, block: string, beacon: bigint) =>
  Effect.map(
    callAll(node, [callOf({ target: addressOf(beacon), callData: implementationSelector }, block, gas)], {
      ofContracts: true,
      perCall: true
    }),
    ([outcome]) =>
      wordIn(resultIn(outcome)).pipe(Option.filter(isAccount), Option.map(addressOf), Option.getOrUndefined)
  )

const factsOf = (answers: Answers, powers: TokenFacts["powers"]): TokenFacts => {
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
