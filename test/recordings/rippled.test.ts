import { ripple } from "../../src/catalogue/ripple.ts"
import { refusals } from "../../src/chains/ripple/submit/refusals.ts"
import { samples as addresses } from "../chains/families/samples.ts"
import { alice, bob as holder, token } from "../chains/ripple/ripple.ts"
import { meaning } from "./readers/refusals.ts"
import { coins, faults, held, heldByNone, heldInObjects, listed, markers, seenBy } from "./readers/ripple.ts"
import { recordingsOf, row } from "./table.ts"

const [own = "", other = "", issuer = "", second = ""] = addresses(ripple, 4, 700)
const made = `${issuer}.4D41444555500000000000000000000000000000`
const tokens = [
  token(`${issuer}.EUR`, "euro", 6),
  token(made, "made-up"),
  token(`${issuer}.USD`, "owed"),
  token(`${second}.USD`, "empty"),
  token(`${second}.BTC`, "bitcoin")
]

const noBalance = row(faults, ["bad_answer"], "is no balance")
const noAnswer = row(faults, ["upstream_error"], "is no balance")
const nothing = [["xrp", 0n], 2, ["ripple-usd", 0n, 15]]
const anyLines = "decimal strings, negative debts, and currencies as three letters or in hex"
const openLedger = "trust lines of a ledger that may still change are rejected"
const means = (reason: string) => [
  noBalance,
  row(
    meaning(refusals, ({ result }) => {
      const { engine_result, error } = result as Readonly<Record<string, unknown>>
      return engine_result ?? error
    }),
    reason
  )
]
const list = (of: string, shows: string, ...lines: ReadonlyArray<string>) => [row(listed(of), lines, shows), noBalance]
const see = (of: string, shows: string, line: string) => [row(seenBy(of), line, shows), noBalance]
const noLedgers = ["older transactions: ripple-rpc: the node does not have the older ledgers", "more"]
const master = "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"
const pages = "continues at a marker, and ends without one"

recordingsOf("rippled", {
  samples: {
    "account-info": row(coins(own), ["xrp", 734_501_928n], "whole drops, including the reserve"),
    "account-not-found": row(heldByNone(other), nothing, "an account that is not found has nothing"),
    "account-lines + account-info": row(
      held(own, tokens),
      [
        ["xrp", 734_501_928n],
        ["euro", 12_500_000n, 6],
        ["made-up", 12_345_000_000_000_000n, 15],
        // More decimals than usual, so that no digit is lost.
        ["bitcoin", 1_234_567_890_123_456n, 19]
      ],
      anyLines
    ),
    "account-lines-open-ledger + account-info": row(held(own), [["xrp", 734_501_928n], "bad_answer"], openLedger),
    "submit-refused": noBalance,
    "tx-not-found": noAnswer,
    "account-tx-payments": [
      ...list(
        own,
        "payments in both directions",
        `EEEEEEEE Send Success 1756684809 fee 12: me:5250000 -> ${other}:5250000, 71 in no ledger`,
        `EEEEEEEE Receive Success 1756684808 fee 15: ${other}:1 -> me:1, 71 in no ledger`
      ),
      row(markers(own), ["ripple-rpc", undefined], pages)
    ],
    "account-tx-marker": [
      row(listed(own), ["EEEEEEEE TrustSet Success 1756684807 fee 12: me:0 -> , 71 in 97999991 at 4"]),
      row(markers(own), ["ripple-rpc", undefined, { ledger: 97_999_990, seq: 3 }], pages)
    ],
    "account-tx-issued": row(listed(own), [
      `EEEEEEEE Receive Success 1756684806 fee 12: ${issuer}:250000000000000 ${issuer}.EUR -> me:250000000000000 ${issuer}.EUR, 71 in no ledger`
    ]),
    "account-tx-version-2": row(listed(own), [
      `EEEEEEEE Send Success 1756684805 fee 12: me:750 -> ${other}:750, 71 in 98000005 at 4`
    ]),
    "account-tx-escrow": row(listed(own), [
      "EEEEEEEE EscrowCreate Success 1756684803 fee 12: me:300000 -> , 71 in no ledger"
    ]),
    "account-tx-unfunded": row(listed(own), [
      "EEEEEEEE OfferCreate Failed 1756684802 fee 12: me:0 -> , 71 in no ledger"
    ]),
    "account-tx-not-validated": row(listed(own), [
      "EEEEEEEE AccountSet Pending 1756684802 fee 12: me:0 -> , 71 in no ledger"
    ]),
    "account-tx-partial": row(listed(own), [
      `EEEEEEEE Receive Success 1756684802 fee 15: ${other}:2000 -> me:2000, 71 in no ledger`
    ]),
    "account-tx-multi-purpose-token": row(listed(own), [
      "EEEEEEEE Send Success 1756684802 fee 12: me:40 0012D6870102030405060708090A0B0C0D0E0F1011121314 -> raLnyR4PTuc5SgXGHqYA894a4eoKqoFwu:40 0012D6870102030405060708090A0B0C0D0E0F1011121314, 71 in no ledger"
    ]),
    "account-tx-of-the-network": row(listed(own), [
      "EEEEEEEE SetFee Success 1756684801 fee 0: rrrrrrrrrrrrrrrrrrrrrhoLvTp:0 -> me:0, undefined in no ledger"
    ]),
    "account-tx-without-delivered": row(
      listed(own),
      [`EEEEEEEE Send Success 1756684804 fee 12: me:6204 -> ${other}:6204, 71 in no ledger`, ...noLedgers],
      "the full amount, from a node that does not have all ledgers"
    )
  },
  recorded: {
    "account-info": row(coins(alice), ["xrp", 922_913_243n], "whole drops, including the reserve"),
    "account-info-actnotfound": row(
      heldByNone("rajTAg3hon5Lcu1RxQQPxTgHvqfhc1EaUS"),
      nothing,
      "an account that is not found has nothing"
    ),
    "account-lines + account-info": [
      // The lines are of the open ledger.
      row(
        held(alice, undefined, { validated: true }),
        [
          ["xrp", 922_913_243n],
          ["rMwjYedjc7qqtKYVLiAccJSmCwih4LnE2q.USD", 5_000_000_000_000_000n, 15],
          ["rHpXfibHgSb64n8kK9QWDpdbfqSpYbM9a4.MXN", 481_992_867_407_479_000n, 15],
          ["rLEsXccBGNR3UPuPu2hUXPjziKC3qKSBun.EUR", 793_598_266_778_297n, 15],
          ["rGwUWgN5BEg3QGNY3RX2HfYowjUTZdid3E.DYM", 1_336_889_190_631_542n, 15],
          ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.CHF", 3_488_146_605_801_446n, 16],
          ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD", 11_682_250_016_683_390n, 15],
          ["razqQKzJRdB4UxFPWf5NEpEG3WMkmwgcXA.CNY", 9_076_197_900_685_590n, 15],
          ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.JPY", 7_292_695_098_901_099n, 15],
          ["r9vbV3EHvXWjSkeQ6CAcYVPGeq7TuiXY2X.USD", 4_557_360_418_801_623n, 19],
          ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.EUR", 12_416_887_807_203_940n, 15],
          ["rfF3PNkwkq1DygW2wum2HK3RGfgkJjdPVD.USD", 35_000_000_000_000_000n, 15]
        ],
        anyLines
      ),
      row(held(alice), [["xrp", 922_913_243n], "bad_answer"], openLedger)
    ],
    "account-objects-trustlines": noBalance,
    "account-objects-trustlines + account-info": row(
      heldInObjects,
      [["xrp", 922_913_243n], ["ripple-usd", 171_000_000_000_000n, 15], { digits: 690_000_000_000n, scale: 0 }],
      "a currency in hex, and an amount with an exponent"
    ),
    "account-tx-mixed": [
      ...list(
        holder,
        "payments in both directions in XRP and RLUSD, and trust lines",
        "1498B0EF Send Success 1755823590 fee 2500: me:10000 -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:10000, 82046083 in 98322656 at 29",
        "0F261062 Receive Success 1755384980 fee 11: r6yAvyZ5kgRNWqMkdsoHN4Fiu7fiVdLc3:1 -> me:1, 95613011 in 98209810 at 72",
        "883040AB Send Success 1755384952 fee 5000: me:1000000 -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:1000000, 82046082 in 98209804 at 5",
        "5DE47325 Receive Success 1755384801 fee 11: r6yAvyZ5kgRNWqMkdsoHN4Fiu7fiVdLc3:1 -> me:1, 95613010 in 98209765 at 11",
        "04F53F22 Send Success 1755384790 fee 5000: me:1000000 -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:1000000, 82046081 in 98209761 at 18",
        "272149F3 Receive Success 1755384410 fee 11: r6yAvyZ5kgRNWqMkdsoHN4Fiu7fiVdLc3:1 -> me:1, 95613009 in 98209663 at 44",
        "B35AE5C2 Send Success 1755384391 fee 5000: me:1000000 -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:1000000, 82046080 in 98209659 at 20",
        "00778C36 Receive Success 1749150631 fee 11: rGBpbVC11etyeGpJCAPrfS1of7SrEM2Q2c:1 -> me:1, 95916370 in 96608991 at 73",
        "C370C5AA Send Success 1749150611 fee 5000: me:6000000 -> rGMcqxy5gjHPhSKmfYCg4fwKdgyS1nLUfw:6000000, 82046079 in 96608985 at 32",
        "66B94DCE Receive Success 1749150410 fee 11: rGBpbVC11etyeGpJCAPrfS1of7SrEM2Q2c:1 -> me:1, 95916355 in 96608933 at 38",
        "90F57D6F Receive Success 1749150390 fee 16635: rGtd6GeXddZJaReP3nUornttjUm9neYaiH:29388468 -> me:29388468, 96600608 in 96608928 at 0",
        "3A46B7C5 Send Success 1745621681 fee 500: me:100000 -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:100000, 82046078 in 95704331 at 18",
        "D872B32A Send Success 1744219840 fee 5000: me:20000000000000 RLUSD -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:20000000000000 RLUSD, 82046077 in 95344881 at 1",
        "045BE6F1 Receive Success 1744217690 fee 5000: r9FnAa9pzCu3k6Dkxk7bXtcSd5EuhZg9p3:10000000000000 RLUSD -> me:10000000000000 RLUSD, 90500472 in 95344333 at 7",
        "136E9A37 Send Success 1744217621 fee 5000: me:120000000000000 RLUSD -> r9FnAa9pzCu3k6Dkxk7bXtcSd5EuhZg9p3:120000000000000 RLUSD, 82046076 in 95344317 at 21",
        "CA30D1DE Receive Success 1744213151 fee 5000: r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:300000000000000 RLUSD -> me:300000000000000 RLUSD, 82046907 in 95343178 at 88",
        "6A402139 Receive Success 1742094151 fee 10: rHYDRjArNRgkrq7Rr4Exow9GeyMoGgnKL8:1000000000000 RLUSD -> me:1000000000000 RLUSD, 94718564 in 94800737 at 18",
        "C6E1E642 Send Success 1739826140 fee 5000: me:110000000000000 RLUSD -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:110000000000000 RLUSD, 82046075 in 94215748 at 42",
        "B7D288A7 Send Success 1739826071 fee 500: me:10000000000000 RLUSD -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:10000000000000 RLUSD, 82046074 in 94215731 at 43",
        "7C0EC4F1 Send Success 1739667850 fee 5000: me:1000000000000000 RLUSD -> r6AFdJSwGhJxYHETx2KqCTo1wxrtz9roM:1000000000000000 RLUSD, 82046073 in 94174713 at 78",
        "8D85617B TrustSet Success 1739667532 fee 5000: me:0 -> , 82046072 in 94174632 at 16",
        "269CAF7F TrustSet Success 1734908032 fee 5000: me:0 -> , 82046071 in 92952306 at 15"
      ),
      row(markers(holder), ["ripple-rpc", undefined])
    ],
    "account-tx-small": [
      ...list(
        holder,
        "payments",
        "00778C36 Receive Success 1749150631 fee 11: rGBpbVC11etyeGpJCAPrfS1of7SrEM2Q2c:1 -> me:1, 95916370 in 96608991 at 73",
        "C370C5AA Send Success 1749150611 fee 5000: me:6000000 -> rGMcqxy5gjHPhSKmfYCg4fwKdgyS1nLUfw:6000000, 82046079 in 96608985 at 32",
        "66B94DCE Receive Success 1749150410 fee 11: rGBpbVC11etyeGpJCAPrfS1of7SrEM2Q2c:1 -> me:1, 95916355 in 96608933 at 38"
      ),
      row(markers(holder), ["ripple-rpc", undefined, { ledger: 96_608_933, seq: 38 }], pages)
    ],
    "account-tx-wallet-without-delivered": list(
      "rfkV3EoXimH6JrG1QAyofgbVhnyZZDjWSj",
      "without a delivered amount, from a node that does not have all ledgers",
      "33F2085B Send Success 1559048351 fee 12: me:5718112 -> rw62XQr4hLZjiuiq46CWiA6FretVuyZaoG:5718112, 1 in 47570158 at 25",
      "533A8A2E Receive Success 1558617492 fee 6000: r4eEbLKZGbVSBHnSUBZW8i5XaMjGLdqT4a:25718124 -> me:25718124, 157331 in 47455208 at 12",
      ...noLedgers
    ),
    "submit-success": noBalance,
    "submit-failed": means("invalid"),
    "submit-tefmax-ledger": means("expired"),
    "submit-tem-malformed": means("invalid"),
    "tx-accountdelete": see(
      "rM5qup5BYDLMXaR5KU1hiC9HhFMuBVrnKv",
      "the transferred balance without the fee",
      "EC2AB140 AccountDelete Success 1576574211 fee 5000000: me:9995000000 -> rPT1Sjq2YGrBMTttX4GZHjKu9dyfzbpAYe:9995000000, 3227049 in 3232071 at 0"
    ),
    "tx-escrowcreate": see(
      master,
      "the amount of an escrow without a recipient",
      "144F2723 EscrowCreate Success 1447656180 fee 12: me:2 -> , 10 in 15 at 0"
    ),
    "tx-not-validated": see(
      "rLVKsA4F9iJBbA6rX2x4wCmkj6drgtqpQe",
      "is pending, whatever the engine's result is",
      "4FB3ADF2 AccountSet Pending 1407517070 fee 10: me:0 -> , 1 in no ledger"
    ),
    "tx-offercreate-tecunfunded": see(
      master,
      "an offer without funds has failed, with its fee",
      "458101D5 OfferCreate Failed 1447880190 fee 12: me:0 -> , 2 in 6 at 0"
    ),
    // The recipient gets fewer dollars than were sent: the issuer takes a fee for the transfer.
    "tx-partial-payment-xrp": see(
      "rNNuQMuExCiEjeZ4h9JJnj5PSWypdMXDj4",
      "the delivered amount",
      "A0A074D1 Receive Success 1446684800 fee 10000: rGFuMiw48HdbnrUbkRYuitXTmfrDBNTCnX:1000000 + rGFuMiw48HdbnrUbkRYuitXTmfrDBNTCnX:10000000000000000 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD -> me:9980039920159681 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD + me:1000000 + rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B:19960079840319 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD, 23295 in no ledger"
    ),
    "tx-payment-1-drop-memo": see(
      holder,
      "a payment of one drop whose fee exceeds its amount",
      "474F58E6 Receive Success 1761330890 fee 11: rnXZ876yGEhoATQSYegtD8bg8wpA8TTX5a:1 -> me:1, 96791415 in 99743688 at 99"
    ),
    "tx-payment-mptoken": see(
      "rLWSJKbwYSzG32JuGissYd66MFTvfMk4Bt",
      "a multi-purpose token in whole units, issued by the issuer in its id",
      "573A1719 Receive Success 1733832861 fee 120: raZ3wTTKiMHn3BiStvz4ET9rbCHfU1DMak:1000 006419063CEBEB49FC20032206CE0F203138BFC59F1AC578 -> me:1000 006419063CEBEB49FC20032206CE0F203138BFC59F1AC578, 6560008 in 6560016 at 3"
    ),
    "tx-setfee-pseudo": see(
      "rrrrrrrrrrrrrrrrrrrrrhoLvTp",
      "a transaction of the network itself has no account",
      "C6A40F56 SetFee Success 1407517070 fee 0: me:0 -> , undefined in 3717633 at 3"
    ),
    "tx-cross-currency-payment": [
      row(
        seenBy("rd5Sx93pCMgfxwBuofjen2csoFYmY8VrT", {
          Account: "r9KG7Du7aFmABzMvDnwuvPaEoMu4Eurwok",
          Destination: "rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8",
          Fee: "11",
          Amount: { currency: "GCB", issuer: "rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8", value: "2.788706" }
        }),
        "00000000 Payment Success 1746684810 fee 11: rpvvAvaZ7TXHkNLM8UJwCTU6yBU2jDTJ1P:1000000000000000 rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq.USD + me:2788706 + r9KG7Du7aFmABzMvDnwuvPaEoMu4Eurwok:2788706000000000 rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8.GCB + r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59:1000000000000000 rLEsXccBGNR3UPuPu2hUXPjziKC3qKSBun.USD + rBndiPPKs9k5rjBb7HsEiqXKrz8AfUnqWq:1002000000000000 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD -> rpvvAvaZ7TXHkNLM8UJwCTU6yBU2jDTJ1P:1000000000000000 rLEsXccBGNR3UPuPu2hUXPjziKC3qKSBun.USD + me:998003992010000 rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq.USD + r9KG7Du7aFmABzMvDnwuvPaEoMu4Eurwok:55109 + r9cZA1mLK5R5Am25ArfXFmqgNwjZgnfk59:1000000000000000 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD + rBndiPPKs9k5rjBb7HsEiqXKrz8AfUnqWq:2733597 + rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8:2788706000000000 rHaans8PtgwbacHvXAL3u6TG28gTAtCwr8.GCB + rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq:1996007990000 rhub8VRN55s94qWKDv6jmDy1pUykJzF3wq.USD + rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B:2000000000000 rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B.USD, 1 in 90000001 at 38",
        "lists every account between the sender and the recipient"
      ),
      noBalance
    ]
  }
})
