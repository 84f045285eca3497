import { assert, describe, it } from "@effect/vitest"
import { emptyText } from "../../src/page/portfolio/empty.ts"
import { type Loading, nothing, type PortfolioAccount } from "../../src/page/portfolio/holdings.ts"

const account = (network: string, change: object): PortfolioAccount =>
  ({
    network,
    address: "a",
    match: { network, canonical: "a", kind: "address" },
    state: "answered",
    rows: [],
    ...change
  }) as PortfolioAccount

const zero = account("first", { rows: [{ balance: "0" }] })
const failed = account("second", { state: "failed", problem: "The service cannot be reached: the connection failed." })
const gone = account("gone", { rows: [{ balance: null, error: "It was shut down", errorCode: "sunset" }] })
const loading = (accounts: ReadonlyArray<PortfolioAccount>, change: Partial<Loading> = {}): Loading => ({
  ...nothing("USD"),
  accounts,
  ...change
})

describe("the text of an empty list of holdings", () => {
  it("comes from the state of the reading, not from the length of the list", () => {
    const none = { filter: "", existing: 0, matches: 0 }
    const hidden = { filter: "", existing: 3, matches: 3 }
    const filtered = { filter: " zzz ", existing: 3, matches: 0 }
    const missing = { failures: [{ network: "first", message: "no tokens", errorCode: "timeout" as const }] }
    const lookup = { lookups: [{ state: "failed" as const, text: "b", problem: "no" }] }
    const unsure = "No holding is known, though there may be some: not every balance could be loaded."
    for (const [state, list, text] of [
      [loading([failed]), none, "No balance could be loaded. The service cannot be reached: the connection failed."],
      [
        loading([failed]),
        { ...none, filter: "zzz" },
        "No balance could be loaded. The service cannot be reached: the connection failed."
      ],
      [loading([zero, failed]), none, unsure],
      [loading([zero], missing), none, unsure],
      [loading([zero], lookup), none, unsure],
      [loading([zero]), filtered, "Nothing matches “zzz”."],
      [loading([zero, failed]), filtered, "Nothing matches “zzz”."],
      [loading([zero]), hidden, "All of these holdings are small."],
      [loading([zero]), none, "These addresses hold nothing yet, on 1 network."],
      [loading([zero, gone]), none, "These addresses hold nothing yet, on 1 network."],
      [loading([gone]), none, "No balance could be loaded. It was shut down."],
      [
        loading([zero, account("third", { rows: [{ balance: "0" }] })]),
        none,
        "These addresses hold nothing yet, on 2 networks."
      ]
    ] as const)
      assert.strictEqual(emptyText(state, list), text)
  })
})
