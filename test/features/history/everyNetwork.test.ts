import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import { isOpen } from "../../../src/domain/history/Gap.ts"
import type { HistoryPart, Transaction } from "../../../src/domain/Transaction.ts"
import { distance, type Seconds } from "../../../src/domain/units.ts"
import { samples } from "../../chains/families/samples.ts"
import type { AnyNetwork } from "../../support/chains.ts"
import { byAddress } from "../../support/holdings.ts"
import { networkOf, sandboxOf } from "../../support/networkInSandbox.ts"
import { settled } from "../../support/settled.ts"
import { liveNetworks } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** Without optional keys, and with the keys that some sources require. */
const settings = {
  keyless: { SUBSCAN_API_KEY: "k" },
  keyed: { SUBSCAN_API_KEY: "k", ETHERSCAN_API_KEY: "k", BLOCKFROST_PROJECT_ID: "k" }
}

const history = (network: AnyNetwork, address: string, limit = 500, since?: Seconds) =>
  Effect.suspend(() => {
    if (network.history === undefined) return Effect.dieMessage(`${network.facts.id} has no history`)
    return network.history({ address, limit, ...(since === undefined ? {} : { since }) })
  })

/** Returns true if all sources of the network require a key. The error then names the variables to set. */
const requiresKey = Effect.fnUntraced(function* (network: AnyNetwork) {
  const { history: served = Either.left("no history") } = yield* network.abilities
  if (Either.isRight(served)) return false
  const returned = yield* Effect.flip(history(network, samples(network.facts, 1)[0] ?? ""))
  assert.strictEqual(returned.reason, "not_configured")
  assert.match(returned.message, /[A-Z]+_[A-Z]+/)
  return true
})

/** Balance of the holder after the transactions, per token; the key of the native coin is undefined. */
const sums = (network: AnyNetwork, holder: string, transactions: ReadonlyArray<Transaction>) => {
  const own = (address: string) => Either.getOrElse(network.address(address), () => address) === holder
  const left = new Map<string | undefined, bigint>([[undefined, 0n]])
  const add = (token: string | undefined, amount: bigint) => left.set(token, (left.get(token) ?? 0n) + amount)
  for (const { fee, from, to } of transactions) {
    for (const { address, amount, token } of to) if (own(address)) add(token, amount)
    for (const { address, amount, token } of from) if (own(address)) add(token, -amount)
    if (from.some(({ address }) => own(address))) add(undefined, -(fee ?? 0n))
  }
  return left
}

const holders = (info: NetworkFacts, network: AnyNetwork, count = 12, from = 0) =>
  samples(info, count, from).map((text) => [text, Either.getOrThrow(network.address(text))] as const)

const hashes = ({ transactions }: HistoryPart) => transactions.map(({ hash }) => hash)

/** Families with sources that these keys enable; the other families have the same sources in both runs. */
const withKeys: ReadonlyArray<NetworkFacts["family"]> = ["evm", "cardano"]

for (const [how, environment] of Object.entries(settings))
  describe(`the history from ${how} sources`, () => {
    const tested = liveNetworks.filter(({ family }) => how === "keyless" || withKeys.includes(family))

    for (const info of tested)
      it.scopedLive(`of ${info.id} adds up to the balances, is ordered by time and has no duplicates`, function* () {
        const sandbox = sandboxOf(info)
        const network = yield* networkOf(info, sandbox, environment)
        if (yield* requiresKey(network)) return
        let seen = 0
        // A network that is tested in both runs has different holders in each.
        const [count, from] = withKeys.includes(info.family) ? [4, how === "keyless" ? 0 : 4] : [5, 0]
        for (const [text, address] of holders(info, network, count, from)) {
          const returned = yield* history(network, address)
          assert.deepStrictEqual(
            returned.gaps.filter(({ what }) => what !== "not_listed"),
            [],
            text
          )
          assert.isFalse(returned.more)
          seen += returned.transactions.length
          const [holdings = Either.right([])] = yield* byAddress(network).holdings([address])
          const left = sums(network, address, returned.transactions)
          for (const { amount, asset } of Either.getOrThrow(holdings)) {
            const token = asset === "native" ? undefined : asset.address
            assert.strictEqual(
              left.get(token) ?? 0n,
              Either.getOrThrow(amount),
              `${text}: ${token ?? "the native coin"}`
            )
            left.delete(token)
          }
          for (const [token, amount] of left) assert.strictEqual(amount, 0n, `${text}: ${token}`)
          assert.strictEqual(new Set(hashes(returned)).size, returned.transactions.length)
          const times = returned.transactions.map(({ timestamp }) => timestamp)
          assert.deepStrictEqual(
            times,
            [...times].sort((a, b) => distance(a, b))
          )
          for (const time of times) assert.match(String(time), /^\d{10}$/)
          if (returned.transactions.length < 3) continue
          const two = yield* history(network, address, 2)
          assert.deepStrictEqual(hashes(two), hashes(returned).slice(0, 2))
          assert.isTrue(two.more)
          const since = times[1]
          const newest = yield* history(network, address, 500, since)
          assert.includeMembers(hashes(newest), hashes(returned).slice(0, 2))
          assert.isFalse(newest.more)
        }
        assert.isAbove(seen, 10)
      })

    for (const info of tested)
      it(`of ${info.id} is empty for an unused address, and reports a source that is down`, function* () {
        const sandbox = sandboxOf(info)
        const network = yield* networkOf(info, sandbox, environment)
        if (yield* settled(requiresKey(network))) return
        const many = [...holders(info, network), ...holders(info, network, 60, 100)]
        let unused: (typeof many)[number] | undefined
        let used: typeof unused
        // One address in ten is unused, so the first few are usually enough.
        for (let from = 0; from < many.length && (unused === undefined || used === undefined); from += 6) {
          const some = many.slice(from, from + 6)
          const owned = yield* settled(byAddress(network).holdings(some.map(([, address]) => address)))
          for (const [index, item] of owned.entries()) {
            const native = Either.getOrThrow(Either.flatMap(item, ([first]) => first?.amount ?? Either.right(0n)))
            if (native === 0n) unused ??= some[index]
            else used ??= some[index]
          }
        }
        if (unused === undefined || used === undefined)
          return yield* Effect.dieMessage("no unused or no used address was found")
        const none = yield* settled(history(network, unused[1]))
        assert.deepStrictEqual(
          [none.transactions, none.more, none.gaps.filter(({ what }) => what !== "not_listed")],
          [[], false, []]
        )
        const whole = yield* settled(history(network, used[1]))
        const abilities = yield* network.abilities
        const names = Either.getOrThrow(abilities.history ?? Either.left("no history"))
        assert.isNotEmpty(names)
        for (const name of names) {
          sandbox.down.clear()
          sandbox.down.add(name)
          const returned = yield* settled(Effect.either(history(network, used[1])))
          if (Either.isLeft(returned)) assert.match(returned.left.message, /\w+ \w+/)
          else if (!isOpen(returned.right.gaps))
            assert.deepStrictEqual(
              sums(network, used[1], returned.right.transactions),
              sums(network, used[1], whole.transactions),
              `without ${name}`
            )
        }
        for (const name of names) sandbox.down.add(name)
        const lost = yield* settled(Effect.either(history(network, used[1])))
        assert.isTrue(Either.isLeft(lost), "all sources are down")
        if (Either.isLeft(lost)) assert.notMatch(lost.left.message, /https?:/)
      })
  })
