import { createHash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import { base58, bech32 } from "@scure/base"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { Submission } from "../../chains/cardano/CardanoTransaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import * as World from "../world/World.ts"
import { own as ownOutput } from "./CardanoHistory.ts"
import { asBytes, asList, asMap, asNumber, type CborValue, cborValue } from "./cborValue.ts"

/** An output of the simulated ledger that is not spent. */
export interface LedgerOutput {
  readonly txHash: string
  readonly index: number
  readonly address: string
  readonly lovelace: bigint
  readonly assets: ReadonlyMap<string, bigint>
}

/** Outputs that a ledger remembers. */
const capacity = 10_000

/** What an output with assets has beside them; a holder with less has it all there. */
const minimum = 2_000_000n

const digest = (...words: ReadonlyArray<string>) => createHash("sha256").update(words.join("|")).digest("hex")
const nameOf = ({ index, txHash }: Pick<LedgerOutput, "index" | "txHash">) => `${txHash}#${index}`

const bytesOf = (address: string): Uint8Array =>
  address.startsWith("addr1")
    ? Uint8Array.from(bech32.fromWords(bech32.decode(address as `${string}1${string}`, 1023).words))
    : base58.decode(address)

const textOf = (address: Uint8Array) => bech32.encode("addr", bech32.toWords(address), 1023)

/** Unspent outputs of an address that are retained, besides the newest. */
const maxOutputs = 1_000

/** The outputs of holders, and the transactions that spend them. Balances of the world remain as they are. */
export const outputs = (facts: World.Inhabited<NetworkFacts>) => {
  const known = BoundedMap.make<string, LedgerOutput>({ capacity })
  const spent = BoundedMap.make<string, true>({ capacity })
  const received = BoundedMap.make<string, ReadonlyArray<LedgerOutput>>({ capacity })

  /** Two outputs that make up a balance, the second with all assets; those of an account are at one of its addresses. */
  const first = (holder: string, lovelace: bigint): ReadonlyArray<LedgerOutput> => {
    const assets = new Map(
      World.contractsOn(facts.platform).flatMap((contract) => {
        const quantity = World.tokenBalance(facts, contract, holder)
        return quantity === 0n ? [] : [[contract.address, quantity] as const]
      })
    )
    const { address } = ownOutput(holder)
    const txHash = digest("output", facts.id, holder, String(lovelace))
    const beside = assets.size === 0 ? 0n : lovelace < minimum ? lovelace : minimum
    return [
      { txHash, index: 0, address, lovelace: lovelace - beside, assets: new Map<string, bigint>() },
      { txHash, index: 1, address, lovelace: beside, assets }
    ].filter((output) => output.lovelace > 0n)
  }

  const of = (holder: string, lovelace: bigint): ReadonlyArray<LedgerOutput> => {
    const all = [...first(holder, lovelace), ...(received.get(holder) ?? [])]
    for (const output of all) known.set(nameOf(output), output)
    return all.filter((output) => spent.get(nameOf(output)) === undefined)
  }

  /** Why a node refuses a transaction that spends listed outputs; one that spends others is not judged. */
  const refusalOf = ({ bytes, id }: Submission, slot: number): string | undefined => {
    const [body, witnesses] = asList(cborValue(bytes)).map(asMap)
    const inputs = asList(body?.get(0n)).map((input) => {
      const [hash, index] = asList(input)
      return known.get(`${asBytes(hash).toString("hex")}#${asNumber(index)}`)
    })
    if (body === undefined || inputs.every((input) => input === undefined)) return undefined
    const found = inputs.flatMap((input) => input ?? [])
    if (found.length < inputs.length || found.some((input) => spent.get(nameOf(input)) !== undefined))
      return "BadInputsUTxO"
    const ttl = body.get(3n)
    if (ttl !== undefined && asNumber(ttl) < BigInt(slot)) return "OutsideValidityIntervalUTxO"
    const fee = asNumber(body.get(2n))
    if (fee < 44n * BigInt(bytes.length) + 155_381n) return "FeeTooSmallUTxO"
    const paid = asList(body.get(1n)).map((output) => outputAt(output))
    if (!isBalanced(found, paid, fee)) return "ValueNotConservedUTxO"
    const signers = signersOf(witnesses?.get(0n), id)
    if (signers === undefined) return "InvalidWitnessesUTXOW"
    return found.every(({ address }) => isSignedFor(address, signers)) ? undefined : "MissingVKeyWitnessesUTXOW"
  }

  const accept = ({ bytes, id }: Submission) => {
    const [body] = asList(cborValue(bytes)).map(asMap)
    for (const input of asList(body?.get(0n))) {
      const [hash, index] = asList(input)
      spent.set(`${asBytes(hash).toString("hex")}#${asNumber(index)}`, true)
    }
    for (const [index, output] of asList(body?.get(1n)).entries()) {
      const made = { ...outputAt(output), txHash: id, index }
      const before = received.get(made.address) ?? []
      const unspent = before.filter((output) => spent.get(nameOf(output)) === undefined)
      received.set(made.address, [...unspent.slice(-maxOutputs), made])
    }
  }
  return { of, refusalOf, accept }
}

/** An output as a list or as a map (CDDL of the Babbage era). */
const outputAt = (output: CborValue): Omit<LedgerOutput, "txHash" | "index"> => {
  const [address, value] = Array.isArray(output) ? asList(output) : [asMap(output).get(0n), asMap(output).get(1n)]
  const [lovelace, assets] = Array.isArray(value) ? value : [value]
  return {
    address: textOf(asBytes(address)),
    lovelace: asNumber(lovelace),
    assets: new Map(
      [...asMap(assets)].flatMap(([policy, names]) =>
        [...asMap(names)].map(
          ([name, quantity]) =>
            [
              asBytes(policy as CborValue).toString("hex") + asBytes(name as CborValue).toString("hex"),
              asNumber(quantity)
            ] as const
        )
      )
    )
  }
}

type Value = Pick<LedgerOutput, "lovelace" | "assets">

const isBalanced = (inputs: ReadonlyArray<Value>, paid: ReadonlyArray<Value>, fee: bigint): boolean => {
  const left = new Map<string, bigint>([["lovelace", -fee]])
  const add = (sign: bigint) => (value: Value) => {
    for (const [unit, quantity] of [["lovelace", value.lovelace] as const, ...value.assets])
      left.set(unit, (left.get(unit) ?? 0n) + sign * quantity)
  }
  inputs.forEach(add(1n))
  paid.forEach(add(-1n))
  return [...left.values()].every((amount) => amount === 0n)
}

/** The hashes of the keys that signed; undefined where a signature is wrong. */
const signersOf = (witnesses: CborValue | undefined, id: string): ReadonlySet<string> | undefined => {
  const all = asList(witnesses).map((witness) => asList(witness).map(asBytes))
  const isValid = ([key = Buffer.alloc(0), signature = Buffer.alloc(0)]: ReadonlyArray<Buffer>) =>
    Ed25519.isSigned(key, Buffer.from(id, "hex"), signature)
  if (!all.every(isValid)) return undefined
  return new Set(all.map(([key = Buffer.alloc(0)]) => Buffer.from(blake2b(key, { dkLen: 28 })).toString("hex")))
}

/** Addresses of scripts are not judged; those of keys have the hash of theirs after the first byte (CIP-19). */
const isSignedFor = (address: string, signers: ReadonlySet<string>): boolean => {
  const [kind = 0, ...rest] = bytesOf(address)
  return ((kind >> 4) & 1) === 1 || kind >> 4 > 7 || signers.has(Buffer.from(rest.slice(0, 28)).toString("hex"))
}

/** Rows of Koios' `address_utxos` and `account_utxos`. */
export const koiosOutput = ({ address, assets, index, lovelace, txHash }: LedgerOutput) => ({
  tx_hash: txHash,
  tx_index: index,
  address,
  value: String(lovelace),
  datum_hash: null,
  inline_datum: null,
  reference_script: null,
  asset_list: Array.from(assets, ([unit, quantity]) => ({
    policy_id: unit.slice(0, 56),
    asset_name: unit.slice(56),
    quantity: String(quantity)
  })),
  is_spent: false
})

/** Rows of Blockfrost's `/addresses/{address}/utxos`. */
export const blockfrostOutput = ({ address, assets, index, lovelace, txHash }: LedgerOutput) => ({
  address,
  tx_hash: txHash,
  output_index: index,
  amount: [
    { unit: "lovelace", quantity: String(lovelace) },
    ...Array.from(assets, ([unit, quantity]) => ({ unit, quantity: String(quantity) }))
  ],
  data_hash: null,
  inline_datum: null,
  reference_script_hash: null
})
