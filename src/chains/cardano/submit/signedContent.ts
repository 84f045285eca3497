import { incomplete, type SignedContent, type SignedPayment } from "../../kit/sending/content.ts"
import * as CardanoAddress from "../CardanoAddress.ts"
import * as Cbor from "../Cbor.ts"

// The effects of a transaction by its body (CDDL of the ledger, `transaction_body`).

/** Keys of the body. */
const [outputs, fee, certificates, withdrawals, mint, networkId, proposals, donation] = [1, 2, 4, 5, 9, 15, 20, 22]

/**
 * Keys that move nothing, or that have another reason below: inputs, outputs, fee, times, certificates, withdrawals, hashes,
 * mint, collateral, signers, network, reference inputs, votes, proposals, the treasury's value and donations.
 */
const readKeys: ReadonlySet<unknown> = new Set([0, 1, 2, 3, 4, 5, 7, 8, 9, 11, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22])

/** The number of the main network, in bodies and in addresses. */
const mainnet = 1

const numberOf = (item: unknown): bigint | undefined =>
  typeof item === "bigint" ? item : Number.isSafeInteger(item) ? BigInt(item as number) : undefined

const hex = (item: unknown): string => (item instanceof Uint8Array ? Buffer.from(item).toString("hex") : "")

const entriesOf = (item: unknown): ReadonlyArray<readonly [unknown, unknown]> => (item instanceof Map ? [...item] : [])

type Amount = Pick<SignedPayment, "amount" | "token">

const amountOf = (item: unknown, token?: string): ReadonlyArray<Amount> => {
  const amount = numberOf(item) ?? -1n
  return amount < 0n ? [] : [{ ...(token === undefined ? {} : { token }), amount }]
}

/** The amounts of an output: lovelace, alone or before a map of assets by policy and name. */
const amountsOf = (value: unknown): ReadonlyArray<Amount> => {
  const [coins, assets] = Array.isArray(value) ? value : [value, undefined]
  return [
    ...amountOf(coins),
    ...entriesOf(assets).flatMap(([policy, names]) =>
      entriesOf(names).flatMap(([name, amount]) => amountOf(amount, `${hex(policy)}${hex(name)}`))
    )
  ]
}

/** Whether {@link amountsOf} has all of a value. */
const isRead = (value: unknown): boolean => {
  if (!Array.isArray(value)) return amountOf(value).length === 1
  const [coins, assets] = value
  const isName = ([name, amount]: readonly [unknown, unknown]) =>
    name instanceof Uint8Array && amountOf(amount).length === 1
  return (
    value.length === 2 &&
    amountOf(coins).length === 1 &&
    assets instanceof Map &&
    entriesOf(assets).every(
      ([policy, names]) => policy instanceof Uint8Array && names instanceof Map && entriesOf(names).every(isName)
    )
  )
}

/** Address and value of an output: a list until Alonzo, since Babbage also a map. */
const partsOf = (output: unknown): readonly [address: unknown, value: unknown] =>
  output instanceof Map
    ? [output.get(0), output.get(1)]
    : Array.isArray(output)
      ? [output[0], output[1]]
      : [undefined, undefined]

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

/** Whether the outputs of a body are a list, each with an address and a value that are read. */
const areOutputsRead = (body: TransactionBody): boolean =>
  Array.isArray(Cbor.untagged(body.get(outputs))) &&
  listIn(body.get(outputs)).every((output) => {
    const [address, value] = partsOf(output)
    return address instanceof Uint8Array && isRead(value)
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
        body.has(mint) && "it mints or burns tokens",
        body.has(proposals) && "it has proposals, which take deposits",
        body.has(donation) && `it donates ${numberOf(body.get(donation)) ?? "coins"} to the treasury, in base units`,
        !areOutputsRead(body) && "it has outputs that are not read",
        [...body.keys()].some((key) => !readKeys.has(key)) && "its body has fields that are not read"
      ]),
      ...(paid === undefined || fails ? { fee: fails ? "its fee is its collateral" : "its body has no fee" } : {})
    }
  }
}
