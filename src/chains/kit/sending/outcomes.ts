import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SendReason } from "../../../domain/SendReason.ts"
import type { TransactionState } from "../../../domain/Transaction.ts"
import { type Millis, millis, now, shift } from "../../../domain/units.ts"
import { didNotArrive } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type {
  NodeResponse,
  RawTransaction,
  ReadFailure,
  ReadSigned,
  SendFailure,
  SendOutcome,
  SignedTransaction,
  Statuses,
  TransactionStatus
} from "../../Chain.ts"
import { unread } from "../holdings/tokenList.ts"
import { absences } from "../status/readStatuses.ts"
import type { SendProblem } from "./content.ts"
import { type Refusals, reasonIn, shown } from "./refusals.ts"

/** A transaction that a node accepted, now or earlier. */
export const accepted = (alreadyKnown: boolean, words = "", response?: NodeResponse): SendOutcome => ({
  accepted: true,
  alreadyKnown,
  reason: null,
  nodeMessage: shown(words),
  ...(response === undefined ? {} : { response })
})

/** A refusal in the words of a node. */
export const refused = (words: string, reason: SendReason, response?: NodeResponse): SendOutcome => ({
  accepted: false,
  alreadyKnown: false,
  reason,
  nodeMessage: shown(words),
  ...(response === undefined ? {} : { response })
})

/** An error that is not recognised as a refusal: the node may have accepted the transaction. */
const undecided = (words: string): Fault => ({
  reason: "upstream_error",
  detail: `the node did not say whether it accepted it (${shown(words) ?? "no message"})`
})

/** A refusal if the family's table has the error, which is undecided otherwise. */
export const refusedBy = (
  refusals: Refusals,
  { code, words }: { readonly code?: string | number; readonly words: string },
  response?: NodeResponse
): Either.Either<SendOutcome, Fault> => {
  const reason = reasonIn(refusals, code === undefined ? words : `${code}: ${words}`)
  return reason === undefined
    ? Either.left(undecided(words))
    : Either.right(refused(words || String(code), reason, response))
}

/** A transaction that the service does not send, because every node would refuse it. */
export const notSent = (
  { content, hash }: Pick<SignedTransaction, "content" | "hash">,
  refusal: SendReason
): SignedTransaction => ({
  hash,
  content,
  refusal,
  ambiguous: [],
  send: Effect.succeed(refused("", refusal))
})

/** Does not send what has a `refusal`. */
export const refusing =
  (read: ReadSigned): ReadSigned =>
  (text) =>
    Either.map(read(text), (signed) => (signed.refusal === undefined ? signed : notSent(signed, signed.refusal)))

export const failureOf = (error: UpstreamError): SendFailure => ({
  ...unread(error),
  ...(didNotArrive(error) ? {} : { mayHaveArrived: true })
})

/** If the transaction may have arrived, the message says to look it up before it is sent again. */
export const uncertain =
  (hash: string | undefined) =>
  ({ mayHaveArrived, message, reason }: SendFailure): ReadFailure => ({
    reason,
    message: mayHaveArrived
      ? `${message}; the transaction may have arrived: look it up${hash === undefined ? "" : ` (${hash})`} before it is sent again`
      : message
  })

/** The state of a transaction; fails if the sources do not agree, or too few of them respond. */
export type Find = Effect.Effect<TransactionState, ReadFailure>

/** The status of one transaction. */
export const statusOf = ({ read }: Statuses, hash: string): Effect.Effect<TransactionStatus, ReadFailure> =>
  Effect.flatMap(read([hash]), ([result = Either.left(notRead)]) => result)

const contradicted: ReadFailure = {
  reason: "bad_answer",
  message: "a node reports its nonce as used, and others as unused"
}

const notRead: ReadFailure = { reason: "bad_answer", message: "the transaction could not be looked up" }

/** Difference between the clock and the time of a block at which a transaction is not sent, ms. */
const expiryTolerance = 120_000

const isOver = (expiry: Millis, clock: Millis) => clock > shift(expiry, expiryTolerance)

/** Why the service would not send a transaction at this time, before any node is called. */
export const problemsOf = (
  { expiry, refusal }: Pick<RawTransaction, "expiry" | "refusal">,
  clock: Millis
): ReadonlyArray<SendProblem> => [
  ...(refusal === undefined
    ? []
    : [{ reason: refusal, message: refusal === "wrong_chain" ? wrongChain : "Every node would refuse it." }]),
  ...(expiry === undefined || !isOver(expiry, clock) ? [] : [{ reason: "expired" as const, message: expired }])
]

/** Reasons of the bytes, which other signatures can have under the hash of a transaction that a node accepted. */
const permanent: ReadonlyArray<SendReason> = ["invalid", "wrong_chain"]

const wrongChain = "It is signed for another chain."
const expired = "The last time at which a block may include it has passed."

/**
 * Sends a transaction, or only looks it up if it has expired. It is also looked up if it is undecided whether a node
 * accepted it, before a refusal that may result from its own earlier arrival, and before a refusal after an earlier send,
 * except of the bytes: another node's words do not mean that no node has it. Without a lookup, as on test networks, or if
 * it fails after an acceptance, the refusal is returned. `earlier` is the decision of an earlier send (`unknown`: there
 * may have been one). If that is undecided, also a refusal of the bytes decides nothing: the first may have had others
 * under this hash. A used nonce is no refusal while the sources report it as unused.
 */
export const decide = (
  { ambiguous, countsNonces, expiry = millis(Number.POSITIVE_INFINITY), known, send }: RawTransaction,
  find: Find | undefined,
  earlier?: "accepted" | "undecided" | "unknown"
): Effect.Effect<SendOutcome, SendFailure> => {
  const unless = (
    words: string,
    alreadyKnown: boolean,
    otherwise: Effect.Effect<SendOutcome, SendFailure>,
    reason?: SendReason
  ) =>
    find === undefined
      ? otherwise
      : Effect.flatMap(find, (state) => {
          if (!absences.includes(state)) return Effect.succeed(accepted(alreadyKnown, words, known))
          const isUnused = countsNonces === true && state === "not_found"
          return isUnused && reason === "nonce_too_low" ? Effect.fail(contradicted) : otherwise
        })
  const sent = Effect.matchEffect(send, {
    onFailure: (failure) =>
      failure.mayHaveArrived || earlier !== undefined
        ? Effect.mapError(unless("", earlier === "accepted", Effect.fail(failure)), () => failure)
        : Effect.fail(failure),
    onSuccess: (outcome): Effect.Effect<SendOutcome, SendFailure> => {
      const { nodeMessage, reason } = outcome
      const isAmbiguous = reason !== null && ambiguous.includes(reason)
      const mayBeOld = isAmbiguous || earlier === "undecided" || earlier === "unknown"
      if (reason === null || !(mayBeOld || (earlier === "accepted" && !permanent.includes(reason))))
        return Effect.succeed(outcome)
      return Effect.catchAll(
        unless(nodeMessage ?? "", true, Effect.succeed(outcome), reason),
        (failure): Effect.Effect<SendOutcome, SendFailure> =>
          mayBeOld ? Effect.fail({ ...failure, mayHaveArrived: true }) : Effect.succeed(outcome)
      )
    }
  })
  const decision = Effect.flatMap(now, (clock) =>
    isOver(expiry, clock) ? unless("", true, Effect.succeed(refused("", "expired"))) : sent
  )
  return Effect.mapError(decision, (failure) =>
    earlier === undefined ? failure : { ...failure, mayHaveArrived: true }
  )
}
