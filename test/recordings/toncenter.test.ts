import { refusals } from "../../src/chains/ton/refusals.ts"
import {
  drift,
  elector,
  holder,
  sampleMaster as master,
  own,
  peer,
  second,
  states,
  ston,
  token,
  toncenter,
  usdt
} from "../chains/ton/ton.ts"
import { type Exchange, replay, sample } from "../support/fixtures.ts"
import { json } from "../support/http.ts"
import { meaning } from "./readers/refusals.ts"
import {
  book,
  heldAtBoth,
  heldAtToncenter,
  historyAtToncenter,
  historyFromOther,
  jettonOver,
  lookup,
  traces
} from "./readers/ton.ts"
import { fails, type Read, recordingsOf, row } from "./table.ts"

const wallets = ["jetton/wallets"]
const made = master.slice(0, 8)
const wrong = (seen = "is no balance") => row(heldAtBoth, fails("bad_answer"), seen)
const otherRequest = row(
  historyFromOther(own, () => sample("tonapi", "transaction")),
  fails("bad_answer"),
  "is no history"
)
const payer = "0:5763e0f7f11c3944c41c8e981664cfaac9f50305085ca8af7d93efb585bcde0f"
const tester = "0:237e5119ffa2a028cc4f95c9ca37566852f1dd4d3ea15704d6f791065507de4a"
const refuser = "0:35d5f38cf7bf64062c021cc779250a29e4987290a6722a07685b5472b28cf89f"
const sender = "0:5a78b3c4cf147040fdb34768d4abe734a47ccd0c9e0e065a4c7d9c62978d1f2f"
const buyer = "0:2db133f2ad27be6231fefa2e9258de79d8df8ff1b32c6620b81564144a6061c8"
const nothing = [
  row(historyAtToncenter(own), [false], "is an empty list"),
  row(lookup("toncenter", "ab".repeat(32)), ["unknown", true])
]

/** TON Center whose jetton wallets are those in a recording that match. */
const walletsWhere =
  (matches: (row: { readonly jetton: string }, index: number) => boolean, routes = {}) =>
  ({ response }: Exchange) => {
    const { jetton_wallets, metadata } = response.body as {
      readonly jetton_wallets: ReadonlyArray<{ readonly jetton: string }>
      readonly metadata: unknown
    }
    const replies = { "jetton/wallets": json({ jetton_wallets: jetton_wallets.filter(matches), metadata }), ...routes }
    return { "toncenter.test": toncenter(replies) }
  }

/** The balance that version 2 returns, as that of version 3. */
const asState =
  (address: string, status: string, balanceIn: (result: never) => string): Read =>
  (recording) => {
    const { result } = recording.response.body as { readonly result: never }
    const { accounts, ...rest } = states({ [address]: balanceIn(result) })
    const body = { ...rest, accounts: accounts.map((account) => ({ ...account, status })) }
    return heldAtToncenter(["accountStates"], { addresses: [address] })({
      ...recording,
      response: { ...recording.response, body }
    })
  }

recordingsOf("toncenter-v2", {
  recorded: {
    getaddressbalance: row(asState(holder, "active", String), [["62.709394797 ton"]]),
    "getaddressinformation-uninitialized": row(
      asState("0:beb5d4638e860ccf7317296e298fde5b35982f4725b0676dc98b1de987b82ebc", "uninit", ({ balance }) => balance),
      [["1 ton"]],
      "an uninitialized account has a balance"
    ),
    "sendboc-error-500": row(
      meaning(refusals, ({ code, error }) => `${code}: ${error}`),
      "nonce_too_low"
    )
  }
})

recordingsOf("toncenter-v3", {
  samples: {
    "account-states + jetton-wallets": row(
      heldAtToncenter(["accountStates", ...wallets], {
        addresses: [own, peer, second],
        tokens: [token(master, "made", 9), token(second, "other", 9)]
      }),
      [["48.200000017 ton", "91.8273645001 made"], ["1 ton"], ["0 ton"]],
      "zero balances are left out, decimals are strings, raw addresses are in upper case, and a missing account has zero"
    ),
    "jetton-wallets": [
      row(
        jettonOver(
          walletsWhere((_, index) => index === 0),
          own,
          master
        ),
        [918_273_645_001n, master, 10]
      ),
      otherRequest
    ],
    "jetton-masters": [
      row(
        jettonOver(
          (masters) => ({
            "toncenter.test": toncenter({
              "jetton/wallets": json({ jetton_wallets: [], metadata: {} }),
              "jetton/masters": replay(masters)
            })
          }),
          own,
          master
        ),
        [0n, master, 6],
        "a jetton without wallets has the decimals of its master"
      ),
      row(book, [true], "has user-friendly forms of raw addresses")
    ],
    "transactions-test-network": [
      row(traces(own), ["22222222 Send Success 1760000002 fee 2108056: 0:1a1a1a:41000000 -> 0:2b2b2b:41000000"]),
      row(book, ["of the test network"])
    ],
    "transactions-payment": [
      row(traces(own), ["11111111 Send Success 1760000001 fee 2181240: 0:1a1a1a:7500000000 -> 0:2b2b2b:7500000000"]),
      row(lookup("toncenter"), ["done", true])
    ],
    "transactions-bounced": row(traces(own), ["33333333 Receive Failed 1760000003 fee 0: 0:2b2b2b:0 -> 0:1a1a1a:0"]),
    "transactions-aborted-credit": row(traces(own), [
      "44444444 Receive Success 1760000004 fee 0: 0:2b2b2b:4100000000 -> 0:1a1a1a:4100000000"
    ]),
    "transactions-jetton": row(traces(own), ["55555555 Send Unknown 1760000005 fee null: 0:1a1a1a:0 -> 0:3c3c3c:0"]),
    "transactions-jetton + jetton-transfers": row(
      historyAtToncenter(own),
      [
        `55555555 Send Success 1760000005 fee ${2_984_001n + 290_011n + 120_000_000n - 1n}: 0:1a1a1a:1 + 0:1a1a1a:4200000 ${made} -> 0:2b2b2b:1 + 0:2b2b2b:4200000 ${made}`,
        false
      ],
      "how much of the gas is a fee"
    ),
    "transactions-tick-tock": [
      row(traces(elector), ["66666666 tick_tock Success 1760000006 fee 0: -1:33333:0 -> "], "is no transfer"),
      otherRequest
    ],
    "transactions-empty": [wrong(), ...nothing],
    "masterchain-info": [wrong(), otherRequest]
  },
  recorded: {
    "jetton-wallets": [
      row(
        heldAtToncenter(
          wallets,
          { addresses: [holder], tokens: [token(usdt, "tether", 6), token(drift, "drift", 9), token(ston, "ston", 9)] },
          { [holder]: "62709394797" }
        ),
        // DRIFT declares ten decimals, which take precedence over the nine of the list, a possible guess.
        [["62.709394797 ton", "32.44815 drift", "3.201565 tether"]],
        "zero balances are left out, decimals are strings, raw addresses are in upper case"
      ),
      row(
        jettonOver(
          walletsWhere(({ jetton }) => jetton === drift.toUpperCase()),
          holder,
          drift
        ),
        [324_481_500_000n, drift, 10],
        "has the decimals of a jetton that is not in the registry"
      ),
      row(book, [true], "the address book has the user-friendly form of each raw address"),
      otherRequest
    ],
    "testnet-masterchain-info": otherRequest,
    "testnet-transactions-empty": [wrong("a response of another kind is not read as zero"), ...nothing],
    "testnet-transaction-comment-weird-credit": [
      row(book, ["of the test network"]),
      row(traces(tester), [
        `cc3c7b12 Send Success 1721063820 fee ${684739799n - 660513014n - 22000000n}: 0:237e51:22000000 -> 0:a1a2dc:22000000`
      ])
    ],
    "tx-transfer-success": [
      row(
        traces(payer),
        [
          `51cc5ddc Send Success 1753968698 fee ${31651604164n - 649223335n - 31000000000n}: 0:5763e0:31000000000 -> 0:59b357:31000000000`
        ],
        "a payment costs the fees and the forwarding fee"
      ),
      row(lookup("toncenter"), ["done", true]),
      otherRequest
    ],
    "tx-bounced": [
      row(
        traces(refuser),
        [`2baedf42 Receive Failed 1753890772 fee ${699378912682n - 699378911544n}: 0:5a78b3:0 -> 0:35d5f3:0`],
        "is shown for the recipient"
      ),
      row(
        traces(
          sender,
          ([
            {
              out_msgs: [returned]
            } = { out_msgs: [] },
            last
          ]) => [
            {
              ...last,
              hash: Buffer.from("2".repeat(64), "hex").toString("base64"),
              lt: "59950377000005",
              total_fees: "0",
              in_msg: returned,
              out_msgs: []
            }
          ]
        ),
        [
          `2baedf42 Send Failed 1753890772 fee ${3199896n + 312536n + 100000000n - 97854000n}: 0:5a78b3:0 -> 0:35d5f3:0`
        ],
        "is shown for the sender"
      )
    ],
    "tx-plain-transfer-to-nonexist-aborted": [
      row(
        traces("0:e49681f811bd14cbcb4b8d312ff3f6d24efdfcd18d7ca566074045e242b008a3"),
        ["6e6db544 Receive Success 1717620783 fee 0: 0:fd7241:3000000000 -> 0:e49681:3000000000"],
        "coins received by an account that does not exist yet are a success, although it is aborted"
      ),
      row(traces("0:fd72417897def74c2f7ef344790ffa1a39cd0b55ece8b7d8b2bf5a7ffc2679dc"), [
        "6e6db544 Send Success 1717620738 fee 3729600: 0:fd7241:3000000000 -> 0:e49681:3000000000"
      ])
    ],
    "tx-jetton-transfer-wallet-side": row(
      traces(holder),
      ["5f6ad04c Send Unknown 1755583247 fee null: 0:33a14a:0 -> 0:2e6904:0"],
      "the gas is no payment"
    ),
    "tx-jetton-transfer-to-master-error": row(
      traces(holder),
      ["6440bdac Send Unknown 1755582352 fee null: 0:33a14a:0 -> 0:b113a9:0"],
      "the gas is no payment, even if the transfer has no recipient"
    ),
    "block-transactions-tick-tock": [
      row(
        traces(buyer, undefined, (recorded) => [
          {
            source: buyer,
            destination: `0:${"B".repeat(64)}`,
            amount: "5",
            source_wallet: "0:695092b1b9d1f90824c4d609c58959300495b51b4986ec4a5089a2d24074fa2c",
            jetton_master: `0:${"D".repeat(64)}`,
            transaction_hash: Buffer.from("9".repeat(64), "hex").toString("base64"),
            transaction_lt: "103",
            transaction_now: 1_756_245_536,
            transaction_aborted: false,
            forward_ton_amount: "1",
            trace_id: recorded.find(({ account }) => account.toLowerCase() === buyer)?.trace_id
          }
        ]),
        [
          "3863b0b7 Send Success 1756245536 fee 6595713: 0:2db133:1 + 0:2db133:5 0:dddddd -> 0:bbbbbb:1 + 0:bbbbbb:5 0:dddddd"
        ],
        "a complete jetton transfer"
      ),
      row(traces(elector), [
        "c16c1915 Receive Success 1756245539 fee 0: -1:00000:2717296595 -> -1:33333:2717296595",
        "d2656c6c tick_tock Success 1756245539 fee 0: -1:33333:0 -> "
      ])
    ]
  }
})
