import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { elector } from "../../chains/ton/Provider.ts"
import * as calls from "../../chains/ton/providers/toncenter/calls.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import type * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import { allJettons, balance } from "./tonBalances.ts"
import { walletId } from "./tonCenter.ts"
import { addressBook, type TonWireTransaction } from "./tonRows.ts"
import type { Wallets } from "./tonWallets.ts"

/** TON Center's API v3. Addresses are raw and in upper case. */
export const toncenterIndex = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): Simulated => {
  const answers = [...accountAnswers(facts, own), ...transactionAnswers(facts, known)]
  return (request) => {
    const { path, query } = request
    const wrong = ["address", "account", "owner_address", "jetton_address"]
      .flatMap((name) => query.getAll(name))
      .some((text) => Either.isLeft(TonAddress.parse(text)))
    if (wrong) return json({ error: "invalid address" }, 422)
    return Option.match(answerOf(answers, request), {
      onNone: () => json({ error: `Cannot GET ${path}` }, 404),
      onSome: (found) => json(found)
    })
  }
}

/** A transaction that was looked up, as a list. */
const found = (transaction: Option.Option<TonWireTransaction>) => ({
  transactions: Option.toArray(transaction),
  address_book: Option.match(transaction, { onNone: () => ({}), onSome: addressBook })
})

/** Lists of transactions, and transactions by hash. */
const transactionAnswers = (facts: NetworkFacts, known: TonHistory.TonWire): ReadonlyArray<Answered> => {
  /** The accounts of a list, whose transactions can be looked up from then on. */
  const listedIn = (query: URLSearchParams, name: string) => {
    const addresses = TonHistory.rawOf(query.getAll(name))
    known.remember(addresses)
    return addresses
  }
  const tracesOf = (query: URLSearchParams) => ({
    traces: [
      ...query.getAll("tx_hash").map((hash) => known.by(hash)),
      ...query.getAll("msg_hash").map((hash) => known.ofMessage(hash))
    ]
      .flatMap(Option.toArray)
      .slice(0, Number(query.get("limit") ?? 10))
      .map((transaction) => ({
        trace_id: transaction.trace_id,
        transactions: { [transaction.hash]: transaction }
      })),
    address_book: {}
  })
  return [
    answered(calls.transactions, ({ query }) => {
      const hash = query.get("hash")
      return hash === null ? TonHistory.transactions(facts, listedIn(query, "account"), query) : found(known.by(hash))
    }),
    answered(calls.transactionOfMessage, ({ query }) => found(known.ofMessage(query.get("msg_hash") ?? ""))),
    answered(calls.tracesOfTransactions, ({ query }) => tracesOf(query)),
    answered(calls.jettonTransfers, ({ query }) =>
      TonHistory.jettonTransfers(facts, listedIn(query, "owner_address"), query, metadata)
    ),
    // The world has no jetton burns.
    answered(calls.jettonBurns, () => ({ jetton_burns: [], address_book: {}, metadata: {} }))
  ]
}

const accountAnswers = (facts: NetworkFacts, own: Wallets): ReadonlyArray<Answered> => [
  answered(calls.masterchainInfo, ({ now }) => ({
    last: { seqno: TonHistory.blockAt(now), gen_utime: String(Math.floor(now / 1000)) }
  })),
  answered(calls.walletStates, ({ query }) => ({
    // Unused accounts are absent.
    wallets: TonHistory.rawOf(query.getAll("address"))
      .filter((address) => balance(facts, address) > 0n)
      .map((address) => ({
        address: address.toUpperCase(),
        balance: String(balance(facts, address)),
        extra_currencies: {},
        status: "active" as const,
        ...(address === elector
          ? { is_wallet: false }
          : {
              is_wallet: true,
              wallet_type: "wallet v4 r2",
              wallet_id: walletId,
              seqno: own.seqno(address),
              is_signature_allowed: true
            })
      })),
    address_book: {},
    metadata: {}
  })),
  answered(calls.accountStates, ({ query }) => ({
    accounts: TonHistory.rawOf(query.getAll("address"))
      .filter((address) => balance(facts, address) > 0n)
      .sort()
      .map((address) => ({
        address: address.toUpperCase(),
        account_state_hash: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        balance: balance(facts, address).toString(),
        extra_currencies: {},
        status: "active",
        last_transaction_lt: "46064007000003"
      })),
    address_book: {},
    metadata: {}
  })),
  answered(calls.jettonWallets, ({ query }) => jettonWalletsOf(facts, query)),
  answered(calls.jettonMaster, ({ query }) => {
    const addresses = TonHistory.rawOf(query.getAll("address"))
    const masters = TonHistory.masters(facts).filter(({ master }) => addresses.includes(master))
    return {
      jetton_masters: masters.map(({ master }) => ({
        address: master.toUpperCase(),
        mintable: true,
        total_supply: "1000000000000000",
        admin_address: null
      })),
      address_book: {},
      metadata: Object.fromEntries(masters.map(({ contract, master }) => [master.toUpperCase(), metadata(contract)]))
    }
  })
]

const jettonWalletsOf = (facts: NetworkFacts, query: URLSearchParams) => {
  const wanted = TonHistory.rawOf(query.getAll("jetton_address"))
  const [limit, offset] = [Number(query.get("limit") ?? 10), Number(query.get("offset") ?? 0)]
  const rows = TonHistory.rawOf(query.getAll("owner_address"))
    .toSorted()
    .flatMap((owner) => allJettons(facts, owner).map((jetton) => ({ owner, ...jetton })))
    .filter(({ master }) => wanted.length === 0 || wanted.includes(master))
    .slice(offset, offset + limit)
  return {
    jetton_wallets: rows.map(({ amount, master, owner }) => ({
      address: TonHistory.jettonWallet(owner, master).toUpperCase(),
      balance: amount.toString(),
      owner: owner.toUpperCase(),
      jetton: master.toUpperCase(),
      last_transaction_lt: "46064007000003"
    })),
    address_book: {},
    metadata: Object.fromEntries(
      rows.flatMap(({ contract, ...row }) =>
        contract === undefined
          ? []
          : [
              [row.master.toUpperCase(), metadata(contract)],
              [TonHistory.jettonWallet(row.owner, row.master).toUpperCase(), walletMetadata(row)]
            ]
      )
    )
  }
}

/** Metadata of a jetton wallet, without decimals. */
const walletMetadata = ({
  amount,
  master,
  owner
}: {
  readonly amount: bigint
  readonly master: string
  readonly owner: string
}) => ({
  is_indexed: true,
  token_info: [
    {
      valid: true,
      type: "jetton_wallets",
      extra: { balance: amount.toString(), jetton: master.toUpperCase(), owner: owner.toUpperCase() }
    }
  ]
})

const metadata = ({ coin, decimals }: World.Contract) => ({
  is_indexed: true,
  token_info: [
    {
      valid: true,
      type: "jetton_masters",
      name: coin.name,
      symbol: coin.symbol.toUpperCase(),
      extra: { decimals: String(decimals) }
    }
  ]
})
