import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import { metadataAddress, metadataBytes, metadataIn, metaplex } from "../../../src/chains/solana/metaplex.ts"
import { token as program, token2022 } from "../../../src/chains/solana/programs.ts"
import * as Solana from "../../../src/chains/solana/Solana.ts"
import { chainOver } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { key, valued } from "./nodes.ts"

const mint = key(100)
const owner = key(1)
const named = metadataAddress(mint) ?? ""

const mintOf = (info: object, own: string = program) => ({
  owner: own,
  data: {
    parsed: {
      type: "mint",
      info: { decimals: 6, supply: "5000000", mintAuthority: null, freezeAuthority: null, isInitialized: true, ...info }
    }
  }
})

const nameOf = (name: string, symbol: string, of = mint) => ({
  owner: metaplex,
  data: [metadataBytes(of, name, symbol).toString("base64"), "base64"]
})

/** Reads the mint from a node with these accounts, whose clock fits. */
const read = Effect.fnUntraced(function* (accounts: Readonly<Record<string, unknown>>) {
  const node = EvmNodes.rpcNode(({ params: [addresses] }) =>
    valued((addresses as ReadonlyArray<string>).map((address) => accounts[address] ?? null))
  )
  const { layer } = EvmNodes.clientOver({ "one.test": node })
  const { chain } = yield* chainOver(Solana.layer, layer, {
    tokens: { solana: [] },
    environment: { SOLANA_RPC_URLS: "http://one.test" }
  })
  const facts = yield* Effect.either(chain.tokenFacts?.(mint) ?? Effect.die("no tokens"))
  const names = yield* chain.tokenNames?.([mint]) ?? Effect.die("no tokens")
  return { facts, name: names.get(mint) }
})

const found = (accounts: Readonly<Record<string, unknown>>) =>
  Effect.map(read(accounts), ({ facts }) => (facts._tag === "Right" ? Option.getOrUndefined(facts.right) : facts.left))

describe("the account with the name of a mint", () => {
  it("has the address that the program derives", () => {
    assert.strictEqual(
      metadataAddress("EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
      "5x38Kp4hvdomTCnCrAny4UtMUt5rQBdB6px2K1Ui45Wq"
    )
    assert.strictEqual(
      metadataAddress("HFQ4rcivJ4PnY5EWDFJigoDACNEEUfFP2eexTKCJ4VzF"),
      "DxFxG2hJbbSMeD7jjpoZtq18JcpGrD1g63rbYroiab1V"
    )
  })

  it("is read only for its own mint, with texts that end in it", () => {
    const bytes = (data: Buffer) => metadataIn(mint, { owner: metaplex, data: [data.toString("base64"), "base64"] })
    const own = metadataBytes(mint, "RetuLaTeD #5719", "ReGuLaTeD")
    assert.deepStrictEqual(bytes(own), Option.some({ name: "RetuLaTeD #5719", symbol: "ReGuLaTeD" }))
    assert.isTrue(Option.isNone(metadataIn(key(2), nameOf("a", "b"))))
    assert.isTrue(Option.isNone(bytes(own.subarray(0, 100))))
    assert.isTrue(Option.isNone(bytes(metadataBytes(mint, "a".repeat(257), "b"))))
    assert.isTrue(Option.isNone(metadataIn(mint, { ...nameOf("a", "b"), owner: program })))
  })
})

describe("a mint", () => {
  it("has a name by Metaplex, and the powers of its authorities", function* () {
    const accounts = { [mint]: mintOf({ mintAuthority: owner }), [named]: nameOf("Harbour", "HRBR") }
    assert.deepStrictEqual(yield* found(accounts), {
      standard: "SPL",
      name: "Harbour",
      symbol: "HRBR",
      decimals: 6,
      supply: 5_000_000n,
      powers: { mint: true, freeze: false }
    })
    assert.deepStrictEqual((yield* read(accounts)).name, { name: "Harbour", symbol: "HRBR", decimals: 6 })
  })

  it("has the powers of its extensions, its own name and its multiplier", function* () {
    const extensions = [
      { extension: "permanentDelegate", state: { delegate: owner } },
      { extension: "transferFeeConfig", state: { transferFeeConfigAuthority: null, withdrawWithheldAuthority: null } },
      { extension: "transferHook", state: { authority: owner, programId: null } },
      { extension: "pausableConfig", state: { authority: owner, paused: false } },
      { extension: "metadataPointer", state: { authority: owner, metadataAddress: mint } },
      { extension: "tokenMetadata", state: { name: "Apple xStock", symbol: "AAPLx" } },
      {
        extension: "scaledUiAmountConfig",
        state: { multiplier: "1", newMultiplier: "2.5", newMultiplierEffectiveTimestamp: 0 }
      }
    ]
    const facts = yield* found({ [mint]: mintOf({ freezeAuthority: owner, extensions }, token2022) })
    assert.deepStrictEqual(facts, {
      standard: "Token-2022",
      name: "Apple xStock",
      symbol: "AAPLx",
      decimals: 6,
      supply: 5_000_000n,
      powers: { mint: false, freeze: true, take: true, "transfer-fee": false, "transfer-hook": true, pause: true },
      scaling: { multiplier: { numerator: 25n, denominator: 10n } }
    })
  })

  it("is named by the account that its pointer names", function* () {
    const extensions = [{ extension: "metadataPointer", state: { metadataAddress: key(7) } }]
    const facts = yield* found({
      [mint]: mintOf({ extensions }, token2022),
      [named]: nameOf("Usual", "U"),
      [key(7)]: nameOf("Elsewhere", "E")
    })
    assert.deepInclude(facts, { name: "Elsewhere", symbol: "E" })
  })

  it("has unknown powers if the node cannot read its extensions", function* () {
    const extensions = [{ extension: "unparseableExtension" }]
    const facts = yield* found({ [mint]: mintOf({ extensions }, token2022) })
    assert.deepInclude(facts, {
      powers: { mint: false, freeze: false, take: null, "transfer-fee": null, "transfer-hook": null, pause: null },
      unread: { reason: "bad_answer", message: "the multiplier of this mint cannot be read" }
    })
  })

  it("is missing at other accounts, and an error if it cannot be read", function* () {
    assert.isUndefined(yield* found({}))
    assert.isUndefined(yield* found({ [mint]: { owner: key(9), data: ["", "base64"] } }))
    assert.isUndefined(yield* found({ [mint]: { owner: program, data: { parsed: { type: "account", info: {} } } } }))
    assert.deepStrictEqual(yield* found({ [mint]: { owner: program, data: ["AAAA", "base64"] } }), {
      reason: "bad_answer",
      message: "solana-rpc: the node cannot read the mint"
    })
  })
})
