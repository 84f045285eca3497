import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { SentTransaction } from "../../../src/contract/SendingApi.ts"
import type { TransactionContext } from "../../../src/domain/transactionContext/TransactionContext.ts"
import { body, Service } from "../../support/app.ts"
import { evmSigner, type Fault, type Signer, signers } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
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
    sequence: "wrong_chain",
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
})
