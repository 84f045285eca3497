import * as Either from "effect/Either"
import type { IndexedTokens } from "../../../src/chains/evm/Provider.ts"
import * as calls from "../../../src/chains/evm/providers/etherscan/calls.ts"
import { tokensIn, tokensOwned, transfersRead } from "../../../src/chains/evm/providers/etherscan/indexedTokens.ts"
import * as Call from "../../../src/upstream/Call.ts"
import { row } from "../../support/firstTransactions.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const [one, other] = [`0x${"1".repeat(40)}`, `0x${"2".repeat(39)}A`]

const decoded = <A, I>(call: Pick<Call.Call<string, never, undefined, A, I>, "response">, body: unknown) =>
  Either.getOrThrow(
    Call.decoding(call, {} as never)({ status: 200, text: JSON.stringify(body), retryAfter: undefined })
  )

const summary = ({ contracts, isWhole, scams }: IndexedTokens) => [contracts, isWhole, [...scams]]

describe("the tokens of an address at an explorer", () => {
  const owned = (...rows: ReadonlyArray<unknown>) => summary(tokensOwned(decoded(calls.tokenBalances, rows)))
  const token = (address_hash: unknown, more: object = {}) => ({ token: { address_hash, type: "ERC-20", ...more } })

  it("are the fungible ones of Blockscout's list, each once, with those that it marks as a scam", () => {
    assert.deepStrictEqual(owned(), [[], true, []])
    assert.deepStrictEqual(
      owned(
        token(one, { reputation: "ok" }),
        token(other, { reputation: "scam" }),
        token(one),
        token(`0x${"3".repeat(40)}`, { type: "ERC-721", reputation: "scam" }),
        { token: { address: `0x${"4".repeat(40)}`, type: "ERC-20" } }
      ),
      [[one, other.toLowerCase(), `0x${"4".repeat(40)}`], true, [other.toLowerCase()]]
    )
  })

  it("may be others if a row cannot be read; contracts without the form of an address are left out", () => {
    for (const bad of [{}, null, { token: { type: "ERC-20" } }, token(one, { type: null })])
      assert.deepStrictEqual(owned(bad, token(other)), [[other.toLowerCase()], false, []])
    assert.deepStrictEqual(owned(token("0x12"), token(`${one}; DROP`)), [[], true, []])
  })

  const moved = (...result: ReadonlyArray<unknown>) =>
    summary(tokensIn(decoded(calls.tokentx, { status: "1", result }).result ?? []))

  it("are those of the newest transfers elsewhere, without NFTs, and whole if these are all", () => {
    const of = (contractAddress: string, more: Readonly<Record<string, string>> = {}) =>
      row(1, { contractAddress, ...more })
    assert.deepStrictEqual(moved(of(one), of(other), of(one)), [[one, other.toLowerCase()], true, []])
    assert.deepStrictEqual(moved(of(one, { value: "", tokenID: "7" })), [[], true, []])
    assert.deepStrictEqual(moved(of(one), { ...of(other), value: "x" }), [[one], false, []])
    const full = Array.from({ length: transfersRead }, () => of(one))
    assert.deepStrictEqual(moved(...full), [[one], false, []])
    assert.deepStrictEqual(moved(...full.slice(1)), [[one], true, []])
  })
})
