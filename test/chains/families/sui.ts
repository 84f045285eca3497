import * as Effect from "effect/Effect"
import type { FamilyFacts } from "./FamilyFacts.ts"

const digits = "00508fac9ab1b4ac3e3a3b2ee91bcb4a4bb1dc3d1aaef7a8b3c43ee4e2e1d5aa"

/** Response of a host without coins. */
const nobody = (keys: ReadonlyArray<{ readonly address: string }> | undefined) => ({
  multiGetAddresses: keys?.map(({ address }) => ({
    address,
    balances: { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } }
  })),
  address: { balance: { totalBalance: "0" } }
})

export const sui: FamilyFacts = {
  unfunded: [`0x${digits}`, `0x${digits.toUpperCase()}`, `0X${digits}`],
  malformed: [
    "",
    " ",
    "0x",
    ` 0x${digits}`,
    `0x${digits}0`,
    `0x${digits.slice(0, 58)}`,
    digits,
    digits.slice(1),
    `0x${digits.slice(1)}`,
    `0x${digits.slice(2)}`,
    "0x2",
    `0x${digits.slice(0, -1)}g`,
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "8wytzyCBXco7yqgrLDiecpEt452MSuNWRe7xsLgAAX1H",
    "0x2::sui::SUI",
    "name.sui"
  ],
  variables: () => ({ SUI_GRAPHQL_URLS: "http://sui.test/graphql" }),
  empty: () => ({
    "sui.test": (_, { text }) => Effect.sync(() => Response.json({ data: nobody(JSON.parse(text).variables.keys) }))
  })
}
