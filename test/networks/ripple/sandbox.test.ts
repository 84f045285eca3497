import { assert, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Network } from "../../../src/networks/Network.ts"
import * as Ripple from "../../../src/networks/ripple/index.ts"
import * as Issued from "../../../src/networks/ripple/token.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { TokenRegistry } from "../../../src/tokens/TokenRegistry.ts"
import { Upstreams } from "../../../src/upstreams/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { token } from "./ripple.ts"

const contracts = World.contractsOn("xrp")
const keys = contracts.map(({ address }) => Issued.keyOf(Either.getOrThrow(Issued.parse(address))))
const tokens = contracts.map(({ coin, decimals }, index) => token(keys[index] ?? "", coin.id, decimals))

const addresses = Array.from({ length: 20 }, (_, index) => {
  const payload = Uint8Array.of(0, ...new Uint8Array(19), index + 1)
  return base58xrp.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).slice(0, 4)))
})

it.effect("the simulated nodes tell of every address what the simulated world holds", () =>
  Effect.gen(function* () {
    const { address, holding, holdings } = byAddress(yield* Network)
    for (const one of addresses) assert.deepStrictEqual(address(one), Either.right(one))
    const reads = yield* settled(holdings(addresses))
    const held = addresses.map((one) => [
      World.native(Ripple.info, one),
      ...contracts.map((contract) => World.held(Ripple.info, contract, one)).filter((amount) => amount > 0n)
    ])
    assert.deepStrictEqual(
      reads.map((read) => Either.getOrThrow(read).map(({ amount }) => Either.getOrThrow(amount))),
      held
    )
    assert.isTrue(held.some(([drops]) => drops === 0n) && held.some(({ length }) => length > 1))
    for (const [index, one] of addresses.entries())
      for (const [at, contract] of contracts.entries()) {
        const native = yield* settled(holding(one, Option.none()))
        assert.deepStrictEqual(native.amount, Either.right(held[index]?.[0] ?? -1n))
        const own = yield* settled(holding(one, Option.some(contract.address)))
        assert.deepStrictEqual(own, {
          asset: tokens[at] ?? "native",
          amount: Either.right(World.held(Ripple.info, contract, one))
        })
      }
  }).pipe(
    Effect.provide(
      Layer.provide(Ripple.layer, [
        Sandbox.layer([Ripple.info]),
        TokenRegistry.layerTest({ xrp: tokens }),
        Layer.fresh(Upstreams.layer),
        Settings.layer({})
      ])
    )
  )
)

it("amounts of the simulated world have no more digits than the ledger has", () => {
  for (const one of addresses)
    for (const contract of contracts) assert.isAtMost(`${World.held(Ripple.info, contract, one)}`.length, 16)
})
