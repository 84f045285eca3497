import * as RippleNodes from "../../support/RippleNodes.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

export const ripple: FamilyFacts = {
  unfunded: [
    "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59",
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqZ",
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaGZMhc9YTE92ehJ2Fu"
  ],
  malformed: [
    "",
    " ",
    "r",
    "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk5",
    "r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk58",
    "R9CZA1MLK5R5AM25ARFXFMQGNWJZGNFK59",
    "X7AcgcsBL6XDcUb289X4mJ8djcdyKaB5hJDWMArnXr61cqY",
    "T719a5UwUCnEs54UsxG9CJYYDhwmFCqkr7wxCcNcfZ6p5GZ",
    "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
    "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t",
    "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
  ],
  variables: () => ({ RIPPLE_RPC_URLS: "http://ripple.test" }),
  empty: () => ({ "ripple.test": (body) => RippleNodes.speaking({})(body as unknown as RippleNodes.Call) })
}
