import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { History } from "../../../../src/features/history/History.ts"
import * as Memory from "../../../../src/storage/Memory.ts"
import { toncenter, network as tonNetwork } from "../../../chains/ton/ton.ts"
import { network as evmNetwork, explorer } from "../../../support/EvmHistory.ts"
import { byHost, json, type Reply, refused, type SentRequest, text } from "../../../support/http.ts"
import { Ethereum } from "../../../support/networks.ts"
import { settled } from "../../../support/settled.ts"
import { assert, describe, it } from "../../../support/vitest.ts"
import { clock, over, second } from "../histories.ts"

const now = Number(second)

/** Reads pages of an address of a network; `cursor` is null for the first. */
const pagesOf = Effect.fnUntraced(function* (service: object, id: string, address: string) {
  yield* TestClock.setTime(clock)
  const layer = Layer.provide(over({ service } as never), Layer.fresh(Memory.layer()))
  const context = yield* Layer.build(layer)
  const wanted = { [id]: [address] }
  return Effect.fnUntraced(function* (cursor: string | null, limit: number) {
    const history = yield* History
    const cursors = yield* Effect.orDie(history.cursors(wanted, cursor === null ? {} : { [id]: { [address]: cursor } }))
    const [first] = yield* settled(history.transactions(wanted, limit, cursors))
    const found = first?.histories[0]
    if (found === undefined) return yield* Effect.dieMessage("no history")
    return { ...found, hashes: found.transactions.map(([{ hash }]) => hash) }
  }, Effect.provide(context))
})

describe("the next page on TON, from a source whose times are two seconds later", () => {
  const alice = `0:${"a".repeat(64)}`
  const bob = `0:${"b".repeat(64)}`
  const digits = (index: number) => index.toString(16).padStart(64, "0")
  /** Three traces, a second apart, the newest first. */
  const traces = [3, 2, 1].map((index) => ({ index, at: now - 1_000 + index }))
  const until = ({ url }: SentRequest, name: string) => Number(url.searchParams.get(name) ?? now)

  const centerWith = (late: number) =>
    toncenter({
      transactions: (request) =>
        json({
          transactions: traces
            .filter(({ at }) => at + late <= until(request, "end_utime"))
            .map(({ at, index }) => {
              const hash = Buffer.from(digits(index), "hex").toString("base64")
              const sent = { value: "7", fwd_fee: "1", ihr_fee: "0", opcode: null, bounced: false }
              return {
                account: alice,
                hash,
                trace_id: hash,
                lt: String(1_000 * index),
                now: at + late,
                total_fees: "10",
                description: { type: "ord", aborted: false },
                in_msg: { source: null, destination: alice, value: null },
                out_msgs: [{ source: alice, destination: bob, ...sent }]
              }
            })
        }),
      "jetton/transfers": () => json({ jetton_transfers: [] })
    })

  const tonapi = (request: SentRequest): Reply =>
    json({
      events: traces
        .filter(({ at }) => at + 2 <= until(request, "end_date"))
        .map(({ at, index }) => ({
          event_id: digits(index),
          account: { address: alice },
          timestamp: at + 2,
          lt: 1_000 * index,
          in_progress: false,
          extra: -11,
          actions: [
            {
              type: "TonTransfer",
              status: "ok",
              TonTransfer: { sender: { address: alice }, recipient: { address: bob }, amount: 7 }
            }
          ]
        })),
      next_from: 0
    })

  for (const [name, center, api] of [
    ["toncenter", centerWith(2), () => refused],
    ["tonapi", () => refused, tonapi]
  ] as const)
    it(`does not lose those below the page before: from ${name}`, function* () {
      let later = false
      const { network } = yield* tonNetwork({
        "toncenter.test": (request) => (later ? center(request) : centerWith(0)(request)),
        "tonapi.test": (request) => (later ? api(request) : refused)
      })
      const page = yield* pagesOf(network, "ton", alice)
      const first = yield* page(null, 1)
      assert.deepStrictEqual(first.hashes, [digits(3)])
      later = true
      const rest = yield* page(first.next, 5)
      assert.deepStrictEqual([rest.failure, rest.hashes, rest.next], [undefined, [digits(2), digits(1)], null])
      assert.deepStrictEqual(rest.sources, [name])
    })
})

describe("the next page of an EVM network, from an explorer without the last transaction of the page before", () => {
  const alice = `0x${"a".repeat(40)}`
  const hashOf = (block: number) => `0x${block.toString(16).padStart(64, "0")}`
  const row = (block: number) => ({
    hash: hashOf(block),
    blockNumber: String(block),
    timeStamp: String(now - 10_000 + block),
    transactionIndex: "0",
    nonce: String(block),
    from: alice,
    to: `0x${"b".repeat(40)}`,
    value: "5",
    input: "0x",
    contractAddress: "",
    isError: "0",
    txreceipt_status: "1",
    gasUsed: "21000",
    gasPrice: "2"
  })
  const blocks = [90, 80, 70, 60, 50, 40, 30, 20]
  const of = (all: ReadonlyArray<number>) => explorer({ txlist: all.map(row) })

  it("is refused, so that nothing is lost: the same cursor continues at the first explorer", function* () {
    let limited = false
    const busy = text("Too Many Requests", { status: 429 })
    const network = yield* evmNetwork(
      Ethereum.info,
      {
        ETHERSCAN_API_KEY: "k",
        ETHERSCAN_URL: "http://etherscan.test",
        ETHEREUM_BLOCKSCOUT_URL: "http://blockscout.test",
        ROUTESCAN_URL: "http://routescan.test",
        ETHEREUM_RPC_URLS: "http://node.test"
      },
      byHost({
        "etherscan.test": (request) => (limited ? busy : of(blocks)(request)),
        "blockscout.test": of(blocks.filter((block) => ![70, 60, 50].includes(block)))
      })
    )
    const page = yield* pagesOf(network, "ethereum", alice)
    const first = yield* page(null, 3)
    assert.deepStrictEqual(first.hashes, [90, 80, 70].map(hashOf))
    limited = true
    const refusedPage = yield* page(first.next, 3)
    assert.deepStrictEqual(
      [refusedPage.hashes, refusedPage.failure?.reason, refusedPage.next],
      [[], "bad_answer", first.next]
    )
    limited = false
    yield* TestClock.adjust("10 minutes")
    const rest = yield* page(refusedPage.next, 9)
    assert.deepStrictEqual([rest.hashes, rest.next], [[60, 50, 40, 30, 20].map(hashOf), null])
  })
})
