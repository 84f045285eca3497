import * as Effect from "effect/Effect"
import { heightsOf } from "../../../src/chains/kit/history/heights.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { seconds } from "../../../src/domain/units.ts"
import type * as PageCursor from "../../../src/features/history/pages/PageCursor.ts"
import { rangeAfter, selectPage } from "../../../src/features/history/pages/selectPage.ts"
import { json, refused, type SentRequest } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { own as alice, peer as bob, network, toncenter } from "./ton.ts"

const hash = (index: number) => Buffer.from(index.toString(16).padStart(64, "0"), "hex").toString("base64")

const message = (source: string | null, destination: string, value: number | null, bounced = false) => ({
  source,
  destination,
  value: value === null ? null : String(value),
  fwd_fee: "1",
  ihr_fee: "0",
  opcode: null,
  bounced
})

/** A transaction of the holder in a trace. */
const row = (id: number, trace: number, now: number, in_msg: object, out_msgs: ReadonlyArray<object> = []) => ({
  account: alice,
  hash: hash(id),
  trace_id: hash(trace),
  lt: String(id),
  now,
  mc_block_seqno: id,
  total_fees: "10",
  description: { type: "ord", aborted: false },
  in_msg,
  out_msgs
})

/**
 * Traces that begin 40 seconds apart and take up to 300 seconds: payments that bounce, and payments of another account in two
 * messages.
 */
const rows = Array.from({ length: 80 }, (_, index) => {
  const [at, length] = [1_700_000_000 + 40 * index, (index * 97) % 301]
  const [first, second] = [10 * at, 10 * (at + length) + 5]
  const amount = 1_000 + index
  return index % 2 === 0
    ? [
        row(first, first, at, message(null, alice, null), [message(alice, bob, amount)]),
        row(second, first, at + length, message(bob, alice, amount - 5, true))
      ]
    : [
        row(first, first + 1, at, message(bob, alice, amount)),
        row(second, first + 1, at + length, message(bob, alice, 7))
      ]
})
  .flat()
  .sort((a, b) => Number(b.lt) - Number(a.lt))

const listed =
  (rows: ReadonlyArray<{ readonly now: number }>) =>
  ({ url: { searchParams } }: SentRequest) => {
    const number = (name: string, other: number) => Number(searchParams.get(name) ?? other)
    const [from, until] = [number("start_utime", 0), number("end_utime", Number.POSITIVE_INFINITY)]
    const offset = number("offset", 0)
    const found = rows.filter(({ now }) => now >= from && now <= until)
    return json({ transactions: found.slice(offset, offset + number("limit", 10)) })
  }

const tonOf = (rows: ReadonlyArray<{ readonly now: number }>) =>
  Effect.map(
    network(
      {
        "toncenter.test": toncenter({ transactions: listed(rows), "jetton/transfers": json({ jetton_transfers: [] }) }),
        "tonapi.test": () => refused
      },
      { tokens: undefined }
    ),
    (made) => made.network
  )

const ton = tonOf(rows)

type Ton = Effect.Effect.Success<typeof ton>

const read = ({ history }: Ton, query: object) =>
  settled(history?.({ address: alice, limit: 500, ...query }) ?? Effect.dieMessage("no history"))

describe("a trace of TON that takes some minutes", () => {
  it("is the same transaction on pages of any size", function* () {
    const chain = yield* ton
    const whole = yield* read(chain, {})
    assert.deepStrictEqual([whole.transactions.length, whole.more], [80, false])
    for (const size of [1, 3, 7, 20]) {
      const pages: Array<Transaction> = []
      let cursor: PageCursor.PageCursor | undefined
      do {
        const part = yield* read(chain, cursor === undefined ? { limit: size } : rangeAfter(cursor, size))
        const { next, transactions } = selectPage(part, cursor, size, heightsOf(chain))
        pages.push(...transactions)
        cursor = next
      } while (cursor !== undefined)
      assert.deepStrictEqual(pages, whole.transactions, `pages of ${size}`)
    }
  })

  it("is the same transaction if only those since a time are read", function* () {
    const chain = yield* ton
    const whole = yield* read(chain, {})
    for (const { timestamp } of whole.transactions.slice(0, 40)) {
      const part = yield* read(chain, { since: timestamp })
      assert.deepStrictEqual(
        part.transactions,
        whole.transactions.filter((transaction) => transaction.timestamp >= timestamp)
      )
    }
  })

  it("is not returned in part if it is listed late and began before the times that are requested", function* () {
    const since = 1_700_000_000
    const start = since - 2 * 86_400 - 900
    const chain = yield* tonOf([
      row(40, 40, since + 5_000, message(bob, alice, 77)),
      // A payment comes back after 150 seconds.
      row(20, 10, start + 50, message(bob, alice, 995, true)),
      row(10, 10, start - 100, message(null, alice, null), [message(alice, bob, 1_000)]),
      row(5, 5, start - 50_000, message(bob, alice, 3))
    ])
    const [newest, bounced, oldest] = (yield* read(chain, {})).transactions
    assert.deepStrictEqual([bounced?.type, bounced?.status], ["Send", "Failed"])
    if (newest === undefined) return assert.fail("no transaction")
    const known = new Set([newest.hash, oldest?.hash])
    const part = yield* read(chain, { since: seconds(since), late: { after: seconds(0), known } })
    assert.deepStrictEqual(part.transactions, [newest])
  })
})
