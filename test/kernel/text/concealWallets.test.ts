import { createHash } from "node:crypto"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { friendly } from "../../../src/chains/ton/TonAddress.ts"
import { withoutWallets } from "../../../src/kernel/text/concealWallets.ts"
import { samples } from "../../chains/families/samples.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const hashes = Array.from({ length: 50 }, (_, index) => createHash("sha256").update(String(index)).digest())

describe("texts of wallets", () => {
  it("are replaced in every form, also beside other characters", () => {
    const texts = [
      ...Catalogue.all.flatMap((facts) => samples(facts, 20)),
      ...hashes.flatMap((hash) => [
        hash.toString("hex"),
        `0x${hash.toString("hex").toUpperCase()}`,
        hash.toString("base64"),
        `0:${hash.toString("hex")}`,
        friendly(`0:${hash.toString("hex")}`)
          .replaceAll("-", "+")
          .replaceAll("_", "/")
      ]),
      "d8da6bf26964af9d7eed9e03e53415d37aa96045",
      "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7usUDFdp6W1EGMcet8"
    ]
    for (const text of texts)
      for (const [before, after] of [
        ["", ""],
        ["account_", " is"],
        ['{"address":"', '"}'],
        ["https://node.example/", "?a=1"],
        ["a=", "&b"]
      ])
        assert.notInclude(withoutWallets(`${before}${text}${after}`), text.slice(4, -4), `${before}${text}${after}`)
  })

  it("are not confused with the texts that operators need", () => {
    for (const text of [
      '{"commit":"0bb85356f1d2c3b4a5968778695a4b3c2d1e0f90"}',
      "commit=0bb85356f1d2c3b4a5968778695a4b3c2d1e0f90",
      '"requestId":"01ARZ3NDEKTSV4RRFFQ69G5FAV"',
      "requestId=01ARZ3NDEKTSV4RRFFQ69G5FAV",
      "8c53aeb7-bd9d-4cc6-ad62-d85527d8f702",
      "4bf92f3577b34da6a3ce929d0e0e4736",
      "at evaluateMessageWhileSuspended (/tmp/a1B2/copy/node_modules/effect/src/internal/fiberRuntime.ts:918:14)",
      "node_modules/@effect/platform-node-shared/src/internal/fileSystem/runtime.ts",
      "BUN_CONFIG_MAX_HTTP_REQUESTS=4096 and UV_THREADPOOL_SIZE=64",
      "arbitrum-one-rpc.publicnode.com: eth_getBlockTransactionCountByNumber: timed out after 5000 ms",
      '"2026-11-30T10:58:01.164Z"'
    ])
      assert.strictEqual(withoutWallets(text), text)
  })
})
