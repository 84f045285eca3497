import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { refusals } from "../../src/chains/solana/refusals.ts"
import { parse } from "../../src/upstream/record/Exchange.ts"
import { key, network, replaying, token } from "../chains/solana/nodes.ts"
import { settled } from "../support/settled.ts"
import { coded, meaning } from "./readers/refusals.ts"
import {
  refused,
  refusedBody,
  refusedHistory,
  seen,
  single,
  wallets,
  withoutTheFirst,
  withParsedTransfer
} from "./readers/solana.ts"
import { fails, type Read, recordingsOf, row } from "./table.ts"

/** The lamports of an address. */
const coins: Read = (recording) =>
  Effect.gen(function* () {
    const { holding } = yield* network(replaying(recording), [])
    const { amount, asset } = yield* settled(holding(key(61), Option.none()))
    return [asset, Either.getOrThrow(amount)]
  })

const many = token(key(71), "many")
const nft = token(key(72), "nft", 0)
const unparsed = token(key(75), "unparsed")

const bonk = token("Hv69wUkD225TYq111eAar9CtjhNpzBTRFpHkpY3pbonk", "bonk")
const frozen = token("ByqVeGqR8VzvJG67E92rijxvuCzkLrbqotx2kPPo6eot", "frozen", 0)
const empty = token("JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN", "jupiter")
const newer = token("7atgF8KQo4wJrD5ATGX7t1V2zVvykPJbFfNeVf1icFv1", "newer")
const owners = ["7pFGok3zuvacRP797Ke3bUZqbq24PbVQNLvwopfErvih", "FkzRQKW8Mzip4xXHamibLZB28sjqN9ZLFacQdbuVEYxa"]
const found = [
  [frozen.address, 1n, 0],
  [bonk.address, 233884967632n, 6],
  [newer.address, 11n, 6]
]
const both = "the tokens of both programs, even frozen ones"

const single6 = (mint: string, amount: bigint) =>
  row(single(mint), [mint, amount, 6], "the decimals of the mint, and the amount of the string")
const noToken = row(single(key(77)), fails("bad_answer", /^solana-rpc: this address is not a token$/))

const refusal = (reason: string, detail: string) => {
  const failure = { reason, message: `solana-rpc: ${detail}` }
  return row(refused, [failure, failure, true], "is no balance of zero, and the next node is called")
}
const behind = refusal("upstream_error", "the node is behind the network")
const version = refusal("upstream_error", "the node rejected the call (-32015)")
const limited = refusal("rate_limited", "rate limit reached (HTTP 429)")
const inHistory = (reason: string) =>
  row(refusedHistory, [reason, 1, []], "is no missing transaction if another node has it")
const limitedBody = row(
  refusedBody,
  { reason: "rate_limited", message: "solana-rpc: rate limit reached" },
  "the code 429 with HTTP 200"
)

const [payer, other] = [key(11), key(12)]
const [dyb, dfx] = ["DyB4TbDBqPUsCfsJMuoqjktEAod7D3KMNULSo7R1Rb61", "DfXygSm4jCyNCybVYYK6DwvWqjKee8pbDmJGcLWNDXjh"]
const [blw, bxt] = ["BLw3RweJmfbTapJRgnPRvd962YDjFYAnVGd1p5hmZ5tP", "BXT1K8kzYXWMi6ihg7m9UqiHW4iJbJ69zumELHE9oBLe"]
const [sol4d, sol3a] = ["4DrfzUpTdNtfr7D1RBVw2WhPshasifw97mH3aj27Skp9", "3AmPaYAe6xWFxci4iCe8m2TkrQFZJPaj5AeBPTDoeFkR"]
const [from37, to3u] = ["37BenMAXFJMo3GaXKb2XLsNQXmd6VbbdShZWnwDj9D6k", "3UJQqKq8Xyx4aVRmHgEwpQZiW7toYRQCTy6Bgp1RdKnK"]
const [hbyc, ahy6] = ["HBYC51YrGFAZ8rM7Sj8e9uqKggpSrDYrinQDZzvMtqQp", "AHy6YZA8BsHgQfVkk7MbwpAN94iyN7Nf1zN4nPqUN32Q"]
const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
const devUsdc = "4zMMC9srt5Ri5X14GAgXhaHii3GnPAEERYPJgZJDncDU"

recordingsOf("solana", {
  samples: {
    balance: row(coins, ["native", 905_120_044n]),
    "accounts-one-missing + token-accounts-bytes + token-accounts-2022": row(
      wallets([many, nft, unparsed], [key(61), key(62)]),
      [
        ...[9_007_199_254_740_995n, 0n].map((lamports) => [
          ["native", lamports],
          [many.address, 9_223_372_454_932_011_727n, 6],
          [nft.address, 1n, 0],
          [unparsed.address, 19n, 6]
        ]),
        2
      ],
      both
    ),
    "token-accounts-parsed + mint": single6(key(76), 9_007_199_254_740_995n),
    "token-accounts-parsed + mint-2022": single6(key(76), 9_007_199_254_740_995n),
    "token-accounts-parsed + account-null": noToken,
    "error-node-behind + balance": behind,
    "error-transaction-version + balance": version,
    "error-limited + balance": limited,
    "error-node-behind": inHistory("upstream_error"),
    "error-transaction-version": inHistory("bad_answer"),
    "error-limited": [inHistory("rate_limited"), limitedBody],
    "tx-below-the-fee": row(seen(other), `x Receive Success 1760000001 fee 5000: ${payer}:321 -> me:321`),
    "tx-of-2020": row(seen(payer), `x Send Success 1590000000 fee 5000: me:4310000 -> ${other}:4310000`),
    "tx-all-that-is-there": row(seen(payer), `x Send Success 1700000000 fee 5000: me:640196777 -> ${other}:640196777`),
    "tx-to-itself": row(seen(payer), "x Send Success 1700000000 fee 5000: me:25000 -> me:25000"),
    "tx-to-itself-unparsed": row(seen(payer), "x Contract Call Success 1700000000 fee 5000:  -> "),
    "tx-token-new-account": row(seen(other), `x Receive Success 1700000000 fee 5000:  -> me:150000 ${key(78)}`),
    "tx-beyond-2-53": row(seen(payer), `x Send Success 1700000000 fee 5000: me:1500000003 -> ${other}:1500000003`),
    "tx-look-up-tables": row(seen(other), `x Receive Success 1700000000 fee 5000: ${payer}:700 -> me:700`),
    "tx-failed-exchange": row(seen(payer), "x Send Failed 1700000000 fee 5321: me:0 -> "),
    "tx-failed-as-if-done": row(seen(payer), "x Send Failed 1700000000 fee 5000: me:0 -> "),
    "signatures + transaction-null": row(
      withoutTheFirst(key(31)),
      [["paid Success 1760000070", "slipped Failed 1760000070", "unpaid Failed 1760000030"], "1 of 4 transactions"],
      "includes failed transactions, and counts one that no node has"
    )
  },
  recorded: {
    getbalance: row(coins, ["native", 1_366_309_311n]),
    "sendtransaction-simulation-failed": row(meaning(refusals, coded), "invalid"),
    "getmultipleaccounts-two + token-accounts-by-owner-base64-frozen + token-accounts-by-owner-token2022-base64": row(
      wallets([bonk, frozen, empty, newer], owners),
      [[["native", 3063908962n], ...found], [["native", 564503502n], ...found], 2],
      both
    ),
    ...Object.fromEntries(
      ["mint-account-spl", "mint-account-token2022-extensions"].map((mint) => [
        `token-accounts-by-owner-jsonparsed + ${mint}`,
        single6("2zMMhcVQEXDtdE6vsFS7S7D5oUodfJHE8vd1gnBouauv", 75071408n)
      ])
    ),
    "token-accounts-by-owner-jsonparsed + getaccountinfo-null": noToken,
    "error-32005-node-behind + getbalance": behind,
    "error-32015-tx-version + getbalance": version,
    "error-429-rpc-call + getbalance": limited,
    "error-32005-node-behind": inHistory("upstream_error"),
    "error-32015-tx-version": inHistory("bad_answer"),
    "error-429-rpc-call": [inHistory("rate_limited"), limitedBody],
    "tx-transfer-sol": row(seen(dfx), `x Receive Success 1751394455 fee 5000: ${dyb}:2173 -> me:2173`),
    "tx-jsonparsed-2020-transfer": row(seen(hbyc), `x Send Success 1588062639 fee 5000: me:1230000 -> ${ahy6}:1230000`),
    "tx-native-transfer-close-account": row(
      seen(sol4d),
      `x Send Success 1759436023 fee 5000: me:718759267 -> ${sol3a}:718759267`
    ),
    "tx-usdc-transfer": row(
      seen(blw),
      `x Send Success 1736502537 fee 5000: me:10000 ${devUsdc} -> ${bxt}:10000 ${devUsdc}`
    ),
    // The account of the recipient is new: its balance was zero before, and its rent has no recipient.
    "tx-usdc-transfer-new-ata": row(
      seen(to3u),
      `x Receive Success 1753346616 fee 5500: ${from37}:100000 ${usdc} -> me:100000 ${usdc}`
    ),
    "tx-native-self-transfer": [
      // The amount is only in an instruction that is not parsed here, not in the balances.
      row(seen(blw), "x Contract Call Success 1741791493 fee 5000:  -> "),
      row(
        seen(blw, withParsedTransfer(blw)),
        "x Send Success 1741791493 fee 5000: me:100000000 -> me:100000000",
        "that a node parses"
      )
    ],
    "tx-base64-lamports-above-2-53": row(
      // One digit is changed, so that a double would give another amount.
      seen(undefined, ({ meta, ...transaction }) => {
        const { postBalances } = meta as { readonly postBalances: ReadonlyArray<unknown> }
        return {
          ...transaction,
          meta: { ...(meta as object), postBalances: postBalances.with(0, parse("19921026477997230")) }
        }
      }),
      "x Send Success 1650017168 fee 5000: me:1000000007 -> Hzn3n914JaSpnxo5mBbmuCDmGL6mxWN9Ac2HzEXFSGtb:1000000000",
      "all digits"
    ),
    "tx-failed-swap-custom-6001": row(
      seen("9az5xpAV8KJ2Q2Jb1ZvBpvfUa5Cj4dZirbgvfPF5XsB8"),
      "x Send Failed 1741949141 fee 5146: me:0 -> "
    ),
    "tx-failed-insufficient-funds-for-rent": row(seen(), "x Send Failed 1645123751 fee 5000: me:0 -> "),
    "getsignaturesforaddress-failed-and-memo + gettransaction-null": row(
      withoutTheFirst("7T8ckKtdc5DH7ACS5AnCny7rVXYJPEsaAbdBri1FhPxY", (rows, failed) => [rows.length, failed]),
      [[45, true], "1 of 46 transactions"],
      "includes failed transactions, and counts one that no node has"
    )
  }
})
