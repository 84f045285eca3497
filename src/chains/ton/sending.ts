import { type Address, beginCell, Cell, loadMessage, type Message, storeMessage } from "@ton/core"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { numberOf, toMillis } from "../../domain/units.ts"
import type { RpcCall, SendingRpc } from "../../jsonrpc/Rpc.ts"
import { span } from "../../kernel/span.ts"
import * as Task from "../../kernel/Task.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import type { RawTransactions, ReadFailure, ReadSigned, SendOutcome, SignedTransaction } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { findFirst } from "../kit/sending/findFirst.ts"
import { type Dialect, decided, send } from "../kit/sending/nodeReplies.ts"
import { contentOf, type Order, orderOf } from "./order.ts"
import type { TonProviders } from "./Provider.ts"
import { refusals } from "./refusals.ts"
import { parseHash } from "./TonTransactions.ts"

// External messages (block.tlb, `ext_in_msg_info`), which a wallet's contract accepts as orders.

/** The limit of validators for external messages. */
const maxBytes = 65_535

interface TonSigned {
  readonly base64: string
  /** The normalized hash of the message in hex (TEP-467). Messages that differ only in details of encoding share it. */
  readonly hash: string
  /** Hash of the root cell, which also depends on details of the encoding. */
  readonly rootHash: string
  /** The wallet. */
  readonly destination: Address
  readonly order: Order | undefined
}

const normalizedHash = ({ body, info }: Message): string | undefined => {
  if (info.type !== "external-in") return undefined
  const normalized: Message = { info: { type: "external-in", dest: info.dest, importFee: 0n }, body }
  return beginCell()
    .store(storeMessage(normalized, { forceRef: true }))
    .endCell()
    .hash()
    .toString("hex")
}

const bytesOf = (text: string): Buffer => {
  const isHex = text.length % 2 === 0 && /^[0-9a-f]+$/i.test(text)
  return Buffer.from(text, isHex ? "hex" : "base64")
}

/** Parses an external message as a bag of cells in base64, base64url or hex; left is the problem in words. */
export const parse = (text: string): Either.Either<TonSigned, string> => {
  if (text.length > 2 * maxBytes) return Either.left(`a message has at most ${maxBytes} bytes`)
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(text))
    return Either.left("a message is written in base64 or in hexadecimal digits")
  const bytes = bytesOf(text)
  if (bytes.length > maxBytes) return Either.left(`a message has at most ${maxBytes} bytes`)
  const roots = Either.getOrElse(
    Either.try(() => Cell.fromBoc(bytes)),
    () => []
  )
  const [root] = roots
  if (root === undefined || roots.length > 1) return Either.left("this is not a bag of cells with one root")
  return Either.flatMap(
    Either.try({ try: () => loadMessage(root.beginParse()), catch: () => "this is not a message" }),
    (message) => {
      const hash = normalizedHash(message)
      return hash === undefined || message.info.type !== "external-in"
        ? Either.left("this is not an external message to a contract")
        : Either.right({
            base64: root.toBoc().toString("base64"),
            hash,
            rootHash: root.hash().toString("hex"),
            destination: message.info.dest,
            order: orderOf(message.body)
          })
    }
  )
}

/** Reads a call that changes nothing; fails for an error of the node. */
const read = (rpc: SendingRpc, call: RpcCall): Effect.Effect<unknown, ReadFailure> =>
  Effect.flatMap(Effect.mapError(Task.toEffect(rpc.call(call)), unread), ({ member, text }) =>
    member === "result" ? Effect.succeed(parsedJson(text)) : Effect.fail(noLookup)
  )

const noLookup: ReadFailure = { reason: "upstream_error", message: "the wallet could not be read" }

/** Reports a gap if the sequence number of the order is higher than that of the wallet. */
const withGap =
  (rpc: SendingRpc, { destination, order }: TonSigned) =>
  (outcome: SendOutcome): Effect.Effect<SendOutcome> => {
    if (outcome.reason !== "nonce_too_low" || order === undefined) return Effect.succeed(outcome)
    const address = destination.toString()
    const call = { method: "runGetMethod", params: JSON.stringify({ address, method: "seqno", stack: [] }) }
    return Effect.map(
      Effect.orElseSucceed(read(rpc, call), () => undefined),
      (result): SendOutcome => {
        const next = /"num","0x([0-9a-f]{1,8})"/.exec(JSON.stringify(result) ?? "")?.[1]
        const isAhead = next !== undefined && order.sequence > Number.parseInt(next, 16)
        return isAhead ? { ...outcome, reason: "nonce_gap" } : outcome
      }
    )
  }

const hexOf = (hash: unknown) => Buffer.from(String(hash), "base64").toString("hex")

/** Nodes return the hash of the message, newer ones also the normalized hash; `sendBoc` only a type, or nothing. */
const isResultOf =
  ({ hash, rootHash }: TonSigned) =>
  (result: unknown): boolean =>
    result === null ||
    (Predicate.isRecord(result) &&
      typeof result["@type"] === "string" &&
      result["@type"] !== "error" &&
      (result.hash === undefined || hexOf(result.hash) === rootHash) &&
      (result.hash_norm === undefined || hexOf(result.hash_norm) === hash))

const known = /duplicate (external )?message/i

/** A wallet also refuses an order that it executed. Version 3 reports an expired order like a wrong signature. */
const ambiguous = ["nonce_too_low", "expired", "invalid"] as const

/** Sends to the nodes of one network. */
export const sendable =
  (rpc: SendingRpc): ReadSigned =>
  (text) =>
    Either.map(parse(text), (message): SignedTransaction => {
      const call = { method: "sendBocReturnHash", params: JSON.stringify({ boc: message.base64 }) }
      const dialect: Dialect = { isResult: isResultOf(message), known, refusals }
      const { destination, hash, order, rootHash } = message
      const end = order?.validUntil
      return {
        hash,
        content: () => contentOf(destination, order),
        aliases: rootHash === hash ? [] : [rootHash],
        ...(order === undefined ? {} : { uses: { account: destination.toRawString(), nonce: BigInt(order.sequence) } }),
        ...(end === undefined ? {} : { expiry: toMillis(end) }),
        notes: () => [end === undefined ? "" : String(numberOf(end)), hash],
        ambiguous,
        decided: (reply) => decided(dialect, reply),
        send: Effect.flatMap(send(rpc, call, dialect), withGap(rpc, message))
      }
    })

/** Looks up a transaction at all indexers in order. */
export const lookup =
  (providers: TonProviders): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseHash(text), (hash) =>
      findFirst(providers, (provider) => provider.transaction(hash)).pipe(span("Ton.find"))
    )
