import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { formatEther, keccak256, numberToHex } from "viem/utils"
import { quantity } from "../../chains/evm/providers/node/results.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { didNotArrive, type Endpoint, type Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import * as Funding from "./Funding.ts"

/** The current data for a transaction of an account. Amounts are in base units. */
interface ChainState {
  readonly chainId: bigint
  /** The next nonce, including transactions in the node's pool. */
  readonly nonce: number
  /** Includes the node's pool; undefined if the node does not return it. */
  readonly balance: bigint | undefined
  readonly fees:
    | { readonly type: "eip1559"; readonly maxFeePerGas: bigint; readonly maxPriorityFeePerGas: bigint }
    | { readonly type: "legacy"; readonly gasPrice: bigint }
}

const chainIdCall = { method: "eth_chainId", params: [] }

export const returnsChainId = (node: Endpoint) =>
  Effect.flatMap(Funding.read(node, chainIdCall), (outcome) =>
    Option.isSome(quantity(outcome)) ? Effect.void : missing(node, "its chain id")
  )

const calls = (account: string) => [
  chainIdCall,
  { method: "eth_getTransactionCount", params: [account, "pending"] },
  { method: "eth_getBalance", params: [account, "pending"] },
  { method: "eth_getBlockByNumber", params: ["latest", false] },
  { method: "eth_gasPrice", params: [] },
  { method: "eth_maxPriorityFeePerGas", params: [] }
]

/** Reads the state in one request if the node accepts batches. */
const chainState = (upstream: Upstream, account: string) =>
  upstream.over((node) =>
    Effect.flatMap(Funding.readAll(node, calls(account)), ([chain, count, balance, block, price, tip]) => {
      const chainId = Option.getOrUndefined(quantity(chain))
      const nonce = Option.getOrUndefined(quantity(count))
      const fees = feesOf(member(block, "baseFeePerGas"), Option.getOrUndefined(quantity(price)), quantity(tip))
      if (chainId === undefined) return missing(node, "its chain id")
      if (nonce === undefined) return missing(node, "the funder's next nonce")
      if (fees === undefined) return missing(node, "the price of gas")
      return Effect.succeed<ChainState>({
        chainId,
        nonce: Number(nonce),
        balance: Option.getOrUndefined(quantity(balance)),
        fees
      })
    })
  )

const missing = (node: Endpoint, what: string) =>
  Effect.fail(node.fault({ reason: "bad_answer", detail: `it did not return ${what}` }))

const member = (outcome: Client.Outcome | undefined, name: string): bigint | undefined => {
  if (outcome === undefined || Either.isLeft(outcome)) return undefined
  const { [name]: value } = (outcome.right ?? {}) as Readonly<Record<string, unknown>>
  return Option.getOrUndefined(quantity(Either.right(value)))
}

/** Twice the base fee covers six full blocks. If a node returns no tip, uses its gas price minus the base fee. */
const feesOf = (
  base: bigint | undefined,
  price: bigint | undefined,
  tip: Option.Option<bigint>
): ChainState["fees"] | undefined => {
  if (base === undefined) return price === undefined ? undefined : { type: "legacy", gasPrice: price }
  const usual = price !== undefined && price > base ? price - base : 0n
  const maxPriorityFeePerGas = Option.getOrElse(tip, () => usual)
  return { type: "eip1559", maxPriorityFeePerGas, maxFeePerGas: 2n * base + maxPriorityFeePerGas }
}

/** Gas of a transfer to an address without code. */
const plainTransfer = 21_000n

const unpayable = new Funding.FundingError({
  reason: "invalid_address",
  detail: "there is a contract at this address, which accepts no coins"
})

const fundsExhausted = Funding.notSent(
  "The funding account of the test network is out of funds: its operator must refill it."
)

/** Fails, and logs a warning for the operator. */
const outOfFunds = (funder: Hex, balance?: bigint): Effect.Effect<never, Funding.FundingError> =>
  Effect.zipRight(
    Effect.logWarning(
      `the funder of the test network, ${funder}, is out of funds${balance === undefined ? "" : `: it has ${formatEther(balance)}`}`
    ),
    fundsExhausted
  )

/** Gas of a transfer. A transfer to a contract may cost more, or be refused. */
const transferGas = (upstream: Upstream, from: Hex, to: Hex, value: bigint) =>
  upstream
    .over((node) =>
      Funding.read(node, {
        method: "eth_estimateGas",
        params: [{ from: from.toLowerCase(), to, value: numberToHex(value) }]
      })
    )
    .pipe(
      Effect.mapError(Funding.unreached),
      Effect.flatMap((outcome) => {
        if (Either.isLeft(outcome)) return unestimated(from, outcome.left)
        const gas = Option.getOrElse(quantity(outcome), () => plainTransfer)
        return Effect.succeed(gas <= plainTransfer ? plainTransfer : (gas * 6n) / 5n)
      })
    )

const unestimated = (from: Hex, refusal: Client.RpcError): Effect.Effect<bigint, Funding.FundingError> => {
  const meaning = Funding.meaningOf(refusal)
  if (meaning === "unknownMethod") return Effect.succeed(plainTransfer)
  if (meaning === "insufficient_funds") return outOfFunds(from)
  return refusal.code === 3 || /revert/i.test(refusal.detail)
    ? unpayable
    : Funding.notSent("The node refuses to estimate the transfer.")
}

const isKnown = (upstream: Upstream, hash: Hex): Effect.Effect<boolean, UpstreamError> =>
  upstream.over((node) =>
    Effect.map(Funding.read(node, { method: "eth_getTransactionByHash", params: [hash] }), (outcome) =>
      Either.match(outcome, {
        onLeft: () => false,
        onRight: Schema.is(Schema.Struct({ hash: Schema.Literal(hash) }))
      })
    )
  )

/** Sends a transaction. `duplicate`: the node has it; `unclear`: it may have it; other values: why it does not. */
const broadcast = (
  upstream: Upstream,
  raw: Hex,
  hash: Hex,
  job: Funding.Job
): Effect.Effect<Funding.Meaning, Funding.FundingError> =>
  Effect.matchEffect(Funding.send(upstream, { method: "eth_sendRawTransaction", params: [raw] }), {
    onFailure: (error) =>
      didNotArrive(error)
        ? Effect.zipRight(Funding.markNotSent(job), Funding.unreached(error))
        : Effect.zipRight(
            Effect.logWarning("looking up the result of a funding", error),
            lookUp(upstream, hash, "unclear")
          ),
    onSuccess: Either.match({
      onLeft: (refusal) => {
        const meaning = Funding.meaningOf(refusal)
        return meaning === "duplicate" || meaning === "insufficient_funds"
          ? Effect.succeed(meaning)
          : Effect.zipRight(Effect.logDebug(Funding.describe(refusal)), lookUp(upstream, hash, meaning))
      },
      onRight: (result) =>
        result === hash ? Effect.succeed<Funding.Meaning>("duplicate") : lookUp(upstream, hash, "unclear")
    })
  })

/** Looks up a transaction after an error: its response may be lost, or a proxy may have sent the call twice. */
const lookUp = (upstream: Upstream, hash: Hex, otherwise: Funding.Meaning): Effect.Effect<Funding.Meaning> =>
  isKnown(upstream, hash).pipe(
    Effect.map((isThere): Funding.Meaning => (isThere ? "duplicate" : otherwise)),
    Effect.catchAll((error) => Effect.as(Effect.logWarning(error), "unclear" as const))
  )

/** Retries of a transfer whose nonce was taken by another transaction. */
const maxRetries = 8

/** Maximum number of stored own transactions, which show whether the node still has them. */
const remembered = 10_000

/**
 * Transfers signed here with the operator's key. The nonce is read from the node before each transfer: a local counter
 * would leave a gap after a node has lost its mempool, and a transaction after a gap is never included.
 */
export const make = (
  upstream: Upstream,
  privateKey: Redacted.Redacted<Hex>,
  value: bigint
): Effect.Effect<Funding.FundingMethod> =>
  Effect.gen(function* () {
    // Loads the curves only if there is a key.
    const { privateKeyToAccount } = yield* Effect.promise(() => import("./privateKeyToAccount.ts"))
    const account = privateKeyToAccount(Redacted.value(privateKey))
    const funder = account.address
    const own = ownTransactions(upstream)

    const signed = (to: Hex, nonce: number, gas: bigint, { chainId, fees }: ChainState) =>
      Effect.tryPromise({
        try: () => account.signTransaction({ to, value, nonce, gas, chainId: Number(chainId), ...fees }),
        catch: () => Funding.notSent("The transfer could not be signed.")
      })

    /** `floor`: nonces below it are taken, regardless of the node's response. */
    const attempt = (
      to: Hex,
      job: Funding.Job,
      floor: number,
      retries: number
    ): Effect.Effect<Hex, Funding.FundingError> =>
      Effect.gen(function* () {
        const state = yield* Effect.mapError(chainState(upstream, funder.toLowerCase()), Funding.unreached)
        yield* own.sameChain(state)
        const price = state.fees.type === "legacy" ? state.fees.gasPrice : state.fees.maxFeePerGas
        const affords = (gas: bigint) => state.balance === undefined || state.balance >= value + gas * price
        if (!affords(plainTransfer)) return yield* outOfFunds(funder, state.balance)
        const gas = yield* transferGas(upstream, funder, to, value)
        if (!affords(gas)) return yield* outOfFunds(funder, state.balance)
        const nonce = Math.max(yield* own.freeNonce(state), floor)
        const raw = yield* signed(to, nonce, gas, state)
        const hash = keccak256(raw)
        yield* Funding.markSent(job, hash)
        const result = yield* broadcast(upstream, raw, hash, job)
        const isTaken = result === "nonce_too_low" || result === "replacement_underpriced"
        if (result === "duplicate" || isTaken) own.remember(state, nonce, hash)
        if (result === "duplicate") return hash
        if (result === "unclear") return yield* Funding.uncertain(hash)
        yield* Funding.markNotSent(job)
        if (result === "insufficient_funds") return yield* outOfFunds(funder)
        if (retries === 0 || !(isTaken || result === "nonce_gap" || result === "fee_too_low"))
          return yield* Funding.notSent("The node of the test network refused the transfer.")
        return yield* attempt(to, job, isTaken ? nonce + 1 : floor, retries - 1)
      })

    return {
      give: (to, job) => attempt(to, job, 0, maxRetries)
    }
  })

/** The funder's transactions that the node has accepted. */
const ownTransactions = (upstream: Upstream) => {
  const byNonce = BoundedMap.make<string, Hex>({ capacity: remembered })
  let newest = -1
  let chain: bigint | undefined

  return {
    sameChain: ({ chainId }: ChainState) =>
      Effect.suspend(() =>
        chain === undefined || chain === chainId
          ? Effect.void
          : Funding.notSent(`The node of the test network is on chain ${chainId}, and was on chain ${chain} before.`)
      ),
    /** The next nonce. A node that ignores its pool returns the nonce of a transaction that it still has. */
    freeNonce: ({ nonce }: ChainState) =>
      Effect.suspend(() => {
        const earlier = nonce > newest ? undefined : byNonce.get(String(nonce))
        return earlier === undefined
          ? Effect.succeed(nonce)
          : Effect.map(Effect.mapError(isKnown(upstream, earlier), Funding.unreached), (isThere) =>
              isThere ? newest + 1 : nonce
            )
      }),
    remember: ({ chainId }: ChainState, nonce: number, hash: Hex) => {
      byNonce.set(String(nonce), hash)
      newest = nonce
      chain = chainId
    }
  }
}
