import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { blockAt, epochAt, epochSlotAt, koiosBlock, koiosTip } from "../../../src/sandbox/cardano/CardanoChain.ts"
import { blockfrostParameters, koiosParameters } from "../../../src/sandbox/cardano/CardanoParameters.ts"
import { network, pathOf, withBlockfrostKey } from "../../support/cardano.ts"
import { type Exchange, replay, sample } from "../../support/fixtures.ts"
import { brokenBody, json, neverResponds, type Reply, refused, type SentRequest, text } from "../../support/http.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = 1_790_000_000
const block = blockAt(Math.floor(now / 20) - 75_412_262, now)
const row = koiosParameters(640)

/** Koios with replies by path. Other calls hang. */
const koios =
  (answers: Readonly<Record<string, Reply>>) =>
  (request: SentRequest): Reply =>
    answers[pathOf(request)] ?? neverResponds

const read = Effect.fnUntraced(function* (
  hosts: Readonly<Record<string, (request: SentRequest) => Reply>>,
  what: "current" | "block",
  environment: Readonly<Record<string, string>> = {},
  at = what === "block" ? now : 0
) {
  yield* TestClock.setTime(at * 1000)
  const { requests, protocolParameters } = yield* network(hosts, undefined, environment)
  const { [what]: parameters } = protocolParameters ?? assert.fail("no parameters")
  const answer = yield* settled(Effect.either(parameters))
  return {
    answer: Either.map(answer, (found) => ({ ...found, json: JSON.parse(found.json) })),
    text: answer,
    requests
  }
})

const parametersOf = (answer: unknown) => read({ "koios.test": koios({ "/epoch_params": json([answer]) }) }, "current")
const right = <A>(either: Either.Either<A, unknown>): A => Either.getOrThrow(either)

describe("Cardano's protocol parameters", () => {
  it("are Blockfrost's, unchanged, if there is a project id", function* () {
    const body = JSON.stringify(blockfrostParameters(640), undefined, 1)
    const { requests, text: unchanged } = yield* read(
      { "blockfrost.test": () => text(body) },
      "current",
      withBlockfrostKey
    )
    assert.deepStrictEqual(unchanged, Either.right({ epoch: 640, json: body }))
    assert.deepStrictEqual(requests.map(pathOf), ["/epochs/latest/parameters"])
  })

  it("are built from Koios' newest epoch, with the same names and types", function* () {
    const { answer, requests } = yield* parametersOf(row)
    assert.deepStrictEqual(right(answer), { epoch: 640, json: { ...blockfrostParameters(640), cost_models: null } })
    assert.strictEqual(requests[0]?.url.search, "?order=epoch_no.desc&limit=1")
  })

  it("preserve every digit of a cost", function* () {
    const cost_models = '{"PlutusV1":[9223372036854775807]}'
    const body = JSON.stringify([{ ...row, cost_models: "COSTS" }]).replace('"COSTS"', cost_models)
    const { text: unchanged } = yield* read({ "koios.test": koios({ "/epoch_params": text(body) }) }, "current")
    assert.include(right(unchanged).json, `"cost_models_raw":${cost_models}`)
  })

  it("accept costs as a string, too, and of any language", function* () {
    for (const cost_models of ['{"PlutusV9":[1],"PlutusV2":[1,2]}', { PlutusV9: [1], PlutusV2: [1, 2] }]) {
      const { json: found } = right((yield* parametersOf({ ...row, cost_models })).answer)
      assert.strictEqual(JSON.stringify(found.cost_models_raw), '{"PlutusV2":[1,2],"PlutusV9":[1]}')
      assert.isNull(found.cost_models)
    }
    assert.isTrue(Either.isLeft((yield* parametersOf({ ...row, cost_models: { PlutusV2: { named: 1 } } })).answer))
  })

  it("are not read from Koios if a part is missing that a transaction needs", function* () {
    const free = ["era", "extra_entropy", "nonce", "min_utxo_value", "block_hash"]
    for (const name of Object.keys(row)) {
      const { answer } = yield* parametersOf({ ...row, [name]: null })
      assert.strictEqual(Either.isRight(answer), free.includes(name), name)
    }
    assert.isNull(right((yield* parametersOf({ ...row, nonce: null })).answer).json.nonce)
  })

  it("are not read from a source with a number that the ledger cannot have", function* () {
    const wrong: ReadonlyArray<readonly [name: string, other: string, value: unknown]> = [
      ["epoch", "epoch_no", 2 ** 40],
      ["min_fee_a", "", 5_000_001],
      ["max_tx_size", "", 2 ** 32],
      ["max_block_size", "", -7],
      ["max_block_header_size", "max_bh_size", 2 ** 16],
      ["key_deposit", "", "45000000000000001"],
      ["n_opt", "optimal_pool_count", 2 ** 16],
      ["a0", "influence", -7],
      ["rho", "monetary_expand_rate", 1.01],
      ["tau", "treasury_growth_rate", -0.1],
      ["decentralisation_param", "decentralisation", 2],
      ["price_step", "", 1e30],
      ["max_block_ex_steps", "", "9223372036854775808"],
      ["max_val_size", "", "4294967296"],
      ["collateral_percent", "", 65_536],
      ["dvt_p_p_network_group", "", -7],
      ["committee_min_size", "", "18446744073709551617"],
      ["drep_activity", "", "18446744073709551617"],
      ["drep_deposit", "", "18446744073709551617"],
      ["min_fee_ref_script_cost_per_byte", "", -1]
    ]
    for (const [name, other, value] of wrong) {
      const ofKoios = yield* parametersOf({ ...row, [other || name]: value })
      assert.isTrue(Either.isLeft(ofKoios.answer), name)
      const blockfrost = json({ ...blockfrostParameters(640), [name]: value })
      const hosts = { "blockfrost.test": () => blockfrost, "koios.test": koios({ "/epoch_params": json([row]) }) }
      const { requests } = yield* read(hosts, "current", withBlockfrostKey)
      assert.deepStrictEqual(requests.map(pathOf), ["/epochs/latest/parameters", "/epoch_params"], name)
    }
    const costs = JSON.stringify([row]).replace(
      /"cost_models":\{.*?\]\}/,
      '"cost_models":{"PlutusV1":[18446744073709551617]}'
    )
    const { answer } = yield* read({ "koios.test": koios({ "/epoch_params": text(costs) }) }, "current")
    assert.isTrue(Either.isLeft(answer))
  })

  it("are not read from a source whose epoch does not fit the clock", function* () {
    const begin = now - epochSlotAt(now)
    const of = (epoch: number, time: number) =>
      read({ "koios.test": koios({ "/epoch_params": json([koiosParameters(epoch)]) }) }, "current", {}, time)
    const current = epochAt(begin)
    const isRead = Effect.fnUntraced(function* (epoch: number, time: number) {
      return Either.isRight((yield* of(epoch, time)).answer)
    })
    assert.isTrue(yield* isRead(current, begin))
    assert.isTrue(yield* isRead(current, begin - 60))
    assert.isTrue(yield* isRead(current - 1, begin + 3_600))
    assert.isFalse(yield* isRead(current - 1, begin + 7 * 3_600))
    assert.isFalse(yield* isRead(current + 1, begin))
  })

  it("have no governance parameters before Conway", function* () {
    const old = { ...row, protocol_major: 8, drep_deposit: null, dvt_treasury_withdrawal: null }
    const { json: found } = right((yield* parametersOf(old)).answer)
    assert.deepStrictEqual([found.drep_deposit, found.dvt_treasury_withdrawal], [null, null])
  })

  it.effect.each<readonly [string, Reply]>([
    ["hangs", neverResponds],
    ["cannot be reached", refused],
    ["closes the connection mid-response", brokenBody('{"epoch":640,"min_fee_a":4')],
    ["returns HTML", text("<html></html>")],
    ["returns a rate limit", json({ status_code: 429 }, { status: 429 })],
    ["has used up its daily limit", json({ status_code: 402 }, { status: 402 })],
    ["fails", json({ status_code: 500 }, { status: 500 })],
    ["has no parameters", json({ ...blockfrostParameters(640), min_fee_a: null })],
    ["returns another format", json({})]
  ])("come from Koios if Blockfrost %s", ([, fault]) =>
    Effect.gen(function* () {
      const hosts = { "blockfrost.test": () => fault, "koios.test": koios({ "/epoch_params": json([row]) }) }
      assert.deepStrictEqual(right((yield* read(hosts, "current", withBlockfrostKey)).answer).json, {
        ...blockfrostParameters(640),
        cost_models: null
      })
    })
  )

  it("fail with a reason if no source responds", function* () {
    const answers = [refused, text("<html></html>"), json([]), json([{}]), json({ message: "…" }, { status: 500 })]
    for (const reply of answers) {
      const hosts = { "blockfrost.test": () => refused, "koios.test": () => reply }
      const { answer } = yield* read(hosts, "current", withBlockfrostKey)
      assert.match(Either.getOrThrow(Either.flip(answer)).message, /^koios: /)
    }
  })
})

describe("Cardano's newest block", () => {
  it("is Blockfrost's, unchanged, if there is a project id", function* () {
    const body = JSON.stringify(block, undefined, 1)
    const { requests, text: unchanged } = yield* read(
      { "blockfrost.test": () => text(body) },
      "block",
      withBlockfrostKey
    )
    assert.deepStrictEqual(unchanged, Either.right({ epoch: block.epoch, json: body }))
    assert.deepStrictEqual(requests.map(pathOf), ["/blocks/latest"])
  })

  it("is built from Koios' tip", function* () {
    const hosts = {
      "koios.test": koios({ "/tip": json([koiosTip(block)]), "/block_info": json([koiosBlock(block)]) })
    }
    const { answer, requests } = yield* read(hosts, "block")
    assert.deepStrictEqual(right(answer), { epoch: block.epoch, json: block })
    assert.deepStrictEqual(JSON.parse(requests[1]?.body ?? ""), { _block_hashes: [block.hash] })
  })

  it("has null for members that Koios does not return", function* () {
    const bare = {
      ...koiosBlock(block),
      vrf_key: null,
      op_cert: undefined,
      op_cert_counter: undefined,
      pool: null,
      total_output: null,
      total_fees: null,
      num_confirmations: undefined,
      child_hash: undefined
    }
    const hosts = { "koios.test": koios({ "/tip": json([koiosTip(block)]), "/block_info": json([bare]) }) }
    const { json: found } = right((yield* read(hosts, "block")).answer)
    assert.deepStrictEqual(found, {
      ...block,
      slot_leader: null,
      output: null,
      fees: null,
      block_vrf: null,
      op_cert: null,
      op_cert_counter: null,
      next_block: null,
      confirmations: null
    })
  })

  it("is not read from Koios if its members contradict each other or the clock", function* () {
    const wrong: ReadonlyArray<readonly [name: string, other: string, value: unknown]> = [
      ["epoch", "epoch_no", block.epoch + 1],
      ["epoch_slot", "", block.epoch_slot + 1],
      ["slot", "abs_slot", block.slot + 1],
      ["time", "block_time", 4_118_083_200],
      ["height", "block_height", 2 ** 50],
      ["size", "block_size", 2 ** 32],
      ["tx_count", "", 2 ** 16],
      ["fees", "total_fees", "45000000000000001"],
      ["op_cert_counter", "", "18446744073709551616"]
    ]
    for (const [name, other, value] of wrong) {
      const rows = json([{ ...koiosBlock(block), [other || name]: value }])
      const hosts = {
        "blockfrost.test": () => refused,
        "koios.test": koios({ "/tip": json([koiosTip(block)]), "/block_info": rows })
      }
      assert.isTrue(Either.isLeft((yield* read(hosts, "block", withBlockfrostKey)).answer), name)
    }
    const old = koios({ "/tip": json([koiosTip(block)]), "/block_info": json([koiosBlock(block)]) })
    const { answer } = yield* read({ "koios.test": old }, "block", {}, now + 3 * 86_400)
    assert.match(Either.getOrThrow(Either.flip(answer)).message, /behind|old|clock/)
  })

  it("fails if Koios returns another block than the tip", function* () {
    for (const reply of [json([]), json([{ ...koiosBlock(block), hash: "00".repeat(32) }]), refused, text("<html>")]) {
      const hosts = { "koios.test": koios({ "/tip": json([koiosTip(block)]), "/block_info": reply }) }
      assert.isTrue(Either.isLeft((yield* read(hosts, "block")).answer))
    }
  })

  const requestsItsBlock = Effect.fnUntraced(function* (tip: Exchange) {
    const hosts = { "koios.test": koios({ "/tip": replay(tip), "/block_info": refused }) }
    const { requests } = yield* read(hosts, "block")
    const [{ hash }] = tip.response.body as [{ hash: string }]
    assert.deepStrictEqual(JSON.parse(requests[1]?.body ?? ""), { _block_hashes: [hash] })
  })

  describe("and parameters with sample responses:", () => {
    const at = (name: string) => sample("blockfrost", name)
    const sampled = 1_750_006_920

    it("epochs-latest-parameters, blocks-latest: Blockfrost's responses are returned unchanged, to the digit", function* () {
      const parameters = yield* read(
        { "blockfrost.test": () => replay(at("epochs-latest-parameters")) },
        "current",
        withBlockfrostKey
      )
      assert.strictEqual(right(parameters.answer).epoch, 512)
      assert.deepStrictEqual(right(parameters.answer).json, at("epochs-latest-parameters").response.body)
      assert.match(right(parameters.text).json, /"price_step":7\.31e-5,/)
      const newest = yield* read(
        { "blockfrost.test": () => replay(at("blocks-latest")) },
        "block",
        withBlockfrostKey,
        sampled
      )
      assert.deepStrictEqual(right(newest.answer), { epoch: 564, json: at("blocks-latest").response.body })
      assert.deepStrictEqual(
        [...parameters.requests, ...newest.requests].map(pathOf),
        [at("epochs-latest-parameters"), at("blocks-latest")].map(({ request }) => request.path)
      )
    })

    it("epoch-params: Koios's parameters have Blockfrost's names and types, and null for later members", function* () {
      const outside = koios({ "/epoch_params": replay(sample("koios", "epoch-params")) })
      const { answer } = yield* read({ "koios.test": outside }, "current")
      const { json: found } = right(answer)
      const {
        cost_models: _,
        nonce: __,
        ...expected
      } = at("epochs-latest-parameters").response.body as Readonly<Record<string, unknown>>
      assert.deepInclude(found, expected)
      assert.deepInclude(found, {
        cost_models: null,
        nonce: null,
        min_utxo: "4311",
        coins_per_utxo_word: "4311",
        max_block_ex_steps: "20100000000",
        pvt_p_p_security_group: null
      })
      assert.sameMembers(Object.keys(found), Object.keys(blockfrostParameters(640)))
    })

    it("tip, block-info: Koios's newest block is in Blockfrost's format", function* () {
      yield* requestsItsBlock(sample("koios", "tip"))
      const hosts = {
        "koios.test": koios({
          "/tip": replay(sample("koios", "tip")),
          "/block_info": replay(sample("koios", "block-info"))
        })
      }
      const { answer, requests } = yield* read(hosts, "block", {}, sampled)
      const expected = at("blocks-latest").response.body as object
      assert.deepStrictEqual(right(answer), { epoch: 564, json: { ...expected, op_cert: null } })
      assert.deepStrictEqual(JSON.parse(requests[1]?.body ?? ""), sample("koios", "block-info").request.body)
    })
  })
})
