import type { Refusals } from "../sending/refusals.ts"

/**
 * Refusals of Substrate nodes (polkadot-sdk stable2509), as `code: words`; the codes are those of
 * substrate/client/rpc-api/src/author/error.rs.
 *
 * Not listed: outdated (1010) and banned (1012) extrinsics, which a pool reports for half an hour after a block includes
 * them.
 */
export const refusals: Refusals = [
  ["nonce_gap", /valid in the future/i],
  ["insufficient_funds", /inability to pay|balance too low/i],
  ["replacement_underpriced", /^1014:/],
  ["expired", /ancient birth/i],
  // A wrong format or signature, an unknown or unactionable extrinsic, a cycle of dependencies, unsafe calls, parameters.
  ["invalid", /^(1001|1002|1011|1015|1018|1019|1021|-32602):/],
  ["invalid", /^1010:(?!.*(outdated|stale))/i]
]
