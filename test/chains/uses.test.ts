import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { ethereum } from "../../src/catalogue/evm/ethereum.ts"
import { Chain, type SignedTransaction } from "../../src/chains/Chain.ts"
import { withUses } from "../../src/chains/uses.ts"
import { CurrentUse } from "../../src/upstream/levers/Levers.ts"
import { network } from "../features/balances/portfolio.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Fails with the use of the call. */
const use = Effect.flatMap(CurrentUse, (current) =>
  Effect.fail(current === "check" ? current : (current.ability ?? "any"))
) as unknown as Effect.Effect<never>

const signed = Either.right({
  ambiguous: [],
  content: () => ({}),
  hash: "0x",
  send: use
} as unknown as SignedTransaction)

const chain = withUses({
  ...Effect.runSync(Effect.provide(Chain, network({ id: ethereum.id, holdings: () => use }))),
  holding: () => use,
  history: () => use,
  newestBlock: use,
  statuses: { hash: Either.right, read: () => use },
  transaction: () => use,
  sending: { main: () => signed, testnet: () => signed },
  rawTransactions: { prepareSend: () => signed, prepareLookup: () => Either.right(use) },
  estimate: () => use,
  recipient: () => use,
  fees: { lifetime: 1, current: use, resources: () => use },
  firstTransaction: () => use,
  transactionContexts: () => Effect.succeed(() => use)
})

describe("the uses of a network's reads", () => {
  it("are the abilities that levers name, and none for reads that belong to several", function* () {
    const sends = (read = chain.sending?.main) =>
      Either.match(read?.("") ?? Either.left(""), { onLeft: () => Effect.void, onRight: ({ send }) => send })
    const all: Readonly<Record<string, Effect.Effect<unknown, unknown> | undefined>> = {
      holdings: chain.holdings([]),
      holding: chain.holding("", Option.none()),
      history: chain.history?.({ address: "", limit: 1 } as never),
      newestBlock: chain.newestBlock,
      statuses: chain.statuses?.read([]),
      transaction: chain.transaction?.(""),
      sending: sends(),
      testnet: sends(chain.sending?.testnet),
      raw: Either.getOrThrow(chain.rawTransactions?.prepareSend?.("") ?? Either.left("")).send,
      lookup: Either.getOrThrow(chain.rawTransactions?.prepareLookup("") ?? Either.left("")),
      estimate: chain.estimate?.({} as never),
      recipient: chain.recipient?.(""),
      fees: chain.fees?.current,
      resources: chain.fees?.resources?.(""),
      firstTransaction: chain.firstTransaction?.(""),
      context: Effect.flatMap(chain.transactionContexts?.([]) ?? Effect.die("absent"), (read) => read(""))
    }
    const found: Record<string, unknown> = {}
    for (const [name, read] of Object.entries(all)) found[name] = yield* Effect.flip(read ?? Effect.void)
    assert.deepStrictEqual(found, {
      holdings: "balance",
      holding: "balance",
      history: "history",
      newestBlock: "any",
      statuses: "rawTransactions",
      transaction: "rawTransactions",
      sending: "rawTransactions",
      testnet: "rawTransactions",
      raw: "rawTransactions",
      lookup: "rawTransactions",
      estimate: "fees",
      recipient: "any",
      fees: "fees",
      resources: "fees",
      firstTransaction: "firstTransaction",
      context: "transactionContext"
    })
  })
})
