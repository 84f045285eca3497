import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { tron } from "../../../src/catalogue/tron.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Tron from "../../../src/chains/tron/Tron.ts"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { token } from "./tron.ts"

const contracts = World.contractsOn("tron")
const tokens = contracts.map(({ address, coin, decimals }) => token(address, coin.id, decimals))

const sandboxed = Layer.provide(Tron.layer, [
  Sandbox.layer([tron]),
  TokenRegistry.layerTest({ tron: tokens }),
  Layer.fresh(Upstreams.layer),
  Memory.layer(),
  Settings.layer({})
])

const addresses = Array.from({ length: 20 }, (_, index) =>
  Either.getOrThrow(TronAddress.parse(`41${(index + 1).toString(16).padStart(40, "0")}`))
)

it.effect("the simulated TronGrid returns the balances of the simulated world for every address", () =>
  Effect.gen(function* () {
    const { holding, holdings } = byAddress(yield* Chain)
    const reads = yield* settled(holdings(addresses))
    const expected = addresses.map((address) => [
      World.native(tron, address),
      ...contracts.map((contract) => World.tokenBalance(tron, contract, address)).filter((amount) => amount > 0n)
    ])
    assert.deepStrictEqual(
      reads.map((read) => Either.getOrThrow(read).map(({ amount }) => Either.getOrThrow(amount))),
      expected
    )
    assert.isTrue(expected.some(([trx]) => trx === 0n) && expected.some(({ length }) => length > 1))
    for (const [index, address] of addresses.entries()) {
      const native = yield* settled(holding(address, Option.none()))
      assert.deepStrictEqual(native.amount, Either.right(expected[index]?.[0] ?? -1n))
    }
    const [contract] = contracts
    assert.isDefined(contract)
    const item = yield* settled(holding(addresses[0] ?? "", Option.fromNullable(contract?.address)))
    assert.strictEqual(item.asset, tokens[0])
  }).pipe(Effect.provide(sandboxed))
)

it.effect("the simulated TronGrid returns the decimals of a token and rejects a contract that does not exist", () =>
  Effect.gen(function* () {
    const { holding } = yield* Chain
    for (const { address, decimals } of contracts) {
      const { asset } = yield* settled(holding(addresses[0] ?? "", Option.some(address)))
      assert.strictEqual(asset === "native" ? undefined : asset.decimals, decimals)
    }
    const { reason } = yield* settled(Effect.flip(holding(addresses[0] ?? "", Option.fromNullable(addresses[1]))))
    assert.strictEqual(reason, "bad_answer")
  }).pipe(
    Effect.provide(
      Layer.provide(Tron.layer, [
        Sandbox.layer([tron]),
        TokenRegistry.layerTest({}),
        Layer.fresh(Upstreams.layer),
        Memory.layer(),
        Settings.layer({})
      ])
    )
  )
)
