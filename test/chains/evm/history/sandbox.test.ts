import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../../src/catalogue/Catalogue.ts"
import type { EvmFacts } from "../../../../src/catalogue/evm/EvmFacts.ts"
import * as Evm from "../../../../src/chains/evm/Evm.ts"
import { Explorers } from "../../../../src/chains/evm/providers/connect.ts"
import { variablePrefix } from "../../../../src/domain/NetworkId.ts"
import type { Transaction } from "../../../../src/domain/Transaction.ts"
import { seconds } from "../../../../src/domain/units.ts"
import * as Sandbox from "../../../../src/sandbox/Sandbox.ts"
import { ledger } from "../../../../src/sandbox/world/ledger.ts"
import * as World from "../../../../src/sandbox/world/World.ts"
import { CurrentUpstream } from "../../../../src/upstream/CurrentUpstream.ts"
import { chainOver } from "../../../support/chains.ts"
import { unlimitedSettings } from "../../../support/counted.ts"
import { settled } from "../../../support/settled.ts"
import { networks as tested } from "../../../support/tier.ts"
import { assert, describe, it } from "../../../support/vitest.ts"
import { samples } from "../../families/samples.ts"

const networks = tested.filter(({ family }) => family === "evm") as unknown as ReadonlyArray<EvmFacts>

/** A network over the simulated world with a single explorer. */
const simulated = Effect.fnUntraced(function* (
  info: EvmFacts,
  explorer: "etherscan" | "blockscout" | "routescan",
  outside: Layer.Layer<HttpClient.HttpClient> = Sandbox.layer(Catalogue.all)
) {
  const url = `${variablePrefix(info.id)}_BLOCKSCOUT_URL`
  const environment = {
    etherscan: { ETHERSCAN_API_KEY: "key", [url]: "" },
    blockscout: { [url]: "http://blockscout.test" },
    routescan: {}
  }[explorer]
  const explorers = { [explorer]: explorer === "blockscout" ? "http://blockscout.test" : true }
  const module = Layer.provide(Evm.layer({ ...info, explorers }), Layer.fresh(Explorers.layer))
  const settings = unlimitedSettings({ ...environment, [`${variablePrefix(info.id)}_RPC_URLS`]: "http://node.test" })
  const { chain } = yield* chainOver(module, outside, { settings })
  return yield* Effect.orDie(Effect.fromNullable(chain.history))
})

/** A network with Etherscan that counts the calls to each upstream. */
const counted = (info: EvmFacts) => {
  const calls = new Map<string, number>()
  const count = Effect.map(CurrentUpstream, ({ name }) => calls.set(name, (calls.get(name) ?? 0) + 1))
  const outside = Layer.map(Sandbox.layer(Catalogue.all), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), () => count)
    )
  )
  return Effect.map(simulated(info, "etherscan", outside), (history) => ({ calls, history }))
}

/** Balances that follow from a holder's history entries, by token. */
const sums = (holder: string, transactions: ReadonlyArray<Transaction>) => {
  const found = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => found.set(asset, (found.get(asset) ?? 0n) + amount)
  for (const { fee, from, status, to, type } of transactions) {
    for (const movement of to) if (movement.address === holder) add(movement.token ?? "", movement.amount)
    for (const movement of from) if (movement.address === holder) add(movement.token ?? "", -movement.amount)
    if (type !== "Receive") add("", -(fee ?? 0n))
    assert.isTrue(status === "Failed" || status === "Success")
  }
  return found
}

describe("histories of the simulated world", () => {
  for (const info of networks)
    for (const [index, explorer] of (["etherscan", "blockscout", "routescan"] as const).entries())
      it(`add up to the balances on ${info.id} (${explorer})`, function* () {
        const history = yield* simulated(info, explorer)
        for (const holder of samples(info, 5, 5 * index)) {
          const part = yield* settled(history({ address: holder, limit: 500 }))
          assert.deepStrictEqual([part.more, part.gaps.filter(({ what }) => what !== "not_listed")], [false, []])
          const found = sums(holder, part.transactions)
          assert.strictEqual(found.get("") ?? 0n, World.native(info, holder))
          for (const contract of World.contractsOn(info.platform))
            assert.strictEqual(found.get(contract.address) ?? 0n, World.tokenBalance(info, contract, holder))
          assert.strictEqual(new Set(part.transactions.map(({ hash }) => hash)).size, part.transactions.length)
        }
      })

  it("take one call per list, and one call to a node if a list lacks data", function* () {
    for (const info of networks) {
      const { calls, history } = yield* counted(info)
      for (const question of [{ limit: 50 }, { limit: 500 }, { limit: 500, since: seconds(1_760_000_000) }]) {
        calls.clear()
        const holder = samples(info, 20).find((text) => ledger(info, text).length > 3) ?? ""
        const part = yield* settled(history({ address: holder, ...question }))
        assert.isNotEmpty(part.transactions)
        const open = calls.has(`${info.id}-rpc`) ? { [`${info.id}-rpc`]: 1 } : {}
        assert.deepStrictEqual(Object.fromEntries(calls), { etherscan: 3, ...open })
      }
    }
  })

  it("with a smaller limit or a start time are prefixes of the whole history", function* () {
    const [info] = networks
    if (info === undefined) return
    const history = yield* simulated(info, "etherscan")
    for (const holder of samples(info, 5)) {
      const whole = yield* settled(history({ address: holder, limit: 500 }))
      const some = yield* settled(history({ address: holder, limit: 3 }))
      assert.deepStrictEqual(some.transactions, whole.transactions.slice(0, 3))
      assert.strictEqual(some.more, whole.transactions.length > 3)
      const since = whole.transactions[2]?.timestamp ?? seconds(0)
      const newer = yield* settled(history({ address: holder, limit: 500, since }))
      assert.deepStrictEqual(newer.transactions, whole.transactions.slice(0, 3))
      assert.isFalse(newer.more)
    }
  })
})
