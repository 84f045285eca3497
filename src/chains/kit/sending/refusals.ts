import type { SendReason } from "../../../domain/SendReason.ts"
import { connectionLost } from "../../../jsonrpc/errors.ts"

/**
 * The refusals of a family's nodes and indexers, as `code: words`: the first pattern that matches an error is its
 * reason. An error that matches none is no refusal: the node may have accepted the transaction.
 */
export type Refusals = ReadonlyArray<readonly [reason: SendReason, pattern: RegExp]>

/** The reason of a refusal; undefined for any other error, also of a node that lost its connection to another one. */
export const reasonIn = (refusals: Refusals, words: string): SendReason | undefined =>
  connectionLost.test(words) ? undefined : refusals.find(([, pattern]) => pattern.test(words))?.[0]

/** Maximum length of a node's words, characters. */
const maxLength = 500

/** Longer texts are cut off before the patterns below run. */
const maxRead = 10_000

/** URLs and their queries, and hosts with a path or a port: the address of a node may contain a key. */
const addresses =
  /\S{0,200}\?\w{1,50}=\S+|\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+|\b(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,24}[:/]\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi

/** A key or password that an error quotes. */
const secrets =
  /\b((?:api|access|project|secret)[-_ ]?(?:key|id|token)|authorization|bearer|password|token)\b["']?\s*[:=]\s*["']?\S+/gi

/** A node's words in one line, without addresses. */
export const withoutAddresses = (words: string): string =>
  // Also without characters that change the direction of the text after them.
  words
    .slice(0, maxRead)
    .replace(/[\s\p{C}]+/gu, " ")
    .replace(addresses, "(address)")

/** A node's words as shown to clients: in one line, without addresses and secrets, at most 500 characters. */
export const shown = (words: string): string | null => {
  const text = withoutAddresses(words).replace(secrets, "$1 (removed)").trim()
  if (text === "") return null
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/\p{Cs}$/u, "")}…` : text
}
