import { blake2b } from "@noble/hashes/blake2"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { Submission } from "../../chains/cardano/CardanoTransaction.ts"
import { decode, untagged } from "../../chains/cardano/Cbor.ts"
import { isBusy } from "../world/busy.ts"
import * as Ed25519 from "../world/Ed25519.ts"
import { remembered } from "../world/memoized.ts"
import * as World from "../world/World.ts"
import * as CardanoChain from "./CardanoChain.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import { unlistedAssets } from "./cardanoMuseum.ts"
import { addressBytes, addressText } from "./cardanoRaw.ts"

type CborMap = ReadonlyMap<unknown, unknown>

const asMap = (value: unknown): CborMap => (value instanceof Map ? value : new Map())
const asList = (tagged: unknown): ReadonlyArray<unknown> => {
  const value = untagged(tagged)
  return Array.isArray(value) ? value : []
}
const asBytes = (value: unknown): Buffer => Buffer.from(value instanceof Uint8Array ? value : [])
const asNumber = (value: unknown): bigint => (typeof value === "bigint" ? value : 0n)

/** An unspent output of the simulated ledger. */
export interface LedgerOutput {
  readonly txHash: string
  readonly index: number
  readonly address: string
  readonly lovelace: bigint
  readonly assets: ReadonlyMap<string, bigint>
  /** Holder of a generated output; absent for outputs of sent transactions. */
  readonly holder?: string
}

/** Lovelace of the output with assets; if the holder has less, that output has all of it. */
const minimum = 2_000_000n

const nameOf = ({ index, txHash }: Pick<LedgerOutput, "index" | "txHash">) => `${txHash}#${index}`

/** Maximum number of outputs retained per address. */
const maxOutputs = 2_000

/** A valid transaction that spends listed outputs. */
export interface ValidTransaction {
  readonly fee: bigint
  readonly validUntil?: number
  readonly inputs: ReadonlyArray<LedgerOutput>
  readonly outputs: ReadonlyArray<LedgerOutput>
}

type Assets = ReadonlyMap<string, bigint>

const assetsOf = (facts: World.InWorld<NetworkFacts>, holder: string) =>
  new Map([
    ...World.contractsOn(facts.platform).flatMap((contract) => {
      const quantity = World.tokenBalance(facts, contract, holder)
      return quantity === 0n ? [] : [[contract.address, quantity] as const]
    }),
    ...unlistedAssets(facts, holder)
  ])

/**
 * Two outputs of this total, the second with all assets; of a busy holder one with each asset. An account's outputs have
 * one address.
 */
const generated = (
  facts: World.InWorld<NetworkFacts>,
  holder: string,
  lovelace: bigint,
  assets: Assets
): ReadonlyArray<LedgerOutput> => {
  const { address } = CardanoHistory.own(holder)
  const txHash = CardanoChain.digest("output", facts.id, holder, String(lovelace))
  const groups =
    assets.size === 0 || !isBusy(facts, holder) ? [assets] : Array.from(assets, (asset) => new Map([asset]))
  const share = lovelace / BigInt(groups.length)
  const beside = assets.size === 0 ? 0n : share < minimum ? share : minimum
  const rest = lovelace - BigInt(groups.length) * beside
  return [
    { txHash, index: 0, address, lovelace: rest, assets: new Map<string, bigint>(), holder },
    ...groups.map((group, index) => ({ txHash, index: 1 + index, address, lovelace: beside, assets: group, holder }))
  ].filter((output) => output.lovelace > 0n)
}

/** Outputs of holders, which add up to their balances, and the transactions that spend them. */
export const outputs = (facts: World.InWorld<NetworkFacts>) => {
  const known = remembered<LedgerOutput>()
  const spenders = remembered<string>()
  const retained = remembered<ReadonlyArray<LedgerOutput>>()

  const isFinal = (id: string | undefined) =>
    id !== undefined && facts.world?.state.finalSince(facts.id, id) !== undefined

  /** Returns outputs of sent transactions and earlier lists up to the balance; generates outputs for the rest. */
  const of = (holder: string, lovelace: bigint): ReadonlyArray<LedgerOutput> => {
    let left = lovelace
    const assets = assetsOf(facts, holder)
    const before = retained.get(holder) ?? []
    const fitting = before.toReversed().filter((output) => {
      const isThere = output.holder !== undefined || isFinal(output.txHash)
      const fits = output.lovelace <= left && [...output.assets].every(([unit, all]) => all <= (assets.get(unit) ?? 0n))
      if (!isThere || !fits || isFinal(spenders.get(nameOf(output)))) return false
      left -= output.lovelace
      for (const [unit, all] of output.assets) {
        const rest = (assets.get(unit) ?? 0n) - all
        if (rest === 0n) assets.delete(unit)
        else assets.set(unit, rest)
      }
      return true
    })
    const rest = left > 0n ? generated(facts, holder, left, assets) : []
    for (const output of rest) known.set(nameOf(output), output)
    if (rest.length > 0) retained.set(holder, [...rest, ...before].slice(-maxOutputs))
    return [...rest, ...fitting.reverse()]
  }

  /** Left is the node's error. Undefined for a transaction without a listed input, which is not validated. */
  const judge = ({ bytes, id }: Submission): Either.Either<ValidTransaction | undefined, string> => {
    const [body, witnesses] = asList(Option.getOrNull(decode(bytes, { preferBigInt: true }))).map(asMap)
    const inputs = asList(body?.get(0n)).map((input) => {
      const [hash, index] = asList(input)
      return known.get(`${asBytes(hash).toString("hex")}#${asNumber(index)}`)
    })
    if (body === undefined || inputs.every((input) => input === undefined)) return Either.right(undefined)
    const found = inputs.flatMap((input) => input ?? [])
    if (found.length < inputs.length) return Either.left("BadInputsUTxO")
    const fee = asNumber(body.get(2n))
    if (fee < 44n * BigInt(bytes.length) + 155_381n) return Either.left("FeeTooSmallUTxO")
    const paid = asList(body.get(1n)).map((output, index) => ({ ...outputAt(output), txHash: id, index }))
    if (!isBalanced(found, paid, fee)) return Either.left("ValueNotConservedUTxO")
    const signers = signersOf(witnesses?.get(0n), id)
    if (signers === undefined) return Either.left("InvalidWitnessesUTXOW")
    if (!found.every(({ address }) => isSignedFor(address, signers))) return Either.left("MissingVKeyWitnessesUTXOW")
    const ttl = body.get(3n)
    const times = ttl === undefined ? {} : { validUntil: CardanoChain.timeOfSlot(asNumber(ttl)) }
    return Either.right({ fee, inputs: found, outputs: paid, ...times })
  }

  const accept = (id: string, { inputs, outputs }: ValidTransaction): boolean => {
    if (inputs.some((input) => spenders.get(nameOf(input)) !== undefined)) return false
    for (const input of inputs) spenders.set(nameOf(input), id)
    for (const output of outputs) {
      known.set(nameOf(output), output)
      retained.set(output.address, [...(retained.get(output.address) ?? []), output].slice(-maxOutputs))
    }
    return true
  }
  return { of, judge, accept }
}

/** Parses an output in the array or the map format (CDDL of the Babbage era). */
const outputAt = (output: unknown): Omit<LedgerOutput, "txHash" | "index"> => {
  const [address, value] = Array.isArray(output) ? asList(output) : [asMap(output).get(0n), asMap(output).get(1n)]
  const [lovelace, assets] = Array.isArray(value) ? value : [value]
  return {
    address: addressText(asBytes(address)),
    lovelace: asNumber(lovelace),
    assets: new Map(
      [...asMap(assets)].flatMap(([policy, names]) =>
        [...asMap(names)].map(
          ([name, quantity]) =>
            [asBytes(policy).toString("hex") + asBytes(name).toString("hex"), asNumber(quantity)] as const
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

/** Key hashes of the signers; undefined if a signature is invalid. */
const signersOf = (witnesses: unknown, id: string): ReadonlySet<string> | undefined => {
  const all = asList(witnesses).map((witness) => asList(witness).map(asBytes))
  const isValid = ([key = Buffer.alloc(0), signature = Buffer.alloc(0)]: ReadonlyArray<Buffer>) =>
    Ed25519.isSigned(key, Buffer.from(id, "hex"), signature)
  if (!all.every(isValid)) return undefined
  return new Set(all.map(([key = Buffer.alloc(0)]) => Buffer.from(blake2b(key, { dkLen: 28 })).toString("hex")))
}

/** Accepts any script or Byron address. Other addresses contain the key hash after the first byte (CIP-19). */
const isSignedFor = (address: string, signers: ReadonlySet<string>): boolean => {
  const [kind = 0, ...rest] = addressBytes(address)
  return ((kind >> 4) & 1) === 1 || kind >> 4 > 7 || signers.has(Buffer.from(rest.slice(0, 28)).toString("hex"))
}

/** The script in the first output of the museum. */
export const referenceScript = { hash: "5c".repeat(28), size: 2_437 }

export const hasScript = ({ index }: LedgerOutput, isRare: boolean) => isRare && index === 0
