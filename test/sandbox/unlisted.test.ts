import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import { formatUnits } from "viem/utils"
import * as App from "../../src/App.ts"
import { Portfolio } from "../../src/features/balances/Portfolio.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { sandboxEnvironment } from "../support/sandbox.ts"
import { liveNetworks } from "../support/tier.ts"
import { assert, layer } from "../support/vitest.ts"

const quiet = Logger.minimumLogLevel(LogLevel.None)

/** The families whose sources list no tokens. */
const without = ["utxo"]

layer(App.useCases.pipe(Layer.provide(sandboxEnvironment()), Layer.provideMerge(quiet)), { excludeTestServices: true })(
  "the address of airdrops",
  (it) => {
    for (const facts of liveNetworks)
      it(`has all unlisted tokens of the world, and no price for any: ${facts.id}`, function* () {
        const holder = World.airdropped(facts.id) ?? assert.fail(facts.id)
        const { balances } = yield* Portfolio
        const { omissions, rows } = yield* balances({ [facts.id]: [holder] }, { unlisted: true })
        const tokens = World.contractsOn(facts.platform).filter(({ coin }) => coin.isUnlisted)
        const expected = tokens.map((contract) => [
          contract.address,
          formatUnits(World.tokenBalance(facts, contract, holder), contract.decimals)
        ])
        const unlisted = rows.filter(({ listed }) => listed === false)
        assert.deepStrictEqual(omissions, [])
        assert.deepStrictEqual(
          unlisted.map(({ balance, contractAddress }) => [contractAddress, balance]).sort(),
          without.includes(facts.family) ? [] : expected.sort()
        )
        assert.deepStrictEqual(
          unlisted.flatMap(({ balanceUsd, tokenPrice }) => [balanceUsd, tokenPrice]).filter((value) => value !== null),
          []
        )
        assert.strictEqual(rows[0]?.unlisted?.complete, !without.includes(facts.family), rows[0]?.unlisted?.error)
        const plain = yield* balances({ [facts.id]: [holder] })
        const listed = rows.flatMap(({ contractAddress, listed }) => (listed === false ? [] : [contractAddress]))
        assert.deepStrictEqual(
          plain.rows.map(({ contractAddress }) => contractAddress),
          listed
        )
      })
  }
)
