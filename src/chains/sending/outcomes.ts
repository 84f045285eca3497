import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import type { SendReason } from "../../domain/SendReason.ts"
import { type Millis, millis, now, shift } from "../../domain/units.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import { didNotArrive } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type {
  NodeResponse,
  RawTransactions,
  ReadFailure,
  ReadSigned,
  SendFailure,
  SendOutcome,
  SignedTransaction
} from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { reasonOf, shown } from "./refusals.ts"

/** A transaction that a node accepted, now or earlier. */
export const accepted = (alreadyKnown: boolean, words = ""): SendOutcome => ({
  accepted: true,
  alreadyKnown,
  reason: null,
  nodeMessage: shown(words)
})

/** A refusal in the words of a node. */
export const refused = (words: string, reason: SendReason = reasonOf(words)): SendOutcome => ({
  accepted: false,
  alreadyKnown: false,
  reason,
  nodeMessage: shown(words)
})

/** A transaction that the service does not send, because every node would refuse it. */
export const notSent = (hash: string, reason: SendReason): SignedTransaction => ({
  hash,
  send: Effect.succeed(refused("", reason))
})

export const failureOf = (error: UpstreamError): SendFailure => ({
  ...unread(error),
  ...(didNotArrive(error) ? {} : { mayHaveArrived: true })
})

/** Whether the chain or a node's pool has the transaction. */
export type Find = Effect.Effect<boolean, ReadFailure>

/**
 * Looks a transaction up before it is refused for one of these reasons, which also result from its own earlier arrival.
 * If the lookup fails, it is unknown whether the transaction was accepted.
 */
export const unlessFound =
  (reasons: ReadonlyArray<SendReason>, find: Find) =>
  (outcome: SendOutcome): Effect.Effect<SendOutcome, SendFailure> =>
    outcome.reason === null || !reasons.includes(outcome.reason)
      ? Effect.succeed(outcome)
      : Effect.mapBoth(find, {
          onFailure: (failure): SendFailure => ({ ...failure, mayHaveArrived: true }),
          onSuccess: (isFound) => (isFound ? { ...outcome, accepted: true, alreadyKnown: true, reason: null } : outcome)
        })

/** The facts of a transaction that its bytes contain. */
interface RawForm {
  readonly hash: string
  /** Last time at which a block may include it; absent if the bytes do not say. */
  readonly expiry?: Millis
}

interface RawOptions {
  /** Parses a text that the ability accepts; left is the problem in words. */
  readonly parse: (text: string) => Either.Either<RawForm, string>
  readonly raw: RawTransactions
  /** Reasons that also result from an earlier arrival; see {@link unlessFound}. */
  readonly ambiguous?: ReadonlyArray<SendReason>
}

/** Members of nodes' responses that contain the words of a refusal. */
const members = new Set(
  "error result code engine_result engine_result_message error_exception message data details contents".split(" ")
)

/** Java nodes encode messages as hex. */
const decoded = (text: string): string =>
  /^([2-7][0-9a-f])+$/i.test(text) ? Buffer.from(text, "hex").toString("latin1") : text

/** The texts of the members above, in order. Some gateways put the JSON of a node into a text. */
const textsIn = (value: unknown, depth: number): ReadonlyArray<string> => {
  if (typeof value === "string") {
    const inner = depth > 0 && value.startsWith("{") ? parsedJson(value) : undefined
    return inner === undefined ? [decoded(value)] : textsIn(inner, depth - 1)
  }
  if (depth === 0) return []
  if (Array.isArray(value)) return value.flatMap((item) => textsIn(item, depth - 1))
  if (!Predicate.isRecord(value)) return []
  return Object.entries(value).flatMap(([name, member]) => (members.has(name) ? textsIn(member, depth - 1) : []))
}

/** Depth of the deepest known response. */
const maxDepth = 10

/** The words of a response: the texts of its JSON, or the response itself if it is not JSON. */
export const wordsIn = (body: string): string => {
  const value = parsedJson(body)
  if (value === undefined) return body
  return textsIn(value, maxDepth)
    .filter((text) => text !== "")
    .join(": ")
}

/** The words of a node that accepted a transaction; most nodes return only its hash. */
const wordsBeside = (words: string, hash: string) => (words.toLowerCase().includes(hash.toLowerCase()) ? "" : words)

const outcomeOf =
  (hash: string) =>
  ({ body, otherHash, repeated, verdict }: NodeResponse): Either.Either<SendOutcome, SendFailure> => {
    const words = wordsIn(body)
    if (verdict !== "done") return Either.right(refused(words))
    return otherHash === true
      ? Either.left(wrongHash)
      : Either.right(accepted(repeated === true, wordsBeside(words, hash)))
  }

const wrongHash: SendFailure = {
  reason: "bad_answer",
  message: "the node accepted a transaction under another hash",
  mayHaveArrived: true
}

/** Difference between the clock and the time of a block at which a transaction is not sent, ms. */
const expiryTolerance = 120_000

/**
 * Adds the ability to send in the common form to an ability for raw transactions, whose lookup decides where a refusal
 * is ambiguous. A transaction that expired is not sent, but looked up.
 */
export const ofRaw = ({ ambiguous = [], parse, raw }: RawOptions) => {
  const main: ReadSigned = (text) =>
    Either.gen(function* () {
      const sending = yield* raw.prepareSend?.(text) ?? Either.left("the network accepts no transactions")
      const { expiry = millis(Number.POSITIVE_INFINITY), hash } = yield* parse(text)
      const find = Effect.map(yield* raw.prepareLookup(hash), ({ verdict }) => verdict === "done")
      const sent = sending.pipe(Effect.flatMap(outcomeOf(hash)), Effect.flatMap(unlessFound(ambiguous, find)))
      const expired = Effect.map(find, (isFound) => (isFound ? accepted(true) : refused("", "expired")))
      const send = Effect.flatMap(now, (clock): SignedTransaction["send"] =>
        clock > shift(expiry, expiryTolerance) ? expired : sent
      )
      return { hash, send }
    })
  return { rawTransactions: raw, sending: { main } }
}
