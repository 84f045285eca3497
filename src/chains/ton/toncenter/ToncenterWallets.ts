import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type TonContext, tonStates } from "../../../domain/transactionContext/TonContext.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { byKey } from "../../amounts.ts"
import { elector } from "../Client.ts"
import { interpreting, requestedAddress } from "../decodeBody.ts"
import { walletKind } from "../walletKinds.ts"
import { Coins } from "./ToncenterWire.ts"

// TON Center's `walletStates`: the state of an account, and the results of its wallet's get methods.

const Seqno = Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1))

const WalletStates = Schema.Struct({
  wallets: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      is_wallet: Schema.NullishOr(Schema.Boolean),
      wallet_type: Schema.NullishOr(Schema.String),
      seqno: Schema.NullishOr(Seqno),
      wallet_id: Schema.NullishOr(Schema.Int),
      balance: Schema.NullishOr(Coins),
      status: Schema.Literal(...tonStates)
    })
  )
})

/**
 * The contexts by canonical address, undefined if an account in use has no balance; unused addresses may be absent from
 * the response. The elector is requested along with them: a response without it is incomplete.
 */
export const contexts = (
  addresses: ReadonlyArray<string>
): ResponseDecoder.Decoder<ReadonlyMap<string, TonContext | undefined>> => {
  const requested = new Set([...addresses, elector])
  return interpreting({})(WalletStates, ({ wallets }) =>
    Either.gen(function* () {
      const rows: Array<readonly [string, TonContext | undefined]> = []
      for (const row of wallets) rows.push([yield* requestedAddress(requested, row.address), toContext(row)])
      const found = byKey(rows)
      if (!found.has(elector))
        return yield* Either.left({ reason: "bad_answer" as const, detail: "returned an incomplete list of accounts" })
      return new Map(addresses.map((address) => [address, found.has(address) ? found.get(address) : unused]))
    })
  )
}

const toContext = ({
  balance,
  is_wallet: isWallet,
  seqno,
  status,
  wallet_id,
  wallet_type
}: (typeof WalletStates.Type)["wallets"][number]): TonContext | undefined => {
  const inUse = status !== "uninit" && status !== "nonexist"
  if (inUse && balance == null) return undefined
  const runs = status === "active" && isWallet !== false
  return {
    family: "ton",
    state: status,
    seqno: runs ? (seqno ?? null) : inUse ? null : 0,
    wallet: runs ? walletKind(wallet_type) : null,
    walletId: runs ? (wallet_id ?? null) : null,
    balance: String(balance ?? 0n)
  }
}

/** The context of an address that never received a message. */
const unused: TonContext = {
  family: "ton",
  state: "nonexist",
  seqno: 0,
  wallet: null,
  walletId: null,
  balance: "0"
}
