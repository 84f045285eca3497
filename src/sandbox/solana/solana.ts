import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as calls from "../../chains/solana/providers/agave/calls.ts"
import * as transactionCalls from "../../chains/solana/providers/agave/transactionCalls.ts"
import { prices } from "../../chains/solana/providers/jupiter/calls.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { answered, answeredRpc, answerOf, type RpcAnswered, type RpcRequest } from "../world/answers.ts"
import * as JsonRpc from "../world/JsonRpc.ts"
import * as World from "../world/World.ts"
import { json, type Refusal, refused, type Simulated } from "../world/wire.ts"
import * as SolanaBlocks from "./SolanaBlocks.ts"
import * as SolanaChain from "./SolanaChain.ts"
import * as SolanaTransaction from "./SolanaTransaction.ts"
import { accountOf, type Form, parsedMint, parsedToken, tokenBytes, tooLarge, written } from "./solanaAccounts.ts"
import { solanaHistory } from "./solanaHistory.ts"
import { feeOf, type SendOptions, sent } from "./solanaSent.ts"
import { accounts, stakeProgram, stakesOf } from "./solanaState.ts"

/** Genesis hashes of the main network and the test network. */
const genesis = {
  main: "5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d",
  testnet: "4uhcVJyU9pJkvQyS88uRDiswHXSCkY3zQawwpjk2NsNY"
}

/** Jupiter's prices of mints with scaled amounts: the sandbox has no such mint. */
const noPrices: Simulated = (request) =>
  json(Option.getOrElse(answerOf([answered(prices, () => ({}))], request), () => ({})))

/** Simulated upstreams of Solana. The test network has no tokens. */
export const solana = (facts: NetworkFacts) => {
  const { platform: _, ...bare } = facts
  const testnet = { ...bare, id: NetworkId.make(`${facts.id}-testnet`) }
  return [
    [`${facts.id}-rpc`, node(facts, false)] as const,
    [`${facts.id}-testnet-rpc`, node(testnet, true)] as const,
    ["jupiter", noPrices] as const
  ] as const
}

/** A Solana node; stores the transactions sent to it. */
const node = (facts: NetworkFacts, isTestnet: boolean): Simulated => {
  const missing = () => refused(-32601, "Method not found")
  const unreadable = refused(-32602, "Invalid param: cannot be read")
  return JsonRpc.node(JsonRpc.methodsOf(answersOf(facts, isTestnet)), { missing, unreadable }, (answer) => {
    // Some numbers exceed the integers that a JavaScript number can represent.
    const text = JSON.stringify(answer, (_, value: unknown) => (typeof value === "bigint" ? `${value}n` : value))
    return new Response(text.replaceAll(/"(\d+)n"/g, "$1"), {
      headers: { "content-type": "application/json" }
    })
  })
}

const isAddress = (text: unknown) => Option.getOrUndefined(SolanaChain.fromBase58(String(text)))?.length === 32

const notFound = (what: string) => () => refused(-32602, `Invalid param: ${what}`)

const invalid = (what: string): Either.Either<never, Refusal> => Either.left(notFound(what)())

const slotFor = (options: unknown, now: number) =>
  SolanaChain.slot(now, (options as SendOptions | undefined)?.commitment)

/** The clock sysvar; only in the jsonParsed encoding. */
const clock = "SysvarC1ock11111111111111111111111111111111"
const clockAt = (now: number) => ({
  parsed: {
    info: { slot: SolanaChain.slot(now, "confirmed"), unixTimestamp: Math.floor(now / 1000) },
    type: "clock"
  },
  program: "sysvar",
  space: 40
})

/** The same as an account, in bytes: slot, start of the epoch, epoch, leader schedule's epoch, time. */
const clockAccount = (now: number, form: Form) => {
  const data = Buffer.alloc(40)
  data.writeBigInt64LE(BigInt(SolanaChain.slot(now, "confirmed")), 0)
  data.writeBigInt64LE(BigInt(Math.floor(now / 1000)), 32)
  return {
    ...accountOf("Sysvar1111111111111111111111111111111111111", 1_169_280n),
    data: form.encoding === "jsonParsed" ? clockAt(now) : written(data, form),
    space: 40
  }
}

/** Wraps a result with the slot that it refers to, like most results. */
const inContext = <A>(value: A, now: number) => ({
  context: { apiVersion: "4.0.2", slot: SolanaChain.slot(now, "confirmed") },
  value
})

type NodeResult<A> = Either.Either<A, Refusal>

/** A result in its context, or the node's error; undefined if another answer has the object. */
const result =
  <P, A>(value: (params: P, now: number) => NodeResult<A> | undefined) =>
  ({ now, params }: { readonly now: number; readonly params: P }) => {
    const found = value(params, now)
    return found && Either.map(found, (right) => inContext(right, now))
  }
const ofAddress = <P extends ReadonlyArray<unknown>, A>(
  value: (address: string, params: P, now: number) => NodeResult<A> | undefined
) => result((params: P, now) => (isAddress(params[0]) ? value(String(params[0]), params, now) : invalid("Invalid")))

/** Answers a method that the service does not call, or whose form other clients choose. */
const forClients = (method: string, answer: (request: RpcRequest<ReadonlyArray<unknown>>) => unknown): RpcAnswered => ({
  method,
  answer: answer as RpcAnswered["answer"]
})

/** The result of `getAccountInfo`, which fails if the data does not fit into its encoding. */
const accountInfo = <A extends { readonly data: unknown } | null>(account: A): NodeResult<A> =>
  [account?.data].flat()[0] === tooLarge
    ? Either.left(
        refused(-32600, "Encoded binary (base 58) data should be less than 128 bytes, please use Base64 encoding.")
      )
    : Either.right(account)

const chainAnswers = (chain: string, isTestnet: boolean): ReadonlyArray<RpcAnswered> => [
  forClients("getHealth", () => "ok"),
  forClients("getVersion", () => ({ "feature-set": 3640012085, "solana-core": "4.0.2" })),
  answeredRpc(calls.genesisHash, () => (isTestnet ? genesis.testnet : genesis.main)),
  answeredRpc(transactionCalls.firstBlock, () => 0),
  forClients("getSlot", ({ now, params: [options] }) => slotFor(options, now)),
  forClients("getBlockHeight", ({ now, params: [options] }) => SolanaChain.heightOf(slotFor(options, now))),
  forClients("getEpochInfo", ({ now, params: [options] }) => SolanaChain.epochInfo(slotFor(options, now))),
  forClients(
    "getTransactionCount",
    ({ now, params: [options] }) => SolanaChain.epochInfo(slotFor(options, now)).transactionCount
  ),
  answeredRpc(
    calls.latestBlockhash,
    result(([options], now) => {
      const slot = slotFor(options, now)
      return Either.right({
        blockhash: SolanaChain.blockhash(chain, slot),
        lastValidBlockHeight: SolanaChain.heightOf(slot) + SolanaChain.lifetime
      })
    })
  ),
  answeredRpc(
    transactionCalls.isValid,
    ofAddress((hash, _, now) => Either.right(SolanaChain.isValid(chain, hash, now)))
  ),
  answeredRpc(calls.rent, ({ params: [bytes] }) =>
    Number.isSafeInteger(bytes) && Number(bytes) >= 0
      ? SolanaChain.rentExempt(Number(bytes))
      : Either.left(refused(-32602, "Invalid params: invalid type, expected usize."))
  ),
  forClients(
    calls.messageFee.rpc,
    result(([message], now) =>
      Either.map(SolanaTransaction.decodeMessage(message), (decoded) =>
        SolanaChain.isValid(chain, decoded.blockhash, now) ? Number(feeOf(decoded)) : null
      )
    )
  ),
  answeredRpc(calls.priorityFees, ({ now }) =>
    Array.from({ length: SolanaChain.lifetime }, (_, index) => ({
      slot: SolanaChain.slot(now, "confirmed") - SolanaChain.lifetime + 1 + index,
      prioritizationFee: (index * 37) % 1_000
    }))
  )
]

type State = ReturnType<typeof accounts>

const formIn = (form: unknown) => (form ?? {}) as Form

const isParsed = (form: unknown) => formIn(form).encoding === "jsonParsed"

const accountAnswers = (facts: NetworkFacts, state: State): ReadonlyArray<RpcAnswered> => [
  answeredRpc(
    calls.balance,
    ofAddress((address) => Either.right(Number(World.native(facts, address))))
  ),
  answeredRpc(
    calls.clock,
    ofAddress((address, _, now) =>
      address === clock
        ? Either.right({
            ...accountOf("Sysvar1111111111111111111111111111111111111", 1_169_280n),
            data: clockAt(now),
            space: 40
          })
        : undefined
    )
  ),
  answeredRpc(
    calls.mint,
    ofAddress((address, [, form]) => {
      const contract = isParsed(form) ? state.contractOf(address) : undefined
      return contract && Either.right(parsedMint(contract))
    })
  ),
  forClients(
    calls.mint.rpc,
    ofAddress((address, [, form]) => accountInfo(state.account(address, formIn(form))))
  ),
  answeredRpc(
    calls.accounts,
    result(([addresses, form], now) =>
      Array.isArray(addresses) && addresses.length <= 100 && addresses.every(isAddress)
        ? Either.right(
            addresses.map((address) =>
              address === clock
                ? clockAccount(now, { encoding: "base64", ...formIn(form) })
                : state.account(String(address), { encoding: "base64", ...formIn(form) })
            )
          )
        : invalid("Invalid")
    )
  ),
  answeredRpc(calls.stakes, ({ params: [program, form] }) =>
    program === stakeProgram
      ? stakesOf(facts, form)
      : Either.left(refused(-32010, `${program} excluded from account secondary indexes`))
  )
]

const tokenAnswers = (state: State): ReadonlyArray<RpcAnswered> => [
  answeredRpc(
    calls.tokenAccounts,
    ofAddress((owner, [, filter, form]) =>
      isParsed(form)
        ? Either.fromNullable(state.byOwner(owner, filter, parsedToken), notFound("could not find mint"))
        : undefined
    )
  ),
  answeredRpc(
    calls.tokenBalances,
    ofAddress((owner, [, filter, form]) =>
      Either.fromNullable(
        state.byOwner(owner, filter, (...token) => tokenBytes(...token, formIn(form))),
        notFound("could not find mint")
      )
    )
  ),
  forClients(
    "getTokenAccountBalance",
    ofAddress((address) => Either.fromNullable(state.tokenAmount(address), notFound("could not find account")))
  ),
  forClients(
    "getTokenLargestAccounts",
    ofAddress((address) => Either.fromNullable(state.largest(address), notFound("not a Token mint")))
  ),
  forClients(
    "getTokenSupply",
    ofAddress((address) => Either.fromNullable(state.supply(address), notFound("not a Token mint")))
  ),
  forClients(
    "getSupply",
    result(() => Either.right(SolanaBlocks.supply))
  )
]

const answersOf = (facts: NetworkFacts, isTestnet: boolean): ReadonlyArray<RpcAnswered> => {
  const past = solanaHistory(facts)
  const pool = sent(facts)
  const state = accounts(facts, past)

  /** A sent or past transaction; null if it is unknown, undefined for a malformed signature. */
  const lookUp = (signature: string, options: SendOptions, now: number) => {
    const found = pool.transaction(signature, options, now)
    return found === undefined ? past.getTransaction([signature, options]) : found
  }

  return [
    ...chainAnswers(facts.id, isTestnet),
    ...accountAnswers(facts, state),
    ...tokenAnswers(state),
    forClients(transactionCalls.blockTime.rpc, ({ now, params: [slot] }) => SolanaBlocks.blockTime(slot, now)),
    forClients("getBlock", ({ now, params: [slot, options] }) =>
      SolanaBlocks.block(
        {
          chain: facts.id,
          signaturesIn: past.signaturesIn,
          transaction: (signature, encoding) => lookUp(signature, { encoding, commitment: "processed" }, now)
        },
        slot,
        options,
        now
      )
    ),
    answeredRpc(
      transactionCalls.signatures,
      ({ params }) => past.getSignaturesForAddress(params) ?? Either.left(refused(-32602, "Invalid limit; max 1000"))
    ),
    answeredRpc(
      transactionCalls.statuses,
      result(([signatures, options], now) => {
        if (!Array.isArray(signatures) || signatures.length > 256) return invalid("Too many inputs provided; max 256")
        const isSearched: boolean = options?.searchTransactionHistory ?? false
        return Either.right(
          signatures.map((signature) => {
            const known = pool.status(String(signature), now)
            const before = known === null && isSearched ? past.getTransaction([signature]) : null
            if (before === null || before === undefined) return known
            const { err, status } = before.meta
            return { slot: before.slot, confirmations: null, err, status, confirmationStatus: "finalized" as const }
          })
        )
      })
    ),
    forClients(
      "simulateTransaction",
      result(([text, options], now) => pool.simulate(text, (options ?? {}) as SendOptions, now))
    ),
    answeredRpc(transactionCalls.send, ({ now, params: [text, options] }) => pool.send(text, options ?? {}, now)),
    answeredRpc(transactionCalls.transaction, ({ now, params: [signature, options] }) => {
      const before = lookUp(String(signature), options ?? {}, now)
      if (before === undefined) return invalid("WrongSize")
      if (before !== null) past.remember(String(signature), before.slot)
      const newest = options?.maxSupportedTransactionVersion ?? -1
      return before !== null && Number(before.version) > newest
        ? Either.left(refused(-32015, `Transaction version (${before.version}) is not supported`))
        : before
    })
  ]
}
