import * as Either from "effect/Either"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { parse, type Submission } from "../../chains/cardano/CardanoTransaction.ts"
import { numberOf } from "../../domain/units.ts"
import { remembered } from "../world/memoized.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import type * as CardanoOutputs from "./CardanoOutputs.ts"
import type { SerialisedCardano } from "./cardanoRaw.ts"

const refusal = (tag: string, contents: unknown) => ({ tag: "TxSubmitFail", contents: { tag, contents } })

/** Response of `cardano-submit-api`: the transaction id or the error. */
type Submitted = Either.Either<string, ReturnType<typeof refusal>>

const unreadable = refusal("TxCmdTxReadError", [
  'DecoderErrorDeserialiseFailure "Shelley Tx" (DeserialiseFailure 0 "expected list len or indef")'
])

const invalid = (error: string) =>
  refusal("TxCmdTxSubmitValidationError", {
    tag: "TxValidationErrorInCardanoMode",
    contents: { kind: "ShelleyTxValidationError", error: [error], era: "ShelleyBasedEraConway" }
  })

const ruled = (problem: string) => invalid(`ConwayUtxowFailure (UtxoFailure (${problem}))`)

const known = invalid('ConwayMempoolFailure "All inputs are spent. Transaction has probably already been included"')

interface SentTransaction extends Submit.SignedEvent {
  readonly judged: CardanoOutputs.ValidTransaction
}

/** Converts a transaction to an event. The net changes of its addresses already include the fee. */
const eventOf = (
  facts: NetworkFacts,
  { bytes, id, ttl: lastSlot }: Submission,
  judged: CardanoOutputs.ValidTransaction
): SentTransaction => {
  const { fee, inputs, outputs, validUntil } = judged
  const extra = Submit.movementsBetween(inputs, outputs, ({ address, assets, holder: to = address, lovelace }) => [
    { to, amount: lovelace },
    ...[...assets].flatMap(([unit, amount]) => {
      const contract = World.contractsOn(facts.platform).find((token) => token.address === unit)
      return contract === undefined ? [] : [{ to, amount, contract }]
    })
  ])
  const parts = {
    fee,
    valid: true,
    inputs,
    outputs,
    collateral: [],
    ...(lastSlot === undefined ? {} : { lastSlot: numberOf(lastSlot) })
  }
  const details: SerialisedCardano = { ...parts, hash: id, bytes }
  const from = inputs[0]?.holder ?? inputs[0]?.address ?? ""
  return { id, from, amount: 0n, extra, details, judged, ...(validUntil === undefined ? {} : { validUntil }) }
}

/** Mempool and chain. A sent transaction is available immediately; sending it again is rejected. */
export const poolOf = (facts: NetworkFacts, ledger: ReturnType<typeof CardanoOutputs.outputs>) => {
  const sent = remembered<Submission>()
  const { enter, find } = Submit.mempool<SentTransaction, ReturnType<typeof refusal>>(facts, {
    refusal: (problem) => (problem === "expired" ? ruled("OutsideValidityIntervalUTxO") : known),
    check: (signed) =>
      ledger.accept(signed.id, signed.judged) ? Either.right(signed) : Either.left(ruled("BadInputsUTxO")),
    nextBlock: (now) => 20_000 * (Math.floor(now / 20_000) + 1)
  })
  return {
    submit: (bytes: Uint8Array, now: number): Submitted =>
      Either.gen(function* () {
        const submission = yield* Either.mapLeft(parse(Buffer.from(bytes).toString("hex")), () => unreadable)
        const { id } = submission
        // No block will have a transaction of other outputs than those of the ledger, so the mempool does not keep it.
        if (find(id) !== undefined) return yield* Either.left(known)
        const judged = yield* Either.mapLeft(ledger.judge(submission), ruled)
        if (judged !== undefined) yield* enter(eventOf(facts, submission, judged), now)
        sent.set(id, submission)
        return id
      }),
    senderOf: (id: string): string | undefined => find(id)?.signed.from,
    /** CBOR of a sent transaction in hexadecimal digits. */
    cborOf: (id: string): string | undefined => {
      const found = sent.get(id)
      return found && Buffer.from(found.bytes).toString("hex")
    }
  }
}
