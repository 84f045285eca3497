import type { components } from "../../src/client/Client.ts"
import { unlistedIn } from "../../src/page/unlisted/unlistedTokens.ts"
import { assert, describe, it } from "../support/vitest.ts"

type Balance = components["schemas"]["Balance"]

const row = (contractAddress: string | null, more: Partial<Balance> = {}): Balance => ({
  coinId: "",
  blockchain: "ethereum",
  tokenName: "",
  tokenSymbol: "",
  tokenDecimals: 0,
  contractAddress,
  assetId: null,
  holderAddress: "0xa",
  tokenType: contractAddress === null ? "NATIVE" : "TOKEN",
  thumbnail: "",
  balance: "1",
  rawBalance: "1",
  balanceUsd: null,
  tokenPrice: null,
  ...more
})

const whole = { complete: true, truncated: 0, withoutDecimals: 0 }
const failing = (reason: string, errorCode: Balance["errorCode"], blockchain = "ethereum") =>
  row(null, { blockchain, unlisted: { ...whole, complete: false, error: reason, ...(errorCode && { errorCode }) } })

describe("the unlisted tokens of the page", () => {
  it("are those that the service marks, with the suspicious ones apart", () => {
    const plain = row("0x1", { listed: false, verdict: "unknown" })
    const spam = row("0x2", { listed: false, verdict: "suspicious" })
    const listed = row("0x3", { listed: true, verdict: "listed" })
    assert.deepStrictEqual(unlistedIn([row(null, { unlisted: whole }), listed, row("0x4"), plain, spam]), {
      tokens: [plain],
      suspicious: [spam],
      gaps: new Map(),
      omitted: 0
    })
  })

  it("count what is left out, over all addresses", () => {
    const lacking = { complete: false, truncated: 2, withoutDecimals: 3 }
    const { omitted } = unlistedIn([row(null, { unlisted: lacking }), row(null, { unlisted: lacking })])
    assert.strictEqual(omitted, 10)
  })

  it("have each reason for missing tokens once, unless the network has none or was shut down", () => {
    const { gaps } = unlistedIn([
      failing("timed out", "timeout"),
      failing("timed out", "timeout", "base"),
      failing("timed out", "timeout", "base"),
      failing("no source lists them", "not_listed", "bitcoin"),
      failing("was shut down", "sunset", "zkevm")
    ])
    assert.deepStrictEqual(gaps, new Map([["timed out", new Set(["ethereum", "base"])]]))
  })
})
