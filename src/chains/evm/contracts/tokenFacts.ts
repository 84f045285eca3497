import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address } from "viem"
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

import * as calls from "../providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "../providers/node/newestBlock.ts"
import { type Answers, answersOf, directCalls, factsOf, isAccount, isNoToken, tokenCalls } from "./answers.ts"
import { codeFacts, minimalProxyTarget } from "./bytecode.ts"
import { type PowerEvidence, powersOf } from "./powers.ts"
import { callOf, readContractsAt, resultIn } from "./readContracts.ts"
import { wordIn } from "./tokenNames.ts"

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
    const all = tokenCalls(token)
    const [results, outcomes] = yield* Effect.zip(
      readContractsAt(node, facts, block, all),
      callAll(
        node,
        [
          Call.methodOf(calls.code, { address: token, block: at }),
          ...Object.values(slots).map((slot) => Call.methodOf(calls.storage, { address: token, slot, block: at })),
          ...all.slice(0, directCalls).map((call) => callOf(call, at, gas))
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
