import { ripemd160 } from "@noble/hashes/legacy"
import { sha256 } from "@noble/hashes/sha2"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import type { UnspentOutput, UtxoContext } from "../../domain/TransactionContext.ts"
import { numberOf } from "../../domain/units.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import type { Heads, Unspent, UnspentReading, UtxoProvider } from "./Provider.ts"
import { maturityOf, sharedHeads } from "./Unspent.ts"
import * as UtxoAddress from "./UtxoAddress.ts"
import { lockingScript } from "./UtxoAddress.ts"

/** Sources that list unspent outputs, in configured order. */
export const withOutputs = (sources: ReadonlyArray<UtxoProvider>): ReadonlyArray<UtxoProvider> =>
  sources.filter(({ unspent }) => unspent !== undefined)

/** Why an output cannot be spent now. */
export type Lock = "immature" | "pegOut" | "tokens" | "unknownOrigin" | "unknownScript"

/** Those that do not follow from `confirmations` and a known `coinbase`. */
const reasons: Readonly<Partial<Record<Lock, string>>> = {
  pegOut: "it left the extension block (MWEB) too few blocks ago",
  tokens: "it carries CashTokens, which a transaction that only moves coins would destroy",
  unknownOrigin: "the source did not return whether it is newly mined",
  unknownScript: "the source did not return its script, which may differ from the script of the address"
}

/** The outputs of an address, and why they cannot be spent. */
export interface Outputs extends Omit<UnspentReading, "outputs"> {
  readonly outputs: ReadonlyArray<{ readonly lock: Lock | undefined; readonly output: UnspentOutput }>
}

/** Whether a script pays the public key of an address (P2PK), as the first wallets did. */
const paysKeyOf = (payee: UtxoAddress.Payee, script: string) => {
  const [, , long, short] = /^(41(04[0-9a-f]{128})|21(0[23][0-9a-f]{64}))ac$/.exec(script) ?? []
  const key = long ?? short
  return (
    key !== undefined &&
    payee.kind === "keyHash" &&
    Buffer.from(payee.hash).equals(ripemd160(sha256(Buffer.from(key, "hex"))))
  )
}

/** Reads the outputs of an address or an extended public key. */
const readOutputs = (
  facts: UtxoFacts,
  sources: ReadonlyArray<UtxoProvider>,
  none: ReadFailure,
  address: string,
  heads: Heads
): Effect.Effect<Outputs, ReadFailure> =>
  Sources.first(
    withOutputs(sources).filter(({ supports }) => supports(address)),
    (source): Effect.Effect<Outputs, ReadFailure> =>
      Effect.mapError(
        Effect.flatMap(source.unspent?.(address, heads) ?? Effect.dieMessage("a source without outputs"), (reading) =>
          Either.map(
            Either.all(reading.outputs.map((output) => toOutput(facts, address, output, source.badResponse))),
            (outputs) => ({ ...reading, outputs })
          )
        ),
        unread
      ),
    { none }
  )

/** Reads the outputs of each address of one request. */
export type OutputReader = Effect.Effect<(address: string) => Effect.Effect<Outputs, ReadFailure>>

/** Reads outputs, the newest block once for all addresses of a request. `none` is the failure without an indexer. */
export const outputsOf = (facts: UtxoFacts, sources: ReadonlyArray<UtxoProvider>, none: ReadFailure): OutputReader =>
  Effect.map(sharedHeads, (heads) => (address) => readOutputs(facts, sources, none, address, heads))

/** Reads what is needed to build transactions that spend the outputs. */
export const contexts = (facts: UtxoFacts, outputs: OutputReader) => () =>
  Effect.map(outputs, (read) => (address: string) => Effect.map(read(address), (all) => toContext(facts, all)))

/** The context of transactions that spend the outputs. */
const toContext = ({ transactions }: UtxoFacts, { count, height, outputs }: Outputs): UtxoContext => ({
  family: "utxo",
  height: numberOf(height),
  coinbaseMaturity: transactions.coinbaseMaturity,
  utxos: outputs.map(({ output }) => output),
  truncated: isTruncated({ count, outputs }),
  count: count ?? null
})

/** Whether the address has more outputs. */
export const isTruncated = ({ count, outputs }: Pick<Outputs, "count" | "outputs">): boolean =>
  count === undefined || count > outputs.length

/** Left if the output does not pay the address. */
const toOutput = (
  facts: UtxoFacts,
  requested: string,
  { address: spelling = requested, confirmations, origin, path, script, txid, value, vout }: Unspent,
  wrong: UtxoProvider["badResponse"]
): Either.Either<Outputs["outputs"][number], UpstreamError> => {
  const payee = Either.getOrUndefined(UtxoAddress.decode(facts, spelling))
  if (payee === undefined || payee.kind === "extended")
    return Either.left(wrong("returned an output without an address"))
  const own = lockingScript(payee).toString("hex")
  const address = UtxoAddress.encode(facts.coding, payee)
  const { kind } = Either.getOrElse(UtxoAddress.decode(facts, requested), () => payee)
  if (kind !== "extended" && address !== requested) return Either.left(wrong("returned an output of another address"))
  const withTokens = facts.coding.cashaddr !== undefined && script?.startsWith("ef") === true && script.endsWith(own)
  const actual = script != null && paysKeyOf(payee, script) ? script : own
  if (script != null && script !== actual && !withTokens)
    return Either.left(wrong("returned an output of another script"))
  const isMature = confirmations === 0 || confirmations >= maturityOf(facts.transactions, origin)
  const young = origin === undefined ? "unknownOrigin" : origin === "pegOut" ? "pegOut" : "immature"
  const lock = withTokens ? "tokens" : !isMature ? young : script === null ? "unknownScript" : undefined
  const reason = script === null ? reasons.unknownScript : lock && reasons[lock]
  return Either.right({
    lock,
    output: {
      txid,
      vout,
      value: String(value),
      script: actual,
      address,
      confirmations,
      // A mempool transaction is never newly mined.
      coinbase: confirmations === 0 ? false : origin === undefined ? null : origin === "coinbase",
      spendable: lock === undefined,
      ...(reason === undefined ? {} : { reason }),
      ...(path === undefined ? {} : { path })
    }
  })
}
