import * as Either from "effect/Either"
import { bitcoin } from "../../../src/catalogue/utxo/bitcoin.ts"
import * as CardanoAddress from "../../../src/chains/cardano/CardanoAddress.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import { accountsIn, countedIn, doubtsIn } from "../../../src/features/balances/accounts.ts"
import type { AddressRead } from "../../../src/features/balances/readAddresses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const key =
  "xpub6CUGRUonZSQ4TWtTMmzXdrXDtypWKiKrhko4egpiMZbpiaQL2jkwSB1icqYh2cfDfVxdx4df189oLKnC5fSwqPfgyP3hooxujYzAu3fDVmz"
const own = "1BvBMSEYstWetqTFn5Au4m4GFg7xJaNVN2"
const other = "3J98t1WpEZ73CNmQviecrnyiWrnqRhWNLy"
const stake = "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"
const payment =
  "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x"
const enterprise = "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"

const bitcoins = { facts: bitcoin, address: UtxoAddress.parse(bitcoin), addressForm: UtxoAddress.formOf(bitcoin) }
const cardano = { facts: {}, address: CardanoAddress.parse, addressForm: CardanoAddress.formOf }

/** An amount is null if it could not be read. */
type Amounts = Readonly<Record<string, bigint | null>>

const read = (
  network: object,
  text: string,
  coin: bigint | null,
  more: object = {},
  tokens: Amounts = {}
): AddressRead => {
  const amountOf = (amount: bigint | null) => (amount === null ? Either.left("unread") : Either.right(amount))
  const { derived, ...rest } = more as { readonly derived?: ReadonlySet<string> }
  const held = Object.entries(tokens).map(([address, amount]) => ({ asset: { address }, amount: amountOf(amount) }))
  const native = { asset: "native", amount: amountOf(coin), ...(derived === undefined ? {} : { derived }) }
  return { network, text, key: text, holdings: [native, ...held], whole: true, missing: undefined, ...rest } as never
}

const keyWith = (coin: bigint | null, derived?: ReadonlyArray<string>) =>
  read(bitcoins, key, coin, derived === undefined ? {} : { derived: new Set(derived) })

const included = (...reads: ReadonlyArray<AddressRead>) =>
  [...accountsIn(reads)].map(([part, account]) => [part.text, account.text])

const counted = (...reads: ReadonlyArray<AddressRead>) =>
  [...countedIn(reads)].flatMap(([{ text }, assets]) => [...assets].map(([asset, where]) => [text, asset, where]))

const doubts = (...reads: ReadonlyArray<AddressRead>) =>
  [...doubtsIn(reads, accountsIn(reads))].map(([{ text }, doubt]) => [text, doubt])

describe("an account", () => {
  it("includes the addresses that are derived from its key, and the payment addresses of its stake address", () => {
    const [first, second] = [read(bitcoins, own, 1n), read(bitcoins, other, 1n)]
    assert.deepStrictEqual(included(first, keyWith(5n, [own]), second), [[own, key]])
    assert.deepStrictEqual(included(first, keyWith(5n, [])), [])
    assert.deepStrictEqual(included(first, second), [])
    const staked = [read(cardano, payment.toUpperCase(), 1n), read(cardano, enterprise, 1n), read(cardano, stake, 1n)]
    assert.deepStrictEqual(included(...staked), [[payment.toUpperCase(), stake]])
    assert.deepStrictEqual(included(read({ ...cardano }, payment, 1n), read(cardano, stake, 1n)), [])
    assert.deepStrictEqual(included(read(cardano, payment, 1n, { key: undefined }), read(cardano, stake, 1n)), [])
  })

  it("counts the balances of its addresses, asset by asset, if its own are read", () => {
    const part = read(cardano, payment, 5n, {}, { a: 7n, b: 1n })
    const whole = read(cardano, stake, 9n, {}, { a: 7n, b: null })
    assert.deepStrictEqual(counted(part, whole), [
      [payment, "", stake],
      [payment, "a", stake]
    ])
    const lacking = read(cardano, stake, 9n, { missing: "unread" }, {})
    assert.deepStrictEqual(counted(part, lacking), [[payment, "", stake]])
    assert.deepStrictEqual(counted(part, read(cardano, stake, null, { whole: false })), [])
    const unread = read(cardano, payment, null)
    assert.deepStrictEqual(counted(unread, read(cardano, stake, 9n)), [[payment, "", stake]])
    assert.deepStrictEqual(doubts(part, whole), [])
  })

  it("is not counted if its addresses have more: it cannot be right", () => {
    const part = read(cardano, payment, 5n, {}, { a: 7n })
    const empty = read(cardano, stake, 0n)
    assert.deepStrictEqual(counted(part, empty), [
      [stake, "", payment],
      [stake, "a", payment]
    ])
    assert.deepStrictEqual(doubts(part, empty), [[stake, `it includes ${payment}, which has more`]])
    const [first, second] = [read(bitcoins, own, 3n), read(bitcoins, other, 4n)]
    assert.deepStrictEqual(counted(first, second, keyWith(6n, [own, other])), [[key, "", other]])
    // Another spelling of an address is not another part.
    const again = read(bitcoins, own, 3n)
    assert.deepStrictEqual(counted(first, again, keyWith(3n, [own])), [
      [own, "", key],
      [own, "", key]
    ])
  })

  it("may overlap with other addresses if its source does not list its addresses", () => {
    const text = "its indexer does not list its addresses: those that are requested too count twice"
    assert.deepStrictEqual(doubts(keyWith(5n), read(bitcoins, own, 1n)), [[key, text]])
    assert.deepStrictEqual(doubts(keyWith(5n)), [])
    assert.deepStrictEqual(doubts(keyWith(null), read(bitcoins, own, 1n)), [])
  })
})
