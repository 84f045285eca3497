import { own, peer, sampleMaster, token, usdt } from "../chains/ton/ton.ts"
import { replay } from "../support/fixtures.ts"
import { json } from "../support/http.ts"
import { events, heldAtTonApi, jettonOver, lookup } from "./readers/ton.ts"
import { fails, recordingsOf, row } from "./table.ts"

const rich = "0:009d03ddede8c2620a72f999d03d5888102250a214bf574a29ff64df80162168"
const other = "0:7c9fc62291740a143086c807fe322accfd12737b3c2243676228176707c7ce40"
const v5 = "0:88661faccabc915076f619f82910503d691be3dca5b25a083cd67a0e8f261c6f"
const kingy = "0:beb5d4638e860ccf7317296e298fde5b35982f4725b0676dc98b1de987b82ebc"
const made = sampleMaster.slice(0, 8)

const decimals = row(
  jettonOver(
    (master) => ({
      "tonapi.test": ({ url }) => (url.pathname.endsWith("/jettons") ? json({ balances: [] }) : replay(master))
    }),
    own,
    usdt
  ),
  [0n, usdt, 6],
  "decimals are a string"
)
const found = row(lookup("tonapi"), ["done", true], "is returned unchanged")

recordingsOf("tonapi", {
  samples: {
    "accounts-beyond-2-53 + jettons + jetton-master": [
      row(
        heldAtTonApi({ addresses: [own, peer] }),
        [["6048129033.771502269 ton"], ["0.038155042 ton"]],
        "all digits of a JSON number are preserved"
      ),
      row(
        heldAtTonApi({ addresses: [own, peer], tokens: [token(sampleMaster, "made", 9)] }),
        [
          ["6048129033.771502269 ton", "73.300412006 made"],
          ["0.038155042 ton", "73.300412006 made"]
        ],
        "only registered jettons are shown, so no look-alikes"
      )
    ],
    "accounts-with-exponent + jettons + jetton-master": row(
      heldAtTonApi({ addresses: [own] }),
      fails("bad_answer"),
      "a number that has lost digits"
    ),
    "jetton-master": decimals,
    events: row(
      events(own),
      ["11111111 Receive Success 1760000001 fee 517003: 0:2b2b2b:260000000 -> 0:1a1a1a:260000000", "60000000000001"],
      "`extra` is the additional cost of the account, and the id is the trace"
    ),
    "events-exchange": row(
      events(own),
      [
        `22222222 Send Success 1760000002 fee 3000000: 0:1a1a1a:4200000 ${made} -> 0:2b2b2b:4200000 ${made}`,
        "transfers of exchanges, stakes and NFTs: tonapi does not return all of them",
        null
      ],
      "transfers that an action does not describe are missing"
    ),
    transaction: found,
    "transaction-not-found": row(lookup("tonapi", "ab".repeat(32)), ["unknown", true])
  },
  recorded: {
    "accounts-bulk-balance-above-2-53": row(
      heldAtTonApi({ addresses: [rich, other] }),
      fails("bad_answer"),
      "more than the total supply of TON"
    ),
    "account-wallet-v5 + account-jettons + jetton-info-usdt": row(
      heldAtTonApi({ addresses: [v5], tokens: [token(usdt, "tether", 6), token(kingy, "kingyton", 9)] }),
      [["0.152544541 ton", "21.880005575 kingyton"]],
      "only registered jettons are shown, so no look-alikes"
    ),
    "jetton-info-usdt": decimals,
    "account-events": row(events("0:44ca54babd057b310a8c9a5bf6a1ce043a56c5bfbb868ddfcce9d6fd860c00b3"), [
      "21338486 Receive Success 1720327677 fee 426219: 0:97ad93:100000000 -> 0:44ca54:100000000",
      "47587000000001"
    ]),
    "tx-transfer": found,
    "tx-with-comment": found
  }
})
