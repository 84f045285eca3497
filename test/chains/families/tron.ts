import * as TronNodes from "../../support/TronNodes.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

export const tron: FamilyFacts = {
  unfunded: [
    "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdH",
    "41c8599111f29c1e1e061265b4af93ea1f274ad78a",
    "0x41c8599111f29c1e1e061265b4af93ea1f274ad78a",
    "41C8599111F29C1E1E061265B4AF93EA1F274AD78A"
  ],
  malformed: [
    "",
    " ",
    "T",
    "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYd",
    "TUEZSdKsoDHQMeZwihtdoBiN46zxhGWYdh",
    "tuezsdksodhqmezwihtdobin46zxhgwydh",
    "41c8599111f29c1e1e061265b4af93ea1f274ad7",
    "0xc8599111f29c1e1e061265b4af93ea1f274ad78a",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
  ],
  variables: ({ id }) => ({ TRONGRID_URL: `http://${id}.test` }),
  empty: ({ id }) => ({ [`${id}.test`]: (_, { text, url }) => TronNodes.speaking({})({ body: text, url }) })
}
