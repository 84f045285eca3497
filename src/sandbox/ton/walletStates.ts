import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { elector } from "../../chains/ton/Client.ts"
import * as TonAddress from "../../chains/ton/TonAddress.ts"
import * as World from "../world/World.ts"
import { json, type SimulatedRequest } from "../world/wire.ts"
import type { Wallets } from "./tonWallets.ts"

/** The stake of the validators. */
const staked = 650_000_000_000_000_000n

export const balance = (facts: NetworkFacts, address: string) =>
  address === elector ? staked : World.native(facts, address)

/** The default wallet id of the workchain. */
const walletId = 698983191

/** What each indexer returns of wallets; undefined for other requests. Every address with coins is a wallet v4. */
export const walletStates = (facts: NetworkFacts, own: Wallets) => ({
  /** Unused accounts are left out. */
  toncenter: ({ now, path, query }: SimulatedRequest): Response | undefined => {
    if (path.endsWith("/api/v3/masterchainInfo")) return json({ last: { gen_utime: String(Math.floor(now / 1000)) } })
    if (!path.endsWith("/api/v3/walletStates")) return undefined
    const addresses = query
      .getAll("address")
      .flatMap((text) => Option.toArray(Either.getRight(TonAddress.parse(text))))
      .filter((address) => balance(facts, address) > 0n)
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
    if (path.endsWith("/v2/blockchain/masterchain-head")) return json({ gen_utime: Math.floor(now / 1000) })
    const [, text] = /\/v2\/wallet\/([^/]+)\/seqno$/.exec(decodeURIComponent(path)) ?? []
    const address = text === undefined ? undefined : Either.getOrUndefined(TonAddress.parse(text))
    return address === undefined ? undefined : json({ seqno: own.seqno(address) })
  }
})
