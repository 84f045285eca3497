import { cardano as info } from "../../../src/catalogue/cardano.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import { histories } from "../../../src/sandbox/cardano/CardanoHistory.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { isAll } from "../../support/tier.ts"
import { assert, layer } from "../../support/vitest.ts"
import { around, listening, pagesOf } from "./longHistory.ts"

const holder = World.busy("cardano") ?? ""

const rates = { KOIOS_PER_SECOND: "1000", BLOCKFROST_PER_SECOND: "1000", BLOCKFROST_PROJECT_ID: "k" }

/** The sandbox with one of the sources of histories: Koios is unavailable in the second one. */
const sources = {
  koios: { later: [/[?&]or=.+lte/], ...listening(rates) },
  blockfrost: {
    later: [/[?&]page=2/, /[?&]to=\d/],
    ...listening(
      rates,
      editedSandbox((text, { upstream }) => (upstream === "koios" ? "" : text))
    )
  }
}

/** Asserts that entries are the newest of the ledger, in its order. */
const areNewest = (entries: ReadonlyArray<HistoryEntry>) => {
  const all = histories(info, () => undefined).of(holder)
  const moves = ledger(info, holder).toReversed()
  for (const [index, { fee, from, hash, status, to, type }] of entries.entries()) {
    const move = moves[index] ?? assert.fail(hash)
    const side = move.direction === "in" ? to : from
    const mine = side.find(
      ({ address, currency }) => address === holder && (currency === undefined) === (move.contract === undefined)
    )
    assert.deepStrictEqual(
      { hash, fee, type, status, amount: move.failed ? null : mine?.amount },
      {
        hash: all[index]?.hash,
        fee: String(move.fee),
        type: move.direction === "in" ? "Receive" : "Send",
        status: move.failed ? "Failed" : "Success",
        amount: move.failed ? null : String(move.amount)
      },
      String(index)
    )
  }
}

const hashes = (entries: ReadonlyArray<{ readonly hash: string }>) => entries.map(({ hash }) => hash)

/** More than a page of Blockfrost, then pages of seven. */
const beyondPage = [107, 7, 7, 7]

for (const [name, { later, layer: service, requests }] of Object.entries(sources))
  layer(service, { excludeTestServices: true })(`the long history of the busy address at ${name}`, (it) => {
    it("is read across the ends of pages", function* () {
      for (const sizes of [around(20), beyondPage]) {
        const { entries } = yield* pagesOf(info, sizes)
        areNewest(entries)
        assert.lengthOf(
          entries,
          sizes.reduce((all, size) => all + size)
        )
      }
      for (const parameter of later)
        assert.isTrue(
          requests.some(({ upstream, url }) => upstream === name && parameter.test(decodeURIComponent(url))),
          String(parameter)
        )
    })

    if (isAll)
      it("is read to its end", function* () {
        const whole = yield* pagesOf(info, [500, 500, 500])
        areNewest(whole.entries)
        assert.deepStrictEqual([whole.next, whole.entries.length], [null, ledger(info, holder).length])
        for (const row of [500, 1000]) {
          const { entries } = yield* pagesOf(info, around(row))
          assert.deepStrictEqual(hashes(entries), hashes(whole.entries).slice(0, entries.length))
        }
      })
  })
