import { assert, describe, it } from "@effect/vitest"
import { isComplete, pastedOf, unwrapped } from "../../src/page/addresses/pasted.ts"
import { isSecret } from "../../src/page/state/secrets.ts"

const evm = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const token = "0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48"
const bitcoin = "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"
const solana = "9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"
const cash = "bitcoincash:qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt"
const tron = "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
const ton = "EQCD39VS5jcptHL8vMjEXrzGaRcCVYto7HUn4bpAOg8xqB2N"
const ripple = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
const hash = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
const signature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"

describe("an entered text", () => {
  it("has the address of a payment request, of an account id and of a link", () => {
    const forms: ReadonlyArray<readonly [entered: string, address: string]> = [
      // Plain.
      [evm, evm],
      [bitcoin, bitcoin],
      [cash, cash],
      [`eth:${evm}`, `eth:${evm}`],
      [
        "0:8a8627861a5dd96c9db3ce0807b122da5ed473934ce7568a5b4b1c361cbb28ae",
        "0:8a8627861a5dd96c9db3ce0807b122da5ed473934ce7568a5b4b1c361cbb28ae"
      ],
      // BIP-21 and its like.
      [`bitcoin:${bitcoin}?amount=0.1&label=Luke`, bitcoin],
      [`BITCOIN:${bitcoin.toUpperCase()}?AMOUNT=0.1`, bitcoin.toUpperCase()],
      [`bitcoin://${bitcoin}`, bitcoin],
      [`${cash}?amount=1`, cash],
      [`tron:${tron}?amount=5`, tron],
      [`ripple:${ripple}?amount=5&dt=7`, ripple],
      [`ton://transfer/${ton}?amount=1&text=hi`, ton],
      // EIP-681.
      [`ethereum:${evm}`, evm],
      [`ethereum:${evm}@137?value=1e18`, evm],
      [`ethereum:pay-${evm}@1`, evm],
      [`ethereum:${token}@1/transfer?address=${evm}&uint256=1e6`, evm],
      // CAIP-10.
      [`eip155:1:${evm}`, evm],
      [`bip122:000000000019d6689c085ae165831e93:${bitcoin}`, bitcoin],
      [`solana:5eykt4UsFv8P8NJdTREpY1vzqKqZKvdp:${solana}`, solana],
      // Solana Pay.
      [`solana:${solana}?amount=0.01&spl-token=EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v`, solana],
      // Links.
      [`https://etherscan.io/address/${evm}#tokentxns`, evm],
      [`https://etherscan.io/token/${token}?a=${evm}`, evm],
      [`https://debank.com/profile/${evm}`, evm],
      [`https://mempool.space/address/${bitcoin}`, bitcoin],
      [`https://tronscan.org/#/address/${tron}`, tron],
      [`https://tonviewer.com/${ton}`, ton],
      [`https://solscan.io/account/${solana}?cluster=mainnet`, solana],
      [`https://xrpscan.com/account/${ripple}`, ripple],
      [`https://blockchair.com/bitcoin-cash/address/${cash}`, cash]
    ]
    for (const [entered, address] of forms) {
      assert.deepStrictEqual(pastedOf(entered), { kind: "address", text: address }, entered)
      assert.strictEqual(unwrapped(entered), address)
      assert.isFalse(isSecret(entered), entered)
    }
  })

  it("may be a name, a transaction or nothing that an address is in", () => {
    const names = ["vitalik.eth", "toly.sol", "@name.sui", "alice.t.me", "pay.vitalik.eth", "$handle", "jesse.cb.id"]
    for (const text of names) assert.deepStrictEqual(pastedOf(text), { kind: "name", text })
    for (const text of [
      "ethereum:vitalik.eth@1",
      "https://etherscan.io/address/vitalik.eth",
      "https://app.ens.domains/vitalik.eth"
    ])
      assert.deepStrictEqual(pastedOf(text), { kind: "name", text: "vitalik.eth" }, text)
    for (const [text, of] of [
      [`https://etherscan.io/tx/${hash}`, hash],
      [`https://mempool.space/tx/${hash.slice(2)}#flow`, hash.slice(2)],
      [`https://tronscan.org/#/transaction/${hash.slice(2)}`, hash.slice(2)],
      [`https://solscan.io/tx/${signature}`, signature]
    ] as const) {
      assert.deepStrictEqual(pastedOf(text), { kind: "transaction", text: of })
      assert.strictEqual(unwrapped(text), text)
      assert.isFalse(isSecret(text), text)
    }
    for (const text of [
      "https://example.com/about",
      "https://example.com",
      "solana:https%3A%2F%2Fexample.com%2Fpay",
      "solana:https://example.com",
      "bitcoin:?sp=sp1q",
      "https://%"
    ])
      assert.strictEqual(pastedOf(text).kind, "none", text)
    for (const text of ["stranger.example", "hello-world", "v1.2", "", ":", "a:b", "%", "nobody"])
      assert.deepStrictEqual(pastedOf(text), { kind: "address", text })
  })

  it("hides no secret: payment requests and links are checked as well", () => {
    const wif = `K${"3x9QmZ7RtUvWy2Ap4Bs6Cd8Ef1Gh5JkLnMoPqSrTaVbXcYdZeFg"}`
    for (const text of [
      `bitcoin:${wif}`,
      `https://example.com/address/${wif}`,
      `bip122:0000:${wif}`,
      `wc:a@2?relay-protocol=irn&symKey=${hash.slice(2)}`
    ])
      assert.isTrue(isSecret(text) || isSecret(unwrapped(text)), text)
  })

  it("that is being typed is complete if it cannot be the beginning of a key", () => {
    for (const text of [bitcoin, ton, "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"])
      assert.isTrue(isComplete(text), text)
    const bech32 = "qpzry9x8gf2tvdw0s3jn54khce6mua7lqpzry9x8gf2tvdw0s3jn54khce6mua7l"
    const keys = [
      evm,
      tron,
      solana,
      ...["suiprivkey", "root_xsk", "addr_xsk", "ed25519_sk", "xprv"].map((prefix) => `${prefix}1${bech32}`)
    ]
    for (const key of keys)
      for (let length = 1; length <= key.length; length++) assert.isFalse(isComplete(key.slice(0, length)), key)
  })
})
