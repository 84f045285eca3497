import * as Effect from "effect/Effect"
import { elector } from "../../../src/chains/ton/Provider.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

/** Response of a TON Center on which only the elector has a balance. */
const nobodys = (url: URL) =>
  url.pathname === "/api/v3/accountStates"
    ? { accounts: [{ address: elector, balance: "650000000000000000", status: "active" }], address_book: {} }
    : { jetton_wallets: [], address_book: {}, metadata: {} }

export const ton: FamilyFacts = {
  unfunded: [
    "UQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXz3VV",
    "EQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXzyiQ",
    "0:33A14A5A9406979D59B9328898591660B8B1736342B11632EFDCC911AB9057CF",
    "0:33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057cf"
  ],
  malformed: [
    "",
    " ",
    "UQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXz3VW",
    "UQAzoUpalAaXnVm5MoiYWRZguLFzY0KxFjLv3MkRq5BXz3V",
    "0:33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057c",
    "33a14a5a9406979d59b9328898591660b8b1736342b11632efdcc911ab9057cf",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "foundation.ton"
  ],
  variables: () => ({ TONCENTER_URL: "http://toncenter.test", TONAPI_URL: "http://tonapi.test" }),
  empty: () => ({ "toncenter.test": (_, { url }) => Effect.sync(() => Response.json(nobodys(url))) })
}
