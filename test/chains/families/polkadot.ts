import * as AssetHub from "../../support/AssetHub.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

export const polkadot: FamilyFacts = {
  // The same key with the prefixes of Polkadot and Kusama, the generic prefix, and a two-byte prefix.
  unfunded: [
    "16EEnWeJZkzBiLgZnz8R5NiE4Zo7S67PGvVyGWD6L538e2bB",
    "HoZJVj7LLje2TVVc3tTqBF5MY5hYTNReocEVsVhFnE7CsJp",
    "5HHweBPEhyiiGog3qM5QwDt5CwoTjnZFCRmV7DDjmz1cTaXJ",
    "VdvkmFupCgUiHQPR3gw4mKoQHg83Zycs12ydQpPygGsPR67p5",
    "0xe745c2c869615d270bf5eaf86e3efe4c857594628e67ddf8010e32aa8cb9b8a6",
    "0xE745C2C869615D270BF5EAF86E3EFE4C857594628E67DDF8010E32AA8CB9B8A6"
  ],
  malformed: [
    "",
    " ",
    "0x",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "16EEnWeJZkzBiLgZnz8R5NiE4Zo7S67PGvVyGWD6L538e2bC",
    "16EEnWeJZkzBiLgZnz8R5NiE4Zo7S67PGvVyGWD6L538e2b",
    "16eenwejzkzbilgznz8r5nie4zo7s67pgvvygwd6l538e2bb",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "bob"
  ],
  variables: () => ({ POLKADOT_RPC_URLS: "http://hub.test" }),
  empty: () => ({ "hub.test": AssetHub.node({}) })
}
