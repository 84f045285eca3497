import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { textOf as bodyText, Service } from "../../support/app.ts"
import { brokenBody, json, neverResponds, type Reply, text } from "../../support/http.ts"
import { type Signer, signers } from "../../support/signers.ts"
import { simulated } from "../../support/simulated.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The calls that send a transaction, in all families. */
const sends =
  /eth_sendRawTransaction|"sendTransaction"|sui_executeTransactionBlock|executeTransaction|sendBoc|"method":"submit"|author_submitExtrinsic|\/broadcast|\/submittx|\/tx\/submit|\/sendtx|"sendrawtransaction"|\/txs\/push|\/pushtx|\/tx$/

/** An error in the form of the upstream, with words that no table has. */
const errorOf = (upstream: string, words: string): Reply => {
  if (upstream.startsWith("ton")) return json({ ok: false, error: words, code: 500, jsonrpc: "2.0", id: "1" })
  if (upstream.startsWith("tron"))
    return json({ result: false, code: "OTHER_ERROR", message: Buffer.from(words).toString("hex") })
  if (upstream.startsWith("ripple"))
    return json({ result: { error: "internal", error_message: words, status: "error" } })
  return upstream.endsWith("-rpc")
    ? json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: words } })
    : text(words, { status: 400 })
}

/** What a node does after it took a transaction; undefined: it answers. */
const replies: Readonly<Record<string, ((upstream: string) => Reply) | undefined>> = {
  answers: undefined,
  "closes the connection": () => Effect.fail({ code: "ECONNRESET" }),
  "breaks its answer off": () => brokenBody('{"jsonrpc"'),
  "returns 504": () => text("<html>504 Gateway Time-out</html>", { status: 504 }),
  "returns an unknown error": (upstream) => errorOf(upstream, "an unexpected condition"),
  "forwards it and loses the answer": (upstream) => errorOf(upstream, 'Post "https://sequencer.test": EOF'),
  "never answers": () => neverResponds
}

const world = Effect.map(Layer.build(Sandbox.layer(Catalogue.all)), (context) =>
  Context.get(context, HttpClient.HttpClient)
)

/**
 * The sandbox, whose nodes take each transaction and then do this. If they lag, lookups reach another sandbox, which
 * never gets a transaction.
 */
const nodes = (state: { reply: ((upstream: string) => Reply) | undefined; lags: boolean }) =>
  Layer.scoped(
    HttpClient.HttpClient,
    Effect.gen(function* () {
      const [current, behind] = [yield* world, yield* world]
      return FetchClient.client((request, url) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentUpstream
          const sent = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
          if (request.method !== "POST" || !sends.test(url.pathname + sent))
            return yield* (state.lags ? behind : current).execute(request)
          const response = yield* current.execute(request)
          if (state.reply === undefined) return response
          return yield* state.reply(name).pipe(
            Effect.mapError((cause) => new HttpClientError.RequestError({ request, reason: "Transport", cause })),
            Effect.flatMap((reply) => FetchClient.received(request, reply))
          )
        })
      )
    })
  )

/** Its letter in the table: sent (a node accepted it, Undecided, Refused) or its status. */
const letters: Readonly<Record<string, string>> = {
  "200 true": "A",
  "200 false": "R",
  "502 unknown": "U",
  pending: "P",
  confirmed: "C",
  null: "N"
}

interface Answer {
  readonly code: number
  readonly text: string
}

type Statuses = Readonly<Record<string, Readonly<Record<string, { readonly status: string | null }>>>>
type Contexts = Readonly<Record<string, Readonly<Record<string, { readonly context: TransactionContext }>>>>

/** The text of a payment as the network's wallets write it. */
const textOf = (network: string, raw: string): string => {
  if (network !== "sui") return raw
  const [bytes, [signature]] = JSON.parse(raw) as readonly [string, readonly [string]]
  return JSON.stringify({ bytes, signature })
}

/** How each route sends a payment, and whether its response says that a node accepted it. */
const routes = {
  "/transactions/send": {
    has: () => true,
    payload: (network: string, raw: string): object => ({ network, transaction: textOf(network, raw) }),
    verdict: ({ code, text }: Answer) => {
      const { accepted, sent } = JSON.parse(text) as { readonly accepted?: boolean; readonly sent?: string }
      return `${code} ${accepted ?? sent}`
    }
  },
  "/utils/sendrawtransaction": {
    has: (network: string) => ["bitcoin", "cardano", "tron", "ripple", "polkadot"].includes(network),
    payload: (network: string, tx: string): object => ({ chain: network, tx }),
    // Nodes return the hash of a transaction that they accepted.
    verdict: ({ code, text }: Answer, hash: string) =>
      code === 502 || code === 504
        ? `502 ${/may (have arrived|still arrive)/.test(text) ? "unknown" : "no"}`
        : `${code} ${text.toLowerCase().includes(hash.replace(/^0x/, "").toLowerCase())}`
  }
} as const

/**
 * The responses of the service about a payment that a node took: when it is sent; its status; after its block, when it is sent
 * again to nodes that answer; its status; and its status when lookups do not lag any more.
 */
const cells = (reply: (typeof replies)[string], lags: boolean, route: keyof typeof routes) =>
  Effect.gen(function* () {
    const state = { reply: undefined as typeof reply, lags: false }
    const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
    const over = Service.layer(
      { SUBSCAN_API_KEY: "key", REQUEST_DEADLINE_MS: "4000", UPSTREAM_TIMEOUT_MS: "1000" },
      nodes(state)
    )
    const service = Context.get(yield* live(Layer.build(over)), Service)
    const post = (path: string, value: unknown) =>
      Effect.gen(function* () {
        const response = yield* Effect.flatMap(finish(service.post(path, value)), ({ outcome }) => outcome)
        return { code: response.status, text: yield* bodyText(response) } satisfies Answer
      })
    const cellOf = Effect.fnUntraced(function* (network: string, signer: Signer) {
      const { sender } = signer
      const contexts = yield* post("/utils/transaction-context", { networks: { [network]: [sender] } })
      const context = (JSON.parse(contexts.text) as Contexts)[network]?.[sender]?.context ?? assert.fail(network)
      const { hash, raw } = yield* Effect.promise(() => signer.pay(context as never))
      const { payload, verdict } = routes[route]
      const send = Effect.map(post(route, payload(network, raw)), (answer) => verdict(answer, hash))
      const status = Effect.map(post("/transactions/status", { networks: { [network]: [hash] } }), ({ text }) =>
        String((JSON.parse(text) as Statuses)[network]?.[hash]?.status)
      )
      Object.assign(state, { reply, lags })
      const first = [yield* send, yield* status]
      state.reply = undefined
      yield* pass(signer.blockTime)
      const after = [yield* send, yield* status]
      state.lags = false
      return [...first, ...after, yield* status].map((word) => letters[word] ?? `(${word})`).join("")
    })
    const row: Array<string> = []
    for (const [network, make] of Object.entries(signers))
      row.push(routes[route].has(network) ? yield* cellOf(network, yield* Effect.promise(async () => make())) : "-")
    return row
      .map((cell) => cell.padEnd(8))
      .join(" ")
      .trimEnd()
  }).pipe(Effect.scoped)

/** The networks of a row, one of each family. */
const header = "ethereum bitcoin  cardano  solana   sui      ton      tron     ripple   polkadot"

/** Rows of `POST /transactions/send`: a behaviour of the node, and the same while lookups lag. */
const table: Readonly<Record<string, readonly [current: string, lagging: string]>> = {
  answers: [
    "APACC    APACC    APACC    APACC    ACACC    APACC    APACC    APACC    APACC",
    "APAPC    APAPC    APAPC    APAPC    APAPC    APAPC    APAPC    APAPC    APAPC"
  ],
  "closes the connection": [
    "APACC    APACC    UPACC    UPACC    ACACC    UPACC    APACC    APACC    UPACC",
    "UPAPC    UPAPC    UPUPC    UPAPC    UPAPC    UPUPC    UPAPC    UPUPC    UPUPC"
  ],
  "breaks its answer off": [
    "APACC    APACC    UPACC    UPACC    ACACC    UPACC    APACC    APACC    UPACC",
    "UPAPC    UPAPC    UPUPC    UPAPC    UPAPC    UPUPC    UPAPC    UPUPC    UPUPC"
  ],
  "returns 504": [
    "APACC    APACC    UPACC    UPACC    ACACC    UPACC    APACC    APACC    UPACC",
    "UPAPC    UPAPC    UPUPC    UPAPC    UPAPC    UPUPC    UPAPC    UPUPC    UPUPC"
  ],
  "returns an unknown error": [
    "APACC    APACC    UPACC    UPACC    ACACC    UPACC    APACC    APACC    UPACC",
    "UPAPC    UPAPC    UPUPC    UPAPC    UPAPC    UPUPC    UPAPC    UPUPC    UPUPC"
  ],
  "forwards it and loses the answer": [
    "APACC    APACC    UPACC    UPACC    ACACC    UPACC    APACC    APACC    UPACC",
    "UPAPC    UPAPC    UPUPC    UPAPC    UPAPC    UPUPC    UPAPC    UPUPC    UPUPC"
  ],
  "never answers": [
    "APACC    APACC    UNACC    APACC    ACACC    ACACC    UNACC    APACC    UPACC",
    "UPAPC    UPAPC    UNUPC    UPAPC    UNAPC    UPUPC    UNAPC    UPUPC    UPUPC"
  ]
}

describe("a transaction that a node took", () => {
  it("has a row for one network of each family", () => {
    assert.deepStrictEqual(header.split(/ +/), Object.keys(signers))
    assert.deepStrictEqual(Object.keys(table), Object.keys(replies))
  })

  for (const [name, rows] of Object.entries(table))
    for (const [index, row] of rows.entries())
      for (const route of Object.keys(routes) as ReadonlyArray<keyof typeof routes>)
        it.skipIf(!isAll)(
          `is never called refused, absent or expired: the node ${name}${index === 1 ? ", lookups lag" : ""}, ${route}`,
          function* () {
            const found = yield* cells(replies[name], index === 1, route)
            // A null status has a reason; a node that took the transaction may be the only one that has it.
            assert.match(found, /^(([AU][PCN][AU][PCN]{2}|-) *)+$/)
            if (route === "/transactions/send") assert.strictEqual(found, row)
          }
        )
})
