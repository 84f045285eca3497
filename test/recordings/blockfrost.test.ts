import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as CardanoAddress from "../../src/chains/cardano/CardanoAddress.ts"
import * as calls from "../../src/chains/cardano/providers/blockfrost/calls.ts"
import { refusal } from "../../src/chains/cardano/providers/blockfrost/reading.ts"
import { refusals } from "../../src/chains/cardano/submit/refusals.ts"
import type { Movement } from "../../src/domain/Transaction.ts"
import { seconds } from "../../src/domain/units.ts"
import { byron, enterprise, payment, stake } from "../support/cardano.ts"
import { noStatus } from "../support/rawTransactions.ts"
import {
  afterFailure,
  atBlockfrost,
  type Body,
  costsAtKoios,
  largest,
  listedAt,
  seenAtBlockfrost,
  seenAtNone,
  sent,
  sentAs,
  unchangedParameters
} from "./readers/cardano.ts"
import { meaning } from "./readers/refusals.ts"
import { by, fails, type Read, type Row, recordingsOf, row } from "./table.ts"

const [first, second] = [enterprise(1), enterprise(2)]
const [alice, bob, account] = [payment(1), payment(2), stake(1)]
const [made, max] = ["5a".repeat(28), "9223372036854775807"]

const blockfrost = by({ refusal })

/** Coins and assets of an address: a unit, a quantity and decimals. */
const holding = (address: string, ...amount: ReadonlyArray<readonly [string, bigint, (number | null)?]>) =>
  row(
    atBlockfrost(calls.address, { address }),
    Option.some({
      address,
      amount: amount.map(([unit, quantity, decimals]) => ({
        unit,
        quantity,
        ...(decimals === undefined ? {} : { decimals })
      }))
    })
  )

const failure = (reason: string, send: "done" | "refused" | "uncertain", isCalledAgain = true) =>
  row(
    afterFailure,
    { reason, koios: [9n], isCalledAgain, hasHistory: false, epoch: 640, send, sends: send === "done" ? 2 : 1 },
    "is no empty address or history, and Koios is read"
  )

/** Whether the address of a request is accepted. */
const accepts: Read = ({ request }) => Either.isRight(CardanoAddress.parse(request.path.split("/")[4] ?? ""))

const unchanged = row(sent("blockfrost"), ["refused", true, "application/json", 1], "is returned unchanged")

const rejected = (reason: string) => [
  unchanged,
  row(
    meaning(refusals, ({ details, message }) => (details === undefined ? message : JSON.stringify(details))),
    reason
  )
]

const taken: ReadonlyArray<Row> = [
  row(sentAs("blockfrost", "confirmed"), "done", "is a success if the transaction is found"),
  ...(["not_found", noStatus] as const).map((status) =>
    row(sentAs("blockfrost", status), fails("upstream_error", /may have arrived/), "fails otherwise")
  )
]

const parameters = (otherTypes: ReadonlyArray<string>) => [
  row(unchangedParameters, true, "is returned unchanged"),
  row(costsAtKoios, [true, otherTypes], "costs have Blockfrost's order, and all members its names and types")
]

const coins = (quantity: bigint) => [{ unit: "lovelace", quantity: String(quantity) }]

/** Outputs of one address that pays to itself. */
const toItself = (before: bigint, after: bigint) => ({
  inputs: [{ address: alice, amount: coins(before), collateral: false, reference: null }],
  outputs: [{ address: alice, amount: coins(after), collateral: false }]
})

const outputs = (...expected: ReadonlyArray<unknown>) =>
  row(
    blockfrost(calls.addressUtxos, { address: "" }, (rows) =>
      largest(
        rows.map(({ amount: [lovelace, ...tokens], output_index }) => ({
          index: output_index,
          coins: lovelace?.quantity ?? 0n,
          tokens
        }))
      )
    ),
    expected
  )

const sum = (movements: ReadonlyArray<Movement>) => movements.reduce((all, { amount }) => all + amount, 0n)

/** The amounts of a transaction, as if an address held them. */
const held: Read = ({ response, ...rest }) => {
  const amount = (response.body as { readonly output_amount: ReadonlyArray<Body> }).output_amount
  const recording = { ...rest, response: { ...response, body: { address: alice, amount } } }
  return blockfrost(
    calls.address,
    { address: alice },
    (found) =>
      found.amount.every(
        ({ quantity, unit }, index) => amount[index]?.unit === unit && amount[index]?.quantity === String(quantity)
      ) && found.amount.map(({ quantity }) => quantity)
  )(recording)
}

const rich = "addr1qxxfwz7n3lnduxxgff6smhwlxkcw3gcax3q39363cpq4axnntgjccmteyrsldd67rxv2yq6ew2a7t48q34p9j7nf0kjq4rdx3w"
const script = "addr1vyrrp6xxxtju3ts2sjdgv0smvw9eph5n28gsjf8d8e827gqutvkft"
const founder = "Ae2tdPwUPEZ9vtyppa1FdJzvqJZkEcXgdHxVYAzTWcPaoNycVq5rc36LC1S"
const huge = "DdzFFzCqrhsmLfQVpdMcZEKoMCbxynn2qpAoYoZZE2QbtrgAZXEgkMtkdzCpMTrNEo4SsdTBgjHnDPbrwZbnuivaCxe4VceuSL45UdEW"
const payer = "DdzFFzCqrhsqoxzun2abaDN6fFcXVu8yymrJg3hx9FFgjBBUfo4QGfpyLEdpe565isMUALsD8faRqRFUrFnPNWa4R2MTLd8mpVC5zpe9"
const hexName = "e2bdb31c13a57d94934d01a4ca17cf3b2cac61d055637261b089c8f6dada"
const policy = "a6c7a3a79c686320e4becc8831a90781c79c13dd32a72b03a96724ee"

/** Of a transaction, whose units are those of nine assets, one of them without a name. */
const quantities = [
  15_577_887n,
  97_739_924n,
  44_999_685_001n,
  9_223_372_036_854_775_000n,
  9_223_372_036_854_775_807n,
  999_000_000n,
  1_000_000_000_000_000_001n,
  45_000_000_000_000_000n,
  999_000_000n
]

recordingsOf("blockfrost", {
  samples: {
    "error-400-invalid-address": failure("upstream_error", "refused"),
    "error-402-day-used-up": failure("upstream_error", "done", false),
    "error-403-invalid-token": failure("upstream_error", "done"),
    "error-418-banned": failure("upstream_error", "done", false),
    "error-425-mempool-full": failure("upstream_error", "done"),
    "error-429-too-many": failure("rate_limited", "done"),
    "error-500-backend": failure("upstream_error", "uncertain"),
    "error-504-html": failure("upstream_error", "uncertain"),
    "not-found-404": row(seenAtNone, [4], "an unused address has no transactions"),
    "tx + tx-utxos-byron": row(seenAtBlockfrost(byron(2)), [
      `a1a1a1a1 Receive Success 1750006900 fee 180000: ${byron(1)}:9000000 -> me:9000000, in 12000345 at 3`,
      3
    ]),
    "tx + tx-utxos-collateral": [
      row(seenAtBlockfrost(first), ["a1a1a1a1 Send Success 1750006900 fee 180000: me:0 -> me:0, in 12000345 at 3", 3]),
      row(
        seenAtBlockfrost(first, (content, utxos = {}) => ({ content: { ...content, valid_contract: false }, utxos })),
        ["a1a1a1a1 Send Failed 1750006900 fee 180000: me:0 -> , in 12000345 at 3", 3],
        "a script that failed"
      )
    ],
    "tx + tx-utxos-no-inputs": row(
      seenAtBlockfrost(byron(3), (content, utxos = {}) => ({
        content: { ...content, fees: "0", block_height: null, index: 0 },
        utxos
      })),
      ["a1a1a1a1 Receive Success 1750006900 fee 0:  -> me:538000000000, in 0 at 0", 3]
    ),
    "tx + tx-utxos-beyond-2-53": row(seenAtBlockfrost(first), [
      `a1a1a1a1 Receive Success 1750006900 fee 180000: ${second}:2000000 + ${second}:${max} ${made} -> me:2000000 + me:${max} ${made}, in 12000345 at 3`,
      3
    ]),
    "tx-withdrawing + tx-utxos-withdrawing + tx-withdrawals": row(
      seenAtBlockfrost(first, (content = {}, utxos = {}, withdrawals) => ({ content, utxos, withdrawals })),
      [
        `a2a2a2a2 Withdrawal Success 1750006900 fee 180000: ${account}:5000000 + me:0 -> me:5000000, in 12000345 at 3`,
        4
      ],
      "withdrawn rewards take one more call"
    ),
    "tx-donating + tx-utxos-donating": row(seenAtBlockfrost(first), [
      "a3a3a3a3 Send Success 1750006900 fee 180000: me:6800000000 -> , in 12000345 at 3",
      3
    ]),
    "tx-deregistering + tx-utxos-deregistering": row(seenAtBlockfrost(first), [
      "a4a4a4a4 Deregistration Success 1750006900 fee 180000: me:0 -> me:2000000, in 12000345 at 3",
      3
    ]),
    "tx-submit-400-spent-text": unchanged,
    "tx-submit-400-undecodable": unchanged,
    "tx-submit-400-details": unchanged,
    "tx-submit-400-known": taken
  },
  recorded: {
    "address-empty-used": holding(
      "addr1q8zsjx7vxkl4esfejafhxthyew8c54c9ch95gkv3nz37sxrc9ty742qncmffaesxqarvqjmxmy36d9aht2duhmhvekgq3jd3w2",
      ["lovelace", 3_757_366n],
      ["d436d9f6b754582f798fe33f4bed12133d47493f78b944b9cc55fd1853756d6d69744c6f64676534393539", 1n]
    ),
    "address-extended-cip68-decimals": holding(
      "addr1qyy86uaj7pv57c6jdg6d9m3rvu7r5pzay8dguayveaacmntxnerm95lm9pazslgsw04q73akal6pscheqhrxmsjcn4eq58xze0",
      ["lovelace", 3_144_270n, 6],
      [`${policy}000de140426c6f636b66726f737423303131`, 1n, null],
      [`${policy}001bc280426c6f636b66726f737423303130`, 1n, 8]
    ),
    "address-extended-many-assets": row(
      blockfrost(calls.address, { address: rich }, ({ amount }) => [
        amount.length,
        ...amount.flatMap(({ decimals, quantity, unit }) =>
          /^(lovelace|27fa5cc3.*5a|432749.*4e4441)$/.test(unit) ? [[quantity, decimals]] : []
        )
      ]),
      // Zero decimals are declared.
      [7, [6_514_602n, 6], [21_531n, 0], [1_000_000n, null]]
    ),
    "address-never-seen-404": row(atBlockfrost(calls.address, { address: alice }), Option.none()),
    "address-payment-cred-no-stake": row(accepts, false, "a credential is refused as an address"),
    "address-invalid-400": row(accepts, false),
    "address-utxos-empty-byron": row(accepts, true),
    "address-utxos-with-token": outputs(
      3,
      [2, 1_572_116n],
      [
        1,
        1_185_250n,
        { unit: "d436d9f6b754582f798fe33f4bed12133d47493f78b944b9cc55fd1853756d6d69744c6f64676534393539", quantity: 1n }
      ],
      [0, 1_000_000n]
    ),
    "address-utxos-page1-100": outputs(100, [0, 2_816_010n], [0, 1_000_000n], [1, 1_000_000n]),
    "address-utxos-page2": outputs(10, [99, 1_000_000n], [100, 1_000_000n], [101, 1_000_000n]),
    "address-transactions-byron-desc": row(listedAt("blockfrost", byron(1), 10), [
      false,
      "57a6c651",
      "87d522e9",
      "a28600fd",
      "06a60c86",
      "7408b836"
    ]),
    "address-transactions-same-block": row(listedAt("blockfrost", byron(1), 10), [
      false,
      "df8cb48c",
      "5a62a9cc",
      "658fb740",
      "513d265f",
      "ec41cc44"
    ]),
    "asset-hex-name": row(blockfrost(calls.asset, { unit: hexName }), {
      asset: hexName,
      metadata: null,
      onchain_metadata: null,
      onchain_metadata_standard: null,
      quantity: "1"
    }),
    "epochs-latest-parameters-conway": parameters([]),
    "epochs-444-parameters": parameters([]),
    "error-403-invalid-token": failure("upstream_error", "done"),
    "error-418": failure("upstream_error", "done", false),
    "error-425": failure("upstream_error", "done"),
    "error-429": failure("rate_limited", "done"),
    "error-500": failure("upstream_error", "uncertain"),
    "error-504-html": failure("upstream_error", "uncertain"),
    "tx-huge + tx-utxos-huge": row(
      seenAtBlockfrost(huge, undefined, ({ transactions: [only] }) => [
        only?.type,
        only?.fee,
        only?.timestamp,
        only?.order,
        sum(only?.from ?? []),
        sum(only?.to ?? []),
        only?.to.find(({ address }) => address === huge)?.amount,
        only?.from.find(({ address }) => address === payer)?.amount
      ]),
      // The payer of the largest input, 432,847,793,700, is charged its share, 539,864, and the remainder.
      [
        "Receive",
        874_781n,
        seconds(1_607_216_827),
        5_040_611 * 65_536,
        701_374_004_958n,
        701_374_004_958n,
        400_000_000_000n,
        432_847_253_796n,
        3
      ],
      "78 inputs share the fee in proportion to their amounts"
    ),
    "tx-huge + tx-utxos-script-collateral": [
      row(
        seenAtBlockfrost(script, (content, utxos = {}) => ({ content: { ...content, fees: "579251" }, utxos })),
        ["28172ea8 Send Success 1607216827 fee 579251: me:0 -> me:0, in 5040611 at 0", 3],
        "an output that is both input and collateral counts once"
      ),
      row(
        seenAtBlockfrost(script, (content, utxos = {}) => ({
          content: { ...content, fees: "579251", valid_contract: false },
          utxos
        })),
        ["28172ea8 Send Failed 1607216827 fee 579251: me:0 -> , in 5040611 at 0", 3],
        "a script that failed"
      )
    ],
    "tx-huge + tx-utxos-no-inputs-genesis": row(
      seenAtBlockfrost(founder, (content, utxos = {}) => ({
        content: { ...content, fees: "0", block_height: null },
        utxos
      })),
      ["28172ea8 Receive Success 1607216827 fee 0:  -> me:538861000000, in 0 at 0", 3],
      "the genesis distribution has no sender"
    ),
    "tx-withdrawals": row(
      seenAtBlockfrost(alice, (content = {}) => ({
        content,
        utxos: toItself(132_908_047_331n, 132_908_872_590n),
        withdrawals: [{ address: account, amount: "1000000" }]
      })),
      [
        `9f811b02 Withdrawal Success 1596851531 fee 174741: ${account}:1000000 + me:0 -> me:1000000, in 4530059 at 1`,
        4
      ],
      "withdrawn rewards take one more call"
    ),
    "tx-treasury-donation": row(
      seenAtBlockfrost(alice, (content = {}) => ({ content, utxos: toItself(685_170_824_878n, 4_829_351n) })),
      ["a857cf39 Send Success 1743997146 fee 170649: me:685165824878 -> , in 11703226 at 16", 3],
      "the returned fee is used if a donation makes the inputs exceed the outputs"
    ),
    "tx-int64-max-token": [
      row(held, quantities),
      row(
        seenAtBlockfrost(
          alice,
          (content = {}) => {
            const [, ...tokens] = content.output_amount as ReadonlyArray<unknown>
            const amount = [...coins(15_768_292n), ...tokens]
            return {
              content,
              utxos: {
                inputs: [{ address: bob, amount, collateral: false }],
                outputs: [{ address: alice, amount: content.output_amount, collateral: false }]
              }
            }
          },
          ({ transactions: [only] }) => [
            only?.to.map(({ amount }) => amount),
            new Set(only?.to.map(({ token }) => token)).size
          ]
        ),
        [quantities, 9, 3],
        "quantities beyond 2^53 and an asset without a name are exact"
      )
    ],
    "tx-submit-2022-bad-inputs-400": rejected("already_spent"),
    "tx-submit-invalid-cbor-400": rejected("invalid"),
    "tx-submit-platform-details-400": rejected("already_spent"),
    "tx-submit-inputs-spent-400": taken
  }
})
