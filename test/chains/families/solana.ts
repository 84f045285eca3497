import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import type * as EvmNodes from "../../support/EvmNodes.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

const address = "8wytzyCBXco7yqgrLDiecpEt452MSuNWRe7xsLgAAX1H"

export const solana: FamilyFacts = {
  unfunded: [address],
  malformed: [
    "",
    " ",
    ` ${address}`,
    address.slice(0, -2),
    `${address}1`,
    address.replace("8", "0"),
    address.toLowerCase(),
    `0x${"12".repeat(32)}`,
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    base58.encode(new Uint8Array(31).fill(7)),
    base58.encode(new Uint8Array(33).fill(7)),
    base58.encode(new Uint8Array(64).fill(7)),
    "1".repeat(10_000),
    "toly.sol"
  ],
  variables: () => ({ SOLANA_RPC_URLS: "http://solana.test" }),
  empty: () => ({
    "solana.test": (body) =>
      Effect.sync(() => {
        const item = ({ id, method, params }: EvmNodes.RpcCall) => {
          const value =
            method === "getMultipleAccounts"
              ? (params[0] as ReadonlyArray<string>).map(() => null)
              : method === "getBalance"
                ? 0
                : []
          return { jsonrpc: "2.0", id, result: { context: { slot: 1 }, value } }
        }
        return Response.json(Array.isArray(body) ? body.map(item) : item(body as EvmNodes.RpcCall))
      })
  })
}
