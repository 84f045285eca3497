import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import * as Schema from "effect/Schema"
import type { Hex } from "viem"
import { formatEther, numberToHex, parseEther } from "viem/utils"
import * as EvmAddress from "../../chains/evm/EvmAddress.ts"
import { quantity } from "../../chains/evm/providers/node/results.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption, timeoutTo } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { Settings } from "../../settings/Settings.ts"
import { requestDeadline, upstreamTimeout } from "../../settings/variables.ts"
import * as Lease from "../../storage/Lease.ts"
import { inStoreTime, Store, type StoreError } from "../../storage/Store.ts"
import { BypassCircuit } from "../../upstream/Probes.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import * as Funding from "./Funding.ts"
import * as Transfers from "./Transfers.ts"

/** Anvil's method, which other development nodes also have. Parameters: address and quantity. */
const method = "anvil_setBalance"

const notSupported = new Funding.FundingError({
  reason: "not_configured",
  detail:
    "Funding a test network account is not configured: the node of TESTNET_RPC_URL has no anvil_setBalance, so set TESTNET_FUNDER_PRIVATE_KEY."
})

/** Lets the node set the balance of an address to its current balance plus the amount. */
const setBalance = (upstream: Upstream.Upstream, amount: bigint): Funding.FundingMethod => {
  const balanceOf = (address: Hex) =>
    upstream.over((node) =>
      Effect.flatMap(Funding.read(node, { method: "eth_getBalance", params: [address, "latest"] }), (outcome) =>
        Option.match(quantity(outcome), {
          onNone: () => Effect.fail(node.fault({ reason: "bad_answer", detail: "it did not return the balance" })),
          onSome: Effect.succeed
        })
      )
    )

  const set = (address: Hex, balance: bigint, job: Funding.Job): Effect.Effect<void, Funding.FundingError> => {
    const checked = Effect.flatMap(Effect.option(balanceOf(address)), (now) =>
      Option.exists(now, (value) => value >= balance) ? Effect.void : Funding.uncertain(undefined)
    )
    return Effect.matchEffect(Funding.send(upstream, { method, params: [address, numberToHex(balance)] }), {
      onFailure: (error) =>
        Upstream.didNotArrive(error)
          ? Effect.zipRight(Funding.markNotSent(job), Funding.unreached(error))
          : Effect.zipRight(Effect.logWarning("looking up the result of a funding", error), checked),
      onSuccess: Either.match({
        onRight: () => Effect.void,
        onLeft: (refusal) => {
          const meaning = Funding.meaningOf(refusal)
          if (meaning === "unknownMethod") return Effect.zipRight(Funding.markNotSent(job), notSupported)
          const refused = Funding.notSent("The node of the test network refused to set the balance.")
          return Effect.zipRight(
            Effect.logDebug(Funding.describe(refusal)),
            meaning === "unclear" ? checked : Effect.zipRight(Funding.markNotSent(job), refused)
          )
        }
      })
    })
  }

  return {
    give: (address, job) =>
      Effect.gen(function* () {
        const balance = yield* Effect.mapError(balanceOf(address), Funding.unreached)
        yield* Funding.markSent(job)
        yield* set(address, balance + amount, job)
        return null
      })
  }
}

/** Time of the last funding of an address, ms, and whether that funding has ended. */
const Claim = Schema.Struct({ at: Schema.Number, ended: Schema.Boolean })
const stored = (found: unknown) => Option.getOrUndefined(Schema.decodeUnknownOption(Claim)(found))

/** Retry interval for an address that is being funded, ms. */
const retryWhileRunning = 5_000

const timeText = (ms: number): string => {
  const seconds = Math.max(1, Math.ceil(ms / 1000))
  return seconds < 120
    ? `${seconds} s`
    : seconds < 7200
      ? `${Math.ceil(seconds / 60)} min`
      : `${Math.ceil(seconds / 3600)} h`
}

/**
 * Limits an address to one funding per interval (ms) across all processes that share the store. A claim is taken before
 * the coins are sent, and released only if certainly none were sent: if the process dies in between, the claim remains.
 * A funding that has not ended within `maxDuration` (ms) never ends, because its process is gone.
 */
const claimsOf = (interval: number, maxDuration: number) =>
  Effect.gen(function* () {
    const store = yield* Store
    const claims = store.open("fundings", 1)
    const semaphore = yield* Effect.makeSemaphore(1)

    /** Unlike a cache, the limit requires the store. */
    const orNotSent = <A>(effect: Effect.Effect<A, StoreError>) =>
      Effect.catchAll(inStoreTime(effect), (cause) =>
        Effect.zipRight(
          Effect.logWarning("the store could not be read for earlier fundings", cause),
          Funding.notSent("Earlier fundings of this address cannot be looked up at the moment.")
        )
      )

    const refuse = ({ at, ended }: typeof Claim.Type, now: number) => {
      const wait = Math.min(at + interval - now, interval)
      if (wait <= 0) return undefined
      const isRunning = !ended && now - at < maxDuration
      return new Funding.FundingError({
        reason: "too_soon",
        detail: isRunning
          ? "This address is being funded at this moment."
          : `This address was funded already. It can be funded again in ${timeText(wait)}.`,
        retryAfter: isRunning ? Math.min(wait, retryWhileRunning) : wait
      })
    }

    const set = (address: string, at: number, ended: boolean, time = interval) =>
      claims.setMany(new Map([[address, { at, ended } satisfies typeof Claim.Type]]), time)

    const claimed = (lease: string, owner: string, retries: number): Effect.Effect<boolean, Funding.FundingError> =>
      Effect.flatMap(orNotSent(store.claim(lease, owner, "10 seconds")), (got) =>
        got || retries === 0 ? Effect.succeed(got) : Effect.delay(claimed(lease, owner, retries - 1), "50 millis")
      )

    const claim = (address: string) => {
      const lease = `funding ${address}`
      const taken = (owner: string) =>
        Effect.gen(function* () {
          const got = yield* claimed(lease, owner, 20)
          const now = yield* Clock.currentTimeMillis
          const earlier = got
            ? stored((yield* orNotSent(claims.getMany([address]))).get(address))
            : { at: now, ended: false }
          const refusal = earlier && refuse(earlier, now)
          if (refusal !== undefined) return yield* refusal
          yield* orNotSent(set(address, now, false))
          return now
        })
      return Effect.sync(() => crypto.randomUUID()).pipe(
        Effect.flatMap((owner) =>
          Effect.ensuring(
            taken(owner),
            Effect.ignoreLogged(inStoreTime(Effect.interruptible(store.release(lease, owner))))
          )
        ),
        semaphore.withPermits(1)
      )
    }

    /** If the store fails, the address remains claimed. */
    const record = (effect: Effect.Effect<void, StoreError>) =>
      Effect.catchAll(
        Effect.retry(inStoreTime(effect), { times: 3, schedule: Schedule.spaced("100 millis") }),
        (cause) => Effect.logWarning("the result of a funding could not be stored", cause)
      )

    return {
      /** Claims the address and returns the time of the claim; fails with `too_soon` if it is already claimed. */
      claim,
      /** Records that the address was funded, or may have been. Cannot fail. */
      confirm: (address: string, at: number) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          record(set(address, at, true, Math.max(1, at + interval - now)))
        ),
      /** Releases the claim if certainly no coins were sent. Cannot fail. */
      release: (address: string) => record(claims.remove([address]))
    }
  })

/** A positive amount with up to 18 decimals, those of the native coin of any EVM chain. */
const positive = /^(?=.*[1-9])\d{1,30}(\.\d{1,18})?$/

/** The order of secp256k1: keys are the positive integers below it. */
const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n

const isKey = (text: string) => {
  if (!/^(0x)?[0-9a-fA-F]{64}$/.test(text)) return false
  const value = BigInt(`0x${text.replace(/^0x/, "")}`)
  return value > 0n && value < order
}

const key = declare.secret({
  name: "TESTNET_FUNDER_PRIVATE_KEY",
  allowed: "a private key: 64 hexadecimal digits, with or without 0x",
  meaning: "Private key of the account that funds others on the operator's test network",
  check: isKey
})

const url = declare.url({
  name: "TESTNET_RPC_URL",
  default: "",
  meaning: "JSON-RPC node of the operator's own EVM test network; without it no account is funded"
})

/** In base units. */
const amount = Effect.flatMap(Settings, (settings) =>
  settings.read<bigint>({
    name: "TESTNET_FUND_AMOUNT",
    meaning: "Amount that an account receives on the test network, in whole native coins",
    allowed: "a decimal number above 0 with at most 18 decimals, such as 0.5",
    default: parseEther("1"),
    show: (wei) => formatEther(wei),
    parse: (text) =>
      positive.test(text) ? Either.right(parseEther(text)) : Either.left(`"${text.slice(0, 60)}" is not allowed`)
  })
)

const interval = declare.integer({
  name: "TESTNET_FUND_INTERVAL_MS",
  default: 86_400_000,
  min: 1,
  max: 31_536_000_000,
  meaning: "Minimum time between two fundings of an address on the test network, in milliseconds"
})

/** The variables of the faucet, with the key in viem's format. */
const settings = Effect.map(Effect.all({ amount, interval, key, url }), ({ key, ...others }) => ({
  ...others,
  key:
    key === undefined ? undefined : Redacted.make(`0x${Redacted.value(key).replace(/^0x/, "").toLowerCase()}` as const)
}))

export interface Funded {
  /** In lower case. */
  readonly address: string
  /** Whole native coins, a plain decimal. */
  readonly amount: string
  /** Hash of the transaction that the node has accepted; null if the node set the balance. */
  readonly hash: string | null
}

const off = new Funding.FundingError({
  reason: "not_configured",
  detail:
    "Funding a test network account is not configured: set TESTNET_RPC_URL, and TESTNET_FUNDER_PRIVATE_KEY unless that node sets balances."
})

/** How long a shutdown waits for fundings. */
const drainTime = "8 seconds"

/** Gives addresses coins of the operator's EVM test network. */
export class Faucet extends Context.Tag("features/faucet/Faucet")<
  Faucet,
  {
    /**
     * Gives an address the configured amount, once per configured interval. Completes when the node has accepted it.
     * Continues if the client disconnects; at the deadline of the request, the client gets the state at that time.
     */
    readonly fund: (address: string) => Effect.Effect<Funded, Funding.FundingError>
  }
>() {
  static readonly layer = Layer.scoped(
    Faucet,
    Effect.gen(function* () {
      const { amount, interval, key, url } = yield* settings
      const maxWait = Deadline.make(yield* requestDeadline).share("write")
      // Duration of one funding at a node that always responds just before the timeout.
      const maxDuration = 6 * (yield* upstreamTimeout)
      if (url === "") return unconfigured
      const store = yield* Store
      const upstream = yield* Upstream.make({
        name: "testnet-rpc",
        urls: [url],
        canary: Transfers.returnsChainId
      })
      const method = key === undefined ? setBalance(upstream, amount) : yield* Transfers.make(upstream, key, amount)
      const claims = yield* claimsOf(interval, maxWait + maxDuration)
      const permit = yield* Effect.makeSemaphore(1)
      const fundings = yield* FiberSet.make<Funded, Funding.FundingError>()
      yield* Effect.addFinalizer(() => timeoutOption(FiberSet.awaitEmpty(fundings), drainTime))

      /** One funding at a time across all processes that share the store: two would use the same nonce. */
      const exclusively = <A>(job: Funding.Job, work: Effect.Effect<A, Funding.FundingError>) =>
        Effect.gen(function* () {
          const lease = yield* Lease.make("faucet", maxDuration)
          const mine = Effect.zipWith(
            lease.claim,
            Clock.currentTimeMillis,
            (isClaimed, now) => isClaimed || now >= job.until
          )
          yield* Effect.repeat(mine, { until: (isOver) => isOver, schedule: Schedule.spaced("25 millis") })
          const now = yield* Clock.currentTimeMillis
          return yield* now >= job.until ? Funding.timedOut(false, undefined) : work
        }).pipe(Effect.scoped, Effect.provideService(Store, store), permit.withPermits(1))

      const funding = (address: `0x${string}`, job: Funding.Job) =>
        Effect.gen(function* () {
          const at = yield* claims.claim(address)
          // Also looks up a transaction whose response was lost at a node that has just timed out.
          const given = Effect.provideService(method.give(address, job), BypassCircuit, true)
          const result = yield* Effect.exit(exclusively(job, given))
          yield* job.sent ? claims.confirm(address, at) : claims.release(address)
          return { address, amount: formatEther(amount), hash: yield* result }
        })

      const fund = Effect.fnUntraced(function* (text: string) {
        const address = yield* Either.mapLeft(
          EvmAddress.parse(text),
          (detail) => new Funding.FundingError({ reason: "invalid_address", detail })
        )
        const until = (yield* Clock.currentTimeMillis) + maxWait
        const job: Funding.Job = { until, sent: false, hash: undefined }
        // In a separate fiber: a client that disconnects does not interrupt its funding.
        const running = yield* FiberSet.run(fundings, funding(address, job))
        return yield* timeoutTo(Fiber.join(running), {
          duration: maxWait,
          onTimeout: (): Effect.Effect<Funded, Funding.FundingError> => Funding.timedOut(job.sent, job.hash)
        })
      }, span("Faucet.fund"))
      return { fund }
    })
  )
}

const unconfigured: Context.Tag.Service<Faucet> = { fund: () => off }
