import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import { base58 } from "@scure/base"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { TransactionByHash } from "../../../src/contract/transactions/ByHashApi.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { body, Service } from "../../support/app.ts"
import { type Signer, signers } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, layer } from "../../support/vitest.ts"

/** A service over the sandbox on a simulated clock; upstreams whose names match `down.names` do not answer. */
const running = Effect.gen(function* () {
  const down: { names: RegExp | undefined } = { names: undefined }
  const outside = Layer.scoped(
    HttpClient.HttpClient,
    Effect.map(Layer.build(Sandbox.layer(Catalogue.all)), (context) => {
      const world = Context.get(context, HttpClient.HttpClient)
      return FetchClient.client((request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) =>
          down.names?.test(name) === true
            ? Effect.fail(new HttpClientError.RequestError({ request, reason: "Transport", cause: "down" }))
            : world.execute(request)
        )
      )
    })
  )
  const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
  const environment = { SUBSCAN_API_KEY: "key", REQUEST_DEADLINE_MS: "4000", UPSTREAM_TIMEOUT_MS: "1000" }
  const service = Context.get(yield* live(Layer.build(Service.layer(environment, outside))), Service)
  const finished = <A>(call: Effect.Effect<Response>) =>
    Effect.gen(function* () {
      const response = yield* Effect.flatMap(finish(call), ({ outcome }) => outcome)
      return { status: response.status, answer: yield* body<A>(response) }
    })
  const byHash = (network: string, hash: string) =>
    finished<TransactionByHash & { readonly detail?: string }>(
      service.get(`/transactions/${network}/${encodeURIComponent(hash)}`)
    )
  const post = <A>(path: string, value: unknown) => finished<A>(service.post(path, value))
  /** Sends a payment; the network has it in no block yet. */
  const pay = Effect.fnUntraced(function* (network: string, signer: Signer) {
    const contexts = yield* post<Record<string, Record<string, { readonly context: TransactionContext }>>>(
      "/utils/transaction-context",
      { networks: { [network]: [signer.sender] } }
    )
    const context = contexts.answer[network]?.[signer.sender]?.context ?? assert.fail(network)
    const { hash, raw } = yield* Effect.promise(() => signer.pay(context as never))
    const [bytes, [signature]] =
      network === "sui" ? (JSON.parse(raw) as readonly [string, readonly [string]]) : [raw, [""]]
    const transaction = network === "sui" ? JSON.stringify({ bytes, signature }) : raw
    const sent = yield* post<{ readonly accepted: boolean }>("/transactions/send", { network, transaction })
    assert.isTrue(sent.answer.accepted, network)
    return hash
  })
  return { byHash, down, pass, pay }
})

/** One service for all tests. */
class Running extends Context.Tag("test/Running")<Running, Effect.Effect.Success<typeof running>>() {
  static readonly layer = Layer.scoped(Running, running)
}

/** A hash of each form that no transaction has. */
const absent: Readonly<Record<string, string>> = {
  ethereum: `0x${"ab".repeat(32)}`,
  bitcoin: "ab".repeat(32),
  cardano: "ab".repeat(32),
  solana: base58.encode(new Uint8Array(64).fill(7)),
  sui: base58.encode(new Uint8Array(32).fill(7)),
  ton: "ab".repeat(32),
  tron: "ab".repeat(32),
  ripple: "AB".repeat(32),
  polkadot: `0x${"ab".repeat(32)}`
}

layer(Running.layer, { excludeTestServices: true })("GET /transactions/{network}/{hash}", (it) => {
  it("returns a payment that was sent, pending and then in a block, on every family", function* () {
    const { byHash, pass, pay } = yield* Running
    const hashes = new Map<string, { readonly hash: string; readonly signer: Signer }>()
    for (const [network, make] of Object.entries(signers)) {
      const signer = yield* Effect.promise(async () => make())
      const hash = yield* pay(network, signer)
      hashes.set(network, { hash, signer })
      const { answer, status } = yield* byHash(network, hash)
      assert.strictEqual(status, 200, network)
      const isPending = signer.sentStatus === undefined
      assert.deepInclude(answer, { network, hash, status: isPending ? "Pending" : "Success" }, network)
      // Where no source has a pending transaction, the service knows that it was sent.
      if (answer.to.length === 0) assert.isNotEmpty(answer.missing, network)
    }
    yield* pass(700_000)
    for (const [network, { hash, signer }] of hashes) {
      const { answer } = yield* byHash(network, hash)
      assert.deepInclude(answer, { network, hash, status: "Success", type: "Send" }, JSON.stringify(answer))
      assert.deepInclude(answer.to, { address: signer.recipient, amount: String(signer.amount) }, network)
      assert.isTrue(
        answer.from.some(({ address }) => address === signer.sender),
        network
      )
      assert.isNumber(answer.block, network)
      assert.isNotNull(answer.fee, network)
      assert.isNotEmpty(answer.sources, network)
    }
  })

  it("is 404 only for a hash that the sources certainly do not have, and 400 for another text", function* () {
    const { byHash, down } = yield* Running
    for (const [network, hash] of Object.entries(absent)) {
      const { answer, status } = yield* byHash(network, hash)
      assert.strictEqual(status, 404, `${network} ${answer.detail}`)
      assert.include(answer.detail, "The sources that responded have no transaction with this hash", network)
      const bad = yield* byHash(network, "nothing")
      assert.strictEqual(bad.status, 400, network)
      assert.match(bad.answer.detail ?? "", /hash: ./, network)
    }
    const unknown = yield* byHash("etherium", absent.ethereum ?? "")
    assert.strictEqual(unknown.status, 400)
    assert.include(unknown.answer.detail, "network: must be one of")
    // Nothing answers: no source says that it does not exist.
    down.names = /./
    for (const [network, hash] of Object.entries(absent)) {
      const { answer, status } = yield* byHash(network, hash)
      assert.include([502, 504], status, `${network} ${JSON.stringify(answer)}`)
      assert.include(answer.detail, "could not be read", network)
    }
    down.names = undefined
  })

  it("keeps what it could read: without explorers, an EVM network has no internal transfers, and says so", function* () {
    const { byHash, down, pass, pay } = yield* Running
    const { ethereum } = signers
    const signer = yield* Effect.promise(async () => (ethereum ?? assert.fail)())
    const hash = yield* pay("ethereum", signer as Signer)
    yield* pass(60_000)
    down.names = /scan|blockscout/
    const { answer, status } = yield* byHash("ethereum", hash)
    // A plain payment runs no code, so that it has none.
    assert.deepInclude(answer, { hash, status: "Success", missing: [] })
    assert.strictEqual(status, 200)
  })
})
