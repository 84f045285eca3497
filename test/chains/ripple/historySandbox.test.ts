import { assert, it } from "@effect/vitest"
import { sha256 } from "@noble/hashes/sha2"
import { base58xrp } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
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
import { sums } from "../../support/histories.ts"
import { settled } from "../../support/settled.ts"
import { token } from "./ripple.ts"

const contracts = World.contractsOn("xrp")
const keys = contracts.map(({ address }) => IssuedToken.keyOf(Either.getOrThrow(IssuedToken.parse(address))))
const tokens = contracts.map(({ coin, decimals }, index) => token(keys[index] ?? "", coin.id, decimals))

const addresses = Array.from({ length: 60 }, (_, index) => {
  const payload = Uint8Array.of(0, ...new Uint8Array(19), index + 1)
  return base58xrp.encode(Uint8Array.of(...payload, ...sha256(sha256(payload)).slice(0, 4)))
})

it.effect("the history of a simulated account adds up to its balances, and respects a limit and a start time", () =>
  Effect.gen(function* () {
    const { history = () => Effect.dieMessage("no history") } = yield* Chain
    const types = new Set<string>()
    for (const address of addresses) {
      const part = yield* settled(history({ address, limit: 500 }))
      assert.deepStrictEqual(
        { ...part, transactions: 0 },
        { transactions: 0, more: false, sources: ["ripple-rpc"], missing: [] }
      )
      const balances = sums(address, part.transactions)
      assert.strictEqual(balances.get("native") ?? 0n, World.native(ripple, address))
      for (const [at, contract] of contracts.entries())
        assert.strictEqual(balances.get(keys[at] ?? "") ?? 0n, World.tokenBalance(ripple, contract, address))
      for (const { from, status, to, type } of part.transactions) {
        types.add(`${type} ${status}`)
        for (const key of [undefined, ...keys]) {
          const of = (parties: typeof from) =>
            parties.reduce((sum, party) => (party.token === key ? sum + party.amount : sum), 0n)
          assert.strictEqual(of(from), of(to))
        }
      }
      // The newest two, then those that are not older than the third.
      const two = yield* settled(history({ address, limit: 2 }))
      assert.deepStrictEqual(two.transactions, part.transactions.slice(0, 2))
      assert.strictEqual(two.more, part.transactions.length > 2)
      const since = part.transactions[2]?.timestamp
      if (since === undefined) continue
      const fresh = yield* settled(history({ address, limit: 500, since }))
      assert.deepStrictEqual(fresh.transactions, part.transactions.slice(0, 3))
      assert.isFalse(fresh.more)
    }
    assert.sameMembers([...types], ["Send Success", "Send Failed", "Receive Success", "OfferCreate Success"])
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
