import * as Effect from "effect/Effect"
import { usedAddresses } from "../../../src/chains/cardano/providers/koios/KoiosBalances.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

const address =
  "addr1qygl5xsd57u59wv6mszq6tu32t55qx60fz4t2mwytjxztxtswj8ngt9puck7f0cqxzsfe62un6ln88yy8c8tguz8twmq55qrdt"

/** Response of a Koios on which only the known addresses were ever used. */
const nobodys = ({ pathname }: URL, body: string) => {
  const known = usedAddresses.find((knownAddress) => body.includes(knownAddress))
  if (known === undefined) return []
  return pathname.endsWith("/address_info")
    ? [{ address: known, balance: "1" }]
    : [{ stake_address: known, utxo: "1", rewards_available: "0" }]
}

/** Response of Blockfrost for an unused address. */
const neverUsed = { status_code: 404, error: "Not Found", message: "The requested component has not been found." }

export const cardano: FamilyFacts = {
  unfunded: [address, address.toUpperCase()],
  malformed: [
    "",
    " ",
    "addr1",
    address.slice(0, -1),
    `${address.slice(0, -1)}q`,
    `${address.slice(0, 20)}${address.slice(20).toUpperCase()}`,
    address.replace("addr1", "stake1"),
    // A testnet address from the examples of CIP-19.
    "addr_test1vz2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzerspjrlsz",
    "addr_vkh1h7wl3l3w6heru0us8mdc3v3jlahq79w49cpypsuvgjhdwp5apep",
    "Ae2tdPwUPEZFRbyhz3cpfC2CumGzNkFBN2L42rcUc2yjQpEkxDbkPodpMAj",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "$handle"
  ],
  variables: () => ({
    BLOCKFROST_URL: "http://blockfrost.test",
    BLOCKFROST_PROJECT_ID: "a project",
    KOIOS_URL: "http://koios.test"
  }),
  empty: () => ({
    "blockfrost.test": () => Effect.sync(() => Response.json(neverUsed, { status: 404 })),
    "koios.test": (_, { text, url }) => Effect.sync(() => Response.json(nobodys(url, text)))
  })
}
