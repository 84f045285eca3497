import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../src/domain/NetworkId.ts"
import * as Indexers from "../../support/Indexers.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

/** Spellings of one unused address per network. */
const spellings: Readonly<Record<string, ReadonlyArray<string>>> = {
  bitcoin: ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"],
  bch: [
    "bitcoincash:ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
    "ppm2qsznhks23z7629mms6s4cwef74vcwvn0h829pq",
    "BITCOINCASH:PPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVN0H829PQ",
    "PPM2QSZNHKS23Z7629MMS6S4CWEF74VCWVN0H829PQ",
    "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC"
  ],
  litecoin: ["MJiPwX84iBe4WnFDwsYGgtnz1XonPhUqhf", "3CWFddi6m4ndiGyKqzYvsFYagqDLPVMTzC"],
  dogecoin: ["D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh"]
}

const host = ({ id }: NetworkFacts, kind: Indexers.Kind) => `${kind}.${id}.test`

export const utxo: FamilyFacts = {
  unfunded: ({ id }) => spellings[id] ?? [],
  malformed: ({ id }) => [
    "",
    " ",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
    "mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn",
    "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
    ...(spellings[id] ?? []).flatMap((text) => [text.slice(0, -1), ` ${text}`, `${text}q`])
  ],
  variables: (info) =>
    Object.fromEntries(
      Indexers.kinds.map((kind) => [
        `${variablePrefix(info.id)}_${kind.toUpperCase().replaceAll("-", "_")}_URLS`,
        `http://${host(info, kind)}`
      ])
    ),
  empty: (info) =>
    Object.fromEntries(Indexers.kinds.map((kind) => [host(info, kind), Indexers.indexer(info as UtxoFacts, kind)]))
}
