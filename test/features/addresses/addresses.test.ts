import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { AddressLookup } from "../../../src/contract/AddressesApi.ts"
import { textsFor } from "../../chains/families/FamilyFacts.ts"
import { families } from "../../chains/families/index.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { assert, layer } from "../../support/vitest.ts"

const xpub =
  "xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz"

const lookUp = Effect.fnUntraced(function* (text: string) {
  const { get } = yield* Service
  const response = yield* get(`/address/${encodeURIComponent(text)}`)
  assert.strictEqual(response.status, 200, text)
  const lookup = yield* body<AddressLookup>(response)
  assert.strictEqual(lookup.input, text)
  return lookup.matches
})

const networksOf = (text: string) => Effect.map(lookUp(text), (matches) => matches.map(({ network }) => network))

layer(Service.layer())("GET /address/{text}", (it) => {
  it("returns the network of an address in every spelling, and not for a malformed address", function* () {
    for (const facts of Catalogue.all) {
      const { malformed, unfunded } = families[facts.family]
      const canonical = new Set<string>()
      for (const text of textsFor(unfunded, facts)) {
        const found = (yield* lookUp(text)).find(({ network }) => network === facts.id)
        assert.isDefined(found, `${facts.id}: ${text}`)
        canonical.add(found?.canonical ?? "")
      }
      assert.strictEqual(canonical.size, 1, facts.id)
      // The suite over all networks in test/chains tests the other malformed addresses.
      const [wrong = "x"] = textsFor(malformed, facts).filter((text) => text.trim() !== "" && text.length < 100)
      assert.notInclude(yield* networksOf(wrong), facts.id, wrong)
      const [sample = ""] = samples(facts, 1)
      const match = (yield* lookUp(sample)).find(({ network }) => network === facts.id)
      assert.strictEqual(new URL(match?.explorer ?? "").protocol, "https:", facts.id)
    }
  })

  it("returns all networks that share an address format, in catalogue order", function* () {
    const evm = Catalogue.all.filter(({ family }) => family === "evm").map(({ id }) => id as string)
    assert.deepStrictEqual(yield* networksOf("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"), evm)
    assert.sameMembers(yield* networksOf("3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC"), ["bitcoin", "bch", "litecoin"])
    assert.sameMembers(yield* networksOf(`0x${"ab".repeat(32)}`), ["sui", "polkadot"])
    assert.deepStrictEqual(yield* networksOf("nobody.eth"), [])
  })

  it("says why a text that resembles an address matches no network", function* () {
    const { get } = yield* Service
    const reason = Effect.fnUntraced(function* (text: string) {
      return (yield* body<AddressLookup>(yield* get(`/address/${encodeURIComponent(text)}`))).reason
    })
    const evm = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
    const digits = "an address has 40 hexadecimal digits after 0x, not 38: some may be missing"
    assert.strictEqual(yield* reason(evm.slice(0, 40)), digits)
    assert.match((yield* reason(evm.replace("d", "D"))) ?? "", /EIP-55.*mistyped/)
    assert.match((yield* reason("bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fgl")) ?? "", /checksum is wrong/)
    assert.match((yield* reason(`none:${evm}`)) ?? "", /EIP-3770/)
    assert.isUndefined(yield* reason("hello-world"))
    assert.isUndefined(yield* reason(evm))
  })

  it("returns the kind, canonical form, explorer link and note of an address", function* () {
    const only = (text: string, network: string) =>
      Effect.map(lookUp(text), (matches) => matches.find((match) => match.network === network))
    assert.deepInclude(yield* only(xpub, "bitcoin"), { canonical: xpub, kind: "xpub" })
    assert.notProperty(yield* only(xpub, "bitcoin"), "explorer")
    const stake = "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
    assert.deepInclude(yield* only(stake, "cardano"), {
      kind: "stake",
      explorer: `https://cardanoscan.io/stakekey/${stake}`
    })
    const payment =
      "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x"
    assert.deepInclude(yield* only(payment.toUpperCase(), "cardano"), { kind: "address", account: stake })
    const enterprise = "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"
    assert.notProperty(yield* only(enterprise, "cardano"), "account")
    assert.strictEqual((yield* only(`0x${"ab".repeat(32)}`, "polkadot"))?.kind, "public-key")
    const checked = yield* only("0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045", "ethereum")
    assert.notProperty(checked, "note")
    const unchecked = yield* only("0xd8da6bf26964af9d7eed9e03e53415d37aa96045", "ethereum")
    assert.match(unchecked?.note ?? "", /no checksum/)
    assert.strictEqual(unchecked?.canonical, checked?.canonical)
    assert.match((yield* only(checked?.canonical ?? "", "zkevm"))?.note ?? "", /shut down on .* no checksum/)
    const tagged = "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu"
    assert.match((yield* only(tagged, "ripple"))?.note ?? "", /destination tag/)
  })

  it("rejects a text of more than 256 characters, and accepts any other text", function* () {
    const { get } = yield* Service
    assert.strictEqual((yield* get(`/address/${"1".repeat(256)}`)).status, 200)
    const long = yield* get(`/address/${"1".repeat(257)}`)
    assert.strictEqual(long.status, 400)
    const { issues } = yield* body<{ readonly issues: ReadonlyArray<object> }>(long)
    assert.strictEqual(issues.length, 1)
    assert.deepInclude(issues[0], { path: "text" })
    const text = FastCheck.string({ maxLength: 80, unit: "grapheme" }).map((sample) => `x${sample}`)
    for (const sample of FastCheck.sample(text, 20)) yield* lookUp(sample)
  })
})

const delegate = "0x63c0c19a282a1b52b07dd5a65b58948a07dae32b"

/** A sandbox whose account has delegated on base, and whose code cannot be read on polygon. */
const delegating = editedSandbox((text, { body, upstream }) => {
  if (!/^(base|polygon)-rpc/.test(upstream) || !body.includes("eth_getCode")) return text
  const code = upstream.startsWith("base") ? `0xef0100${delegate.slice(2)}` : "no code"
  return text.replace('"result":"0x"', `"result":"${code}"`)
})

layer(Service.layer({}, delegating), { excludeTestServices: true })("GET /address/{text}?detail=true", (it) => {
  const detailed = Effect.fnUntraced(function* (text: string, detail = "true") {
    const { get } = yield* Service
    const response = yield* get(`/address/${text}?detail=${detail}`)
    const { issues = [], matches = [] } = yield* body<
      Partial<AddressLookup> & { readonly issues?: ReadonlyArray<object> }
    >(response)
    return { status: response.status, issues, matches }
  })

  it("returns the delegation on each EVM network, or why it could not be read", function* () {
    const { matches } = yield* detailed("0x1234567890123456789012345678901234567890")
    const found = new Map(matches.map(({ delegatedTo, errorCode, network }) => [network, { delegatedTo, errorCode }]))
    assert.deepStrictEqual(found.get("base"), {
      delegatedTo: { address: delegate, name: "MetaMask" },
      errorCode: undefined
    })
    assert.deepStrictEqual(found.get("polygon"), { delegatedTo: undefined, errorCode: "bad_answer" })
    for (const facts of Catalogue.all.filter(({ family, sunset }) => family === "evm" && sunset === undefined))
      if (!["base", "polygon"].includes(facts.id))
        assert.deepStrictEqual(found.get(facts.id), { delegatedTo: null, errorCode: undefined }, facts.id)
  })

  it("returns the other matches unchanged, and rejects another value", function* () {
    const text = `0x${"ab".repeat(32)}`
    assert.deepStrictEqual((yield* detailed(text)).matches, yield* lookUp(text))
    const { issues, status } = yield* detailed(text, "yes")
    assert.strictEqual(status, 400)
    assert.deepInclude(issues[0], { path: "detail" })
  })
})
