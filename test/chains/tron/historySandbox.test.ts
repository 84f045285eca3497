import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { unlimitedSettings } from "../../support/counted.ts"
import { sums } from "../../support/histories.ts"
import { Tron } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, layer } from "../../support/vitest.ts"
import { samples } from "../families/samples.ts"

const tron = Layer.provide(Tron.layer, [
  Sandbox.layer([Tron.info]),
  TokenRegistry.layerTest({}),
  Layer.fresh(Upstreams.layer),
  Memory.layer(),
  unlimitedSettings()
])

const addresses = samples(Tron.info, 60).map((text) => Either.getOrThrow(TronAddress.parse(text)))

const inWorld = (address: string) =>
  new Map([
    ["native", World.native(Tron.info, address)] as const,
    ...World.contractsOn("tron").flatMap((contract) => {
      const amount = World.tokenBalance(Tron.info, contract, address)
      return amount === 0n ? [] : [[contract.address, amount] as const]
    })
  ])

/** Times of an address's transactions, newest first. No two past transactions have the same time. */
const times = (address: string) =>
  ledger(Tron.info, address)
    .map(({ at }) => at)
    .reverse()

const read = (address: string, limit = 500, since?: number) =>
  Effect.flatMap(Chain, ({ history }) =>
    settled(history?.({ address, limit, ...(since === undefined ? {} : { since }) }) ?? Effect.die("no history"))
  )

layer(tron)("the history of Tron in the sandbox", (it) => {
  it("adds up to the simulated balance of every asset", function* () {
    const types = new Set<string>()
    for (const address of addresses) {
      const { missing, more, transactions: listed } = yield* read(address)
      // Balances do not include pending transfers.
      const transactions = listed.filter(({ status }) => status !== "Pending")
      for (const { type } of listed.slice(transactions.length)) types.add(`${type} Pending`)
      assert.deepStrictEqual([missing, more] as unknown, [[], false])
      assert.deepStrictEqual(
        transactions.map(({ timestamp }) => timestamp),
        times(address)
      )
      assert.strictEqual(new Set(transactions.map(({ hash }) => hash)).size, transactions.length)
      assert.deepStrictEqual(sums(address, transactions), inWorld(address))
      for (const { fee, status, type } of transactions)
        types.add(`${type} ${status} ${fee === null ? "no fee" : "fee"}`)
    }
    assert.deepStrictEqual([...types].sort(), [
      "Contract Call Failed fee",
      "Contract Call Success fee",
      "Receive Pending",
      "Receive Success fee",
      "Receive Success no fee",
      "Send Success fee"
    ])
  })

  it("respects a limit and a start time", function* () {
    const address = addresses.find((item) => ledger(Tron.info, item).length > 6) ?? ""
    const all = times(address)
    const some = yield* read(address, 4)
    assert.deepStrictEqual([some.transactions.map(({ timestamp }) => timestamp), some.more] as unknown, [
      all.slice(0, 4),
      true
    ])
    const since = some.transactions[2]?.timestamp ?? 0
    const newer = yield* read(address, 500, since)
    assert.deepStrictEqual([newer.transactions.map(({ timestamp }) => timestamp), newer.more] as unknown, [
      all.slice(0, 3),
      false
    ])
    assert.deepStrictEqual((yield* read(address, 500, since + 10 ** 9)).transactions as unknown, [])
  })
})
