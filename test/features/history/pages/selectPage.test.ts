import { assert, describe, it } from "@effect/vitest"
import { byTime, selectPage } from "../../../../src/features/history/pages/selectPage.ts"
import { part, transaction } from "../histories.ts"

describe("pages of sources whose dates differ by the tolerance", () => {
  const heights = { ...byTime, tolerance: 60 }
  const dated = (times: Readonly<Record<string, number>>) =>
    part(
      Object.entries(times).map(([hash, timestamp]) => transaction(0, { hash, timestamp, order: timestamp })),
      { more: true }
    )
  const hashes = ({ transactions }: ReturnType<typeof selectPage>) => transactions.map(({ hash }) => hash)

  it("do not overlap when the source changes", () => {
    const first = dated({ "0x1": 10_000, "0x2": 9_925, "0x3": 9_000 })
    const second = dated({ "0x1": 9_980, "0x2": 9_900, "0x3": 9_010 })
    const one = selectPage(first, undefined, 1, heights)
    const two = selectPage(first, one.next, 1, heights)
    const three = selectPage(second, two.next, 1, heights)
    assert.deepStrictEqual([one, two, three].map(hashes), [["0x1"], ["0x2"], ["0x3"]])
  })
})
