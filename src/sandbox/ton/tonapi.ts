import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as calls from "../../chains/ton/providers/tonapi/calls.ts"
import { type Answered, answered, answerOf } from "../world/answers.ts"
import type * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as TonHistory from "./TonHistory.ts"
import { balance, jettons } from "./tonBalances.ts"
import { blockchainConfig } from "./tonCenter.ts"
import { asTonApi, type TonWireTransaction } from "./tonRows.ts"
import type { Wallets } from "./tonWallets.ts"

/** TonAPI. Addresses are raw and in lower case. */
export const tonapi = (facts: NetworkFacts, known: TonHistory.TonWire, own: Wallets): Simulated => {
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
    answered(calls.masterchainHead, ({ now }) => ({
      seqno: TonHistory.blockAt(now),
      gen_utime: Math.floor(now / 1000)
    })),
    answered(calls.seqno, ({ parameters }) => ({ seqno: own.seqno(raw(parameters)) })),
    answered(calls.transaction, ({ parameters }) => shown(known.by(parameters.hash))),
    answered(calls.transactionOfMessage, ({ parameters }) => shown(known.ofMessage(parameters.hash))),
    answered(calls.config, () => blockchainConfig),
    answered(calls.accountStates, ({ body: { account_ids = [] } }) => ({
      accounts: TonHistory.rawOf(account_ids).map((address) => ({
        address,
        balance: Number(balance(facts, address)),
        last_activity: 1757124635,
        status: balance(facts, address) > 0n ? ("active" as const) : ("nonexist" as const),
        interfaces: balance(facts, address) > 0n ? ["wallet_v4r2"] : [],
        is_wallet: true
      }))
    })),
    answered(calls.jettonInfos, ({ body: { account_ids = [] } }) => {
      const requested = TonHistory.rawOf(account_ids)
      const masters = TonHistory.masters(facts).filter(({ master }) => requested.includes(master))
      return { jettons: masters.map(({ contract, master }) => info(master, contract)) }
    }),
    answered(calls.events, ({ parameters, query }) => {
      const address = raw(parameters)
      known.remember([address])
      return TonHistory.events(facts, address, query)
    }),
    answered(calls.ownedJettons, ({ parameters }) => {
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
    answered(calls.jetton, ({ parameters }) => {
      const address = raw(parameters)
      const contract = TonHistory.masters(facts).find(({ master }) => master === address)?.contract
      return contract === undefined ? undefined : info(address, contract)
    })
  ]
}

/** TonAPI's description of a jetton; the world has no jetton with a multiplier. */
const info = (address: string, { coin, decimals }: World.Contract) => ({
  mintable: true,
  total_supply: "1000000000000000",
  metadata: { address, name: coin.name, symbol: coin.symbol.toUpperCase(), decimals: String(decimals) },
  verification: "whitelist"
})

const ids = Option.liftThrowable(
  (body: string) => (JSON.parse(body) as { readonly account_ids: ReadonlyArray<string> }).account_ids
)
