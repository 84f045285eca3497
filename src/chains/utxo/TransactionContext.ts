import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import type { UnspentOutput, UtxoContext } from "../../domain/transactionContext/UtxoContext.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Unread } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { lockingScript } from "./lockingScript.ts"
import type { IndexerSource } from "./sources/Source.ts"
import type { Unspent, UnspentReading } from "./Unspent.ts"
import * as UtxoAddress from "./UtxoAddress.ts"

/** Sources of unspent outputs, those first that say of each whether it is newly mined. */
export const inPreference = (sources: ReadonlyArray<IndexerSource>): ReadonlyArray<IndexerSource> =>
  sources.filter(({ unspent }) => unspent !== undefined)

/** What transactions of an address, or of an extended public key, are built from. */
export const read = (
  facts: UtxoFacts,
  sources: ReadonlyArray<IndexerSource>,
  nobody: (address: string) => Unread,
  address: string
): Effect.Effect<UtxoContext, Unread> =>
  Sources.first(
    inPreference(sources).filter(({ takes }) => takes(address)),
    (source): Effect.Effect<UtxoContext, Unread> =>
      Effect.mapError(
        Effect.flatMap(source.unspent?.(address) ?? Effect.dieMessage("a source without outputs"), (reading) =>
          toContext(facts, address, reading, source.wrong)
        ),
        unread
      ),
    { none: nobody(address) }
  )

/** Left where an output pays another script than that of its address. */
const toContext = (
  facts: UtxoFacts,
  address: string,
  { count, height, outputs }: UnspentReading,
  wrong: IndexerSource["wrong"]
): Either.Either<UtxoContext, UpstreamError> =>
  Either.map(Either.all(outputs.map((output) => toOutput(facts, address, output, wrong))), (utxos) => ({
    family: "utxo",
    height,
    coinbaseMaturity: facts.transactions.coinbaseMaturity,
    utxos,
    truncated: count === undefined || count > utxos.length,
    count: count ?? null
  }))

const toOutput = (
  facts: UtxoFacts,
  requested: string,
  { address: spelling = requested, coinbase, confirmations, path, script, txid, value, vout }: Unspent,
  wrong: IndexerSource["wrong"]
): Either.Either<UnspentOutput, UpstreamError> => {
  const payee = Either.getOrUndefined(UtxoAddress.decode(facts, spelling))
  if (payee === undefined || payee.kind === "extended") return Either.left(wrong("returned an output without address"))
  const own = lockingScript(payee).toString("hex")
  const address = UtxoAddress.encode(facts.coding, payee)
  if (script !== undefined && script !== own) return Either.left(wrong("returned an output of another script"))
  const isMature = confirmations >= facts.transactions.coinbaseMaturity
  // What waits in the pool is never newly mined.
  const isNew = confirmations === 0 ? false : (coinbase ?? null)
  return Either.right({
    txid,
    vout,
    value: String(value),
    script: own,
    address,
    confirmations,
    coinbase: isNew,
    spendable: isMature || isNew === false,
    ...(path === undefined ? {} : { path })
  })
}
