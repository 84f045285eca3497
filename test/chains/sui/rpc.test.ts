import { assert, describe } from "@effect/vitest"
import { Transaction } from "@mysten/sui/transactions"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Translation from "../../../src/chains/sui/jsonrpc/Translation.ts"
import { CurrentHold } from "../../../src/kernel/Task.ts"
import { faults } from "../../support/faults.ts"
import {
  brokenBody,
  byHost,
  json,
  neverResponds,
  type Reply,
  refused,
  repliesInOrder,
  simulatedClient,
  text
} from "../../support/http.ts"
import { asEffects } from "../../support/rpc.ts"
import { increases } from "../../support/samples.ts"
import { firstUrl, make, run, secondUrl, test } from "../../support/upstream.ts"

const owner = `0x${"a".repeat(64)}`
const digest = "7xZ5AAjrybwwPjXh7ojKert5v7eSYgzWEREtKrhSGQ7d"
const price = json({ data: { chainIdentifier: "35834a8a", epoch: { referenceGasPrice: "742" } } })

/** Outcome of a call. Exactly one member is set. */
interface Outcome {
  readonly result: Readonly<Record<string, unknown>>
  readonly error: { readonly code: number; readonly message: string }
}

/** The translation over two hosts. `call` returns a JSON-RPC result or error, or the upstream failure. */
const translation = (urls: ReadonlyArray<string> = [firstUrl, secondUrl]) =>
  Effect.map(Effect.map(Effect.flatMap(make(urls), Translation.make), asEffects), (rpc) => ({
    rpc,
    call: (method: string, ...params: ReadonlyArray<unknown>) =>
      Effect.map(run(rpc.call({ method, params: JSON.stringify(params) })), (read) =>
        Either.map(read, ({ member, text }) => ({ [member]: JSON.parse(text) }) as Outcome)
      )
  }))

const rightOf = <A>(read: Either.Either<A, unknown>) => Either.getOrThrow(read)

const noHost = () => simulatedClient(() => refused)

/** Transfer that is built offline. */
const transfer = Effect.promise(() => {
  const transaction = new Transaction()
  const [coin] = transaction.splitCoins(transaction.gas, [5n])
  transaction.transferObjects([coin as never], owner)
  transaction.setSender(owner)
  transaction.setGasPrice(1000n)
  transaction.setGasBudget(2_000_000n)
  transaction.setGasPayment([{ objectId: owner, version: "7", digest }])
  return transaction.build().then(async (bytes) => ({
    bytes: Buffer.from(bytes).toString("base64"),
    digest: await transaction.getDigest()
  }))
})

describe("Sui JSON-RPC translated to GraphQL", () => {
  test(
    "counts calls by method, all unknown methods together",
    () => simulatedClient(() => price),
    function* () {
      const { call } = yield* translation()
      const increase = yield* increases(
        "sui_json_rpc_calls_total",
        Effect.forEach(
          ["suix_getReferenceGasPrice", "suix_getReferenceGasPrice", "eth_blockNumber", "toString"],
          (method) => call(method)
        )
      )
      assert.deepStrictEqual(increase, { 'method="suix_getReferenceGasPrice"': 2, 'method="other"': 2 })
    }
  )

  test("returns an error with the reason if a method is not translated", noHost, function* ({ requests }) {
    const { call } = yield* translation()
    for (const method of ["suix_getValidatorsApy", "toString", "eth_blockNumber", ""]) {
      const { error } = rightOf(yield* call(method))
      assert.strictEqual(error.code, -32601)
      assert.match(error.message, /public nodes no longer serve JSON-RPC.*SUI_RPC_URLS/)
    }
    assert.lengthOf(requests, 0)
  })

  test("implements every method that it lists as translated", noHost, function* () {
    const { call } = yield* translation()
    assert.isAbove(Translation.translated.length, 20)
    for (const method of Translation.translated)
      Either.match(yield* call(method), {
        onLeft: ({ reason }) => assert.strictEqual(reason, "upstream_error", method),
        onRight: ({ error }) => assert.strictEqual(error.code, -32602, method)
      })
  })

  const cut = (hasNextPage: boolean) => {
    const module = { name: "m", package: { address: owner } }
    const type = {
      repr: "0x9::m::Done",
      layout: { struct: { type: "0x9::m::Done", fields: [{ name: "x", layout: "u8" }] } }
    }
    return json({
      data: {
        transaction: {
          digest,
          sender: { address: owner },
          effects: {
            digest,
            timestamp: "2026-01-02T03:04:05.678Z",
            checkpoint: { sequenceNumber: 7 },
            effectsJson: {
              status: { success: false, error: {} },
              epoch: "5",
              gasUsed: { computationCost: "1" },
              transactionDigest: digest
            },
            executionError: {
              message: "Error in 1st command, abort code: 3",
              abortCode: "3",
              sourceLineNumber: 12,
              module,
              function: { name: "f" }
            },
            events: {
              nodes: [
                {
                  sequenceNumber: 0,
                  timestamp: null,
                  sender: { address: owner },
                  transactionModule: module,
                  contents: { bcs: "BQ==", type }
                }
              ],
              pageInfo: { hasNextPage }
            }
          }
        }
      }
    })
  }
  test(
    "returns events and aborts, and omits a partial list instead of returning it as complete",
    () => simulatedClient(repliesInOrder(cut(false), cut(true))),
    function* () {
      const { call } = yield* translation([firstUrl])
      const show = { showEffects: true, showEvents: true }
      const { result } = rightOf(yield* call("sui_getTransactionBlock", digest, show))
      assert.deepStrictEqual([result.timestampMs, result.checkpoint, result.errors], ["1767323045678", "7", undefined])
      assert.deepStrictEqual(result.events, [
        {
          id: { txDigest: digest, eventSeq: "0" },
          packageId: owner,
          transactionModule: "m",
          sender: owner,
          type: "0x9::m::Done",
          parsedJson: { x: 5 },
          bcsEncoding: "base64",
          bcs: "BQ=="
        }
      ])
      assert.deepInclude(result.effects as object, {
        status: { status: "failure", error: "Error in 1st command, abort code: 3" },
        abortError: { module_id: `${owner}::m`, function: "f", line: 12, error_code: "3" }
      })
      const more = rightOf(yield* call("sui_getTransactionBlock", digest, show)).result
      assert.notProperty(more, "events")
      assert.deepStrictEqual(more.errors, ["events: there are more than the 50 that GraphQL returns at once"])
    }
  )

  test("sends no request for invalid parameters, and explains the error", noHost, function* ({ requests }) {
    const { call, rpc } = yield* translation()
    const wrong: ReadonlyArray<readonly [string, ReadonlyArray<unknown>, RegExp]> = [
      ["suix_getBalance", [], /owner: an address is expected/],
      ["suix_getBalance", ["0xabcdefabcdef"], /owner: an address has 64/],
      ["suix_getBalance", [owner, "SUI"], /Failed to parse type "SUI"/],
      ["suix_getCoins", [owner, null, 5], /cursor/],
      ["suix_getCoins", [owner, null, null, 51], /limit: a number from 1 to 50/],
      ["suix_getCoins", [owner, null, null, 0], /limit/],
      ["suix_getCoins", [owner, null, null, "7"], /limit/],
      ["sui_getObject", [owner, { showType: "yes" }], /options.showType: true or false/],
      ["sui_getObject", [owner, 5], /options: an object/],
      ["sui_multiGetObjects", [Array.from({ length: 51 }, () => owner)], /object_ids: a list of at most 50/],
      ["sui_multiGetObjects", [[owner, "?"]], /object_ids\[1\]/],
      ["suix_getOwnedObjects", [owner, { filter: { MatchAll: [] } }], /MatchAll filter is not supported/],
      ["sui_getTransactionBlock", ["0xabc"], /digest: 32 bytes in base58/],
      ["sui_getTransactionBlock", ["1".repeat(33)], /digest/],
      ["suix_queryTransactionBlocks", [{ filter: { InputObject: owner } }], /InputObject filter is not supported/],
      [
        "suix_queryTransactionBlocks",
        [{ filter: { MoveFunction: { package: owner, function: "f" } } }],
        /MoveFunction/
      ],
      ["suix_queryTransactionBlocks", [{ filter: { FromAddress: owner, ToAddress: owner } }], /not supported/],
      ["sui_getCheckpoint", [-1], /id/],
      ["sui_dryRunTransactionBlock", ["%%%"], /tx_bytes: bytes in base64/],
      ["sui_dryRunTransactionBlock", ["AAAA"], /not a valid transaction/],
      ["sui_executeTransactionBlock", [(yield* transfer).bytes, []], /signatures: at least one/],
      ["sui_executeTransactionBlock", [(yield* transfer).bytes, "AAAA"], /signatures: a list/]
    ]
    for (const [method, params, message] of wrong) {
      const { error } = rightOf(yield* call(method, ...params))
      assert.strictEqual(error?.code, -32602, `${method} ${JSON.stringify(params)}`)
      assert.match(error.message, message)
    }
    for (const params of ["{}", "5", "[", undefined])
      assert.strictEqual(
        JSON.parse(rightOf(yield* run(rpc.call({ method: "suix_getBalance", params }))).text).code,
        -32602
      )
    assert.lengthOf(requests, 0)
  })

  test(
    "sends one query per call, within the size that hosts accept",
    () => simulatedClient(() => json({ data: {} })),
    function* ({ requests }) {
      const { call } = yield* translation([firstUrl])
      const all = (names: string) => Object.fromEntries(names.split(" ").map((name) => [`show${name}`, true]))
      const objects = all("Type Owner PreviousTransaction Display Content Bcs StorageRebate")
      const transactions = all("Input RawInput Effects RawEffects Events ObjectChanges BalanceChanges")
      const many = (id: string) => Array.from({ length: 50 }, () => id)
      const calls: ReadonlyArray<readonly [string, ...ReadonlyArray<unknown>]> = [
        ["sui_multiGetObjects", many(owner), objects],
        ["sui_multiGetTransactionBlocks", many(digest), transactions],
        ["suix_queryTransactionBlocks", { filter: { FromAddress: owner }, options: transactions }],
        ["suix_getOwnedObjects", owner, { options: objects }],
        ["suix_getAllBalances", owner],
        ["sui_getCheckpoint", "5"]
      ]
      for (const [method, ...params] of calls) {
        const before = requests.length
        yield* call(method, ...params)
        assert.strictEqual(requests.length, before + 1, method)
        assert.isBelow(requests.at(-1)?.body.length ?? 0, 5_000, method)
      }
    }
  )

  test(
    "answers the calls of a batch in order and independently",
    () => simulatedClient(() => price),
    function* () {
      const { rpc } = yield* translation()
      const calls = ["suix_getReferenceGasPrice", "sui_unheardOf", "suix_getReferenceGasPrice"]
      const read = rightOf(yield* run(rpc.batch(calls.map((method) => ({ method, params: undefined })))))
      assert.deepStrictEqual(
        read.map((each) => Either.getOrThrow(each).member),
        ["result", "error", "result"]
      )
    }
  )

  test(
    "counts coins over several pages of one host, and omits the count if there are too many pages",
    () => {
      let pages = 0
      return simulatedClient(({ body }) => {
        pages += 1
        const { variables } = JSON.parse(body)
        const type = { repr: `0x2::coin::Coin<${variables.type ?? "0x2::sui::SUI"}>` }
        const nodes = Array.from({ length: 50 }, () => ({ contents: { type } }))
        const max = variables.owner === owner ? 3 : 1_000
        const objects = { nodes, pageInfo: { hasNextPage: pages % 1000 < max, endCursor: String(pages) } }
        const balance = { coinType: { repr: "0x2::sui::SUI" }, totalBalance: "5", addressBalance: "1" }
        return json({ data: { address: { balance, objects } } })
      })
    },
    function* ({ requests }) {
      const { call } = yield* translation()
      assert.deepStrictEqual(rightOf(yield* call("suix_getBalance", owner)).result, {
        coinType: "0x2::sui::SUI",
        coinObjectCount: 150,
        totalBalance: "5",
        lockedBalance: {},
        fundsInAddressBalance: "1"
      })
      assert.lengthOf(requests, 3)
      const many = rightOf(yield* call("suix_getBalance", `0x${"b".repeat(64)}`)).result
      assert.notProperty(many, "coinObjectCount")
      assert.strictEqual(many.totalBalance, "5")
      assert.lengthOf(requests, 13)
    }
  )
})

describe("a translated call", () => {
  const failing: Readonly<Record<string, readonly [Reply, string]>> = {
    ...faults,
    "reports a rate limit with HTTP 200": [
      json({ data: null, errors: [{ message: "Too many requests" }] }),
      "rate_limited"
    ],
    "reports an error with HTTP 200": [
      json({
        data: { epoch: null },
        errors: [{ message: "db", path: ["epoch"], extensions: { code: "INTERNAL_SERVER_ERROR" } }]
      }),
      "upstream_error"
    ],
    "serves another network": [
      json({ data: { chainIdentifier: "4c78adac", epoch: { referenceGasPrice: "1" } } }),
      "bad_answer"
    ],
    "returns no price": [json({ data: { epoch: { referenceGasPrice: null } } }), "bad_answer"]
  }
  for (const [what, [reply, reason]] of Object.entries(failing)) {
    test(
      `goes to the next host if the first ${what}`,
      () => simulatedClient(byHost({ "one.example": () => reply, "two.example": () => price })),
      function* () {
        const { call } = yield* translation()
        assert.deepStrictEqual(rightOf(yield* call("suix_getReferenceGasPrice")) as unknown, { result: "742" })
      }
    )
    test(
      `fails with a reason if every host ${what}`,
      () => simulatedClient(() => reply),
      function* () {
        const { call } = yield* translation()
        const failure = Either.getOrThrow(Either.flip(yield* call("suix_getReferenceGasPrice")))
        assert.strictEqual(failure.reason, reason)
        assert.notMatch(failure.message, /example|oops|db/)
      }
    )
  }

  test(
    "goes to one host if that host rejects it as invalid, and returns the message of the host",
    () =>
      simulatedClient(() =>
        json({
          data: null,
          errors: [
            {
              message: "Failed to parse cursor at https://inner.example/x",
              path: ["address"],
              extensions: { code: "BAD_USER_INPUT" }
            }
          ]
        })
      ),
    function* ({ requests }) {
      const { call } = yield* translation()
      const { error } = rightOf(yield* call("suix_getCoins", owner, null, "?"))
      assert.deepStrictEqual(error, { code: -32602, message: "Invalid Params: Failed to parse cursor at (address)" })
      assert.lengthOf(requests, 1)
    }
  )
})

describe("a transaction to execute", () => {
  const effects = (own: string) => json({ data: { executeTransaction: { effects: { digest: own } } } })

  test(
    "is reported as executed, without effects, if the host returns the effects of another transaction",
    () => simulatedClient(repliesInOrder(effects("x"), text("{}"))),
    function* ({ requests }) {
      const { bytes } = yield* transfer
      const { call } = yield* translation()
      const { result } = rightOf(
        yield* call("sui_executeTransactionBlock", bytes, ["AAAA"], { showEffects: true }, "WaitForLocalExecution")
      )
      assert.deepStrictEqual([result.digest, result.confirmedLocalExecution], ["x", false])
      assert.deepStrictEqual(result.errors, ["effects: the host returned the effects of another transaction"])
      assert.lengthOf(requests, 1)
    }
  )

  const rejections: Readonly<Record<string, unknown>> = {
    "bad input": { message: "Invalid signature", path: ["executeTransaction"], extensions: { code: "BAD_USER_INPUT" } },
    "message of the node": {
      message: `status: InvalidArgument, message: "Invalid signature"`,
      path: ["executeTransaction"],
      extensions: { code: "INTERNAL_SERVER_ERROR" }
    }
  }
  for (const [what, rejection] of Object.entries(rejections))
    test(
      `is reported as rejected with the node's message: ${what}`,
      () => simulatedClient(() => json({ data: null, errors: [rejection] })),
      function* ({ requests }) {
        const { bytes } = yield* transfer
        const { call } = yield* translation()
        const { error } = rightOf(yield* call("sui_executeTransactionBlock", bytes, ["AAAA"]))
        assert.strictEqual(error.code, -32002)
        assert.include(error.message, "Invalid signature")
        assert.lengthOf(requests, 1)
      }
    )

  const lost: Readonly<Record<string, Reply>> = {
    hangs: neverResponds,
    "closes the connection mid-response": brokenBody('{"data":'),
    "returns truncated JSON": text('{"data":{"exec'),
    "returns HTTP 502": text("oops", { status: 502 }),
    "returns HTML": text("<html></html>"),
    "reports an error with HTTP 200": json({
      data: null,
      errors: [{ message: "db", extensions: { code: "INTERNAL_SERVER_ERROR" } }]
    })
  }
  for (const [what, reply] of Object.entries(lost))
    test(
      `is sent only once if a host may have received it and ${what}`,
      () => simulatedClient(() => reply),
      function* ({ requests }) {
        const { bytes } = yield* transfer
        const { call } = yield* translation()
        assert.isTrue(Either.isLeft(yield* call("sui_executeTransactionBlock", bytes, ["AAAA"])))
        assert.lengthOf(requests, 1)
      }
    )

  for (const [what, reply] of Object.entries({
    "refuses connections": refused,
    "returns HTTP 429": text("", { status: 429 })
  }))
    test(
      `goes to the next host if the first ${what}`,
      () => simulatedClient(byHost({ "one.example": () => reply, "two.example": () => effects("y") })),
      function* () {
        const { bytes } = yield* transfer
        const { call } = yield* translation()
        assert.strictEqual(rightOf(yield* call("sui_executeTransactionBlock", bytes, ["AAAA"])).result.digest, "y")
      }
    )

  test(
    "completes before the next call of a batch is sent",
    () => simulatedClient((request) => (request.body.includes("mutation") ? Effect.delay(effects("y"), 500) : price)),
    function* ({ requests }) {
      const { rpc } = yield* translation()
      const execution = {
        method: "sui_executeTransactionBlock",
        params: JSON.stringify([(yield* transfer).bytes, ["AAAA"]])
      }
      const rpcCall = { method: "suix_getReferenceGasPrice", params: undefined }
      const batch = yield* Effect.fork(rpc.batch([rpcCall, execution, rpcCall]))
      yield* TestClock.adjust(400)
      assert.deepStrictEqual(
        requests.map(({ body }) => body.includes("mutation")),
        [false, true]
      )
      yield* TestClock.adjust(200)
      assert.deepStrictEqual((yield* Fiber.join(batch)).map(Either.isRight), [true, true, true])
      assert.lengthOf(requests, 3)
    }
  )

  const arrivals: Array<string> = []
  const delayed = Effect.delay(
    Effect.tap(effects("z"), () => Effect.sync(() => arrivals.push("answered"))),
    500
  )
  test(
    "completes even if the client disconnects, and keeps what the request holds until then",
    () => simulatedClient(() => delayed),
    function* () {
      const { bytes } = yield* transfer
      const { rpc } = yield* translation()
      const call = { method: "sui_executeTransactionBlock", params: JSON.stringify([bytes, ["AAAA"]]) }
      const hold = () => {
        arrivals.push("held")
        return () => void arrivals.push("released")
      }
      const client = yield* Effect.fork(Effect.provideService(rpc.call(call), CurrentHold, hold))
      yield* TestClock.adjust(100)
      yield* Fiber.interrupt(client)
      yield* TestClock.adjust(600)
      assert.deepStrictEqual(arrivals, ["held", "answered", "released"])
    }
  )
})
