import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { type TonContext, tonStates } from "../../../domain/transactionContext/TonContext.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import { byKeyOrFault } from "../../amounts.ts"
import { requestedAddress } from "../decodeBody.ts"
import { walletKind } from "../walletKinds.ts"
import { Coins, interpreting } from "./TonApiWire.ts"

// TonAPI's `accounts/_bulk`, and `wallet/{account_id}/seqno` for accounts that are wallets.

const Accounts = Schema.Struct({
  accounts: Schema.Array(
    Schema.Struct({
      address: Schema.String,
      balance: Coins,
      status: Schema.Literal(...tonStates),
      interfaces: Schema.optional(Schema.Array(Schema.String))
    })
  )
})

/** The contexts by canonical address; wallets lack their seqno, which is read separately. */
export const contexts = (addresses: ReadonlyArray<string>) => {
  const requested = new Set(addresses)
  return interpreting(Accounts, ({ accounts }) =>
    Either.flatMap(
      Either.all(
        accounts.map(({ address, balance, interfaces = [], status }) =>
          Either.map(requestedAddress(requested, address), (canonical): readonly [string, TonContext] => [
            canonical,
            {
              family: "ton",
              state: status,
              seqno: status === "uninit" || status === "nonexist" ? 0 : null,
              wallet: interfaces.map(walletKind).find((kind) => kind !== null) ?? null,
              walletId: null,
              balance: String(balance)
            }
          ])
        )
      ),
      byKeyOrFault
    )
  )
}

/** The newest block of the masterchain. */
export const head = ResponseDecoder.fitting(Schema.Struct({ gen_utime: Schema.Int }))

export const seqno = ResponseDecoder.fitting(Schema.Struct({ seqno: Schema.Int.pipe(Schema.between(0, 2 ** 32 - 1)) }))
