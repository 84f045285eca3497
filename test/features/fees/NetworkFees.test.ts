import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { FeeSource, ReadFailure } from "../../../src/chains/Chain.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import type { FeesOf } from "../../../src/domain/fees/Fees.ts"
import { toWire } from "../../../src/features/fees/handlers.ts"
import { NetworkFees } from "../../../src/features/fees/NetworkFees.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { chainsOf } from "../../support/chains.ts"
import { counting, unlimitedSettings } from "../../support/counted.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const level = { feeDrops: "12", seconds: 4, transferFeeBaseUnits: "12" }
const ripple: FeesOf<"ripple"> = {
  family: "ripple",
  levels: { slow: level, standard: level, fast: level },
  basis: { baseFeeDrops: "10", queuedTransactions: "0" },
  transfer: "a payment"
}

const down: ReadFailure = { reason: "upstream_error", message: "ripple-rpc: could not be reached" }

/** The XRP Ledger with the given fees and Bitcoin without fees, and the number of reads. */
const fakeNetworks = (current: FeeSource["current"], more: Partial<FeeSource> = {}) => {
  const reads = { count: 0 }
  const facts = (id: string) => Catalogue.all.find((one) => one.id === id)
  const network = {
    facts: facts("ripple"),
    address: (text: string) => (text.startsWith("r") ? Either.right(text) : Either.left("it begins with r")),
    fees: {
      lifetime: 4_000,
      current: Effect.suspend(() => {
        reads.count += 1
        return current
      }),
      ...more
    }
  }
  const bare = { facts: facts("bitcoin"), address: Either.right }
  const layer = Layer.fresh(NetworkFees.layer).pipe(
    Layer.provide([
      chainsOf([network, bare]),
      Pricing.layerTest({ ripple: 2 }),
      Settings.layer({ REQUEST_DEADLINE_MS: "10000" }),
      Layer.fresh(Memory.layer())
    ])
  )
  return { layer, reads }
}

type Wire = ReturnType<typeof toWire> & { readonly account?: unknown }

const of = (address?: string) => Effect.flatMap(NetworkFees, (fees) => fees.of("xrp", Option.fromNullable(address)))
const wire = (address?: string) => Effect.map(of(address), toWire)

describe("the fees of a network", () => {
  it.scoped("are read once per block, for any number of requests", () => {
    const gate = Effect.runSync(Deferred.make<void>())
    const { layer, reads } = fakeNetworks(Effect.zipRight(Deferred.await(gate), Effect.succeed(ripple)))
    return Effect.gen(function* () {
      const both = yield* Effect.fork(Effect.all([of(), of()], { concurrency: 2 }))
      yield* TestClock.adjust(100)
      yield* Deferred.succeed(gate, undefined)
      const [one, two] = yield* both
      assert.deepStrictEqual(one, two)
      yield* TestClock.adjust(3_900)
      assert.strictEqual((yield* of()).at, one?.at)
      assert.strictEqual(reads.count, 1)
      yield* TestClock.adjust(200)
      assert.isAbove((yield* of()).at ?? 0, one?.at ?? 0)
      assert.strictEqual(reads.count, 2)
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are exact decimals and dollars in addition to base units", () => {
    const { layer } = fakeNetworks(Effect.succeed(ripple))
    return Effect.gen(function* () {
      const valued = { ...level, transferFee: "0.000012", transferFeeUsd: "0.000024" }
      assert.deepStrictEqual(yield* wire(), {
        network: "ripple",
        family: "ripple",
        updatedAt: 0,
        levels: { slow: valued, standard: valued, fast: valued },
        basis: ripple.basis,
        transfer: { description: "a payment", fee: "0.000012", feeBaseUnits: "12", feeUsd: "0.000024" }
      } as never)
    }).pipe(Effect.provide(layer))
  })

  it.scoped("have a reason for each null, of a level or of a price", () => {
    const missing = {
      feeDrops: null,
      seconds: null,
      transferFeeBaseUnits: null,
      error: "none",
      errorCode: "bad_answer" as const
    }
    const { layer } = fakeNetworks(Effect.succeed({ ...ripple, levels: { ...ripple.levels, fast: missing } }))
    return Effect.gen(function* () {
      const reading = yield* of()
      const { levels, transfer } = toWire({ ...reading, price: Either.left("rate_limited") })
      assert.deepInclude(levels.slow, {
        transferFee: "0.000012",
        transferFeeUsd: null,
        errorCode: "rate_limited",
        error: "the rate limit of the price sources is reached"
      })
      assert.deepInclude(transfer, { fee: "0.000012", feeUsd: null, errorCode: "rate_limited" })
      assert.deepStrictEqual(levels.fast as never, { ...missing, transferFee: null, transferFeeUsd: null })
    }).pipe(Effect.provide(layer))
  })

  it.scoped("are null with the reason if they could not be read, and are read again a second later", () => {
    const { layer, reads } = fakeNetworks(Effect.fail(down))
    return Effect.gen(function* () {
      const { levels, transfer, updatedAt } = yield* wire()
      assert.isNull(updatedAt)
      for (const one of [levels.slow, levels.standard, levels.fast])
        assert.deepStrictEqual(one as never, {
          feeDrops: null,
          seconds: null,
          transferFeeBaseUnits: null,
          transferFee: null,
          transferFeeUsd: null,
          error: down.message,
          errorCode: down.reason
        })
      assert.deepInclude(transfer, { fee: null, feeBaseUnits: null, feeUsd: null, errorCode: down.reason })
      yield* of()
      assert.strictEqual(reads.count, 1)
      yield* TestClock.adjust(1_100)
      yield* of()
      assert.strictEqual(reads.count, 2)
    }).pipe(Effect.provide(layer))
  })

  it("are null with `timeout` before the deadline, and with an internal error after a defect", function* () {
    const slow = yield* Effect.fork(Effect.provide(wire(), fakeNetworks(Effect.never).layer))
    yield* TestClock.adjust(8_000)
    assert.deepInclude((yield* slow).transfer, { fee: null, errorCode: "timeout" })
    const broken = yield* Effect.provide(wire(), fakeNetworks(Effect.die("secret")).layer)
    assert.deepInclude(broken.transfer, { fee: null, error: "internal error" })
    const beyond = { ...level, transferFeeBaseUnits: "100000000000000001" }
    const tooMuch = fakeNetworks(Effect.succeed({ ...ripple, levels: { ...ripple.levels, fast: beyond } }))
    assert.deepInclude((yield* Effect.provide(wire(), tooMuch.layer)).transfer, {
      fee: null,
      errorCode: "bad_answer"
    })
  })

  it.scoped(
    "are refused for unknown networks, networks without fees, and addresses that the network does not use",
    () => {
      const { layer } = fakeNetworks(Effect.succeed(ripple))
      return Effect.gen(function* () {
        const fees = yield* NetworkFees
        for (const name of ["nowhere", "bitcoin", "__proto__", "x".repeat(5_000)]) {
          const { kind, message } = yield* Effect.flip(fees.of(name, Option.none()))
          assert.strictEqual(kind, "network")
          assert.match(message, /networks with fees: ripple\./)
          assert.isBelow(message.length, 300)
        }
        assert.strictEqual((yield* Effect.flip(of("r1"))).kind, "address")
      }).pipe(Effect.provide(layer))
    }
  )

  it.scoped("are zero for an address whose resources cover them, and unchanged if the resources cannot be read", () => {
    const resources = { freeBandwidth: 600, stakedBandwidth: 0, stakedEnergy: 7, coverTransfer: true }
    const requested: Array<string> = []
    const { layer } = fakeNetworks(Effect.succeed(ripple), {
      resources: (address) => {
        requested.push(address)
        return address === "rDown" ? Effect.fail(down) : Effect.succeed(resources)
      }
    })
    return Effect.gen(function* () {
      assert.deepInclude(yield* Effect.flip(of("x")), { kind: "address", message: "it begins with r" })
      const { account, levels, transfer }: Wire = yield* wire("rUp")
      assert.deepStrictEqual(account, { address: "rUp", freeBandwidth: 600, stakedBandwidth: 0, stakedEnergy: 7 })
      assert.deepInclude(levels.fast, { transferFeeBaseUnits: "0", transferFee: "0", transferFeeUsd: "0" })
      assert.match(transfer.description, /covered/)
      const other: Wire = yield* wire("rDown")
      assert.deepInclude(other.account, { freeBandwidth: null, errorCode: down.reason })
      assert.strictEqual(other.transfer.feeBaseUnits, "12")
      yield* wire("rUp")
      assert.deepStrictEqual(requested, ["rUp", "rDown"])
    }).pipe(Effect.provide(layer))
  })
})

/** Upstream calls of the first read of fees by network or family, by default 2. Networks with two sources query both. */
const firstReadCalls: Readonly<Record<string, number>> = {
  zkevm: 0,
  tron: 1,
  utxo: 4,
  cardano: 1,
  solana: 4,
  ton: 3,
  polkadot: 4
}

describe("the fees of every network in the sandbox", () => {
  const { counts, layer: outside } = counting()
  const chains = Chains.layer.pipe(
    Layer.provide(TokenRegistry.layer),
    Layer.provide(CoinGecko.layer),
    Layer.provide(Layer.fresh(Upstreams.layer))
  )
  const prices = Object.fromEntries(Catalogue.all.map(({ native }) => [native.coinId, 3]))
  const layer = Layer.fresh(NetworkFees.layer).pipe(
    Layer.provideMerge(chains),
    Layer.provide(Pricing.layerTest(prices)),
    Layer.provide(Layer.mergeAll(outside, Layer.fresh(Memory.layer()), unlimitedSettings())),
    Layer.provideMerge(Logger.minimumLogLevel(LogLevel.None))
  )

  it.live("are complete, rise from slow to fast, and take few calls, and none while they are cached", () =>
    Effect.gen(function* () {
      const fees = yield* NetworkFees
      for (const facts of (yield* Chains).facts) {
        const { family, id, native, sunset } = facts
        counts.clear()
        const first = yield* fees.of(id, Option.none())
        const calls = [...counts].filter(([name]) => !name.startsWith("coingecko"))
        const total = calls.reduce((sum, [, count]) => sum + count, 0)
        assert.strictEqual(total, firstReadCalls[id] ?? firstReadCalls[family] ?? 2, `${id}: ${JSON.stringify(calls)}`)
        const { basis, levels, transfer } = toWire(first)
        if (sunset !== undefined) {
          assert.deepInclude(transfer, { fee: null, errorCode: "sunset" }, id)
          continue
        }
        counts.clear()
        assert.deepStrictEqual((yield* fees.of(id, Option.none())).fees, first.fees)
        assert.strictEqual(counts.size, 0, id)
        assert.notInclude(Object.values(basis), null, id)
        assert.strictEqual(first.fees.family, family)
        const all = [levels.slow, levels.standard, levels.fast]
        const amounts = all.map((one) => {
          assert.notInclude(Object.values(one), null, `${id} ${JSON.stringify(one)}`)
          assert.notProperty(one, "error")
          return BigInt(one.transferFeeBaseUnits ?? -1)
        })
        const [slow = -1n, standard = 0n, fast = 0n] = amounts
        assert.isTrue(0n < slow && slow <= standard && standard <= fast, id)
        assert.isTrue(
          all.every(({ seconds }) => (seconds ?? 0) > 0),
          id
        )
        assert.strictEqual(transfer.feeBaseUnits, String(standard))
        assert.closeTo(Number(transfer.feeUsd), (3 * Number(standard)) / 10 ** native.decimals, 1e-9)
      }
    }).pipe(
      Effect.provide(layer),
      Effect.scoped,
      // The simulated clock keeps cached values valid when the machine pauses.
      simulated(1_793_450_000_000).finish,
      Effect.flatMap(({ outcome }) => outcome)
    )
  )
})
