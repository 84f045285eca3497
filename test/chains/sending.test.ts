import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { keccak256, serializeTransaction, toRlp } from "viem/utils"
import type { SendOutcome } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"
import * as EvmSending from "../../src/chains/evm/Sending.ts"
import * as SolanaSending from "../../src/chains/solana/Sending.ts"
import * as TransactionData from "../../src/chains/sui/jsonrpc/TransactionData.ts"
import * as SuiSending from "../../src/chains/sui/Sending.ts"
import * as TonSending from "../../src/chains/ton/Sending.ts"
import { builtNetworks, networkNeeds } from "../support/chains.ts"
import { brokenBody, json, type Reply, refused, type SentRequest, simulatedClient } from "../support/http.ts"
import { tronSigned, tronTransfer } from "../support/offline.ts"
import { hashOf, sample, serialize } from "../support/rawTransactions.ts"
import { settled } from "../support/settled.ts"
import { signers } from "../support/signers.ts"
import { assert, describe, it } from "../support/vitest.ts"

const urls = "http://first.test,http://second.test"
const environment = {
  UPSTREAM_TIMEOUT_MS: "1000",
  ETHEREUM_RPC_URLS: urls,
  SOLANA_RPC_URLS: urls,
  SUI_RPC_URLS: urls,
  LITECOIN_RPC_URLS: urls,
  TON_TESTNET_RPC_URLS: urls
}

interface Call {
  readonly method: string
  readonly host: string
}

/** Sends a text through a network over simulated nodes; returns the outcome and the calls. */
const sent = (network: string, text: string, node: (call: Call) => Reply) =>
  Effect.gen(function* () {
    const callOf = ({ body, url }: SentRequest): Call => ({
      method: /"method":"(\w+)"/.exec(body)?.[1] ?? "",
      host: url.host
    })
    const { layer, requests } = simulatedClient((request) => node(callOf(request)))
    const outcome = yield* Effect.gen(function* () {
      const { all } = yield* builtNetworks
      const { main, testnet } = yield* Effect.fromNullable(all[0]?.sending)
      const { send } = Either.getOrThrow((network === "ton" ? (testnet ?? main) : main)(text))
      return yield* settled(Effect.either(send))
    }).pipe(Effect.provide(Layer.provide(Chains.only([network]), networkNeeds(layer, { environment }))))
    return { outcome, calls: requests.map(callOf) }
  }).pipe(Effect.orDie)

const result = (value: unknown): Reply => json({ jsonrpc: "2.0", id: 1, result: value })
const error = (message: string, code = -32000): Reply => json({ jsonrpc: "2.0", id: 1, error: { code, message } })

interface Case {
  readonly text: string
  readonly hash: string
  readonly method: string
  /** The reply of a node that accepted the transaction with this hash. */
  readonly accepted: (hash: string) => Reply
  readonly otherHash: string
}

const base64Of = (hash: string) => Buffer.from(hash, "hex").toString("base64")

/** A signed transaction of a network with each kind of client. */
const makeCases = async (): Promise<Readonly<Record<string, Case>>> => {
  const paid = async (network: string, context: object) => {
    const signer = await signers[network]?.()
    return (await signer?.pay({ balance: "0", ...context } as never)) ?? assert.fail(network)
  }
  const evm = await paid("ethereum", { chainId: 1, gasPrice: "1000000000", nonce: 5 })
  const solana = await paid("solana", {
    blockhash: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi",
    lastValidBlockHeight: 5
  })
  const ton = await paid("ton", { seqno: 3 })
  const sui = await paid("sui", {
    gasCoins: [
      { objectId: `0x${"5".repeat(64)}`, version: "7", digest: "4vJ9JU1bJJE96FWSJKvHsmmFADCg4gpZQff4P3bkLKi" }
    ],
    referenceGasPrice: "1000"
  })
  const [bytes, [signature]] = JSON.parse(sui.raw) as readonly [string, readonly [string]]
  return {
    ethereum: {
      ...evm,
      text: evm.raw,
      method: "eth_sendRawTransaction",
      accepted: result,
      otherHash: `0x${"1".repeat(64)}`
    },
    solana: { ...solana, text: solana.raw, method: "sendTransaction", accepted: result, otherHash: "1".repeat(64) },
    ton: {
      ...ton,
      text: ton.raw,
      method: "sendBocReturnHash",
      accepted: (hash) =>
        json({
          ok: true,
          jsonrpc: "2.0",
          id: "1",
          result: { "@type": "raw.extMessageInfo", hash_norm: base64Of(hash) }
        }),
      otherHash: "1".repeat(64)
    },
    sui: {
      ...sui,
      text: JSON.stringify({ bytes, signature }),
      method: "sui_executeTransactionBlock",
      accepted: (digest) => result({ digest, effects: {} }),
      otherHash: "1".repeat(44)
    },
    litecoin: {
      text: serialize(sample()),
      hash: hashOf(sample()),
      method: "sendrawtransaction",
      accepted: (hash) => json({ result: hash, error: null, id: 1 }),
      otherHash: "1".repeat(64)
    }
  }
}

let made: ReturnType<typeof makeCases> | undefined
const casesOf = Effect.promise(() => (made ??= makeCases()))

const acceptedNow: SendOutcome = { accepted: true, alreadyKnown: false, reason: null, nodeMessage: null }

const acceptedBefore: SendOutcome = { ...acceptedNow, alreadyKnown: true }

const tronPayment = {
  refBlockBytes: "5e4b",
  refBlockHash: "47c9dc89341b300d",
  timestamp: 1,
  from: `41${"1".repeat(40)}`,
  to: `41${"2".repeat(40)}`,
  amount: 5n
}

const signature = `0x${"05".repeat(65)}` as const

/** Nodes whose first host sends `first`, and whose second host accepts the transaction. Lookups fail. */
const nodes =
  ({ accepted, hash, method }: Case, first: Reply) =>
  (call: Call): Reply =>
    call.method !== method ? error("not found") : call.host === "first.test" ? first : accepted(hash)

describe("a transaction that is sent", () => {
  it("is not sent again, and not called refused, if a node takes it and then dies", function* () {
    for (const [network, item] of Object.entries(yield* casesOf))
      for (const first of [brokenBody('{"jsonrpc"'), json({ error: "bad gateway" }, { status: 502 })]) {
        const { calls, outcome } = yield* sent(network, item.text, nodes(item, first))
        assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { mayHaveArrived: true }, network)
        assert.lengthOf(
          calls.filter(({ method }) => method === item.method),
          1,
          network
        )
      }
  })

  it("is sent to the next node if the first certainly did not take it", function* () {
    for (const [network, item] of Object.entries(yield* casesOf)) {
      const refusals =
        network === "litecoin"
          ? [refused]
          : [refused, error("the method is not available", -32601), error("txpool is full")]
      for (const first of network === "sui" ? [refused] : refusals) {
        const { outcome } = yield* sent(network, item.text, nodes(item, first))
        assert.deepStrictEqual<unknown>(Either.getOrThrow(outcome), acceptedNow, network)
      }
    }
  })

  it("is not accepted if a node reports another hash", function* () {
    for (const [network, item] of Object.entries(yield* casesOf)) {
      const { calls, outcome } = yield* sent(network, item.text, nodes(item, item.accepted(item.otherHash)))
      assert.deepInclude(
        Either.getOrThrow(Either.flip(outcome)),
        { mayHaveArrived: true, reason: "bad_answer" },
        network
      )
      assert.lengthOf(
        calls.filter(({ method }) => method === item.method),
        1,
        network
      )
    }
  })

  it("did not go out if no node can be reached", function* () {
    for (const [network, item] of Object.entries(yield* casesOf)) {
      const { outcome } = yield* sent(network, item.text, () => refused)
      assert.notProperty(Either.getOrThrow(Either.flip(outcome)), "mayHaveArrived", network)
    }
  })

  it("is looked up before a used nonce, an expired blockhash or a spent input is a refusal", function* () {
    const cases = yield* casesOf
    const { ethereum, litecoin, solana } = cases
    if (ethereum === undefined || litecoin === undefined || solana === undefined) return assert.fail()
    const ofEvm = [
      ["nonce too low", "nonce_too_low"],
      ["InsufficientFunds, Account balance: 0, cumulative cost: 5", "insufficient_funds"],
      ["FeeTooLow, MaxFeePerGas too low", "fee_too_low"]
    ] as const
    const ofLitecoin = ["bad-txns-inputs-missingorspent", "bad-txns-inputs-spent"] as const
    for (const [network, item, refusal, reason, absent, found] of [
      ...ofEvm.map(
        ([message, reason]) =>
          ["ethereum", ethereum, error(message), reason, result(null), result({ hash: ethereum.hash })] as const
      ),
      [
        "solana",
        solana,
        error("Blockhash not found", -32002),
        "expired",
        result({ value: [null] }),
        result({ value: [{ slot: 1 }] })
      ],
      ...ofLitecoin.map(
        (message) =>
          [
            "litecoin",
            litecoin,
            json({ result: null, error: { code: -25, message }, id: 1 }, { status: 500 }),
            "already_spent",
            json({ result: null, error: { code: -5, message: "No such transaction" }, id: 1 }, { status: 500 }),
            json({ result: litecoin.text, error: null, id: 1 })
          ] as const
      )
    ] as const) {
      const lookingUp = (lookups: Readonly<Record<string, Reply>>) =>
        Effect.map(
          sent(network, item.text, ({ host, method }) =>
            method === item.method ? refusal : (lookups[host] ?? refused)
          ),
          ({ outcome }) => outcome
        )
      const known = Either.getOrThrow(
        yield* lookingUp({ "first.test": network === "litecoin" ? found : absent, "second.test": found })
      )
      assert.deepInclude(known, { accepted: true, alreadyKnown: true, reason: null }, network)
      const missing = Either.getOrThrow(yield* lookingUp({ "first.test": absent, "second.test": absent }))
      assert.deepInclude(missing, { accepted: false, alreadyKnown: false, reason }, network)
      const unread = Either.getOrThrow(Either.flip(yield* lookingUp({})))
      assert.deepInclude(unread, { mayHaveArrived: true }, network)
    }
  })

  it("is looked up before a wallet of version 3 on ton refuses it, which reports an expired order as 35", function* () {
    const { ton } = yield* casesOf
    if (ton === undefined) return assert.fail()
    const refusal = json({ ok: false, error: "exitcode=35, steps=20", code: 500, jsonrpc: "2.0", id: "1" })
    for (const [rows, expected] of [
      [result([]), { accepted: false, reason: "invalid" }],
      [error("not found"), { mayHaveArrived: true }]
    ] as const) {
      const { outcome } = yield* sent("ton", ton.text, ({ method }) => (method === ton.method ? refusal : rows))
      assert.deepInclude(Either.merge(outcome), expected)
    }
  })

  it("is looked up before it expired, or pays too little to replace a queued transaction on ripple", function* () {
    const raw = tronTransfer({ ...tronPayment, expiration: 1_000 })
    const tron = { id: raw.id.toString("hex"), raw_data_hex: raw.raw.toString("hex") }
    const signer = yield* Effect.fromNullable(signers.ripple)
    const ripple = yield* Effect.promise(async () =>
      (await signer()).pay({ ledger: 5, openLedgerFee: "10", sequence: 3 } as never)
    )
    const rippled = (fields: object) => json({ result: { status: "success", ...fields } })
    for (const [network, text, refusal, reason, absent, found] of [
      [
        "tron",
        tronSigned(raw.raw, signature),
        json({ code: "TRANSACTION_EXPIRATION_ERROR", txid: tron.id, message: "" }),
        "expired",
        json({}),
        json({ txID: tron.id, raw_data_hex: tron.raw_data_hex })
      ],
      [
        "ripple",
        ripple.raw,
        rippled({ engine_result: "telCAN_NOT_QUEUE_FEE", accepted: false }),
        "replacement_underpriced",
        json({ result: { status: "error", error: "txnNotFound" } }),
        rippled({ tx: ripple.raw })
      ]
    ] as const)
      for (const [lookup, expected] of [
        [absent, { accepted: false, alreadyKnown: false, reason }],
        [found, { accepted: true, alreadyKnown: true, reason: null }],
        [refused, { mayHaveArrived: true }]
      ] as const) {
        let calls = 0
        const { outcome } = yield* sent(network, text, () => (calls++ === 0 ? refusal : lookup))
        assert.deepInclude(Either.merge(outcome), expected, network)
      }
  })

  it("is looked up instead if it expired", function* () {
    const raw = tronTransfer({ ...tronPayment, expiration: 1_000 })
    const text = tronSigned(raw.raw, signature)
    const id = raw.id.toString("hex")
    yield* TestClock.adjust("10 minutes")
    for (const [lookup, expected] of [
      [json({ txID: id, raw_data_hex: raw.raw.toString("hex") }), Either.right(acceptedBefore)],
      [json({}), Either.right({ accepted: false, alreadyKnown: false, reason: "expired", nodeMessage: null })]
    ] as const) {
      const { calls, outcome } = yield* sent("tron", text, () => lookup)
      assert.deepStrictEqual<unknown>(outcome, expected)
      assert.lengthOf(calls, 1)
    }
    const { outcome } = yield* sent("tron", text, () => refused)
    assert.notProperty(Either.getOrThrow(Either.flip(outcome)), "mayHaveArrived")
  })

  it("is undecided after an error of the node that is not about the transaction", function* () {
    const { ethereum } = yield* casesOf
    if (ethereum === undefined) return assert.fail()
    const { ton } = yield* casesOf
    if (ton === undefined) return assert.fail()
    const lite = json({ ok: false, error: "LITE_SERVER_NOTREADY: block not found", code: 500, jsonrpc: "2.0", id: "1" })
    const failed = yield* sent("ton", ton.text, nodes(ton, lite))
    assert.deepInclude(Either.getOrThrow(Either.flip(failed.outcome)), { mayHaveArrived: true })
    for (const message of ["internal error", "request timed out", "Internal error: invalid state"]) {
      const { outcome } = yield* sent("ethereum", ethereum.text, nodes(ethereum, error(message, -32603)))
      assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { mayHaveArrived: true }, message)
    }
  })
})

describe("the text of a transaction", () => {
  const problem = <A>(parsed: Either.Either<A, string>) => Either.getOrThrow(Either.flip(parsed))

  it("is RLP with a valid signature on EVM networks", function* () {
    const { ethereum } = yield* casesOf
    const raw = ethereum?.text ?? ""
    assert.strictEqual(Either.getOrThrow(EvmSending.parse(raw.slice(2).toUpperCase())).hash, ethereum?.hash)
    const transaction = { type: "legacy", nonce: 0, gas: 21_000n, gasPrice: 1n, to: `0x${"1".repeat(40)}` } as const
    const signature = { r: `0x${"2".repeat(64)}`, s: `0x${"3".repeat(64)}` } as const
    for (const [chainId, v] of [
      [undefined, 27n],
      [5n, 28n]
    ] as const) {
      const legacy = serializeTransaction(chainId === undefined ? transaction : { ...transaction, chainId: 5 }, {
        ...signature,
        v
      })
      assert.deepStrictEqual(Either.getOrThrow(EvmSending.parse(legacy)), {
        raw: legacy,
        hash: keccak256(legacy),
        chainId
      })
    }
    const high = serializeTransaction(transaction, { ...signature, s: `0x${"d".repeat(64)}`, v: 27n })
    assert.strictEqual(problem(EvmSending.parse(high)), "its signature is not valid")
    for (const wrong of [
      "",
      "0x",
      "0x7",
      "0xzz",
      "0xc0",
      "0x02c0",
      "0x7ec0",
      `${raw}00`,
      raw.slice(0, -2),
      toRlp(["0x", "0x", "0x", `0x${"1".repeat(38)}`, "0x", "0x", "0x1b", signature.r, signature.s]),
      `0x${"f9ffff".repeat(20_000)}`,
      `0x${"c1".repeat(100_000)}c0`,
      `0x02${"00".repeat(128 * 1024)}`
    ])
      assert.isTrue(Either.isLeft(EvmSending.parse(wrong)), wrong.slice(0, 40))
  })

  it("is at most 1,232 bytes with valid signatures on solana, in base64 or base58", function* () {
    const { solana } = yield* casesOf
    const bytes = Buffer.from(solana?.text ?? "", "base64")
    const { base58 } = yield* Effect.promise(() => import("@scure/base"))
    assert.strictEqual(Either.getOrThrow(SolanaSending.parse(base58.encode(bytes))).hash, solana?.hash)
    const changed = (at: number) =>
      Buffer.from(bytes.map((byte, index) => (index === at ? byte ^ 1 : byte))).toString("base64")
    assert.strictEqual(problem(SolanaSending.parse(changed(bytes.length - 1))), "its signature 1 of 1 is not valid")
    assert.strictEqual(problem(SolanaSending.parse(changed(65))), "its message has an unknown version")
    for (const wrong of [
      "",
      "0",
      "AA==",
      "!",
      "A".repeat(4_000),
      bytes.subarray(0, 100).toString("base64"),
      changed(0)
    ])
      assert.isTrue(Either.isLeft(SolanaSending.parse(wrong)), wrong)
  })

  it("is an external message on ton", function* () {
    const { ton } = yield* casesOf
    const text = ton?.text ?? ""
    const hex = Buffer.from(text, "base64").toString("hex")
    assert.strictEqual(Either.getOrThrow(TonSending.parse(hex)).hash, ton?.hash)
    const { beginCell } = yield* Effect.promise(() => import("@ton/core"))
    const empty = beginCell().endCell().toBoc().toString("base64")
    for (const wrong of ["", "%", text.slice(0, -8), empty, "A".repeat(200_000)])
      assert.isTrue(Either.isLeft(TonSending.parse(wrong)), wrong.slice(0, 40))
  })

  it("is the SDK's JSON or signed data on sui", function* () {
    const { sui } = yield* casesOf
    const { bytes, signature } = JSON.parse(sui?.text ?? "") as { readonly bytes: string; readonly signature: string }
    const data = TransactionData.signed(Buffer.from(bytes, "base64"), [Buffer.from(signature, "base64")])
    const parsed = { digest: sui?.hash, transaction: bytes, signatures: [signature] }
    for (const text of [
      data,
      JSON.stringify({ bytes, signature: [signature] }),
      JSON.stringify({ bytes, signatures: [signature], digest: "x" })
    ])
      assert.deepStrictEqual<unknown>(Either.getOrThrow(SuiSending.parse(text)), parsed)
    for (const wrong of [
      "",
      "{}",
      '{"bytes":5}',
      JSON.stringify({ bytes, signatures: [] }),
      JSON.stringify({ bytes, signatures: [signature, signature, signature] }),
      JSON.stringify({ bytes, signature: "AA==" }),
      JSON.stringify({ bytes: "AA==", signature }),
      `{"bytes":${"[".repeat(10_000)}`,
      data.slice(0, -8),
      "A".repeat(1_000_000)
    ])
      assert.isTrue(Either.isLeft(SuiSending.parse(wrong)), wrong.slice(0, 40))
  })
})
