import * as Either from "effect/Either"
import { refusals } from "../../src/chains/tron/refusals.ts"
import * as TronAddress from "../../src/chains/tron/TronAddress.ts"
import { alice, bob, usdt } from "../chains/tron/tron.ts"
import { token } from "../support/chains.ts"
import { meaning } from "./readers/refusals.ts"
import {
  always,
  callsOfIndex,
  coinsAt,
  faults,
  fingerprints,
  indexed,
  listed,
  transfers,
  usdtAt
} from "./readers/tron.ts"
import { fails, recordingsOf, row } from "./table.ts"

/** The call for the balance of Alice, whose address has no byte 41. */
const data = "70a082310000000000000000000000002e1d447fa4169390cf5f5b3d12d380decfbfe20f"
const holder = "TM1zzNDZD2DPASbKcgdVoTYhfmYgtfwx9R"
const [first, second, third] = ["c3", "d4", "e5"].map((byte) =>
  token(Either.getOrThrow(TronAddress.parse(`41${byte.repeat(20)}`)), byte, 18)
) as [ReturnType<typeof token>, ReturnType<typeof token>, ReturnType<typeof token>]
const rich = [
  token("TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9", "just", 18),
  token("TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7", "wink", 6)
]

const busy = [row(faults, ["rate_limited"], "is of a busy node, with HTTP 200"), row(always, fails("rate_limited"))]
const noBalance = row(faults, ["bad_answer"], "is no balance")
const noList = row(always, fails("bad_answer"), "is no list")
const inactive = [
  row(coinsAt(true), ["trx", 0n], "an account that was never activated has nothing"),
  row(coinsAt(false), fails("bad_answer"), "is not read without another source")
]
const reverted = row(usdtAt(false), fails("bad_answer"), "is a failure although `result` is true")
const unused = [
  row(indexed(), [["trx", 0n]], "an address that the index does not have is a zero balance"),
  row(callsOfIndex, [
    "/wallet/triggerconstantcontract",
    "/wallet/getblock",
    `/v1/accounts/${bob}`,
    `/v1/accounts/${bob}/trc20/balance`,
    "/wallet/getaccount"
  ]),
  row(always, [2], "has an empty history")
]

recordingsOf("trongrid", {
  samples: {
    "token-balance": row(
      usdtAt(true),
      ["tether", 730_000_021n, "/wallet/triggerconstantcontract", usdt.address, data],
      "is hex without 0x"
    ),
    revert: reverted,
    busy,
    "wallet-account": [row(coinsAt(false, alice), ["trx", 1_203_450_007n], "staked amounts are excluded"), noList],
    "wallet-account-none": inactive,
    "account-trc10": row(
      indexed(),
      [
        ["trx", 41_250_007n],
        ["wink", 7_300_001n]
      ],
      "hex addresses for a base58 request; TRC-10 tokens are ignored"
    ),
    "account-trc20": [
      row(
        indexed([first, second, third]),
        [
          ["trx", 9_007_199_254_740_993n],
          ["c3", 123_456_789_012_345_678_901_234n],
          ["e5", 1n]
        ],
        "objects with one member, and amounts of up to 24 digits"
      ),
      noList
    ],
    "account-none": unused,
    "account-none + trc20-balances": row(
      indexed(),
      [
        ["trx", 0n],
        ["tether", 2_500_001n]
      ],
      "the tokens of a never activated account are in a separate list"
    ),
    "account-none + trc20-balances-first-page": row(
      indexed(),
      fails("bad_answer", /^trongrid: returned a response in an unexpected format \(at meta\.fingerprint\)$/),
      "the list must be complete"
    ),
    "transactions-empty-page": noBalance,
    "broadcast-refused": noBalance,
    asset: [noBalance, noList],
    "transactions-token-call + transactions-empty-page": [
      row(listed(), [
        "11111111 Send Success 1793430003 fee 6770007: TEB39Rt6:12000034 TR7NHqje -> TFFriedw:12000034 TR7NHqje"
      ]),
      row(fingerprints, [null, "aB3dE5"], "the list ends at an empty page, even if it has a next page")
    ],
    "transactions-transfer": row(
      listed(),
      ["22222222 Receive Success 1793430000 fee 0: TFFriedw:9007199254740993 -> TEB39Rt6:9007199254740993"],
      "coins beyond 2^53"
    ),
    "transactions-asset": row(
      listed(),
      ["33333333 Send Success 1793429997 fee 283000: TEB39Rt6:55 1009999 -> TFFriedw:55 1009999"],
      "a TRC-10 token by its id"
    ),
    "transactions-one-sun": row(
      listed(),
      ["44444444 Receive Success 1793430027 fee 0: TFFriedw:1 -> TEB39Rt6:1"],
      "has the time of its block"
    ),
    "transactions-out-of-energy": row(
      listed(),
      ["55555555 Contract Call Failed 1793430033 fee 31345020: TEB39Rt6:0 -> TFFriedw:0"],
      "a call with its fee"
    ),
    "transactions-internal": row(
      listed(),
      ["66666666 Receive Success 1793430036 fee null: TFFriedw:6000001 -> TEB39Rt6:6000001"],
      "an incoming transfer in another account's call has an unknown fee"
    ),
    "transfers-unconfirmed": row(
      transfers(),
      [
        "88888888 Send Pending 1793430060 fee null: TEB39Rt6:4100002 TR7NHqje -> TFFriedw:4100002 TR7NHqje",
        "99999999 Receive Success 1793430057 fee null: TFFriedw:900 TR7NHqje -> TEB39Rt6:900 TR7NHqje"
      ],
      "a transfer is listed twice while it is being confirmed, without a fee"
    )
  },
  recorded: {
    "triggerconstantcontract-usdt-balanceof": row(
      usdtAt(false),
      ["tether", 136_389_002n, "/wallet/triggerconstantcontract", usdt.address, data],
      "is hex without 0x"
    ),
    "triggerconstantcontract-revert-looks-ok": reverted,
    "node-rate-limited-http-200": busy,
    "wallet-getaccount-2025": [
      row(coinsAt(false, alice), ["trx", 2_928_601_454n], "staked amounts are excluded"),
      noList
    ],
    "wallet-getaccount-unknown": inactive,
    "v1-account-2020-trc10": row(
      indexed(),
      [
        ["trx", 278_720_000n],
        ["wink", 53_135_738n]
      ],
      "hex addresses for a base58 request; TRC-10 tokens are ignored"
    ),
    "v1-account-2020-trc20-list": [
      row(
        indexed(rich, holder),
        [
          ["trx", 346_991_703_615_806n],
          ["just", 955_973_733_483_987_848_990_056n],
          ["wink", 191_543_058_623_486n]
        ],
        "objects with one member, and amounts of up to 24 digits"
      ),
      noList
    ],
    "v1-account-unknown-empty": unused,
    "v1-transactions-empty-but-next-page": noBalance,
    "broadcast-error-hex-message": [
      noBalance,
      row(
        meaning(refusals, ({ code }) => code),
        "invalid"
      )
    ],
    "v1-asset-trc10": [noBalance, noList],
    "v1-transactions-2020-mixed + v1-transactions-empty-but-next-page": row(
      listed(holder),
      [
        "18f5908a Send Success 1592755239 fee 299770: TM1zzNDZ:3440260000 TR7NHqje -> TFNEJYAK:3440260000 TR7NHqje",
        "2a9eda92 Send Success 1592755230 fee 149770: TM1zzNDZ:500071000 TR7NHqje -> TJ3ytfKg:500071000 TR7NHqje",
        "c838b8a6 Send Success 1592755230 fee 122570: TM1zzNDZ:15000000000 TR7NHqje -> TFU9VaJ4:15000000000 TR7NHqje",
        "ad631a0e Send Success 1592755176 fee 299770: TM1zzNDZ:200000000 TR7NHqje -> TUCvz5yG:200000000 TR7NHqje",
        "f1920eef Send Success 1592755146 fee 234960: TM1zzNDZ:30000000 TR7NHqje -> TBBbRRCE:30000000 TR7NHqje",
        "cec10611 Send Success 1592755104 fee 170180: TM1zzNDZ:269000000 TR7NHqje -> TEsWcFz7:269000000 TR7NHqje",
        "3fca53c0 Send Success 1592755098 fee 2690: TM1zzNDZ:13195916000 -> TVmkAmaQ:13195916000",
        "8e886732 Send Success 1592755074 fee 149770: TM1zzNDZ:100411000 TR7NHqje -> TW9kgyyL:100411000 TR7NHqje",
        "79010512 Send Success 1592754831 fee 2850: TM1zzNDZ:7639170000000 1002000 -> TAv5pMAR:7639170000000 1002000",
        "b38fb632 Send Success 1592754717 fee 2690: TM1zzNDZ:8737000000 -> TDfVk6U7:8737000000",
        "82efc845 Receive Success 1592754447 fee 0: TVqx5Dx5:2538461 -> TM1zzNDZ:2538461",
        "007bbcc3 Receive Success 1592754444 fee 0: TSUCQKEK:111337320 -> TM1zzNDZ:111337320",
        "9351e87b Receive Success 1592754444 fee 0: TFUP7BdB:200000000 -> TM1zzNDZ:200000000",
        "a336bd17 Receive Success 1592754444 fee 0: TYCwQ4bC:30000000 -> TM1zzNDZ:30000000"
      ],
      "contract calls, transfers and TRC-10 tokens; the list ends at an empty page even if it has a next page"
    ),
    "v1-trc20-transactions-2020-unconfirmed": row(
      // The checksum of the address in the recording is wrong.
      transfers(holder, (text) => text.replaceAll("fwx9D", "fwx9R")),
      [
        "fb078403 Send Pending 1592757117 fee null: TM1zzNDZ:500000000 TR7NHqje -> TGg7zHY9:500000000 TR7NHqje",
        "c4052b52 Send Success 1592757066 fee null: TM1zzNDZ:50000000 TR7NHqje -> TXJTFuXz:50000000 TR7NHqje",
        "0b52a4ef Send Success 1592756784 fee null: TM1zzNDZ:3988000000 TR7NHqje -> TFNEJYAK:3988000000 TR7NHqje",
        "19d2ec61 Send Success 1592756763 fee null: TM1zzNDZ:640990000 TR7NHqje -> TGYETHZr:640990000 TR7NHqje",
        "efb7d443 Receive Success 1592756631 fee null: TAxbLzto:1062000000 TR7NHqje -> TM1zzNDZ:1062000000 TR7NHqje",
        "48bd90dc Send Success 1592756610 fee null: TM1zzNDZ:2000000 TR7NHqje -> TGg7zHY9:2000000 TR7NHqje",
        "afd5ae7e Send Success 1592756589 fee null: TM1zzNDZ:1000000000 TR7NHqje -> TN6Wy4j3:1000000000 TR7NHqje",
        "1da6576d Send Success 1592756583 fee null: TM1zzNDZ:2000000000 TR7NHqje -> TDpRQi5H:2000000000 TR7NHqje",
        "2b28b69e Send Success 1592756583 fee null: TM1zzNDZ:1000000000 TR7NHqje -> TLdYhJeK:1000000000 TR7NHqje",
        "3d613031 Send Success 1592756583 fee null: TM1zzNDZ:21200000 TR7NHqje -> TXP7prwM:21200000 TR7NHqje",
        "8584f1b6 Send Success 1592756583 fee null: TM1zzNDZ:485342000 TR7NHqje -> TRqyhrtt:485342000 TR7NHqje",
        "c87248b0 Send Success 1592756583 fee null: TM1zzNDZ:5277600000 TR7NHqje -> TJ2qhZSQ:5277600000 TR7NHqje",
        "cbe359c2 Send Success 1592756583 fee null: TM1zzNDZ:125000000 TR7NHqje -> TBStJt5w:125000000 TR7NHqje",
        "f9c86cce Send Success 1592756583 fee null: TM1zzNDZ:24216600000 TR7NHqje -> TGy3K5iD:24216600000 TR7NHqje",
        "75eb3573 Receive Success 1592756541 fee null: TGMTZMty:8241997837 TR7NHqje -> TM1zzNDZ:8241997837 TR7NHqje",
        "adee73da Receive Success 1592756220 fee null: TUwgGpDr:18000000000 TR7NHqje -> TM1zzNDZ:18000000000 TR7NHqje",
        "3655a115 Receive Success 1592755962 fee null: TMaDtMFG:863399098 TR7NHqje -> TM1zzNDZ:863399098 TR7NHqje",
        "03574741 Send Success 1592755740 fee null: TM1zzNDZ:20000000 TR7NHqje -> TH7AaBSj:20000000 TR7NHqje",
        "f3aa0059 Send Success 1592755722 fee null: TM1zzNDZ:21161340000 TR7NHqje -> TA1VFEzY:21161340000 TR7NHqje"
      ],
      "a transfer is listed twice while it is being confirmed, without a fee"
    ),
    "v1-transactions-native-without-timestamp + v1-transactions-empty-but-next-page": row(
      listed("TGJn1wnUYHJbvN88cynZbsAz2EMeZq73yx"),
      ["c4e8c4a4 Receive Success 1774455465 fee 0: TMh7tFe4:1 -> TGJn1wnU:1"],
      "has the time of its block"
    ),
    "v1-transactions-out-of-energy + v1-transactions-empty-but-next-page": row(
      listed("TEFik7dGm6r5Y1Af9mGwnELuJLa1jXDDUB"),
      ["3892c806 Contract Call Failed 1763586549 fee 54171200: TEFik7dG:0 -> TYWc7X6Y:0"],
      "a call with its fee"
    )
  }
})
