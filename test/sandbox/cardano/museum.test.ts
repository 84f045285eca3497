import * as Effect from "effect/Effect"
import { formatUnits } from "viem"
import { cardano as info } from "../../../src/catalogue/cardano.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../../src/contract/TransactionStatusApi.ts"
import type { AddressContexts as Contexts } from "../../../src/contract/TransactionsApi.ts"
import { accountOf } from "../../../src/sandbox/cardano/cardanoRaw.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { fixtureAt, recorded } from "../../support/fixtures.ts"
import { signers } from "../../support/signers.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { histories } from "../../walk/walk.ts"
import { listening } from "../busy/busyHistory.ts"
import { joined } from "../museumAnswers.ts"
import { cases, refusal } from "./museum.ts"

const holder = World.museum("cardano") ?? ""
const settings = { BLOCKFROST_PROJECT_ID: "k", KOIOS_PER_SECOND: "1000", BLOCKFROST_PER_SECOND: "1000" }

const services = {
  koios: listening(settings),
  // Koios is unavailable.
  blockfrost: listening(
    settings,
    editedSandbox((text, { upstream }) => (upstream === "koios" ? "" : text))
  )
}

const feeOf = (exhibit: string) => String(ledger(info, holder).find((move) => move.exhibit === exhibit)?.fee)

/** Type and parties of an entry, the holder and its account by name. */
const told = ({ fee, from, status, to, type }: HistoryEntry) => {
  const named = (parties: HistoryEntry["from"]) =>
    parties.map(({ address, amount }) =>
      [address === holder ? "holder" : address.startsWith("stake1") ? "account" : "other", amount].join(" ")
    )
  return { type, status, fee, from: named(from), to: named(to) }
}

/** The exhibits, newest first. */
const exhibits: ReadonlyArray<ReturnType<typeof told>> = [
  {
    ...{ type: "Receive", status: "Success", fee: feeOf("airdrop") },
    from: ["other 1500000", "other 9223372036854775807"],
    to: ["holder 1500000", "holder 9223372036854775807"]
  },
  {
    ...{ type: "Deregistration", status: "Success", fee: feeOf("deregistration") },
    from: ["holder 0"],
    to: ["holder 2000000"]
  },
  {
    ...{ type: "Withdrawal", status: "Success", fee: feeOf("withdrawal") },
    from: ["account 1234567", "holder 0"],
    to: ["holder 1234567"]
  },
  { type: "Delegation", status: "Success", fee: feeOf("delegation"), from: ["holder 0"], to: ["holder 0"] },
  { type: "Registration", status: "Success", fee: feeOf("registration"), from: ["holder 2000000"], to: [] },
  { type: "Receive", status: "Success", fee: "0", from: [], to: ["holder 538861"] }
]

for (const [name, { layer: service, requests }] of Object.entries(services))
  layer(service, { excludeTestServices: true })(`the museum of Cardano at ${name}`, (it) => {
    it("adds up and is listed as it happened", function* () {
      const { post } = yield* Service
      const [read] = yield* histories(info, [holder])
      assert(read !== undefined)
      const { entries, missing, next } = read
      assert.deepStrictEqual([missing, next, entries.length], [[], null, ledger(info, holder).length])
      const sum = (parties: HistoryEntry["from"]) =>
        parties.reduce(
          (all, { address, amount, currency }) =>
            address === holder && currency === undefined ? all + BigInt(amount) : all,
          0n
        )
      const fees = entries.reduce(
        (all, { fee, from }) => all + (from.some(({ address }) => address === holder) ? BigInt(fee ?? 0) : 0n),
        0n
      )
      const total = entries.reduce((all, { from, to }) => all + sum(to) - sum(from), 0n)
      assert.strictEqual(total - fees, World.native(info, holder))
      assert.deepStrictEqual([...entries.slice(0, 5), ...entries.slice(-1)].map(told), exhibits)
      for (const limit of [1, 7]) {
        assert.deepStrictEqual(
          (yield* joined(info, holder, limit)).map(({ hash }) => hash),
          entries.map(({ hash }) => hash),
          String(limit)
        )
      }
      const hashes = entries.map(({ hash }) => hash)
      const statuses = yield* body<TransactionStatuses>(
        yield* post("/transactions/status", { networks: { cardano: hashes } })
      )
      for (const { fee, hash, status } of entries)
        assert.deepInclude(
          statuses.cardano?.[hash] ?? {},
          status === "Failed" ? { status: "failed", fee: null } : { status: "confirmed", fee },
          hash
        )
      const [balance] = yield* body<ReadonlyArray<{ readonly balance: string }>>(
        yield* post("/balance", { networks: { cardano: [holder] } })
      )
      assert.strictEqual(balance?.balance, formatUnits(World.native(info, holder), 6))
      const contexts = yield* post("/utils/transaction-context", { networks: { cardano: [holder] } })
      const { context } = (yield* body<typeof Contexts.Type>(contexts)).cardano?.[holder] ?? {}
      assert.include(JSON.stringify(context), '"quantity":"9223372036854775807"')
      assert(context?.family === "cardano")
      assert.strictEqual(
        context.utxos.reduce((all, { lovelace }) => all + BigInt(lovelace), 0n),
        World.native(info, holder)
      )
      for (const entry of entries) {
        const raw = yield* post("/utils/getrawtransaction", { chain: "cardano", tx: entry.hash })
        assert.strictEqual(raw.status, 200, entry.hash)
      }
      for (const { case: form, shows } of cases.filter(({ source }) => source === name))
        assert.isTrue(
          requests.some(({ response, upstream }) => upstream === name && shows.test(response?.body ?? "")),
          form
        )
    })
  })

describe("the account of a simulated Cardano address", () => {
  it("is that of its stake part", () => {
    const base =
      "addr1qyy86uaj7pv57c6jdg6d9m3rvu7r5pzay8dguayveaacmntxnerm95lm9pazslgsw04q73akal6pscheqhrxmsjcn4eq58xze0"
    assert.strictEqual(accountOf(base), "stake1u9nfu3aj60ajs73g05g886s0g7mwlaqcvtust3ndcfvf6uspqcftm")
    assert.isNull(accountOf(holder))
    assert.isNull(accountOf("Ae2tdPwUPEZ9vtyppa1FdJzvqJZkEcXgdHxVYAzTWcPaoNycVq5rc36LC1S"))
  })
})

describe("a refusal of Koios that is a text", () => {
  const words = "transaction read error RawCborDecodeError [DecoderErrorDeserialiseFailure"

  it.live("is a decision with these words", function* () {
    yield* Effect.gen(function* () {
      const { post } = yield* Service
      const signer = yield* Effect.fromNullable(signers.cardano)
      const { pay, sender } = yield* Effect.promise(async () => signer())
      const found = yield* post("/utils/transaction-context", { networks: { cardano: [sender] } })
      const { cardano } = yield* body<Record<string, Record<string, { readonly context: unknown }>>>(found)
      const { raw } = yield* Effect.promise(() => pay(cardano?.[sender]?.context as never, "signature"))
      const refused = yield* post("/utils/sendrawtransaction", { chain: "cardano", tx: raw })
      assert.deepStrictEqual([refused.status, yield* body(refused)], [400, words])
    }).pipe(
      Effect.provide(
        Service.layer(
          {},
          editedSandbox((text, { upstream, url }) =>
            upstream === "koios" && url.pathname.endsWith("/submittx") && text.includes("TxSubmitFail")
              ? JSON.stringify(words)
              : text
          )
        )
      )
    )
  })
})

recorded("the recording of a refusal of Koios", () => {
  it("is a text", () => {
    assert.isString(fixtureAt(refusal).response.body)
  })
})
