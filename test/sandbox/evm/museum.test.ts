import * as Effect from "effect/Effect"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../../src/contract/TransactionStatusApi.ts"
import type { FirstTransactions } from "../../../src/contract/TransactionsApi.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { fixtureAt, recorded } from "../../support/fixtures.ts"
import { isAll, liveNetworks } from "../../support/tier.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { cases, faults } from "./museum.ts"

/** Those of the tier: all with TIER=all. */
const networks = liveNetworks.flatMap((info): ReadonlyArray<EvmFacts> => (info.family === "evm" ? [info] : []))

interface Page {
  readonly data: Record<string, Record<string, ReadonlyArray<HistoryEntry>>>
  readonly meta: Record<
    string,
    Record<
      string,
      { readonly next: string | null; readonly missing: ReadonlyArray<string>; readonly complete: boolean }
    >
  >
}

/** A page of the history of a network's museum. */
const page = (network: string, limit: number, cursor?: string) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const address = World.museum(network) ?? ""
    const cursors = cursor === undefined ? {} : { cursors: { [network]: { [address]: cursor } } }
    const response = yield* post("/history", { networks: { [network]: [address] }, limit, meta: true, ...cursors })
    const { data, meta } = yield* body<Page>(response)
    return {
      entries: data[network]?.[address] ?? [],
      ...(meta[network]?.[address] ?? assert.fail(JSON.stringify(meta)))
    }
  })

const walk = (network: string, limit: number) =>
  Effect.gen(function* () {
    const entries: Array<HistoryEntry> = []
    let next: string | null = null
    do {
      const read: Effect.Effect.Success<ReturnType<typeof page>> = yield* page(network, limit, next ?? undefined)
      entries.push(...read.entries)
      next = read.next
    } while (next !== null)
    return entries
  })

/** Without what depends on the other transactions of the page. */
const unflagged = ({ flags: _, ...entry }: HistoryEntry) => entry

/** Received minus sent amounts and own fees, wei. */
const nativeSum = (holder: string, entries: ReadonlyArray<HistoryEntry>) =>
  entries.reduce((sum, { fee, from, to }) => {
    const mine = (parties: HistoryEntry["from"]) =>
      parties.reduce(
        (all, { address, amount, currency }) =>
          address === holder && currency === undefined ? all + BigInt(amount) : all,
        0n
      )
    return sum + mine(to) - mine(from) - (from.some(({ address }) => address === holder) ? BigInt(fee ?? 0) : 0n)
  }, 0n)

const refusal = JSON.stringify({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })

/** A service over the sandbox with or without Etherscan, and the texts that its upstreams answered. */
const listening = (explorer: "etherscan" | "blockscout" = "etherscan") => {
  const texts: Array<string> = []
  const layer = Service.layer(
    {},
    editedSandbox((text, { upstream }) => {
      const seen = upstream === "etherscan" && explorer === "blockscout" ? refusal : text
      texts.push(seen)
      return seen
    })
  )
  return { texts, layer }
}

for (const explorer of ["etherscan", "blockscout"] as const)
  layer(listening(explorer).layer, { excludeTestServices: true })(
    `the museum of an EVM network at ${explorer}`,
    (it) => {
      for (const { id, ...facts } of networks.filter(({ explorers = {} }) => Object.hasOwn(explorers, explorer)))
        it(`adds up, in pages of any size: ${id}`, function* () {
          const holder = World.museum(id) ?? ""
          const { post } = yield* Service
          const { entries, missing } = yield* page(id, 500)
          const isFirst = facts.genesis !== undefined
          const given = isFirst ? 2n * 10n ** 15n : 0n
          assert.strictEqual(nativeSum(holder, entries) + given, World.native({ id, ...facts }, holder))
          const isGiven = missing.some((text) => text.startsWith("coins allocated in the first block"))
          assert.strictEqual(isGiven, isFirst && explorer === "etherscan")
          for (const limit of isAll ? [1, 3, 7] : [3])
            assert.deepStrictEqual((yield* walk(id, limit)).map(unflagged), entries.map(unflagged), String(limit))
          const firsts = yield* body<FirstTransactions>(
            yield* post("/utils/first-tx", { networkIds: [id], address: holder })
          )
          if (facts.firstTransactions !== false)
            assert.strictEqual(firsts[id]?.timestamp, facts.genesis ?? entries.at(-1)?.timestamp)
          // A payment whose input the explorer does not list.
          const deprecated = entries.find(({ to }) => to.some(({ amount }) => amount === "6"))
          assert.deepInclude(deprecated, { type: "Send", status: "Success" })
          // The recipient of an internal call that creates a contract is the contract.
          const created = entries.flatMap(({ to }) => to.filter(({ amount }) => amount === "7"))
          assert.match(created.map(({ address }) => address).join(), /^0x[0-9a-fA-F]{40}$/)
          const hashes = entries.map(({ hash }) => hash)
          const answer = yield* body<TransactionStatuses>(
            yield* post("/transactions/status", { networks: { [id]: hashes } })
          )
          const statuses: Readonly<Record<string, string>> = { Success: "confirmed", Failed: "failed" }
          let unknown = 0
          for (const { fee, hash, status } of entries) {
            const found = answer[id]?.[hash]
            if (found?.status === null) unknown++
            else assert.strictEqual(found?.status, statuses[status], hash)
            if (found?.fee != null && fee !== null) assert.strictEqual(found.fee, fee, hash)
          }
          // No receipt before Byzantium says whether the transaction failed.
          assert.strictEqual(unknown, isFirst ? 1 : 0)
        })
    }
  )

describe("the museum of an EVM network", () => {
  it.live("has each rare form in the answers of its upstreams", function* () {
    const asked = new Set(cases.map(({ network }) => network))
    const seen: Array<string> = []
    for (const explorer of ["etherscan", "blockscout"] as const) {
      const { layer: service, texts } = listening(explorer)
      yield* Effect.forEach(asked, (network) =>
        Effect.flatMap(Service, ({ post }) => post("/history", { networks: { [network]: [World.museum(network)] } }))
      ).pipe(Effect.provide(service))
      seen.push(...texts)
    }
    for (const { case: form, network, shows } of cases)
      assert.isTrue(
        seen.some((text) => shows.test(text)),
        `${network}: ${form}`
      )
  })

  it.live("has deposits of which also a failed one brings coins, and blobs that are paid for", function* () {
    yield* Effect.gen(function* () {
      const holder = World.museum("optimism")
      const { entries } = yield* page("optimism", 500)
      const free = entries.filter(({ fee }) => fee === "0")
      const brought = free.map(({ status, to }) => [status, to.find(({ address }) => address === holder)?.amount])
      assert.deepStrictEqual(brought, [
        ["Failed", String(10n ** 15n)],
        ["Success", String(3n * 10n ** 15n)]
      ])
      const blobs = (yield* page("ethereum", 500)).entries.filter(
        ({ fee }) => fee === String(24_000n * 400_000_000n + 131_072n)
      )
      assert.strictEqual(blobs.length, 2)
    }).pipe(Effect.provide(listening().layer))
  })

  for (const { answer, case: form, fixture: path, network, upstream } of faults)
    it.live(`is listed without a false fee or amount after ${form}`, function* () {
      assert.match(path, /^[\w-]+\/[\w-]+\.json$/, form)
      const whole = yield* Effect.provide(page(network, 500), listening().layer)
      const faulty = Service.layerSimulated(
        {},
        editedSandbox((text, request) => (request.upstream === upstream ? JSON.stringify(answer) : text))
      )
      const { complete, entries } = yield* Effect.provide(page(network, 500), faulty)
      const known = new Map(whole.entries.map((entry) => [entry.hash, entry]))
      assert.isTrue(entries.length >= whole.entries.length && (upstream === "etherscan" || !complete))
      for (const { fee, hash, status } of entries) {
        const real = known.get(hash)
        assert.isTrue(fee === null || fee === real?.fee || real === undefined, hash)
        assert.isTrue(status === "Unknown" || status === real?.status || real === undefined, hash)
      }
    })

  it.live("is read from batches that are answered in another order", function* () {
    const shuffled = Service.layer(
      {},
      editedSandbox((text, { upstream }) =>
        upstream === "optimism-rpc" && text.startsWith("[") ? JSON.stringify(JSON.parse(text).toReversed()) : text
      )
    )
    const usual = yield* Effect.provide(page("optimism", 500), listening().layer)
    assert.deepStrictEqual(yield* Effect.provide(page("optimism", 500), shuffled), usual)
  })
})

recorded("the recordings of faults", () => {
  for (const { answer, case: form, fixture: path } of faults)
    it(`have ${form}`, () => {
      assert.deepStrictEqual(fixtureAt(path).response.body, answer)
    })
})
