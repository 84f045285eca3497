import { incomplete, type SignedContent, type SignedPayment } from "../sending/content.ts"
import * as CardanoAddress from "./CardanoAddress.ts"
import * as Cbor from "./Cbor.ts"

// The effects of a transaction by its body (CDDL of the ledger, `transaction_body`).

/** Keys of the body. */
const [outputs, fee, certificates, withdrawals, mint, networkId] = [1, 2, 4, 5, 9, 15]

/** The number of the main network, in bodies and in addresses. */
const mainnet = 1

const numberOf = (item: unknown): bigint | undefined =>
  typeof item === "bigint" ? item : Number.isSafeInteger(item) ? BigInt(item as number) : undefined

const hex = (item: unknown): string => (item instanceof Uint8Array ? Buffer.from(item).toString("hex") : "")

const entriesOf = (item: unknown): ReadonlyArray<readonly [unknown, unknown]> => (item instanceof Map ? [...item] : [])

/** The amounts of an output: lovelace, alone or before a map of assets by policy and name. */
const amountsOf = (value: unknown): ReadonlyArray<Pick<SignedPayment, "amount" | "token">> => {
  const [coins, assets] = Array.isArray(value) ? value : [value, undefined]
  return [
    { amount: numberOf(coins) ?? 0n },
    ...entriesOf(assets).flatMap(([policy, names]) =>
      entriesOf(names).map(([name, amount]) => ({
        token: `${hex(policy)}${hex(name)}`,
        amount: numberOf(amount) ?? 0n
      }))
    )
  ]
}

/** Address and value of an output: a list until Alonzo, since Babbage also a map. */
const partsOf = (output: unknown): readonly [address: unknown, value: unknown] =>
  output instanceof Map
    ? [output.get(0), output.get(1)]
    : Array.isArray(output)
      ? [output[0], output[1]]
      : [undefined, 0]

const listIn = (item: unknown): ReadonlyArray<unknown> => {
  const list = Cbor.untagged(item)
  return Array.isArray(list) ? list : []
}

const paymentsOf = (output: unknown): ReadonlyArray<SignedPayment> => {
  const [address, value] = partsOf(output)
  const to = address instanceof Uint8Array ? CardanoAddress.ofBytes(address) : undefined
  return amountsOf(value).map((amount) => ({ ...(to === undefined ? {} : { to }), ...amount }))
}

type TransactionBody = ReadonlyMap<unknown, unknown>

/** Whether the body, or the address of an output, names another network. */
export const isOfOtherNetwork = (body: TransactionBody): boolean =>
  (body.has(networkId) && numberOf(body.get(networkId)) !== BigInt(mainnet)) ||
  listIn(body.get(outputs)).some((output) => {
    const [address] = partsOf(output)
    return address instanceof Uint8Array && CardanoAddress.networkOf(address) !== mainnet
  })

/** What a body does. Its change is one of the payments. `fails`: its scripts fail, so that it pays only its collateral. */
export const contentOf = (body: TransactionBody, fails: boolean): SignedContent => {
  const paid = numberOf(body.get(fee))
  return {
    payments: fails ? [] : listIn(body.get(outputs)).flatMap(paymentsOf),
    ...(paid === undefined || fails ? {} : { fee: { amount: paid, isMaximum: false } }),
    unknown: {
      from: "the bytes name the outputs that it spends, and no addresses",
      ...incomplete([
        fails && "it is marked as failing, so that it pays its collateral",
        body.has(certificates) && "it has certificates, which may pay or return deposits",
        body.has(withdrawals) && "it withdraws rewards",
        body.has(mint) && "it mints or burns tokens"
      ]),
      ...(paid === undefined || fails ? { fee: fails ? "its fee is its collateral" : "its body has no fee" } : {})
    }
  }
}
