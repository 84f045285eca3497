import { assert, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { ripple } from "../../../src/catalogue/ripple.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as IssuedToken from "../../../src/chains/ripple/IssuedToken.ts"
import * as Ripple from "../../../src/chains/ripple/Ripple.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { token } from "./ripple.ts"

const contracts = World.contractsOn("xrp")
const keys = contracts.map(({ address }) => IssuedToken.keyOf(Either.getOrThrow(IssuedToken.parse(address))))
const tokens = contracts.map(({ coin, decimals }, index) => token(keys[index] ?? "", coin.id, decimals))

const addresses = Array.from({ length: 20 }, (_, index) => {
  const payload = Uint8Array.of(0, ...new Uint8Array(19), index + 1)
  return base58xrp.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).slice(0, 4)))
})

it.effect("the simulated nodes return the balances of the simulated world for every address", () =>
  Effect.gen(function* () {
    const { address, holding, holdings } = byAddress(yield* Chain)
    for (const item of addresses) assert.deepStrictEqual(address(item), Either.right(item))
    const reads = yield* settled(holdings(addresses))
    const expected = addresses.map((element) => [
      World.native(ripple, element),
      ...contracts.map((contract) => World.tokenBalance(ripple, contract, element)).filter((amount) => amount > 0n)
    ])
    assert.deepStrictEqual(
      reads.map((read) => Either.getOrThrow(read).map(({ amount }) => Either.getOrThrow(amount))),
      expected
    )
    assert.isTrue(expected.some(([drops]) => drops === 0n) && expected.some(({ length }) => length > 1))
    for (const [index, text] of addresses.entries())
      for (const [at, contract] of contracts.entries()) {
        const native = yield* settled(holding(text, Option.none()))
        assert.deepStrictEqual(native.amount, Either.right(expected[index]?.[0] ?? -1n))
        const own = yield* settled(holding(text, Option.some(contract.address)))
        assert.deepStrictEqual(own, {
          asset: tokens[at] ?? "native",
          amount: Either.right(World.tokenBalance(ripple, contract, text))
        })
      }
  }).pipe(
    Effect.provide(
      Layer.provide(Ripple.layer, [
        Sandbox.layer([ripple]),
        TokenRegistry.layerTest({ xrp: tokens }),
        Layer.fresh(Upstreams.layer),
        Memory.layer(),
        Settings.layer({})
      ])
    )
  )
)

it("simulated amounts have no more digits than the ledger allows", () => {
  for (const address of addresses)
    for (const contract of contracts) assert.isAtMost(`${World.tokenBalance(ripple, contract, address)}`.length, 16)
})
