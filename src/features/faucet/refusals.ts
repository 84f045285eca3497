import type { RpcError } from "../../jsonrpc/errors.ts"

/** Meaning of a node's error for the transaction or the method that was sent. */
export type Meaning =
  | "duplicate"
  | "nonceTaken"
  | "outdated"
  | "outOfFunds"
  | "unknownMethod"
  /** The transaction may have been accepted. */
  | "unclear"
  | "refused"

/** In order of precedence. Texts of geth, Nethermind, Besu, Erigon, Reth and Anvil precede their shared codes. */
const meanings: ReadonlyArray<readonly [Meaning, RegExp]> = [
  [
    "duplicate",
    /already (known|imported)|transaction already exists|\bknown transaction|alreadyknown|already in (the )?\w* ?pool/i
  ],
  ["outOfFunds", /insufficient (funds|balance)|enough funds|upfront cost exceeds|insufficientfunds|exceeds balance/i],
  ["nonceTaken", /nonce.{0,20}too low|oldnonce|nonce.{0,20}(already|used)|replace|same nonce/i],
  [
    "outdated",
    /nonce.{0,20}(too high|gap)|invalid nonce|underpriced|fee.{0,20}too low|less than (the )?block base fee|feetoolow|gas price.{0,20}(low|below)/i
  ],
  [
    "unknownMethod",
    /method.{0,80}(not (found|supported|available|exist|allowed|whitelisted)|unknown|unsupported)|(unknown|unsupported|unrecognized).{0,20}method/i
  ]
]

const unclear = /internal|timeout|timed out|unavailable|overloaded|upstream|backend|bad gateway/i
const unclearCodes = [-32603, -32001, -32002]

export const meaningOf = ({ code, detail }: RpcError): Meaning => {
  const [meaning] = meanings.find(([, text]) => text.test(detail)) ?? []
  if (meaning !== undefined) return meaning
  if (code === -32601) return "unknownMethod"
  return unclearCodes.includes(code) || unclear.test(detail) ? "unclear" : "refused"
}

/** Text of an error for the log. */
export const describe = ({ code, detail }: RpcError) =>
  `the node of the test network refused (${code}): ${detail.slice(0, 200)}`
