import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as TonAddress from "../../../src/chains/ton/TonAddress.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { unlimitedSettings } from "../../support/counted.ts"
import { hashes, sums } from "../../support/histories.ts"
import { Ton } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, layer } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"

/** The sandbox in which the connections to the named upstreams fail. */
const without = (...names: ReadonlyArray<string>) =>
  Layer.map(Sandbox.layer([Ton.info]), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), (request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) =>
          names.includes(name) ? new HttpClientError.RequestError({ request, reason: "Transport" }) : Effect.void
        )
      )
    )
  )

const ton = (...off: ReadonlyArray<string>) =>
  Layer.provide(Ton.layer, [
    without(...off),
    TokenRegistry.layerTest({}),
    Layer.fresh(Upstreams.layer),
    unlimitedSettings()
  ])

const addresses = samples(Ton.info, 60).map((text) => Either.getOrThrow(TonAddress.parse(text)))

const inWorld = (address: string) =>
  new Map([
    ["native", World.native(Ton.info, address)] as const,
    ...World.contractsOn("the-open-network").flatMap((contract) => {
      const amount = World.tokenBalance(Ton.info, contract, address)
      return amount === 0n ? [] : [[Either.getOrThrow(TonAddress.parse(contract.address)), amount] as const]
    })
  ])

const read = (address: string, limit = 500, since?: number) =>
  Effect.flatMap(Chain, ({ history }) =>
    settled(history?.({ address, limit, ...(since === undefined ? {} : { since }) }) ?? Effect.die("no history"))
  )

for (const [name, off] of [
  ["toncenter", []],
  ["tonapi", ["toncenter"]]
] as const)
  layer(ton(...off))(`the TON history in the sandbox from ${name}`, (it) => {
    it("adds up to the simulated balance of every asset", function* () {
      const types = new Set<string>()
      for (const address of addresses) {
        const { missing, more, sources, transactions } = yield* read(address)
        assert.deepStrictEqual([missing, more, sources] as unknown, [[], false, [name]])
        assert.deepStrictEqual(
          transactions.map(({ hash }) => hash),
          hashes(ledger(Ton.info, address))
        )
        assert.deepStrictEqual(sums(address, transactions), inWorld(address))
        for (const { fee, status, type } of transactions)
          types.add(`${type} ${status} ${fee === null ? "no fee" : "fee"}`)
      }
      assert.deepStrictEqual([...types].sort(), ["Receive Success fee", "Send Failed fee", "Send Success fee"])
    })

    it("respects a limit and a start time", function* () {
      const address = addresses.find((item) => ledger(Ton.info, item).length > 6) ?? ""
      const all = hashes(ledger(Ton.info, address))
      const some = yield* read(address, 4)
      assert.deepStrictEqual([some.transactions.map(({ hash }) => hash), some.more] as unknown, [all.slice(0, 4), true])
      const since = some.transactions[2]?.timestamp ?? 0
      const newer = yield* read(address, 500, since)
      assert.deepStrictEqual([newer.transactions.map(({ hash }) => hash), newer.more] as unknown, [
        all.slice(0, 3),
        false
      ])
      assert.deepStrictEqual((yield* read(address, 500, since + 10 ** 9)).transactions as unknown, [])
    })
  })
