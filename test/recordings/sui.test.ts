import { base58 } from "@scure/base"
import { digestOf } from "../../src/chains/sui/jsonrpc/TransactionData.ts"
import { long, type Query, token } from "../chains/sui/hosts.ts"
import { sample } from "../support/fixtures.ts"
import {
  balance,
  held,
  heldBefore,
  listed,
  ofInvalidType,
  seenBefore,
  seenChanges,
  seenInGrpc,
  withMetadata
} from "./readers/sui.ts"
import {
  type Balance,
  balancesOf,
  bytesOf,
  type Coin,
  type JsonObject,
  type OldTransaction,
  page,
  recordedCall,
  same,
  toNode,
  toTransaction
} from "./readers/suiRpc.ts"
import { translations } from "./readers/suiTranslations.ts"
import { fails, recordedAs, recordingsOf, row } from "./table.ts"

const [own, peer, third] = ["a1", "b2", "c3"].map((digits) => `0x${digits.repeat(32)}`) as [string, string, string]
const made = token(`${long("e5")}::made::MADE`, "made")
const short = token(`${long("f".repeat(63))}::coin::COIN`, "short")
const empty = token(`${long("9c")}::token::TOKEN`, "empty")

const test = token("0xbaa3060844f46b8ac670ce4945a2abc6aae36b9d9514d51bde88bec13447bf1c::test::TEST", "test")
const usdc = token("0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC", "usd-coin")
const cetus = token(`${long("6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b")}::cetus::CETUS`, "cetus")
const fake = token("0xa6628f77d4a14f62ba1e2e8b24d99c19ca9948e8925f97367ce6f597f6b3085c::fake::FAKE", "fake")

const unread = (reason: string, message: RegExp) =>
  row(balance(made.address), fails(reason, message), "is no zero balance")

/** One native coin for every spelling, and no token with a zero balance. */
const coins = (...expected: ReadonlyArray<unknown>) =>
  row(heldBefore([usdc, cetus, fake]), expected, "one native coin, no zeros")

const none = { more: false, missing: [], variables: [] }

/** The only transaction of a history, whose digest and height end with this number. */
const only = (index: number, transaction: object, rest: object = none) =>
  row(listed(own), {
    transactions: [
      {
        hash: base58.encode(new Uint8Array(32).fill(index)),
        timestamp: Date.UTC(2026, 1, 3, 4, 5, index) / 1000,
        block: 210_000_000 + index,
        type: "ProgrammableTransaction",
        status: "Success",
        from: [],
        to: [],
        ...transaction
      }
    ],
    ...rest
  })

const balances = same(({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }), {
  shows: "the translated balances have the same types"
})

const metadata = same(
  ({ result }) => ({
    coinMetadata: result === null ? null : { ...(result as JsonObject), address: (result as JsonObject).id }
  }),
  {
    shows: "the translated metadata are the same",
    // The recording has `<package>` instead of the package id of its test chain.
    params: ([type]) => [String(type).replace("<package>", "0x5")]
  }
)

/** The translated effects, input and changes are the same, except that full-length types are shortened. */
const transaction = same(({ result }) => ({ transaction: toTransaction(result as OldTransaction) }), {
  shows: "the translated effects are the same",
  expected: ({ result }) => ({ result: JSON.parse(JSON.stringify(result).replace(/0x0{63}2(?=::)/g, "0x2")) })
})

const unchanged = same(({ result }) => ({ transaction: toTransaction(result as OldTransaction) }), {
  shows: "the translated effects and balance changes are the same"
})

const codeOf = (error: unknown) => (error as { readonly code: number }).code

const emptyPage = { nodes: [], pageInfo: { hasPreviousPage: false, startCursor: null } }

const [from93, to9d] = [
  "0x93f65b8c16c263343bbf66cf9f8eef69cb1dbc92d13f0c331b0dcaeb76b4aab6",
  "0x9d6b98b18fd26b5efeec68d020dcf1be7a94c2c315353779bc6b3aed44188ddf"
]
const [from59, toF0] = [
  "0x5987852fa4832e820031fd373d6ec8a2cfe84031a59851b8aca60c79b1aa9c2d",
  "0xf0e295b8e40b4d554f1f0e4ac78d79227f1921ccd3059d017d0225553384c781"
]
const [from7d, toBb] = [
  "0x7d20dcdb2bca4f508ea9613994683eb4e76e9c4ed371169677c1be02aaf0b58e",
  "0xbb8a8269cf96ba2ec27dc9becd79836394dbe7946c7ac211928be4a0b1de66b9"
]
const coin = "0xc060006111016b8a020ad5b33834984a437aaa7d3c74c18e09a95d48aceab08c::coin::COIN"

recordingsOf("sui", {
  samples: {
    owners: row(
      held([made, short, empty], own, peer),
      [
        [
          ["native", 812_000_000_000_007n],
          ["made", 3_004_000n, 6],
          ["short", 12n, 6]
        ],
        [["native", 5n]],
        2
      ],
      "the sum of coin objects and address balances over every spelling of a type, without zeros"
    ),
    balance: row(balance(made.address), [3_004_000n, 255]),
    "balance-without-metadata": unread(
      "bad_answer",
      /^sui-graphql: there is no coin of this type, or its decimals are unknown$/
    ),
    "other-network": unread("bad_answer", /^sui-graphql: serves another network$/),
    "error-timeout": unread("timeout", /^sui-graphql: exceeded its own time limit$/),
    "transactions-payment + more-changes": only(
      1,
      {
        type: "Send",
        fee: 9_298n,
        from: [{ address: own, amount: 1_000n }],
        to: [
          { address: peer, amount: 700n },
          { address: third, amount: 300n }
        ]
      },
      { ...none, variables: [(sample("sui", "more-changes").request.body as Query).variables] }
    ),
    "transactions-rebate": only(2, { fee: 0n, paid: -1233n }),
    "transactions-failed": only(3, {
      type: "Send",
      status: "Failed",
      fee: 9_099n,
      from: [{ address: own, amount: 0n }]
    }),
    "transactions-system": only(4, { type: "ConsensusCommitPrologueTransaction", fee: 0n }),
    "transactions-cheap": only(5, { fee: 266n, paid: 266n }),
    "transactions-empty": row(listed(own), {
      ...none,
      transactions: [],
      missing: ["transactions before 2025-11-01T00:00:00Z: sui-graphql does not have them"]
    }),
    ...translations
  },
  recorded: {
    "graphql-balances": [
      row(
        held([test], long("1")),
        [
          [
            ["native", 299999984505896n],
            ["test", 1002000n, 6]
          ],
          2
        ],
        "coin objects and the address balance"
      ),
      row(balance(`${long("1")}::test::TEST`, { coinMetadata: { decimals: 6 } }), [1002000n, 6], "a single balance")
    ],
    "all-balances-long-sui-type": [
      coins(["native", 299999962225608n], ["fake", 4100n, 6]),
      same(({ result }) => ({ address: balancesOf(result as ReadonlyArray<Balance>) }), {
        shows: "a full-length type is shortened, as most nodes did",
        expected: ({ result }) => {
          const [native, ...tokens] = result as ReadonlyArray<Balance>
          return { result: [{ ...native, coinType: "0x2::sui::SUI" }, ...tokens] }
        }
      })
    ],
    "all-balances-single": [coins(["native", 7940000000n]), balances],
    "all-balances-with-zero-tokens": [
      coins(["native", 52855428706n], ["usd-coin", 3685298n, 6]),
      row(
        heldBefore([cetus], "12"),
        [
          ["native", 12n],
          ["cetus", 12n, 9]
        ],
        "the same coin for a type without its leading zeros"
      ),
      balances
    ],
    "get-balance": same(
      ({ result }) => {
        const { balances, objects } = balancesOf([result as Balance])
        return { address: { balance: balances.nodes[0], objects } }
      },
      { shows: "the translated balance is the same" }
    ),
    "get-coins-page": same(
      ({ result }) => ({
        address: {
          objects: { nodes: (result as { readonly data: ReadonlyArray<Coin> }).data.map(toNode), pageInfo: page }
        }
      }),
      {
        shows: "translated coins have the same amounts and versions",
        expected: ({ result }) => ({ result: { ...(result as JsonObject), nextCursor: null, hasNextPage: false } })
      }
    ),
    "get-coins-empty": same(() => ({ address: { objects: { nodes: [], pageInfo: page } } }), {
      shows: "an empty list",
      expected: () => ({ result: { data: [], nextCursor: null, hasNextPage: false } })
    }),
    "coin-metadata-decimals-255": [row(withMetadata, [5n, 255]), metadata],
    "coin-metadata-sui": [row(withMetadata, [5n, 9]), metadata],
    "coin-metadata-null": [row(withMetadata, fails("bad_answer")), metadata],
    "coin-metadata-invalid-type": [
      row(ofInvalidType, ["invalid_address", 0], "is not requested"),
      same(() => ({}), {
        shows: "the translated error has the same code",
        show: ({ error }, requests) => {
          const { message } = error as { readonly message: string }
          const text = `Invalid Params: Failed to parse type "invalid_coin_type"`
          return [codeOf(error), message.startsWith(text), requests.length]
        },
        expected: ({ error }) => [codeOf(error), true, 0]
      })
    ],
    "tx-not-found": same(() => ({ transaction: null }), { shows: "the translated error is the same" }),
    "tx-not-found-indexer": same(() => ({ transaction: null }), {
      shows: "the translated error has the same code",
      show: ({ error }) => codeOf(error),
      expected: ({ error }) => codeOf(error)
    }),
    "query-transactions-empty": same(() => ({ transactions: emptyPage }), { shows: "no transactions" }),
    "query-transactions-from-address": same(
      ({ result }) => ({
        transactions: {
          nodes: (result as { readonly data: ReadonlyArray<{ readonly digest: string }> }).data
            .map(({ digest }) => ({ digest, effects: { digest, timestamp: null, checkpoint: null } }))
            .reverse(),
          pageInfo: { hasPreviousPage: false, startCursor: "NA==" }
        }
      }),
      { shows: "only digests, newest first" }
    ),
    "query-transactions-unsupported-filter": same(() => ({}), { shows: "the translated error is the same" }),
    "graphql-balance-changes": row(
      seenChanges("0xfccc9a421bbb13c1a66a1aa98f0ad75029ede94857779c6915b44f94068b921e", 2_985_880),
      "x Send Success 1767323045 fee 2985880: me:800 -> 0xa7b032703878aa74c3126935789fd1d4d7e111d5911b09247d6963061c312b5a:500 + 0xda83166d01afd7ddcf8af5f844f45aaa53f48548e5117c23f5a2978cfd422244:300",
      "a payment to two recipients, whose coin type is plain text"
    ),
    "tx-transfer-sui": [
      row(seenBefore(from93), `CJ16PEqq Send Success 1742168333 fee 1744880: me:100000000 -> ${to9d}:100000000`),
      unchanged
    ],
    "tx-transfer-token-negative-fee": [
      row(
        seenBefore(from59),
        `4MjZc5Gr Send Success 1751949450 fee 0: me:10231646 ${coin} -> ${toF0}:10231646 ${coin}`
      ),
      unchanged
    ],
    "tx-devnet-transfer-with-input": [
      row(seenBefore(from7d), `J2Vkui75 Send Success 1683124849 fee 1997880: me:10000000000 -> ${toBb}:10000000000`),
      transaction,
      row(
        (recording) => digestOf(bytesOf(recordedCall(recording).result as OldTransaction)),
        recordedAs((recording) => (recordedCall(recording).result as OldTransaction).digest),
        "the digest is that of the bytes"
      )
    ],
    "tx-failed-insufficient-coin-balance": [
      row(seenBefore(toBb), "9aFfSrP7 Send Failed 1683667808 fee 1079040: me:0 -> "),
      transaction
    ],
    "grpc-tx-programmable-negative-fee": row(
      seenInGrpc(
        "0x0feb54a725aa357ff2f5bc6bb023c05b310285bd861275a30521f339a434ebb3",
        [611_220, 40_720_800, 41_299_236]
      ),
      "x ProgrammableTransaction Success 1767323045 fee 32784:  -> ",
      "a small fee after the storage rebate"
    )
  }
})
