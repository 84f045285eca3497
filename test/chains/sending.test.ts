import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Hex } from "viem"
import { parseSignature, recoverTransactionAddress } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256, serializeTransaction, toRlp } from "viem/utils"
import type { SendOutcome, Statuses } from "../../src/chains/Chain.ts"
import { Chains } from "../../src/chains/Chains.ts"
import * as EvmSending from "../../src/chains/evm/sending.ts"
import { decide } from "../../src/chains/kit/sending/outcomes.ts"
import * as SolanaSending from "../../src/chains/solana/sending.ts"
import * as TransactionData from "../../src/chains/sui/jsonrpc/TransactionData.ts"
import * as SuiSending from "../../src/chains/sui/sending.ts"
import * as TonSending from "../../src/chains/ton/sending.ts"
import { builtNetworks, networkNeeds } from "../support/chains.ts"
import { brokenBody, json, type Reply, refused, type SentRequest, simulatedClient, text } from "../support/http.ts"
import { tronSigned, tronTransfer } from "../support/offline.ts"
import { foundIn, hashOf, noStatus, sample, serialize, statusesWith } from "../support/rawTransactions.ts"
import { settled } from "../support/settled.ts"
import { signers } from "../support/signers.ts"
import { node as rpcNode, solanaClock, tonHead } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

const urls = "http://first.test,http://second.test"
const environment = {
  UPSTREAM_TIMEOUT_MS: "1000",
  ETHEREUM_RPC_URLS: urls,
  SOLANA_RPC_URLS: urls,
  SUI_RPC_URLS: urls,
  LITECOIN_RPC_URLS: urls,
  LITECOIN_BLOCKBOOK_URLS: ",",
  LITECOIN_ESPLORA_URLS: urls,
  TON_TESTNET_RPC_URLS: urls
}

interface Call {
  readonly method: string
  readonly host: string
}

/** Sends a text through a network over simulated nodes; returns the outcome and the calls. */
const sent = (
  network: string,
  text: string,
  node: (call: Call, request: SentRequest) => Reply,
  chain: "main" | "testnet" = network === "ton" ? "testnet" : "main",
  statuses?: Statuses
) =>
  Effect.gen(function* () {
    const callOf = ({ body, url }: SentRequest): Call => ({
      method: /"method":"(\w+)"/.exec(body)?.[1] ?? "",
      host: url.host
    })
    const { layer, requests } = simulatedClient((request) => node(callOf(request), request))
    const outcome = yield* Effect.gen(function* () {
      const { all } = yield* builtNetworks
      const read = yield* Effect.fromNullable(all[0]?.sending?.[chain])
      const signed = Either.getOrThrow(read(text))
      const find = foundIn(chain === "main" ? (statuses ?? all[0]?.statuses) : undefined, signed.hash)
      return yield* settled(Effect.either(decide(signed, find)))
    }).pipe(Effect.provide(Layer.provide(Chains.only([network]), networkNeeds(layer, { environment }))))
    return { outcome, calls: requests.map(callOf) }
  }).pipe(Effect.orDie)

const result = (value: unknown): Reply => json({ jsonrpc: "2.0", id: 1, result: value })
const error = (message: string, code = -32000): Reply => json({ jsonrpc: "2.0", id: 1, error: { code, message } })

const bitcoindError = (code: number, message: string): Reply =>
  json({ result: null, error: { code, message }, id: 1 }, { status: 500 })

/** An Ethereum node with these results by method; it does not have any other transaction. */
const evmNode = (results: Readonly<Record<string, unknown>>) =>
  rpcNode(
    ({ method }) =>
      ({
        eth_chainId: "0x1",
        eth_getBlockByNumber: { hash: `0x${"d4".repeat(32)}`, number: "0x1b", timestamp: "0x0" },
        ...results
      })[method]
  )

/** A Solana node with this status of every signature. */
const solanaNode = (status: object | null) =>
  rpcNode(({ method }) => {
    if (method === "getAccountInfo") return solanaClock(0)
    return method === "getSignatureStatuses" ? { context: { slot: 5 }, value: [status] } : null
  })

/** An indexer of Litecoin without any transaction. */
const esplora = ({ url: { pathname } }: SentRequest): Reply => {
  if (pathname === "/blocks/tip/hash") return text("a1".repeat(32))
  return pathname.startsWith("/block/")
    ? json({ height: 1, timestamp: 0 })
    : text("Transaction not found", { status: 404 })
}

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
        assert.deepInclude(Either.merge(outcome), acceptedNow, network)
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

  it("is refused for a used nonce only if it is replaced: nodes that report it as unused are behind", function* () {
    const { ethereum } = yield* casesOf
    if (ethereum === undefined) return assert.fail()
    for (const [status, expected] of [
      ["replaced", { accepted: false, alreadyKnown: false, reason: "nonce_too_low" }],
      ["not_found", { mayHaveArrived: true }],
      ["pending", { accepted: true, alreadyKnown: true, reason: null }],
      [noStatus, { mayHaveArrived: true }]
    ] as const) {
      const refusal = error("nonce too low: address 0x5, tx: 5 state: 6")
      const { outcome } = yield* sent("ethereum", ethereum.text, () => refusal, "main", statusesWith(status))
      assert.deepInclude(Either.merge(outcome), expected, String(status))
    }
  })

  it("is looked up before too low a balance, an expired blockhash or a spent input is a refusal", function* () {
    const { ethereum, litecoin, solana } = yield* casesOf
    if (ethereum === undefined || litecoin === undefined || solana === undefined) return assert.fail()
    const pooled = { hash: ethereum.hash, from: `0x${"a".repeat(40)}`, nonce: "0x5", blockNumber: null }
    const found = {
      ethereum: evmNode({ eth_getTransactionByHash: pooled, eth_getTransactionCount: "0x5" }),
      solana: solanaNode({ slot: 1, err: null, confirmationStatus: "processed" })
    }
    const absent = { ethereum: evmNode({}), solana: solanaNode(null), litecoin: esplora }
    for (const [network, item, refusal, reason] of [
      ["ethereum", ethereum, error("InsufficientFunds, Account balance: 0, cumulative cost: 5"), "insufficient_funds"],
      ["ethereum", ethereum, error("FeeTooLow, MaxFeePerGas too low"), "fee_too_low"],
      ["solana", solana, error("Blockhash not found", -32002), "expired"],
      ["litecoin", litecoin, bitcoindError(-25, "bad-txns-inputs-missingorspent"), "already_spent"],
      ["litecoin", litecoin, bitcoindError(-26, "bad-txns-inputs-spent"), "already_spent"]
    ] as const) {
      const over = (lookUp: Readonly<Record<string, (request: SentRequest) => Reply>>) =>
        Effect.map(
          sent(network, item.text, ({ host, method }, request) =>
            method === item.method ? refusal : (lookUp[host]?.(request) ?? refused)
          ),
          ({ outcome }) => Either.merge(outcome)
        )
      const at = (first: (request: SentRequest) => Reply, second?: (request: SentRequest) => Reply) =>
        over({ "first.test": first, ...(second === undefined ? {} : { "second.test": second }) })
      const none = absent[network]
      assert.deepInclude(yield* at(none, none), { accepted: false, alreadyKnown: false, reason }, network)
      // A node that lags does not have it; a refusal needs two nodes, or all there are.
      assert.deepInclude(yield* at(none), { mayHaveArrived: true }, network)
      assert.deepInclude(yield* over({}), { mayHaveArrived: true }, network)
      if (network === "litecoin") continue
      assert.deepInclude(yield* at(none, found[network]), { accepted: true, alreadyKnown: true, reason: null }, network)
    }
  })

  it("is undecided after an error that is not recognised as a refusal, unless the transaction is found", function* () {
    const { ethereum, litecoin, solana } = yield* casesOf
    if (ethereum === undefined || litecoin === undefined || solana === undefined) return assert.fail()
    const pooled = { hash: ethereum.hash, from: `0x${"a".repeat(40)}`, nonce: "0x5", blockNumber: null }
    for (const [network, item, reply, found] of [
      [
        "ethereum",
        ethereum,
        error('Post "https://sequencer.test": EOF'),
        evmNode({ eth_getTransactionByHash: pooled, eth_getTransactionCount: "0x5" })
      ],
      ["ethereum", ethereum, brokenBody('{"jsonrpc"'), undefined],
      [
        "solana",
        solana,
        error("Internal error", -32603),
        solanaNode({ slot: 1, err: null, confirmationStatus: "processed" })
      ],
      ["litecoin", litecoin, bitcoindError(-25, ""), undefined],
      ["litecoin", litecoin, bitcoindError(-1, "std::bad_alloc"), undefined]
    ] as const)
      for (const isThere of [false, true]) {
        if (isThere && found === undefined) continue
        const lookUp = isThere ? found : { ethereum: evmNode({}), solana: solanaNode(null), litecoin: esplora }[network]
        const { calls, outcome } = yield* sent(network, item.text, ({ method }, request) =>
          method === item.method ? reply : (lookUp?.(request) ?? refused)
        )
        assert.deepInclude(
          Either.merge(outcome),
          isThere ? { accepted: true, alreadyKnown: false, reason: null } : { mayHaveArrived: true },
          network
        )
        assert.lengthOf(
          calls.filter(({ method }) => method === item.method),
          1,
          network
        )
      }
  })

  it("is sent to the next node if one does not have its blockhash, and expired only if no node has it", function* () {
    const { solana } = yield* casesOf
    if (solana === undefined) return assert.fail()
    const lags = error("Transaction simulation failed: Blockhash not found", -32002)
    const absent = solanaNode(null)
    for (const [second, expected] of [
      [solana.accepted(solana.hash), { accepted: true, alreadyKnown: false, reason: null }],
      [lags, { accepted: false, reason: "expired" }]
    ] as const) {
      const { outcome } = yield* sent("solana", solana.text, ({ host, method }, request) =>
        method !== solana.method ? absent(request) : host === "first.test" ? lags : second
      )
      assert.deepInclude(Either.merge(outcome), expected)
    }
  })

  it("is the fault of the account, and of no node, beyond the limits of delegated accounts", function* () {
    const { ethereum } = yield* casesOf
    if (ethereum === undefined) return assert.fail()
    for (const message of ["in-flight transaction limit reached for delegated accounts", "account limit exceeded"]) {
      const { calls, outcome } = yield* sent("ethereum", ethereum.text, () => error(message))
      assert.deepInclude(Either.merge(outcome), { accepted: false, reason: "account_busy", nodeMessage: message })
      assert.lengthOf(calls, 1)
    }
  })

  it("may have arrived if the node lost its connection, whatever the words and its URL say about the caller", function* () {
    const { ethereum, solana } = yield* casesOf
    if (ethereum === undefined || solana === undefined) return assert.fail()
    for (const [network, item, message] of [
      ["ethereum", ethereum, 'Post "https://sequencer.test/?apikey=5d1c": EOF'],
      ["ethereum", ethereum, "no response of https://sequencer.test/subscription/api-key"],
      ["ethereum", ethereum, "no response of /v1/relay?apikey=5d1c"],
      [
        "ethereum",
        ethereum,
        "HTTPSConnectionPool(host='sequencer', port=443): Max retries exceeded with url: / (Caused by ProtocolError('Connection aborted.', RemoteDisconnected('Remote end closed connection without response')))"
      ],
      ["ethereum", ethereum, "unauthorized: the backend closed the connection"],
      ["solana", solana, "quota server: connection reset by peer"],
      ["solana", solana, "too many requests in flight, request timed out"]
    ] as const) {
      const { calls, outcome } = yield* sent(network, item.text, nodes(item, error(message)))
      assert.deepInclude(Either.merge(outcome), { mayHaveArrived: true }, message)
      assert.lengthOf(
        calls.filter(({ method }) => method === item.method),
        1,
        message
      )
    }
  })

  it("is refused, and by no rate limit, beyond a limit of the network", function* () {
    const { solana } = yield* casesOf
    if (solana === undefined) return assert.fail()
    const words = "Transaction simulation failed: Error processing Instruction 0: Max instruction trace length exceeded"
    const { calls, outcome } = yield* sent("solana", solana.text, nodes(solana, error(words, -32002)))
    assert.deepInclude(Either.merge(outcome), { accepted: false, reason: "invalid", nodeMessage: words })
    assert.lengthOf(calls, 1)
  })

  it("is sent to the next node if one refuses the caller, in the words of a refusal", function* () {
    const { ethereum } = yield* casesOf
    if (ethereum === undefined) return assert.fail()
    for (const message of [
      "Unauthorized: the API key has expired",
      "Too many requests",
      "daily request count exceeded",
      "insufficient balance of compute units",
      "missing authorization header",
      "the node is stale"
    ]) {
      const { outcome } = yield* sent("ethereum", ethereum.text, nodes(ethereum, error(message)))
      assert.deepStrictEqual<unknown>(Either.merge(outcome), acceptedNow, message)
    }
  })

  it("is known on sui if it is executed or finalized, also with other signatures", function* () {
    const { sui } = yield* casesOf
    if (sui === undefined) return assert.fail()
    for (const words of [
      "Transaction 5ab is already executed",
      "The transaction is already finalized but with different user signatures"
    ]) {
      const { outcome } = yield* sent("sui", sui.text, () => error(words, -32002))
      assert.deepInclude(Either.merge(outcome), { ...acceptedBefore, nodeMessage: words })
    }
  })

  it("is accepted on ton only if the node says so: by its hash, or without one in a result that is no error", function* () {
    const { ton } = yield* casesOf
    if (ton === undefined) return assert.fail()
    for (const [result, expected] of [
      [{ "@type": "ok" }, acceptedNow],
      [{ "@type": "error", code: 500, message: "cannot apply external message" }, { mayHaveArrived: true }],
      [{ "@type": "raw.extMessageInfo", hash: 5 }, { mayHaveArrived: true }],
      ["ok", { mayHaveArrived: true }],
      [true, { mayHaveArrived: true }],
      // Older versions return no result.
      [null, acceptedNow],
      [[], { mayHaveArrived: true }],
      [{}, { mayHaveArrived: true }]
    ] as const) {
      const reply = json({ ok: true, jsonrpc: "2.0", id: "1", result })
      const { outcome } = yield* sent("ton", ton.text, () => reply)
      assert.deepInclude(Either.merge(outcome), expected, JSON.stringify(result))
    }
  })

  it("is looked up before a wallet of version 3 on ton refuses it, which reports an expired order as 35", function* () {
    const { ton } = yield* casesOf
    if (ton === undefined) return assert.fail()
    const refusal = json({ ok: false, error: "exitcode=35, steps=20", code: 500, jsonrpc: "2.0", id: "1" })
    const absent = (url: URL): Reply =>
      tonHead(url) ??
      (url.pathname.startsWith("/api/v3/")
        ? json({ transactions: [] })
        : json({ error: "entity not found" }, { status: 404 }))
    for (const [lookUp, expected] of [
      [absent, { accepted: false, reason: "invalid" }],
      [() => refused, { mayHaveArrived: true }]
    ] as const) {
      const { outcome } = yield* sent(
        "ton",
        ton.text,
        ({ method }, { url }) => (method === ton.method ? refusal : lookUp(url)),
        "main"
      )
      assert.deepInclude(Either.merge(outcome), expected)
    }
    // A test network has no statuses: nothing is looked up.
    const { outcome } = yield* sent("ton", ton.text, () => refusal)
    assert.deepInclude(Either.merge(outcome), { accepted: false, reason: "invalid" })
  })

  it("is looked up before it expired or lacks coins on tron, or pays too little to replace a queued transaction on ripple", function* () {
    const raw = tronTransfer({ ...tronPayment, expiration: 1_000 })
    const signer = yield* Effect.fromNullable(signers.ripple)
    const ripple = yield* Effect.promise(async () =>
      (await signer()).pay({ ledger: 5, openLedgerFee: "10", sequence: 3 } as never)
    )
    for (const [network, text, refusal, reason] of [
      [
        "tron",
        tronSigned(raw.raw, signature),
        json({ code: "TRANSACTION_EXPIRATION_ERROR", txid: raw.id.toString("hex"), message: "" }),
        "expired"
      ],
      [
        "tron",
        tronSigned(raw.raw, signature),
        json({
          code: "CONTRACT_VALIDATE_ERROR",
          message: Buffer.from("Validate TransferContract error, balance is not sufficient.").toString("hex")
        }),
        "insufficient_funds"
      ],
      ["tron", tronSigned(raw.raw, signature), json({ code: "CONTRACT_VALIDATE_ERROR" }), "invalid"],
      [
        "ripple",
        ripple.raw,
        json({ result: { status: "success", engine_result: "telCAN_NOT_QUEUE_FEE", accepted: false } }),
        "replacement_underpriced"
      ]
    ] as const)
      for (const [status, expected] of [
        ["not_found", { accepted: false, alreadyKnown: false, reason }],
        ["pending", { accepted: true, alreadyKnown: true, reason: null }],
        [noStatus, { mayHaveArrived: true }]
      ] as const) {
        const { outcome } = yield* sent(network, text, () => refusal, "main", statusesWith(status))
        assert.deepInclude(Either.merge(outcome), expected, network)
      }
  })

  it("is looked up instead if it expired", function* () {
    const text = tronSigned(tronTransfer({ ...tronPayment, expiration: 1_000 }).raw, signature)
    yield* TestClock.adjust("10 minutes")
    for (const [status, expected] of [
      ["confirmed", acceptedBefore],
      ["expired", { accepted: false, alreadyKnown: false, reason: "expired", nodeMessage: null }]
    ] as const) {
      const { calls, outcome } = yield* sent("tron", text, () => refused, "main", statusesWith(status))
      assert.deepInclude(Either.merge(outcome), expected)
      assert.lengthOf(calls, 0)
    }
    const { outcome } = yield* sent("tron", text, () => refused, "main", statusesWith(noStatus))
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
      const { call, ...signed } = Either.getOrThrow(EvmSending.parse(legacy))
      assert.deepInclude(call, { to: transaction.to, value: 0n, maxFee: 21_000n })
      assert.deepStrictEqual(signed, {
        raw: legacy,
        hash: keccak256(legacy),
        chainId,
        nonce: 0n,
        sender: yield* Effect.promise(() =>
          recoverTransactionAddress({ serializedTransaction: legacy }).then((address) => address.toLowerCase() as Hex)
        )
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

  it("may have six blobs with their cell proofs (EIP-7594) on EVM networks", function* () {
    const fields = ["0x01", "0x", "0x", "0x01", "0x5208", `0x${"1".repeat(40)}`, "0x", "0x", [], "0x01", []] as const
    const digest = keccak256(`0x03${toRlp([...fields]).slice(2)}`)
    const { r, s, yParity } = parseSignature(
      yield* Effect.promise(() => privateKeyToAccount(`0x${"77".repeat(32)}`).sign({ hash: digest }))
    )
    const payload = [...fields, yParity === 0 ? "0x" : "0x01", r, s] as const
    const repeated = (size: number, count: number) => Array.from({ length: count }, (): Hex => `0x${"22".repeat(size)}`)
    const text = (blobs: number, commitments = repeated(48, blobs)) => {
      const wrapped = [[...payload], "0x01", repeated(131_072, blobs), commitments, repeated(48, 128 * blobs)]
      return `0x03${toRlp(wrapped as never).slice(2)}`
    }
    const { hash } = Either.getOrThrow(EvmSending.parse(text(6)))
    assert.strictEqual(hash, keccak256(`0x03${toRlp([...payload]).slice(2)}`))
    assert.isBelow(JSON.stringify({ network: "ethereum", transaction: text(6) }).length, 2 * 1024 * 1024)
    assert.include(problem(EvmSending.parse(text(8))), "bytes")
    // Decoding this many items takes long.
    assert.isTrue(Either.isRight(EvmSending.parse(text(1, [repeated(1, 1_000), repeated(60, 2_000)].flat()))))
    assert.include(problem(EvmSending.parse(text(1, repeated(1, 40_000)))), "RLP")
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
      assert.deepInclude<object>(Either.getOrThrow(SuiSending.parse(text)), parsed)
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

  it("has a last epoch on sui, by each kind of its expiration", function* () {
    const { sui } = yield* casesOf
    const { bytes, signature } = JSON.parse(sui?.text ?? "") as { readonly bytes: string; readonly signature: string }
    const { bcs } = yield* Effect.promise(() => import("@mysten/sui/bcs"))
    const { V1 } = bcs.TransactionData.fromBase64(bytes)
    const times = { minTimestamp: null, maxTimestamp: "1700000000000", chain: "1".repeat(32), nonce: 5 }
    for (const [expiration, lastEpoch] of [
      [{ None: true }, undefined],
      [{ Epoch: 7 }, 7n],
      [{ ValidDuring: { minEpoch: "6", maxEpoch: "7", ...times } }, 7n],
      [{ ValidDuring: { minEpoch: "6", maxEpoch: null, ...times } }, undefined],
      [{ Validity: { minEpoch: null, maxEpoch: "8", ...times, allowedProposers: null } }, 8n],
      [{ Validity: { minEpoch: null, maxEpoch: "8", ...times, allowedProposers: { epoch: 8, proposers: [1, 9] } } }, 8n]
    ] as const) {
      const transaction = bcs.TransactionData.serialize({ V1: { ...V1, expiration } } as never)
      const data = TransactionData.signed(transaction.toBytes(), [Buffer.from(signature, "base64")])
      for (const text of [data, JSON.stringify({ bytes: transaction.toBase64(), signature })])
        assert.strictEqual(
          Either.getOrThrow(SuiSending.parse(text)).data.expiration?.lastEpoch,
          lastEpoch,
          JSON.stringify(expiration)
        )
      const longer = Buffer.concat([transaction.toBytes(), Buffer.of(0)]).toString("base64")
      assert.isTrue(Either.isLeft(SuiSending.parse(JSON.stringify({ bytes: longer, signature }))))
    }
  })
})
