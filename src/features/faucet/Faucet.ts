import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import { formatEther } from "viem/utils"
import * as EvmAddress from "../../chains/evm/EvmAddress.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption, timeoutTo } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import { upstreamTimeout } from "../../settings/Timeout.ts"
import * as Lease from "../../storage/Lease.ts"
import { Store } from "../../storage/Store.ts"
import { Insists } from "../../upstream/Trials.ts"
import * as Upstream from "../../upstream/Upstream.ts"
import * as Claims from "./Claims.ts"
import { tellsItsChain } from "./chainState.ts"
import { FundingError, late } from "./FundingError.ts"
import type { Job } from "./Job.ts"
import * as SetBalance from "./SetBalance.ts"
import { settings } from "./settings.ts"
import * as Transfers from "./Transfers.ts"

/** What an account was given. */
export interface Funded {
  /** In lower case. */
  readonly address: string
  /** Whole native coins, a plain decimal. */
  readonly amount: string
  /** Of the transaction that the node has accepted; null where the node set the balance, for there is none. */
  readonly hash: string | null
}

const off = new FundingError({
  reason: "not_configured",
  detail:
    "Funding a test network account is not configured: set TESTNET_RPC_URL, and TESTNET_FUNDER_PRIVATE_KEY unless that node sets balances."
})

/** The service ends, and fundings that are under way may end before it. */
const drainTime = "8 seconds"

/** Coins of the operator's own EVM test network, for whoever asks. */
export class Faucet extends Context.Tag("features/faucet/Faucet")<
  Faucet,
  {
    /**
     * Gives an address the configured amount, once in the configured time; done as soon as the node has accepted it. It
     * goes on when nobody waits any more, and tells those who wait before the deadline of a request what is known by then.
     */
    readonly fund: (address: string) => Effect.Effect<Funded, FundingError>
  }
>() {
  static readonly layer = Layer.scoped(
    Faucet,
    Effect.gen(function* () {
      const { amount, interval, key, url } = yield* settings
      const patience = Deadline.make(yield* requestDeadline).share("write")
      // One turn at a node that always answers in the last moment.
      const longest = 6 * (yield* upstreamTimeout)
      if (url === "") return unconfigured
      const store = yield* Store
      const upstream = yield* Upstream.make({
        name: "testnet-rpc",
        urls: [url],
        concurrency: 8,
        canary: tellsItsChain
      })
      const way = key === undefined ? SetBalance.make(upstream, amount) : yield* Transfers.make(upstream, key, amount)
      const claims = yield* Claims.make(interval, patience + longest)
      const turn = yield* Effect.makeSemaphore(1)
      const underWay = yield* FiberSet.make<Funded, FundingError>()
      yield* Effect.addFinalizer(() => timeoutOption(FiberSet.awaitEmpty(underWay), drainTime))

      /** One at a time, of all processes that share the store: two would take the same nonce. */
      const alone = <A>(job: Job, work: Effect.Effect<A, FundingError>) =>
        Effect.gen(function* () {
          const lease = yield* Lease.make("faucet", longest)
          const mine = Effect.zipWith(lease.claim, Clock.currentTimeMillis, (got, now) => got || now >= job.until)
          yield* Effect.repeat(mine, { until: (over) => over, schedule: Schedule.spaced("25 millis") })
          const now = yield* Clock.currentTimeMillis
          return yield* now >= job.until ? late(false, undefined) : work
        }).pipe(Effect.scoped, Effect.provideService(Store, store), turn.withPermits(1))

      const funding = (address: `0x${string}`, job: Job) =>
        Effect.gen(function* () {
          const at = yield* claims.take(address)
          // Whoever gave away coins and has no answer has to look for them.
          const given = Effect.provideService(way.give(address, job), Insists, true)
          const result = yield* Effect.exit(alone(job, given))
          yield* job.sent ? claims.end(address, at) : claims.giveBack(address)
          return { address, amount: formatEther(amount), hash: yield* result }
        })

      const fund = Effect.fnUntraced(function* (text: string) {
        const address = yield* Either.mapLeft(
          EvmAddress.parse(text),
          (detail) => new FundingError({ reason: "invalid_address", detail })
        )
        const until = (yield* Clock.currentTimeMillis) + patience
        const job: Job = { until, sent: false, hash: undefined }
        // Not the request's own: whoever goes away does not interrupt what he has begun.
        const running = yield* FiberSet.run(underWay, funding(address, job))
        return yield* timeoutTo(Fiber.join(running), {
          duration: patience,
          onTimeout: (): Effect.Effect<Funded, FundingError> => late(job.sent, job.hash)
        })
      }, span("Faucet.fund"))
      return { fund }
    })
  )

  /** Without a test network. */
  static readonly layerNone = Layer.sync(Faucet, () => unconfigured)
}

const unconfigured: Context.Tag.Service<Faucet> = { fund: () => off }
