import type { Refusals } from "../kit/sending/refusals.ts"

/**
 * Refusals of Substrate nodes, as `code: words`: the codes of substrate/client/rpc-api/src/author/error.rs, the words of
 * `InvalidTransaction` in sp-runtime (transaction_validity.rs) and of recorded responses.
 *
 * Not listed: outdated (1010) and banned (1012) extrinsics, which a pool reports for half an hour after a block includes
 * them; unknown validity (1011), and other errors of the verification (1002), which are faults of the node.
 */
export const refusals: Refusals = [
  ["nonce_gap", /^1021:|valid in the future/i],
  ["insufficient_funds", /inability to pay|balance too low/i],
  ["replacement_underpriced", /^1014:/],
  ["expired", /ancient birth/i],
  // A wrong format, a cycle of dependencies, an unactionable extrinsic, one without tags, parameters.
  ["invalid", /^(1001|1015|1018|1019|-32602):/],
  // The runtime fails to decode an extrinsic of another version.
  ["invalid", /^1002:.*(execution failed|wasm trap)/i],
  ["invalid", /^1010:(?!.*(outdated|stale))/i]
]
