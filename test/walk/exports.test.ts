import type { HistoryEntry, Party } from "../../src/contract/HistoryApi.ts"
import * as Amount from "../../src/domain/Amount.ts"
import { samples } from "../chains/families/samples.ts"
import { Service, textOf } from "../support/app.ts"
import { parsed } from "../support/csv.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { histories, lasting, live, makeWalk, type Network } from "./walk.ts"

const fields = [
  ...["network", "address", "time", "hash", "type", "status", "direction", "party", "amount", "amountBaseUnits"],
  ...["currency", "token", "fee", "feeCurrency", "flags", "explorer", "note"]
]

/** Amount, base units, currency and token of a party. */
const amounts = ({ amount, currency }: Party, { native }: Network) => {
  if (currency === undefined) return [Amount.format(BigInt(amount), native.decimals), amount, native.symbol, ""]
  if (typeof currency === "string") return ["", amount, "", currency]
  const { address, decimals, symbol } = currency
  return [Amount.format(BigInt(amount), decimals), amount, symbol.toUpperCase(), address]
}

/** The records of an entry: one for each party. */
const records = (info: Network, holder: string, entry: HistoryEntry) => {
  const { explorer, fee, flags = [], from, hash, status, timestamp, to, type } = entry
  const time = new Date(timestamp * 1000).toISOString().replace(".000Z", "Z")
  const sides = [...from.map((party) => ["from", party] as const), ...to.map((party) => ["to", party] as const)]
  return sides.map(([direction, party], index) => {
    const paid =
      index > 0 || fee === null ? ["", ""] : [Amount.format(BigInt(fee), info.native.decimals), info.native.symbol]
    const [start, end] = [
      [info.id, holder, time, hash, type, status, direction],
      [flags.join(" "), explorer, ""]
    ]
    return [...start, party.address, ...amounts(party, info), ...paid, ...end]
  })
}

describe("the export of a history", () => {
  layer(makeWalk().layer, { excludeTestServices: true })((it) => {
    for (const info of live)
      it(`of ${info.id} has the entries of POST /history, as lines of JSON and as records of CSV`, function* () {
        const { get } = yield* Service
        const lists = yield* histories(info, samples(info, isAll ? 12 : 2))
        const addresses = lists.map(({ address }) => encodeURIComponent(`${info.id}:${address}`)).join()
        const exported = (format: string) => get(`/history/export?addresses=${addresses}&format=${format}`)
        const missing = lists.flatMap(({ address, missing }) =>
          missing.length === 0 ? [] : [[address, missing.join("; ")]]
        )

        const lines = (yield* textOf(yield* exported("ndjson")))
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line))
        const failures = lines.flatMap((line) => line.failures?.[0] ?? [])
        // The sandbox answers every call: only movements that no source lists are missing.
        assert.deepStrictEqual(lines.pop(), { done: true, failures: 0 })
        assert.deepStrictEqual(
          failures.map(({ errorCode }) => errorCode),
          missing.map(() => "not_listed")
        )
        assert.deepStrictEqual(
          failures.map(({ address, message }) => [address, message]),
          missing
        )
        const entries = lists.flatMap(({ address, entries }) =>
          entries.map((entry) => ({ network: info.id, address, ...lasting(entry) }))
        )
        assert.deepStrictEqual(
          lines
            .filter(({ hash }) => hash !== undefined)
            .map(({ address, network, ...entry }) => ({ network, address, ...lasting(entry) })),
          entries
        )

        const [header, ...rows] = parsed(yield* textOf(yield* exported("csv")))
        assert.deepStrictEqual(header, fields)
        const wanted = lists.flatMap(({ address, entries, missing }) => [
          ...entries.flatMap((entry) => records(info, address, entry)),
          ...(missing.length === 0
            ? []
            : [[info.id, address, "", "", "INCOMPLETE", ...Array(11).fill(""), missing.join("; ")]])
        ])
        assert.deepStrictEqual(rows, wanted)
      })
  })
})
