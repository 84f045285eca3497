import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { parseUnits } from "viem/utils"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../src/contract/TransactionStatusApi.ts"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"
import { body, Service, textOf } from "../support/app.ts"
import { pathsIn } from "../support/memberPaths.ts"
import { type Fault, factsOf, type Signer, signers } from "../support/signers.ts"
import { simulated } from "../support/simulated.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** A service over the sandbox, on a clock that the test advances. */
const simulatedService = Effect.gen(function* () {
  const { finish, live, pass } = simulated(Date.UTC(2026, 10, 20))
  const service = Context.get(yield* live(Layer.build(Service.layer({ SUBSCAN_API_KEY: "key" }))), Service)
  const post = (path: string, value: unknown) =>
    Effect.flatMap(finish(service.post(path, value)), ({ outcome }) => outcome)
  return { pass, post }
})

/** A wallet's requests on a network. */
const walletOf = (network: string, rpc: Signer["rpc"]) =>
  Effect.gen(function* () {
    const { pass, post } = yield* simulatedService
    const { native } = factsOf(network)
    const called = (call: object) => post(`/utils/rpc/${network}`, { jsonrpc: "2.0", id: 1, ...call })
    /** All entries of an address. */
    const history = (address: string) =>
      Effect.gen(function* () {
        const response = yield* post("/history", { networks: { [network]: [address] } })
        const answer = yield* body<Record<string, Record<string, ReadonlyArray<HistoryEntry>>>>(response)
        return answer[network]?.[address] ?? []
      })
    return {
      pass,
      context: (address: string) =>
        Effect.gen(function* () {
          const response = yield* post("/utils/transaction-context", { networks: { [network]: [address] } })
          const answer =
            yield* body<Record<string, Record<string, { readonly context: TransactionContext | null }>>>(response)
          return answer[network]?.[address]?.context ?? assert.fail(JSON.stringify(answer))
        }),
      balance: (address: string) =>
        Effect.gen(function* () {
          const response = yield* post("/balance", { networks: { [network]: [address] } })
          const [row] = yield* body<ReadonlyArray<{ readonly balance: string }>>(response)
          return parseUnits(row?.balance ?? "", native.decimals)
        }),
      status: (...hashes: ReadonlyArray<string>) =>
        Effect.gen(function* () {
          const response = yield* post("/transactions/status", { networks: { [network]: hashes } })
          const answer = (yield* body<TransactionStatuses>(response))[network] ?? {}
          return hashes.map((hash) => answer[hash] ?? assert.fail(JSON.stringify(answer)))
        }),
      send: (tx: string) =>
        Effect.gen(function* () {
          const response = yield* rpc === undefined
            ? post("/utils/sendrawtransaction", { chain: network, tx })
            : called(rpc.send(tx))
          const text = yield* textOf(response)
          return { isTaken: response.status === 200 && !/"error":[^n]/.test(text), text }
        }),
      history,
      listed: (address: string, hash: string) =>
        Effect.map(history(address), (entries) => entries.find((entry) => entry.hash === hash)),
      /** Paths of the members in a looked-up transaction. */
      members: (hash: string) =>
        Effect.gen(function* () {
          const response = yield* post("/utils/getrawtransaction", { chain: network, tx: hash })
          assert.strictEqual(response.status, 200, hash)
          return [...new Set(pathsIn(yield* body(response)))].sort()
        }),
      isFound: (hash: string) =>
        rpc === undefined
          ? Effect.map(post("/utils/getrawtransaction", { chain: network, tx: hash }), ({ status }) => status === 200)
          : Effect.flatMap(called(rpc.find(hash)), (response) =>
              Effect.map(
                textOf(response),
                (text) => response.status === 200 && !/"(error|result)":(null|\{"c)/.test(text)
              )
            )
    }
  })

describe("the sandbox", () => {
  for (const [network, signerOf] of Object.entries(signers))
    it(`rejects invalid raw transactions, and confirms a valid one in histories and balances: ${network}`, function* () {
      const {
        amount,
        blockTime,
        countsPending = false,
        listsPending = false,
        pay,
        recipient,
        rpc,
        sender,
        sentStatus = "pending",
        spentError: stale,
        errorTexts: words
      } = yield* Effect.promise(async () => signerOf())
      const { balance, context, history, isFound, listed, members, pass, send, status } = yield* walletOf(network, rpc)
      const signed = (known: TransactionContext, wrong?: Fault) => Effect.promise(() => pay(known as never, wrong))
      const before = [yield* balance(sender), yield* balance(recipient)] as const
      const first = yield* context(sender)

      for (const [wrong, problem] of Object.entries(words)) {
        const { isTaken, text } = yield* send((yield* signed(first, wrong as Fault)).raw)
        assert.deepStrictEqual([isTaken, text.includes(problem)], [false, true], `${wrong}: ${text}`)
      }

      const { hash, raw } = yield* signed(first)
      const accepted = yield* send(raw)
      assert.isTrue(accepted.isTaken, accepted.text)
      const [sent] = yield* status(hash)
      assert.strictEqual(sent?.status, sentStatus, JSON.stringify(sent))
      if (sentStatus === "pending") assert.deepInclude(sent, { block: null, at: null, final: false })
      if (!countsPending) assert.deepStrictEqual([yield* balance(sender), yield* balance(recipient)], before)
      for (const address of [sender, recipient])
        assert.strictEqual((yield* listed(address, hash))?.status, listsPending ? "Pending" : undefined, address)

      yield* pass(blockTime)
      const [left, received] = [yield* balance(sender), yield* balance(recipient)]
      assert.strictEqual(received, before[1] + amount)
      const fee = before[0] - amount - left
      assert.isTrue(fee >= 0n && fee < amount, String(fee))
      for (const address of [sender, recipient]) {
        const entry = yield* listed(address, hash)
        assert.strictEqual(entry?.status, "Success", address)
        if (address === sender) assert.strictEqual(entry?.fee, String(fee))
        const parties = (sides: HistoryEntry["from"]) => sides.map((side) => side.address)
        assert.include(parties(entry?.from ?? []), sender)
        const paid = entry?.to.find((side) => side.address === recipient)
        assert.strictEqual(paid?.amount, String(amount), address)
      }
      assert.isTrue(yield* isFound(hash))
      if (rpc === undefined) {
        const isPast = ({ from, hash: other, status, to, type }: HistoryEntry) =>
          other !== hash && type === "Send" && status === "Success" && [...from, ...to].every((side) => !side.currency)
        const past = (yield* history(sender)).find(isPast) ?? assert.fail("no past transfer")
        assert.deepStrictEqual(yield* members(hash), yield* members(past.hash))
      }
      const entry = yield* listed(sender, hash)
      const [included, absent] = yield* status(hash, (yield* signed(yield* context(sender))).hash)
      assert.strictEqual(included?.status, "confirmed", JSON.stringify(included))
      if (network !== "ton") assert.strictEqual(included?.fee, String(fee))
      // The simulated Sui executes at once, and lists the time of the next block.
      assert.isAbove(included?.confirmations ?? 0, 0)
      if (sentStatus !== "confirmed") {
        const { at, block, confirmations } = included ?? assert.fail()
        assert.deepStrictEqual([at, block, confirmations], [entry?.timestamp, entry?.block, entry?.confirmations])
      }
      if (first.family === "evm") assert.strictEqual(entry?.nonce, first.nonce)
      assert.deepStrictEqual([absent?.status, absent?.error], ["not_found", undefined])

      if (stale !== undefined) {
        const { isTaken, text } = yield* send((yield* signed(first, "sequence")).raw)
        assert.deepStrictEqual([isTaken, text.includes(stale)], [false, true], text)
      }
      // Sending it again changes nothing; the next payment is another transaction.
      yield* send(raw)
      let paid = amount
      // Several payments if outputs are spent: a spent output must not be listed again.
      for (const _ of stale === undefined ? [1] : [1, 2, 3]) {
        const next = yield* signed(yield* context(sender))
        assert.notStrictEqual(next.hash, hash)
        const { isTaken, text } = yield* send(next.raw)
        assert.isTrue(isTaken, text)
        yield* pass(blockTime)
        paid += amount
        assert.strictEqual(yield* balance(recipient), before[1] + paid)
      }
    })
})
