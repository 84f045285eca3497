import { OutScript } from "@scure/btc-signer"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import * as UtxoTransaction from "../../chains/utxo/rawTransactions/UtxoTransaction.ts"
import * as UtxoAddress from "../../chains/utxo/UtxoAddress.ts"
import { remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import type * as World from "../world/World.ts"
import type { ChainTransaction, Past, ReadTransaction } from "./UtxoChain.ts"
import { heightAt } from "./UtxoIndexer.ts"
import type { Input, RawSide } from "./utxoRaw.ts"
import { type Refusal, refusalOf, sizesOf } from "./utxoReplacements.ts"
import { isSigned, outputOf, type ParsedOutput, parse } from "./utxoSignatures.ts"

const undecodable = { code: -22, message: "TX decode failed. Make sure the tx has at least one input." }
const unheard = {
  code: -5,
  message: "No such mempool or blockchain transaction. Use gettransaction for wallet transactions."
}

const unsigned = {
  code: -26,
  message: "mandatory-script-verify-flag-failed (Signature must be zero for failed CHECK(MULTI)SIG operation)"
}

const missing = { code: -25, message: "bad-txns-inputs-missingorspent" }

const decoded = Option.liftThrowable((script: Uint8Array) => OutScript.decode(script))

/** Address that a script pays to; undefined for other scripts. */
const addressOf = ({ coding }: UtxoFacts, script: Uint8Array): string | undefined => {
  const payee = Option.getOrUndefined(decoded(script))
  if (payee?.type === "pkh") return UtxoAddress.encode(coding, { kind: "keyHash", hash: payee.hash })
  if (payee?.type === "sh") return UtxoAddress.encode(coding, { kind: "scriptHash", hash: payee.hash })
  if (payee === undefined || coding.hrp === undefined) return undefined
  const program =
    payee.type === "tr" ? payee.pubkey : payee.type === "wpkh" || payee.type === "wsh" ? payee.hash : undefined
  return program && UtxoAddress.encode(coding, { kind: "witness", version: payee.type === "tr" ? 1 : 0, program })
}

const sideOf = (facts: UtxoFacts, { amount, script }: ParsedOutput): RawSide => {
  const address = addressOf(facts, script)
  return { amount, ...(address === undefined ? {} : { address }) }
}

const eventOf = (details: ReadTransaction): Submit.SignedEvent => {
  const { hash, inputs, outputs } = details
  const amounts = ({ address, amount }: RawSide) => (address === undefined ? [] : [{ to: address, amount }])
  const extra = Submit.movementsBetween<RawSide>(inputs, outputs, amounts)
  return { id: hash, from: inputs[0]?.address ?? "", amount: 0n, extra, details }
}

interface SentUtxo extends Submit.SignedEvent {
  readonly spends: ReadonlyArray<string>
}

const readOf = ({ details }: SentUtxo) => details as ReadTransaction

/** Transactions and their descendants. */
const withChildren = (parents: ReadonlyArray<SentUtxo>, spenderOf: (output: string) => SentUtxo | undefined) => {
  const all = new Map(parents.map((sent) => [sent.id, sent]))
  for (const sent of all.values())
    for (const index of readOf(sent).outputs.keys()) {
      const child = spenderOf(`${sent.id}:${index}`)
      if (child !== undefined) all.set(child.id, child)
    }
  return [...all.values()]
}

/**
 * Accepts transactions that spend listed outputs and have valid signatures. A transaction that spends only unlisted
 * outputs is stored for look-ups and changes nothing.
 */
export const make = ({ facts, forget, hexOf, older, rowOf }: Past) => {
  const spenders = remembered<string>()

  /** A left string is the hash of a transaction that changes nothing. */
  const decode = (text: string): Either.Either<SentUtxo, Refusal | string> =>
    Either.gen(function* () {
      const checked = UtxoTransaction.check(facts.transactions, facts.name)(text.trim())
      const { hash, hex } = Either.getOrElse(checked, () => ({ hash: undefined, hex: "" }))
      if (hash === undefined) return yield* Either.left(undecodable)
      const parsed = Option.getOrUndefined(parse(hex))
      if (parsed === undefined) return yield* Either.left(older({ hash, hex }))
      if (!isSigned(parsed, hexOf, facts.coding.cashaddr !== undefined)) return yield* Either.left(unsigned)
      const spent = parsed.inputs.flatMap((input): ReadonlyArray<Input> => {
        const output = outputOf(input, hexOf)
        if (output === undefined) return []
        return [{ ...sideOf(facts, output), hash: Buffer.from(input.txid).toString("hex"), index: input.index }]
      })
      if (spent.length === 0) return yield* Either.left(older({ hash, hex }))
      if (spent.length < parsed.inputs.length) return yield* Either.left(missing)
      const paid = parsed.outputs.map((output) => sideOf(facts, output))
      const sum = (sides: ReadonlyArray<RawSide>) => sides.reduce((all, { amount }) => all + amount, 0n)
      const fee = sum(spent) - sum(paid)
      if (fee < 0n) return yield* Either.left({ code: -26, message: "bad-txns-in-belowout" })
      const event = eventOf({ hash, hex, fee, inputs: spent, outputs: paid })
      return { ...event, spends: spent.map((input) => `${input.hash}:${input.index}`) }
    })

  const pool: Submit.Submissions<SentUtxo, Refusal | string> = Submit.submissions<SentUtxo, Refusal | string>(facts, {
    decode,
    refusal: () => ({ code: -27, message: "Transaction outputs already in utxo set" }),
    check: (sent) => {
      const before = [...new Set(sent.spends.flatMap((spend) => spenders.get(spend) ?? []))]
      const world = (facts as World.InWorld<UtxoFacts>).world
      if (before.some((id) => world?.state.finalSince(facts.id, id) !== undefined)) return Either.left(missing)
      const conflicts = before.flatMap((id) => pool.find(id)?.signed ?? [])
      const evicted = withChildren(conflicts, (output) => pool.find(spenders.get(output) ?? "")?.signed)
      const refused =
        conflicts.length === 0 ? undefined : refusalOf(facts, readOf(sent), conflicts.map(readOf), evicted.map(readOf))
      if (refused !== undefined) return Either.left(refused)
      for (const { id, spends } of evicted) {
        for (const spend of spends) spenders.delete(spend)
        forget(id)
        pool.drop(id)
      }
      for (const spend of sent.spends) spenders.set(spend, sent.id)
      older({ hash: sent.id, hex: readOf(sent).hex })
      return Either.right(sent)
    },
    nextBlock: (now) => 600_000 * (heightAt(now) + 1)
  })

  return {
    sizesOf: sizesOf(facts),
    /** The sent transaction that spends an output (`hash:index`). */
    spenderOf: (output: string) => spenders.get(output),
    send: (text: string, now: number): Either.Either<string, Refusal> =>
      Either.match(pool.submit(text, now), {
        onLeft: (problem) => (typeof problem === "string" ? Either.right(problem) : Either.left(problem)),
        onRight: ({ id }) => Either.right(id)
      }),
    find: (hash: string): Either.Either<string, Refusal> =>
      Either.fromNullable(hexOf(hash.toLowerCase()), () => unheard),
    /** A sent transaction, or a transaction that a list has returned. */
    row: (hash: string): ChainTransaction | undefined => {
      const sent = pool.find(hash)
      if (sent === undefined) return rowOf(hash)
      const { at, seen, signed } = sent
      return {
        ...readOf(signed),
        height: at === undefined ? undefined : Math.floor(at / 600),
        time: at ?? Math.floor(seen / 1000)
      }
    }
  }
}

export type Pool = ReturnType<typeof make>
