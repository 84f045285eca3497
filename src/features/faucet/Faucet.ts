import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schedule from "effect/Schedule"
import { formatEther, parseEther } from "viem/utils"
import * as EvmAddress from "../../chains/evm/EvmAddress.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption, timeoutTo } from "../../kernel/timeout.ts"
import * as declare from "../../settings/declare.ts"
import { Settings } from "../../settings/Settings.ts"
import { requestDeadline, upstreamTimeout } from "../../settings/variables.ts"
import * as Lease from "../../storage/Lease.ts"
import { Store } from "../../storage/Store.ts"
import { BypassCircuit } from "../../upstream/Probes.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import * as Claims from "./Claims.ts"
import { FundingError, type Job, timedOut } from "./Funding.ts"
import * as SetBalance from "./SetBalance.ts"
import * as Transfers from "./Transfers.ts"

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

/** The result of a funding. */
export interface Funded {
  /** In lower case. */
  readonly address: string
  /** Whole native coins, a plain decimal. */
  readonly amount: string
  /** Hash of the transaction that the node has accepted; null if the node set the balance. */
  readonly hash: string | null
}

const off = new FundingError({
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
    readonly fund: (address: string) => Effect.Effect<Funded, FundingError>
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
      const method =
        key === undefined ? SetBalance.make(upstream, amount) : yield* Transfers.make(upstream, key, amount)
      const claims = yield* Claims.make(interval, maxWait + maxDuration)
      const permit = yield* Effect.makeSemaphore(1)
      const fundings = yield* FiberSet.make<Funded, FundingError>()
      yield* Effect.addFinalizer(() => timeoutOption(FiberSet.awaitEmpty(fundings), drainTime))

      /** One funding at a time across all processes that share the store: two would use the same nonce. */
      const exclusively = <A>(job: Job, work: Effect.Effect<A, FundingError>) =>
        Effect.gen(function* () {
          const lease = yield* Lease.make("faucet", maxDuration)
          const mine = Effect.zipWith(
            lease.claim,
            Clock.currentTimeMillis,
            (isClaimed, now) => isClaimed || now >= job.until
          )
          yield* Effect.repeat(mine, { until: (isOver) => isOver, schedule: Schedule.spaced("25 millis") })
          const now = yield* Clock.currentTimeMillis
          return yield* now >= job.until ? timedOut(false, undefined) : work
        }).pipe(Effect.scoped, Effect.provideService(Store, store), permit.withPermits(1))

      const funding = (address: `0x${string}`, job: Job) =>
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
          (detail) => new FundingError({ reason: "invalid_address", detail })
        )
        const until = (yield* Clock.currentTimeMillis) + maxWait
        const job: Job = { until, sent: false, hash: undefined }
        // In a separate fiber: a client that disconnects does not interrupt its funding.
        const running = yield* FiberSet.run(fundings, funding(address, job))
        return yield* timeoutTo(Fiber.join(running), {
          duration: maxWait,
          onTimeout: (): Effect.Effect<Funded, FundingError> => timedOut(job.sent, job.hash)
        })
      }, span("Faucet.fund"))
      return { fund }
    })
  )

  /** Without a test network. */
  static readonly layerNone = Layer.sync(Faucet, () => unconfigured)
}

const unconfigured: Context.Tag.Service<Faucet> = { fund: () => off }
