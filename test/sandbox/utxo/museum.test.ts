import * as Effect from "effect/Effect"
import { formatUnits } from "viem"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../../src/contract/TransactionStatusApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { fixture, recorded } from "../../support/fixtures.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { services } from "./indexers.ts"
import { cases, refusal } from "./museum.ts"

/** A page of the history of a network's museum. */
const page = (network: string, limit: number, cursor?: string) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const address = World.museum(network) ?? ""
    const cursors = cursor === undefined ? {} : { cursors: { [network]: { [address]: cursor } } }
    const response = yield* post("/history", { networks: { [network]: [address] }, limit, meta: true, ...cursors })
    const { data, meta } = yield* body<{
      readonly data: Record<string, Record<string, ReadonlyArray<HistoryEntry>>>
      readonly meta: Record<string, Record<string, { readonly next: string | null; readonly missing: unknown }>>
    }>(response)
    const { missing, next } = meta[network]?.[address] ?? assert.fail(JSON.stringify(meta))
    return { entries: data[network]?.[address] ?? [], missing, next }
  })

/** Parties with their amounts, the holder by name. */
const named = (holder: string, parties: HistoryEntry["from"]) =>
  parties.map(({ address, amount }) => `${address === holder ? "holder" : address} ${amount}`)

const partial = "some parties of transactions with very many inputs or outputs"

for (const { kinds, settings } of services) {
  const requests: Array<UpstreamRequest> = []
  const upstreams = RequestLog.layer(Sandbox.layer(Catalogue.all), requests)
  const service = Service.layer(settings, upstreams)
  layer(service, { excludeTestServices: true })("the museum of a network of the Bitcoin family", (it) => {
    for (const [network, kind] of Object.entries(kinds))
      it(`adds up and is listed as it happened: ${network}-${kind}`, function* () {
        const { post } = yield* Service
        const holder = World.museum(network) ?? ""
        const info = Catalogue.all.find(({ id }) => id === network) ?? assert.fail(network)
        const { entries, missing, next } = yield* page(network, 500)
        const isCut = kind === "blockcypher"
        assert.deepStrictEqual([missing, next], [isCut ? [partial] : [], null])
        const sum = (parties: HistoryEntry["from"]) =>
          parties.reduce((all, { address, amount }) => (address === holder ? all + BigInt(amount) : all), 0n)
        assert.strictEqual(
          entries.reduce(
            (all, { fee, from, to, type }) => all + sum(to) - sum(from) - (type === "Send" ? BigInt(fee ?? 0) : 0n),
            0n
          ),
          World.native(info, holder)
        )
        const [balance] = yield* body<ReadonlyArray<{ readonly balance: string }>>(
          yield* post("/balance", { networks: { [network]: [holder] } })
        )
        assert.strictEqual(balance?.balance, formatUnits(World.native(info, holder), info.native.decimals))
        const bareKey = entries.find(({ fee, type }) => fee === "0" && type === "Send")
        const reward = entries.find(({ from }) => from[0]?.address === "coinbase")
        const dataOnly = entries.find(({ from, to }) => to.length === 0 && from.length === 1)
        const manyInputs = entries.find(({ from }) => from[0]?.amount === "115000")
        const manyOutputs = entries.find(({ from }) => from[0]?.amount === "250000")
        const isNamed = ["blockcypher", "blockchain-info", "haskoin"].includes(kind)
        const [payee = ""] = named(holder, bareKey?.to ?? [])
        assert.match(payee, isNamed ? /^(?!Unknown)\S+ 10000$/ : /^Unknown 10000$/)
        assert.deepStrictEqual(named(holder, bareKey?.from ?? []), ["holder 10000"])
        assert.deepStrictEqual(named(holder, reward?.from ?? []), ["coinbase 312500000"])
        assert.deepStrictEqual([reward?.fee, named(holder, reward?.to ?? [])], ["0", ["holder 312500000"]])
        assert.deepStrictEqual(named(holder, dataOnly?.from ?? []), ["holder 0"])
        assert.isTrue(BigInt(dataOnly?.fee ?? 0) > 0n)
        assert.lengthOf(manyInputs?.from ?? [], 1)
        const paid = named(holder, manyOutputs?.to ?? [])
        assert.deepStrictEqual([paid.length, paid.includes("Unknown 50000")], isCut ? [201, true] : [250, false])
        for (const { status } of entries.filter((entry) => entry !== entries[0])) assert.strictEqual(status, "Success")

        for (const limit of isAll ? [1, 7] : [3]) {
          const joined: Array<string> = []
          for (let cursor: string | null | undefined; cursor !== null; ) {
            const part: Effect.Effect.Success<ReturnType<typeof page>> = yield* page(network, limit, cursor)
            joined.push(...part.entries.map(({ hash }) => hash))
            cursor = part.next
          }
          assert.deepStrictEqual(
            joined,
            entries.map(({ hash }) => hash),
            String(limit)
          )
        }
        const hashes = entries.map(({ hash }) => hash)
        const statuses = yield* body<TransactionStatuses>(
          yield* post("/transactions/status", { networks: { [network]: hashes } })
        )
        for (const { fee, hash } of entries.slice(1)) {
          const found = statuses[network]?.[hash]
          if (found?.status !== null && found !== undefined)
            assert.deepStrictEqual([found.status, found.fee], ["confirmed", fee], hash)
        }
        // These kinds return no raw transactions.
        const isThere = !["blockcypher", "blockchain-info", "haskoin"].includes(kind)
        for (const entry of [reward, dataOnly, manyInputs, manyOutputs, bareKey]) {
          const raw = yield* post("/utils/getrawtransaction", { chain: network, tx: entry?.hash })
          assert.strictEqual(raw.status, isThere ? 200 : 501, entry?.hash)
        }
        for (const { case: form, shows } of cases.filter((row) => row.network === network && row.kind === kind))
          assert.isTrue(
            requests.some(
              ({ response, upstream }) => upstream === `${network}-${kind}` && shows.test(response?.body ?? "")
            ),
            form
          )
      })
  })
}
describe("a node of the Bitcoin family that refuses without a message", () => {
  it.live("does not decide: it may have the transaction", function* () {
    yield* Effect.gen(function* () {
      const { post } = yield* Service
      const { entries } = yield* page("dogecoin", 500)
      const raw = yield* post("/utils/getrawtransaction", { chain: "dogecoin", tx: entries.at(-1)?.hash })
      const { result: tx } = yield* body<{ readonly result: string }>(raw)
      // With another lock time it is another transaction, which the node has afterwards.
      const other = `${tx.slice(0, -8)}01000000`
      const sent = yield* post("/utils/sendrawtransaction", { chain: "dogecoin", tx: other })
      const { result: hash } = yield* body<{ readonly result: string }>(sent)
      const found = yield* post("/utils/getrawtransaction", { chain: "dogecoin", tx: hash })
      assert.deepStrictEqual([sent.status, (yield* body<{ readonly result: string }>(found)).result], [200, other])
    }).pipe(
      Effect.provide(
        Service.layer(
          { DOGECOIN_RPC_URLS: "http://node.test", DOGECOIN_BLOCKBOOK_URLS: "," },
          editedSandbox((text, { body: sent, upstream }) =>
            upstream === "dogecoin-rpc" && sent.includes("sendrawtransaction") ? JSON.stringify(refusal.answer) : text
          )
        )
      )
    )
  })
})

recorded("the recording of a refusal without a message", () => {
  it("has that answer", () => {
    const { error } = fixture("bitcoind", "sendraw-error-25-empty-message").response.body as typeof refusal.answer
    assert.deepStrictEqual(error, refusal.answer.error)
  })
})
