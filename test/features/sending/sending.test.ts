import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256 } from "viem/utils"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { Chain } from "../../../src/chains/Chain.ts"
import type { SentTransaction } from "../../../src/contract/SendingApi.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import { sending } from "../../../src/features/sending/handlers.ts"
import { SentTransactions } from "../../../src/features/sending/SentTransactions.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { body, Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { chainsOf } from "../../support/chains.ts"
import { neverResponds, refused, simulatedClient } from "../../support/http.ts"
import { hashOf, sample, serialize } from "../../support/rawTransactions.ts"
import { settled } from "../../support/settled.ts"
import { evmSigner, type Fault, type Signer, signers } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
import { node as rpcNode } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The decision about each fault: a reason, or the problem of a text that is no valid transaction. */
type Expected = Readonly<Partial<Record<Fault | "again", string>>>

const evm: Expected = {
  signature: "400 its signature is not valid",
  sequence: "nonce_too_low",
  amount: "insufficient_funds"
}

/** The text of a payment as the network's wallets write it. */
const textOf = (network: string, raw: string): string => {
  if (network !== "sui") return raw
  const [bytes, [signature]] = JSON.parse(raw) as readonly [string, readonly [string]]
  return JSON.stringify({ bytes, signature })
}

const expectations: Readonly<Record<string, Expected>> = {
  solana: {
    signature: "400 its signature 1 of 1 is not valid",
    amount: "insufficient_funds",
    expiry: "expired",
    again: "accepted"
  },
  sui: { signature: "invalid", sequence: "already_spent", amount: "insufficient_funds" },
  ton: { signature: "invalid", sequence: "nonce_gap", expiry: "expired", again: "accepted" },
  bitcoin: { signature: "invalid", again: "already_spent" },
  cardano: { signature: "invalid", amount: "invalid", expiry: "expired", again: "already_spent" },
  tron: {
    signature: "invalid",
    sequence: "expired",
    amount: "insufficient_funds",
    expiry: "expired",
    again: "expired"
  },
  ripple: { signature: "invalid", sequence: "nonce_too_low", expiry: "expired" },
  polkadot: { signature: "invalid", sequence: "nonce_gap", amount: "invalid", again: "accepted" }
}

/** Networks whose nodes do not say that they know a transaction. */
const wallets: ReadonlyArray<readonly [network: string, signer: () => Signer | Promise<Signer>, expected: Expected]> = [
  ...Catalogue.all
    .filter(({ family, sunset }) => family === "evm" && sunset === undefined)
    .map(({ id }) => [id, () => evmSigner(id), evm] as const),
  ...Object.entries(expectations).flatMap(([network, expected]) => {
    const signer = signers[network]
    return signer === undefined ? [] : [[network, signer, expected] as const]
  })
]

describe("POST /transactions/send", () => {
  it("sends, recognises and refuses transactions of every network", function* () {
    const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
    const service = Context.get(yield* live(Layer.build(Service.layer({ SUBSCAN_API_KEY: "key" }))), Service)
    const post = <A>(path: string, value: unknown) =>
      Effect.gen(function* () {
        const response = yield* Effect.flatMap(finish(service.post(path, value)), ({ outcome }) => outcome)
        return { status: response.status, answer: yield* body<A>(response) }
      })
    const send = (network: string, transaction: string) =>
      Effect.map(
        post<SentTransaction & { readonly detail?: string }>("/transactions/send", {
          network,
          transaction: textOf(network, transaction)
        }),
        ({ answer, status }) => ({
          ...answer,
          decision: status === 200 ? (answer.reason ?? "accepted") : `${status} ${answer.detail?.split(": ").at(-1)}`
        })
      )

    const ready = yield* Effect.promise(() =>
      Promise.all(wallets.map(async ([network, make, expected]) => ({ network, expected, signer: await make() })))
    )
    const contexts = Effect.map(
      post<Record<string, Record<string, { readonly context: TransactionContext | null }>>>(
        "/utils/transaction-context",
        { networks: Object.fromEntries(ready.map(({ network, signer }) => [network, [signer.sender]])) }
      ),
      ({ answer }) =>
        (network: string, address: string) =>
          (answer[network]?.[address]?.context ?? assert.fail(network)) as never
    )
    const first = yield* contexts
    const payments = new Map<string, string>()
    for (const { expected, network, signer } of ready) {
      const context = first(network, signer.sender)
      for (const fault of ["signature", "sequence", "amount", "expiry"] as const) {
        if (expected[fault] === undefined) continue
        const { raw } = yield* Effect.promise(() => signer.pay(context, fault))
        const { accepted, alreadyKnown, decision } = yield* send(network, raw)
        assert.deepStrictEqual(
          [decision, accepted ?? false, alreadyKnown ?? false],
          [expected[fault], false, false],
          `${network} ${fault}`
        )
      }
      const { hash, raw } = yield* Effect.promise(() => signer.pay(context))
      payments.set(network, raw)
      const sent = { network, hash, accepted: true, alreadyKnown: false, reason: null }
      const { decision: _, nodeMessage: __, ...answer } = yield* send(network, raw)
      assert.deepStrictEqual<unknown>(answer, sent, network)
      const { decision: ___, nodeMessage: ____, ...again } = yield* send(network, raw)
      assert.deepStrictEqual<unknown>(again, { ...sent, alreadyKnown: true }, `${network} again`)
    }

    yield* pass(610_000)
    for (const { expected, network, signer } of ready) {
      const { accepted, alreadyKnown, reason } = yield* send(network, payments.get(network) ?? "")
      assert.deepStrictEqual([accepted, alreadyKnown, reason], [true, true, null], `${network} in a block`)
      const { raw } = yield* Effect.promise(() => signer.pay(first(network, signer.sender), "sequence"))
      const { decision } = yield* send(network, raw)
      assert.strictEqual(decision, expected.again ?? expected.sequence, `${network} after its block`)
    }
  })

  /** A payment of this chain, signed by an account without coins. */
  const signedFor = (chainId: number, nonce = 0) =>
    Effect.promise(() =>
      privateKeyToAccount(`0x${"77".repeat(32)}`).signTransaction({
        chainId,
        nonce,
        to: `0x${"11".repeat(20)}`,
        gas: 21_000n,
        gasPrice: 10n ** 12n
      })
    )

  const asked = Effect.map(Service, ({ post }) =>
    Effect.fnUntraced(function* (payload: unknown) {
      const response = yield* post("/transactions/send", payload)
      return { status: response.status, answer: yield* body<Record<string, unknown>>(response) }
    })
  )

  it.live(
    "knows the chains of test networks and of networks of the operator, and sends on all of the Bitcoin family",
    () =>
      Effect.gen(function* () {
        const send = yield* asked
        const wrongChain = { accepted: false, alreadyKnown: false, reason: "wrong_chain", nodeMessage: null }
        for (const [network, testnet, chainId, expected] of [
          ["BASE", true, 84532, { network: "base" }],
          ["base", true, 8453, wrongChain],
          ["base", false, 84532, wrongChain],
          ["gnosis", undefined, 1, wrongChain]
        ] as const) {
          const transaction = yield* signedFor(chainId)
          const { answer, status } = yield* send({
            network,
            transaction,
            ...(testnet === undefined ? {} : { testnet })
          })
          assert.deepInclude(answer, { ...expected, hash: keccak256(transaction) }, `${network} ${chainId}`)
          // The node decides about other transactions.
          assert.deepStrictEqual([status, answer.reason === "wrong_chain"], [200, "reason" in expected])
        }
        for (const network of ["bch", "litecoin", "dogecoin"]) {
          const { answer } = yield* send({ network, transaction: serialize(sample()) })
          assert.deepInclude(answer, { network, hash: hashOf(sample()), accepted: true, alreadyKnown: false }, network)
        }
      }).pipe(Effect.provide(Service.layer({ EXTRA_EVM_NETWORKS: "gnosis:100" })))
  )

  it.live("names the member that is not valid, and the networks that are", () =>
    Effect.gen(function* () {
      const send = yield* asked
      const transaction = serialize(sample())
      for (const [payload, path, message] of [
        [{ network: "monero", transaction }, "network", /^must be one of ethereum, .*; it is "monero"$/],
        [{ network: "bitcoin", transaction, testnet: true }, "testnet", /test networks of optimism, .*solana, ton/],
        [{ network: "bitcoin", transaction: "00" }, "transaction", /^it ends in the midst of its version$/],
        [{ network: "bitcoin", transaction: "" }, "transaction", /^must be the text of a signed transaction/],
        [{ network: "bitcoin", transaction, testnet: "yes" }, "testnet", /^must be true or false/],
        [{ network: "bitcoin", transaction, tx: "00" }, "tx", /not a known member/],
        [{ network: "bitcoin" }, "transaction", /is missing/]
      ] as const) {
        const { answer, status } = yield* send(payload)
        const [issue] = answer.issues as ReadonlyArray<{ readonly path: string; readonly message: string }>
        assert.deepStrictEqual([status, issue?.path], [400, path])
        assert.match(issue?.message ?? "", message)
      }
      const closed = yield* send({ network: "zkevm", transaction: yield* signedFor(1101) })
      assert.deepStrictEqual([closed.status, closed.answer.detail], [501, "Polygon zkEVM was shut down on 2026-07-01."])
    }).pipe(Effect.provide(Service.layer()))
  )

  for (const [reply, sent, detail] of [
    [refused, "no", "The transaction was not sent (ethereum-rpc: "],
    [
      neverResponds,
      "unknown",
      "The transaction may have arrived, or may still arrive: look it up before you send it again ("
    ]
  ] as const)
    it.live(`returns 502 with the hash if nothing is decided, and whether it may have gone out: ${sent}`, () =>
      Effect.gen(function* () {
        const transaction = yield* signedFor(1)
        const { answer, status } = yield* (yield* asked)({ network: "ethereum", transaction })
        assert.strictEqual(status, 502)
        assert.deepInclude(answer, {
          type: "urn:problem-type:send-undecided",
          hash: keccak256(transaction),
          sent
        })
        assert.isTrue(String(answer.detail).startsWith(detail), String(answer.detail))
      }).pipe(
        Effect.provide(Service.layerSimulated({}, sandboxExcept(/^ethereum-rpc$/, simulatedClient(() => reply).layer)))
      )
    )

  it.live("is pending after it was sent, also if no node is known to have it, or another one refuses it", () => {
    const words = ["Post https://sequencer.test: EOF", "intrinsic gas too low", "nonce too high"]
    const head = {
      hash: `0x${"d4".repeat(32)}`,
      number: "0x1800000",
      timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}`
    }
    const outside = simulatedClient(
      rpcNode(({ method }) => {
        if (method === "eth_sendRawTransaction") return new Error(words.shift())
        return { eth_chainId: "0x1", eth_getBlockByNumber: head, eth_getTransactionCount: "0x0" }[method]
      })
    )
    return Effect.gen(function* () {
      const { post } = yield* Service
      const send = yield* asked
      const transaction = yield* signedFor(1)
      const hash = keccak256(transaction)
      const status = Effect.gen(function* () {
        const response = yield* post("/transactions/status", { networks: { ethereum: [hash] } })
        const { ethereum } = yield* body<Record<string, Record<string, { readonly status: string | null }>>>(response)
        return ethereum?.[hash]?.status
      })
      const sent = yield* send({ network: "ethereum", transaction })
      assert.deepStrictEqual([sent.status, sent.answer.sent], [502, "unknown"])
      assert.strictEqual(yield* status, "pending")
      const again = yield* send({ network: "ethereum", transaction })
      assert.deepStrictEqual([again.status, again.answer.sent], [502, "unknown"])
      assert.strictEqual(yield* status, "pending")
      const other = yield* send({ network: "ethereum", transaction: yield* signedFor(1, 7) })
      assert.deepInclude(other.answer, { accepted: false, reason: "nonce_gap" })
    }).pipe(
      Effect.provide(
        Service.layer({ ETHEREUM_RPC_URLS: "http://node.test" }, sandboxExcept(/^ethereum-rpc$/, outside.layer))
      )
    )
  })

  for (const [what, send] of [
    ["does not end before the deadline", Effect.delay(Effect.dieMessage("late"), "3 seconds")],
    ["has an internal error", Effect.die("broken")]
  ] as const)
    it.scoped(`may have gone out if the send ${what}`, () =>
      Effect.gen(function* () {
        const failure = yield* settled(
          Effect.flip((yield* sending)({ payload: { network: "NET", transaction: "text" } }))
        )
        assert.deepInclude(failure, { _tag: "SendUndecided", hash: "0x5", sent: "unknown" })
        // The send in progress ends, for which the service waits before it stops.
        yield* TestClock.adjust("3 seconds")
      }).pipe(
        Effect.provide(
          Layer.merge(
            chainsOf([
              {
                facts: { id: "net", aliases: [] },
                sending: { main: () => Either.right({ hash: "0x5", ambiguous: [], send }) }
              } as unknown as Chain["Type"]
            ]),
            Layer.provideMerge(
              Layer.provide(SentTransactions.layer, Memory.layer()),
              Settings.layer({ REQUEST_DEADLINE_MS: "1000" })
            )
          )
        )
      )
    )
})
