import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { elector } from "../../chains/ton/Provider.ts"
import * as apiCalls from "../../chains/ton/providers/tonapi/calls.ts"
import * as centerCalls from "../../chains/ton/providers/toncenter/calls.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import { spread } from "../world/busy.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import { blockchainConfig, tonCenter, walletId } from "./tonCenter.ts"
import { addressBook, asTonApi, type TonWireTransaction } from "./tonRows.ts"
import { type Wallets, wallets } from "./tonWallets.ts"

/** Balance of the elector contract, which holds the validators' stakes. */
const staked = 650_000_000_000_000_000n

const balance = (facts: NetworkFacts, address: string) => (address === elector ? staked : World.native(facts, address))

/** Indexers of TON, limited to the endpoints that the service uses, and the test network's node, without jettons. */
export const ton = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const { platform: _, ...bare } = facts
  const testnet = tonCenter({ ...bare, id: NetworkId.make(`${facts.id}-testnet`) })
  const own = wallets(facts)
  const known = TonHistory.make(facts, own.senderOf)
  const [nodes, indexer] = [tonCenter(facts, own), toncenter(facts, known, own)]
  return [
    ["toncenter", (request) => (request.path.includes("/api/v3/") ? indexer(request) : nodes(request))],
    ["tonapi", tonapi(facts, known, own)],
    [`${facts.id}-testnet-rpc`, testnet]
  ]
}

/** TON Center's API v3. Addresses are raw and in upper case. */
const toncenter = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): Simulated => {
  const answers = toncenterAnswers(facts, known, own)
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

const toncenterAnswers = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): ReadonlyArray<Answered> => {
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
    answered(centerCalls.masterchainInfo, ({ now }) => ({
      last: { seqno: TonHistory.blockAt(now), gen_utime: String(Math.floor(now / 1000)) }
    })),
    answered(centerCalls.walletStates, ({ query }) => ({
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
    answered(centerCalls.accountStates, ({ query }) => ({
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
    answered(centerCalls.jettonWallets, ({ query }) => jettonWalletsOf(facts, query)),
    answered(centerCalls.transactions, ({ query }) => {
      const hash = query.get("hash")
      return hash === null ? TonHistory.transactions(facts, listedIn(query, "account"), query) : found(known.by(hash))
    }),
    answered(centerCalls.transactionOfMessage, ({ query }) => found(known.ofMessage(query.get("msg_hash") ?? ""))),
    answered(centerCalls.tracesOfTransactions, ({ query }) => tracesOf(query)),
    answered(centerCalls.jettonTransfers, ({ query }) =>
      TonHistory.jettonTransfers(facts, listedIn(query, "owner_address"), query, metadata)
    ),
    // The world has no jetton burns.
    answered(centerCalls.jettonBurns, () => ({ jetton_burns: [], address_book: {}, metadata: {} })),
    answered(centerCalls.jettonMaster, ({ query }) => {
      const addresses = TonHistory.rawOf(query.getAll("address"))
      const masters = TonHistory.masters(facts).filter(({ master }) => addresses.includes(master))
      return {
        jetton_masters: masters.map(({ master }) => ({ address: master.toUpperCase(), mintable: true })),
        address_book: {},
        metadata: Object.fromEntries(masters.map(({ contract, master }) => [master.toUpperCase(), metadata(contract)]))
      }
    })
  ]
}

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

/** TonAPI. Addresses are raw and in lower case. */
const tonapi = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): Simulated => {
  const answers = tonapiAnswers(facts, known, own)
  return (request) => {
    const { body, path, query } = request
    const [, text] = /\/v2\/(?:accounts|jettons|wallet)\/([^/]+)/.exec(decodeURIComponent(path)) ?? []
    const named = text === "_bulk" ? Option.getOrElse(ids(body), () => [""]) : text === undefined ? [] : [text]
    if (named.length > 0 && TonHistory.rawOf(named).length < named.length)
      return json({ error: "can't decode address" }, 400)
    if (path.endsWith("/events") && !query.has("limit")) return json({ error: "limit: field required" }, 400)
    return Option.match(Option.filter(answerOf(answers, request), Predicate.isNotUndefined), {
      onNone: () => json({ error: "entity not found" }, 404),
      onSome: (found) => json(found)
    })
  }
}

const tonapiAnswers = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): ReadonlyArray<Answered> => {
  const shown = (transaction: Option.Option<TonWireTransaction>) =>
    Option.getOrUndefined(
      Option.map(transaction, (row) => asTonApi(row, own.cellOf(row).toBoc({ crc32: false }).toString("hex")))
    )
  const raw = ({ address }: { readonly address: string }) => TonHistory.rawOf([decodeURIComponent(address)])[0] ?? ""
  return [
    answered(apiCalls.masterchainHead, ({ now }) => ({
      seqno: TonHistory.blockAt(now),
      gen_utime: Math.floor(now / 1000)
    })),
    answered(apiCalls.seqno, ({ parameters }) => ({ seqno: own.seqno(raw(parameters)) })),
    answered(apiCalls.transaction, ({ parameters }) => shown(known.by(parameters.hash))),
    answered(apiCalls.transactionOfMessage, ({ parameters }) => shown(known.ofMessage(parameters.hash))),
    answered(apiCalls.config, () => blockchainConfig),
    answered(apiCalls.accountStates, ({ body: { account_ids = [] } }) => ({
      accounts: TonHistory.rawOf(account_ids).map((address) => ({
        address,
        balance: Number(balance(facts, address)),
        last_activity: 1757124635,
        status: balance(facts, address) > 0n ? ("active" as const) : ("nonexist" as const),
        interfaces: balance(facts, address) > 0n ? ["wallet_v4r2"] : [],
        is_wallet: true
      }))
    })),
    answered(apiCalls.jettonInfos, ({ body: { account_ids = [] } }) => {
      const requested = TonHistory.rawOf(account_ids)
      const masters = TonHistory.masters(facts).filter(({ master }) => requested.includes(master))
      return { jettons: masters.map(({ contract, master }) => info(master, contract)) }
    }),
    answered(apiCalls.events, ({ parameters, query }) => {
      const address = raw(parameters)
      known.remember([address])
      return TonHistory.events(facts, address, query)
    }),
    answered(apiCalls.ownedJettons, ({ parameters }) => {
      const owner = raw(parameters)
      return {
        balances: jettons(facts, owner).map(({ amount, contract, master }) => ({
          balance: amount.toString(),
          wallet_address: { address: TonHistory.jettonWallet(owner, master), is_scam: false, is_wallet: false },
          jetton: {
            address: master,
            name: contract.coin.name,
            symbol: contract.coin.symbol.toUpperCase(),
            decimals: contract.decimals,
            verification: "whitelist"
          }
        }))
      }
    }),
    answered(apiCalls.jetton, ({ parameters }) => {
      const address = raw(parameters)
      const contract = TonHistory.masters(facts).find(({ master }) => master === address)?.contract
      return contract === undefined ? undefined : info(address, contract)
    })
  ]
}

/** TonAPI's description of a jetton; the world has no jetton with a multiplier. */
const info = (address: string, { decimals }: World.Contract) => ({
  mintable: true,
  metadata: { address, decimals: String(decimals) },
  verification: "whitelist"
})

const ids = Option.liftThrowable(
  (body: string) => (JSON.parse(body) as { readonly account_ids: ReadonlyArray<string> }).account_ids
)

/** Jetton wallets of an owner: those with a balance, and the first jetton even if its balance is zero. */
const jettons = (
  facts: NetworkFacts,
  owner: string
): ReadonlyArray<OwnedJetton & { readonly contract: World.Contract }> =>
  World.native(facts, owner) === 0n
    ? []
    : TonHistory.masters(facts)
        .map((jetton) => ({ ...jetton, amount: World.tokenBalance(facts, jetton.contract, owner) }))
        .filter(({ amount }, index) => index === 0 || amount > 0n)

interface OwnedJetton {
  readonly master: string
  readonly amount: bigint
  /** Absent for a jetton without metadata. */
  readonly contract?: World.Contract
}

/** Jetton wallets of an owner; a busy one has others than those that TonAPI lists. */
const allJettons = (facts: NetworkFacts, owner: string) =>
  spread<OwnedJetton>(facts, owner, jettons(facts, owner), 1_100, (index) => ({
    master: `0:${Buffer.concat([Buffer.from(`busy ${index}`)], 32).toString("hex")}`,
    amount: 1n
  }))
