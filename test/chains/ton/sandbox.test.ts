import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chain } from "../../../src/chains/Chain.ts"
import { elector } from "../../../src/chains/ton/Client.ts"
import { parse } from "../../../src/chains/ton/TonAddress.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { unlimitedSettings } from "../../support/counted.ts"
import { byAddress } from "../../support/holdings.ts"
import { Ton } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"
import { token } from "./ton.ts"

const contracts = World.contractsOn("the-open-network")

/** The sandbox in which the connections to the named upstreams fail. */
const without = (...names: ReadonlyArray<string>) =>
  Layer.map(Sandbox.layer([Ton.info]), (context) => {
    const http = Context.get(context, HttpClient.HttpClient)
    return Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(http, (request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) =>
          names.includes(name) ? new HttpClientError.RequestError({ request, reason: "Transport" }) : Effect.void
        )
      )
    )
  })

const masters = contracts.map(({ address }) => Either.getOrThrow(parse(address)))

const tokens = contracts.map(({ coin, decimals }, index) => token(masters[index] ?? "", coin.id, decimals))

const network = (...off: ReadonlyArray<string>) =>
  Effect.provide(
    Chain,
    Layer.provide(Ton.layer, [
      without(...off),
      TokenRegistry.layerTest({ "the-open-network": tokens }),
      Layer.fresh(Upstreams.layer),
      unlimitedSettings()
    ])
  )

const addresses = samples(Ton.info, 60).map((text) => Either.getOrThrow(parse(text)))

/** Simulated balances of an address. */
const inWorld = (address: string) => [
  ["native", World.native(Ton.info, address)],
  ...contracts.flatMap((contract, index) => {
    const amount = World.tokenBalance(Ton.info, contract, address)
    return amount === 0n ? [] : [[masters[index], amount]]
  })
]

describe("TON indexers in the sandbox", () => {
  it("have jettons of real contracts, some empty accounts and some holders", () => {
    assert.isAtLeast(contracts.length, 3)
    const sizes = addresses.map((address) => inWorld(address).length)
    assert.isAbove(sizes.filter((count) => count > 1).length, 10)
    assert.isAbove(addresses.filter((address) => World.native(Ton.info, address) === 0n).length, 0)
  })

  for (const [name, off] of [
    ["TON Center", []],
    ["TonAPI", ["toncenter"]]
  ] as const)
    it(`return the simulated balances: ${name}`, function* () {
      const ton = yield* network(...off)
      const results = yield* settled(byAddress(ton).holdings(addresses))
      for (const [index, address] of addresses.entries())
        assert.deepStrictEqual(
          Either.getOrThrow(Option.getOrThrow(Option.fromNullable(results[index]))).map(({ amount, asset }) => [
            asset === "native" ? asset : asset.address,
            Either.getOrThrow(amount)
          ]),
          inWorld(address)
        )
      const [holder = ""] = addresses
      const holding = yield* settled(ton.holding(holder, Option.none()))
      assert.deepStrictEqual(holding.amount, Either.right(World.native(Ton.info, holder)))
      assert.isTrue(Either.getOrThrow((yield* settled(ton.holding(elector, Option.none()))).amount) > 0n)
      const unknown = yield* settled(Effect.either(ton.holding(holder, Option.some(holder))))
      // The jetton is known not to exist only if both indexers say so.
      const reason = off.length === 0 ? "bad_answer" : "upstream_error"
      assert.strictEqual(Either.getOrThrow(Either.flip(unknown)).reason, reason)
    })
})
