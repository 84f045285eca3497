import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { elector } from "../../chains/ton/Provider.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import { NetworkId } from "../../domain/NetworkId.ts"
import { spread } from "../world/busy.ts"
import * as World from "../world/World.ts"
import { json, type Simulated, type SimulatedRequest } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import { blockchainConfig, tonCenter, walletId } from "./tonCenter.ts"
import { addressBook, asTonApi, type TonWireTransaction } from "./tonRows.ts"
import { type Wallets, wallets } from "./tonWallets.ts"

/** Balance of the elector contract, which holds the validators' stakes. */
const staked = 650_000_000_000_000_000n

const balance = (facts: NetworkFacts, address: string) => (address === elector ? staked : World.native(facts, address))

/** Wallet requests of each indexer; undefined for other requests. Every address with coins is a wallet v4. */
const walletStates = (facts: NetworkFacts, own: Wallets) => ({
  /** Leaves unused accounts out. */
  toncenter: ({ now, path, query }: SimulatedRequest): Response | undefined => {
    if (path.endsWith("/api/v3/masterchainInfo"))
      return json({ last: { seqno: TonHistory.blockAt(now), gen_utime: String(Math.floor(now / 1000)) } })
    if (!path.endsWith("/api/v3/walletStates")) return undefined
    const addresses = TonHistory.rawOf(query.getAll("address")).filter((address) => balance(facts, address) > 0n)
    return json({
      wallets: addresses.map((address) => ({
        address: address.toUpperCase(),
        balance: String(balance(facts, address)),
        extra_currencies: {},
        status: "active",
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
    })
  },
  tonapi: ({ now, path }: SimulatedRequest): Response | undefined => {
    if (path.endsWith("/v2/blockchain/masterchain-head"))
      return json({ seqno: TonHistory.blockAt(now), gen_utime: Math.floor(now / 1000) })
    const [, text] = /\/v2\/wallet\/([^/]+)\/seqno$/.exec(decodeURIComponent(path)) ?? []
    const address = text === undefined ? undefined : Either.getOrUndefined(TonAddress.parse(text))
    return address === undefined ? undefined : json({ seqno: own.seqno(address) })
  }
})

/** Indexers of TON, limited to the endpoints that the service uses, and the test network's node, without jettons. */
export const ton = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const { platform: _, ...bare } = facts
  const testnet = tonCenter({ ...bare, id: NetworkId.make(`${facts.id}-testnet`) })
  const own = wallets(facts)
  const known = TonHistory.make(facts, own.senderOf)
  const [nodes, indexer, states] = [tonCenter(facts, own), toncenter(facts, known), walletStates(facts, own)]
  const second = tonapi(facts, known, own)
  return [
    [
      "toncenter",
      (request) => states.toncenter(request) ?? (request.path.includes("/api/v3/") ? indexer(request) : nodes(request))
    ],
    ["tonapi", (request) => states.tonapi(request) ?? second(request)],
    [`${facts.id}-testnet-rpc`, testnet]
  ]
}

/** TON Center's API v3. Addresses are raw and in upper case. */
const toncenter =
  (facts: NetworkFacts, known: TonHistory.TonWire): Simulated =>
  ({ path, query }) => {
    const hash = query.get("hash")
    if (path.endsWith("/api/v3/transactions") && hash !== null) return found(known.by(hash))
    if (path.endsWith("/api/v3/transactionsByMessage")) return found(known.ofMessage(query.get("msg_hash") ?? ""))
    if (path.endsWith("/api/v3/traces"))
      return json({
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
    const wrong = ["address", "account", "owner_address", "jetton_address"]
      .flatMap((name) => query.getAll(name))
      .some((text) => Either.isLeft(TonAddress.parse(text)))
    if (wrong) return json({ error: "invalid address" }, 422)
    const addresses = TonHistory.rawOf(query.getAll("address"))
    const answer = toncenterRoutes[path.slice(path.indexOf("/api/v3/"))]
    if (answer === undefined) return json({ error: `Cannot GET ${path}` }, 404)
    if (/\/(transactions|transfers)$/.test(path))
      known.remember(TonHistory.rawOf([...query.getAll("account"), ...query.getAll("owner_address")]))
    return json(answer(facts, addresses, query))
  }

/** A transaction that was looked up, as a list. */
const found = (transaction: Option.Option<TonWireTransaction>) =>
  json({
    transactions: Option.toArray(transaction),
    address_book: Option.match(transaction, { onNone: () => ({}), onSome: addressBook })
  })

type ToncenterRoute = (facts: NetworkFacts, addresses: ReadonlyArray<string>, query: URLSearchParams) => unknown

const toncenterRoutes: Readonly<Record<string, ToncenterRoute>> = {
  /** Leaves unused accounts out. */
  "/api/v3/accountStates": (facts, addresses) => ({
    accounts: addresses
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
  }),
  "/api/v3/jetton/wallets": (facts, _, query) => {
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
  },
  "/api/v3/transactions": (facts, _, query) =>
    TonHistory.transactions(facts, TonHistory.rawOf(query.getAll("account")), query),
  "/api/v3/jetton/transfers": (facts, _, query) =>
    TonHistory.jettonTransfers(facts, TonHistory.rawOf(query.getAll("owner_address")), query, metadata),
  // The world has no jetton burns.
  "/api/v3/jetton/burns": () => ({ jetton_burns: [], address_book: {}, metadata: {} }),
  "/api/v3/jetton/masters": (facts, addresses) => {
    const found = TonHistory.masters(facts).filter(({ master }) => addresses.includes(master))
    return {
      jetton_masters: found.map(({ master }) => ({ address: master.toUpperCase(), mintable: true })),
      address_book: {},
      metadata: Object.fromEntries(found.map(({ contract, master }) => [master.toUpperCase(), metadata(contract)]))
    }
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
const tonapi =
  (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): Simulated =>
  ({ body, path, query }) => {
    const [, kindOfHash, hash = ""] =
      /\/v2\/blockchain\/(transactions|messages)\/([^/]+)(\/transaction)?$/.exec(path) ?? []
    if (kindOfHash !== undefined)
      return Option.match(kindOfHash === "messages" ? known.ofMessage(hash) : known.by(hash), {
        onNone: () => json({ error: "entity not found" }, 404),
        onSome: (transaction) =>
          json(asTonApi(transaction, own.cellOf(transaction).toBoc({ crc32: false }).toString("hex")))
      })
    if (path.endsWith("/v2/blockchain/config")) return json(blockchainConfig)
    if (path.endsWith("/v2/accounts/_bulk")) {
      const request = Option.getOrElse(ids(body), () => []).map((text) => Either.getOrUndefined(TonAddress.parse(text)))
      if (request.length === 0 || request.includes(undefined)) return json({ error: "can't decode address" }, 400)
      return json({
        accounts: request.map((address = "") => ({
          address,
          balance: Number(balance(facts, address)),
          last_activity: 1757124635,
          status: balance(facts, address) > 0n ? "active" : "nonexist",
          interfaces: balance(facts, address) > 0n ? ["wallet_v4r2"] : [],
          is_wallet: true
        }))
      })
    }
    if (path.endsWith("/v2/jettons/_bulk")) {
      const request = Option.getOrElse(ids(body), () => []).map((text) => Either.getOrUndefined(TonAddress.parse(text)))
      if (request.length === 0 || request.includes(undefined)) return json({ error: "can't decode address" }, 400)
      const found = TonHistory.masters(facts).filter(({ master }) => request.includes(master))
      return json({ jettons: found.map(({ contract, master }) => info(master, contract)) })
    }
    const [, kind, text = "", more] =
      /\/v2\/(accounts|jettons)\/([^/]+)(\/jettons|\/events)?$/.exec(decodeURIComponent(path)) ?? []
    const address = Either.getOrUndefined(TonAddress.parse(text))
    if (kind === undefined || address === undefined) return json({ error: "can't decode address" }, 400)
    if (more === "/events" && !query.has("limit")) return json({ error: "limit: field required" }, 400)
    if (more === "/events") {
      known.remember([address])
      return json(TonHistory.events(facts, address, query))
    }
    if (kind === "accounts" && more !== undefined)
      return json({
        balances: jettons(facts, address).map(({ amount, contract, master }) => ({
          balance: amount.toString(),
          wallet_address: { address: TonHistory.jettonWallet(address, master), is_scam: false, is_wallet: false },
          jetton: {
            address: master,
            name: contract.coin.name,
            symbol: contract.coin.symbol.toUpperCase(),
            decimals: contract.decimals,
            verification: "whitelist"
          }
        }))
      })
    const contract = TonHistory.masters(facts).find(({ master }) => master === address)?.contract
    return contract === undefined || kind === "accounts"
      ? json({ error: "entity not found" }, 404)
      : json(info(address, contract))
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
