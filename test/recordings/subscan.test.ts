import { bobText } from "../chains/polkadot/subscan.ts"
import { checked, historyAlways, listed, missingFor, ofSigner } from "./readers/subscan.ts"
import { fails, recordingsOf, row } from "./table.ts"

const unknown = "15gn1stGWNFPrErAUmEfKEaG6eSpGqdAZg8E7yRKSNdozbZn"
const other = "13ETo8Hdr5xAoScjsiaf1G5U8H1vCej2n7HhVQBxVxwXAmH5"
const payer = "12fCTNFUvN9CTjFD4kVL2dWcjZSzSWgnnf4LMGfRp8xrG8LA"
const kusama = "HZaz6cUo8wJ9zjwoDtA3ZzYkrCLfDYU8b3uPmYttKFFvvRK"
const refused = row(historyAlways, fails("upstream_error"), "fails instead of returning an empty account")
const limited = row(historyAlways, fails("rate_limited"), "fails instead of returning an empty account")
const hasAsset = "an asset has its id, an amount in its base units and a fee in those of the coin"
const hasPosition = "a transfer without a hash has its position, and base units of 0 are ignored"
const incomplete = ["4119 of 4120 transfers: subscan returns no more", "more"]
const isTotal = "the count is the total, so the list is incomplete"

recordingsOf("subscan", {
  samples: {
    "transfers-in-coins": row(
      listed(),
      [
        `00000009 Receive Success 1760000009 fee 12500000000: ${bobText}:90071992547409931000 -> me:90071992547409931000`,
        "00000008 Send Success 1760000008 fee 160000001: me:22500000000 -> me:22500000000"
      ],
      "coins with all digits, fees in base units, a self-transfer once"
    ),
    "transfers-null": row(listed(), [], "null is an empty list"),
    "account-unknown": row(listed(), [], "null is no data"),
    "no-such-record": row(listed(), [], "is no account"),
    "transfers-asset": row(
      listed(),
      [`00000006 Receive Success 1760000006 fee 48117203: ${bobText}:37000000 1984 -> me:37000000 1984`],
      hasAsset
    ),
    "transfers-without-hash": row(
      listed(),
      [`5-2 Send Success 1760000005 fee 0: me:8124470061039 -> ${bobText}:8124470061039`],
      hasPosition
    ),
    "transfers-one-of-many": [
      row(
        listed(),
        [`00000007 Send Success 1760000007 fee 14200000003: me:22500000000 -> ${bobText}:22500000000`, ...incomplete],
        isTotal
      ),
      row(missingFor(), [...incomplete.slice(0, 1), 7 + 2 / 65_536], "has the place of its event")
    ],
    "transfers-one-of-many + extrinsics": row(
      listed(),
      [`00000007 Send Success 1760000007 fee 141907733: me:22500000000 -> ${bobText}:22500000000`, ...incomplete],
      "joins one extrinsic with its transfer, and shows the fee that was charged"
    ),
    "transfers-one-of-many + extrinsics-failed-event": row(
      listed(),
      [`00000007 Send Failed 1760000007 fee 141907733: me:0 -> ${bobText}:0`, ...incomplete],
      "joins one extrinsic with its transfer, and shows the fee that was charged"
    ),
    "error-key": refused,
    "error-limited": limited,
    metadata: row(checked, { code: 0 }, "a retry time in a valid response is not a rate limit")
  },
  recorded: {
    "kusama-transfers-16-self-transfer": [
      row(
        missingFor(kusama),
        ["the amounts of 16 transfers: subscan does not return them in base units", 2_023_403 + 3 / 65_536],
        "before August 2020 amounts are only in base units"
      ),
      row(
        listed(kusama, 1e8),
        [
          `96512757 Receive Success 1687746376 fee 10000000000: ${other}:150000000000 -> me:150000000000`,
          "2cc7c63d Send Success 1686095086 fee 10000000000: me:1400000000000 -> me:1400000000000",
          `0d3c58e2 Receive Success 1683243826 fee 10000000000: ${other}:300000000000 -> me:300000000000`,
          `9970eb85 Receive Success 1681154290 fee 10000000000: ${payer}:73334590000 -> me:73334590000`,
          `fd529a63 Receive Success 1679722240 fee 10000000000: ${payer}:2331933730000 -> me:2331933730000`,
          `825a70a2 Send Success 1679511916 fee 10000000000: me:100000000000 -> ${other}:100000000000`,
          `13a90c91 Send Success 1679442088 fee 10000000000: me:300000000000 -> ${other}:300000000000`,
          `1cdbbd98 Send Success 1679441998 fee 10000000000: me:50000000000 -> ${other}:50000000000`,
          `db036427 Receive Success 1679264992 fee 10000000000: ${payer}:2457498040000 -> me:2457498040000`,
          `21017069 Receive Success 1676716144 fee 0: ${payer}:9858949180000 -> me:9858949180000`,
          `54c0d14a Receive Success 1676662756 fee 0: ${payer}:3279675040000 -> me:3279675040000`,
          `254f489b Receive Success 1676600764 fee 0: ${payer}:1617718660000 -> me:1617718660000`,
          `80205129 Receive Success 1676507356 fee 0: ${payer}:3021853120000 -> me:3021853120000`,
          `f0581247 Receive Success 1676163976 fee 0: ${payer}:5334697945000 -> me:5334697945000`,
          `eb2b32bc Receive Success 1676162248 fee 0: ${payer}:5334697945000 -> me:5334697945000`,
          `8e2171a1 Receive Success 1676161810 fee 0: ${payer}:28000000000 -> me:28000000000`
        ],
        "coins with all digits, fees in base units, a self-transfer once, if DOT has ten decimals"
      )
    ],
    "transfers-none-null": row(listed(unknown), [], "null is an empty list"),
    "account-unknown-data-null": row(listed(unknown), [], "null is no data"),
    "westend-transfers-one-of-6389": row(
      listed("5HpLdCTNBQDjFomqpG2XWadgB4zHTuqQqNHhUyYbett7k1RR"),
      [
        "349a6ee5 Send Success 1605246588 fee 15500000001: me:5000000000 -> 12CujFmtU9mx1DacbaK8mbhpLV4zXhZHmrLpofnPrKymHpxo:5000000000",
        "6388 of 6389 transfers: subscan returns no more",
        "more"
      ],
      isTotal
    ),
    "doc-asset-transfers-usdr": row(
      listed("F3opxRUwkBj1LqjZ7DyiHCRh9Z4zVPLaVjoxfD5ddbip8mt"),
      [
        "46740351 Receive Success 1682555502 fee 55029659: 1KZ4wLYDHg9xhVnmR6jbdXH6aWdw9kZ9HbPLy1WpkAtUdFD:11000000 1984 -> me:11000000 1984"
      ],
      hasAsset
    ),
    "doc-v2-transfers": row(
      listed("5EYCAe5gKAhHPwdktrtmXoAX8GfSVTkq2iBTWfpfoEnQxe6p"),
      [
        "783422-2 Send Success 1612150386 fee 0: me:106530901255055780 -> 12vDzob6c1U2oe5kvQiVTCTb62k1V5CDtzmCbWdX2EuNo24o:106530901255055780"
      ],
      hasPosition
    ),
    "polkadot-extrinsic-transfer": row(
      ofSigner,
      [
        "13c028cb Send Success 1687547412 fee 157316518: me:872321233400 -> 12nr7GiDrYHzAYT9L8HdeXnMfWcBuYfAXpgfzf3upujeCciz:872321233400"
      ],
      "the fee is the sum that the treasury and the block author get"
    ),
    "polkadot-extrinsic-failed": row(
      ofSigner,
      ["13c028cb Send Failed 1687547412 fee 157316518: me:0 -> 12nr7GiDrYHzAYT9L8HdeXnMfWcBuYfAXpgfzf3upujeCciz:0"],
      "an extrinsic has failed because of its event, whatever its flags say"
    ),
    "kusama-assethub-metadata": row(checked, { code: 0 }, "Subscan is available, whichever network it is of"),
    "error-api-key-required": refused,
    "doc-rate-limited": limited
  }
})
