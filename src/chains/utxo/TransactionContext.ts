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
import { unread } from "../tokenList.ts"
import type { IndexerSource } from "./sources/Source.ts"
import type { ReadOptions, Unspent, UnspentReading } from "./Unspent.ts"
import * as UtxoAddress from "./UtxoAddress.ts"
import { lockingScript } from "./UtxoAddress.ts"

/** Sources that list unspent outputs, in configured order. */
export const inPreference = (sources: ReadonlyArray<IndexerSource>): ReadonlyArray<IndexerSource> =>
  sources.filter(({ unspent }) => unspent !== undefined)

const carriesTokens = "it carries CashTokens, which a transaction that only moves coins would destroy"
const unknownScript = "the source did not return its script, which may differ from the script of the address"

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

/** Reads what is needed to build transactions of an address or an extended public key. */
export const read = (
  facts: UtxoFacts,
  sources: ReadonlyArray<IndexerSource>,
  noSource: (address: string) => ReadFailure,
  address: string,
  options: ReadOptions
): Effect.Effect<UtxoContext, ReadFailure> =>
  Sources.first(
    inPreference(sources).filter(({ supports }) => supports(address)),
    (source): Effect.Effect<UtxoContext, ReadFailure> =>
      Effect.mapError(
        Effect.flatMap(source.unspent?.(address, options) ?? Effect.dieMessage("a source without outputs"), (reading) =>
          toContext(facts, address, reading, source.badResponse)
        ),
        unread
      ),
    { none: noSource(address) }
  )

/** Left if an output does not pay the address. */
const toContext = (
  facts: UtxoFacts,
  address: string,
  { count, height, outputs }: UnspentReading,
  wrong: IndexerSource["badResponse"]
): Either.Either<UtxoContext, UpstreamError> =>
  Either.map(Either.all(outputs.map((output) => toOutput(facts, address, output, wrong))), (utxos) => ({
    family: "utxo",
    height: numberOf(height),
    coinbaseMaturity: facts.transactions.coinbaseMaturity,
    utxos,
    truncated: count === undefined || count > utxos.length,
    count: count ?? null
  }))

const toOutput = (
  facts: UtxoFacts,
  requested: string,
  { address: spelling = requested, coinbase, confirmations, path, script, txid, value, vout }: Unspent,
  wrong: IndexerSource["badResponse"]
): Either.Either<UnspentOutput, UpstreamError> => {
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
  const reason = withTokens ? carriesTokens : script === null ? unknownScript : undefined
  const isMature = confirmations >= facts.transactions.coinbaseMaturity
  // A mempool transaction is never newly mined.
  const isNew = confirmations === 0 ? false : (coinbase ?? null)
  return Either.right({
    txid,
    vout,
    value: String(value),
    script: actual,
    address,
    confirmations,
    coinbase: isNew,
    spendable: reason === undefined && (isMature || isNew === false),
    ...(reason === undefined ? {} : { reason }),
    ...(path === undefined ? {} : { path })
  })
}
