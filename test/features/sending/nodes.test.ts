import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Anvil from "../../support/anvil.ts"
import { Service } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { Litecoind, layer as litecoind } from "../../support/litecoind.ts"
import { indexerOver } from "../../support/litecoinWallet.ts"
import { nodeProxy, type Outcome } from "../../support/nodeProxy.ts"
import { evmWallet, litecoinPayment, mineLitecoin, type Payment, send, statusOf } from "../../support/payments.ts"
import { isAll } from "../../support/tier.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

// Real nodes behind a gateway: the rows of matrix.test.ts that a gateway can cause.

/** Its letter in the table: sent (Accepted, Undecided, or the reason of a refusal) or its status. */
const letters: Readonly<Record<string, string>> = {
  accepted: "A",
  unknown: "U",
  pending: "P",
  confirmed: "C"
}

interface Node<E, R> {
  readonly network: string
  /** A payment that the node would accept. */
  readonly pay: Effect.Effect<Payment, E, R>
  readonly mine: Effect.Effect<unknown, E, R>
}

/**
 * The responses of the service about a payment that a node took: when it is sent, and its status; after its block, when it
 * is sent again, and its status; and its status when lookups do not lag any more.
 */
const cell = <E, R>(
  { mine, network, pay }: Node<E, R>,
  state: { outcome: Outcome; lags: boolean },
  outcome: Outcome,
  lags: boolean
) =>
  Effect.gen(function* () {
    const payment = yield* pay
    Object.assign(state, { outcome, lags })
    const first = [yield* send(network, payment), yield* statusOf(network, payment)]
    state.outcome = "answers"
    yield* mine
    const after = [yield* send(network, payment), yield* statusOf(network, payment)]
    state.lags = false
    return [...first, ...after, yield* statusOf(network, payment)].map((word) => letters[word] ?? `(${word})`).join("")
  })

/**
 * Rows by what the gateway does after the node took a transaction: while lookups are current, and while they lag. Only
 * litecoind says that it knows a transaction in a block; anvil says that its nonce is used.
 */
const table: Readonly<Record<Outcome, readonly [current: string, lagging: { evm: string; litecoin: string }]>> = {
  answers: ["APACC", { evm: "APAPC", litecoin: "APAPC" }],
  "closes the connection": ["APACC", { evm: "UPUPC", litecoin: "UPAPC" }],
  "returns 504": ["APACC", { evm: "UPUPC", litecoin: "UPAPC" }],
  "loses the answer": ["APACC", { evm: "UPUPC", litecoin: "UPAPC" }]
}

const rowsOf = (node: "evm" | "litecoin") =>
  Object.entries(table).flatMap(([name, [current, lagging]]) =>
    [current, lagging[node]].map((expected, index) => ({ outcome: name as Outcome, lags: index === 1, expected }))
  )

const nameOf = (outcome: Outcome, lags: boolean) =>
  `is never called refused, absent or expired: the gateway ${outcome}${lags ? ", lookups lag" : ""}`

const serving = (environment: Readonly<Record<string, string>>) =>
  Service.layer(environment, sandboxExcept(/^(ethereum-rpc|litecoin-.*)$/, FetchClient.layer))

describe.skipIf(!isAll || isMissing("anvil"))("a transaction that a real EVM node took", () => {
  layer(Anvil.layerWith(["--no-mining"]), { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    for (const [nonce, { expected, lags, outcome }] of rowsOf("evm").entries())
      it(nameOf(outcome, lags), function* () {
        const { rpc, url } = yield* Anvil.Anvil
        const behind = Context.get(yield* Layer.build(Layer.fresh(Anvil.layer)), Anvil.Anvil)
        yield* behind.rpc("evm_mine", [])
        const state = { outcome: "answers" as Outcome, lags: false }
        const proxies = [yield* nodeProxy(url, behind.url, state), yield* nodeProxy(url, behind.url, state)]
        const pay = (yield* evmWallet)(nonce)
        const found = yield* Effect.provide(
          cell({ network: "ethereum", pay, mine: rpc("evm_mine", []) }, state, outcome, lags),
          serving({ ETHEREUM_RPC_URLS: proxies.join() })
        )
        assert.strictEqual(found, expected)
      })
  })
})

describe.skipIf(!isAll || isMissing("litecoind"))("a transaction that a real Litecoin node took", () => {
  const funded = Layer.effectDiscard(mineLitecoin(110)).pipe(Layer.provideMerge(litecoind))
  layer(funded, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    for (const { expected, lags, outcome } of rowsOf("litecoin"))
      it(nameOf(outcome, lags), function* () {
        const { rpc, url } = yield* Litecoind
        const state = { outcome: "answers" as Outcome, lags: false }
        const [node, ...indexers] = [
          yield* nodeProxy(url, url, state),
          yield* indexerOver(rpc, state),
          yield* indexerOver(rpc, state)
        ]
        const found = yield* Effect.provide(
          cell({ network: "litecoin", pay: litecoinPayment, mine: mineLitecoin(1) }, state, outcome, lags),
          serving({ LITECOIN_RPC_URLS: node, LITECOIN_BLOCKBOOK_URLS: ",", LITECOIN_ESPLORA_URLS: indexers.join() })
        )
        assert.strictEqual(found, expected)
      })
  })
})
