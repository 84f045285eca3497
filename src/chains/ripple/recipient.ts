import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Chain, RecipientAccount } from "../Chain.ts"
import { Uint32 } from "../kit/holdings/amounts.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { call } from "./Client.ts"
import { network } from "./context.ts"

// lsfRequireDestTag of an AccountRoot (xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/accountroot): an
// account that many people share, such as that of an exchange, refuses payments without a tag.

const requiresTag = 0x0002_0000

/** Addresses without a key (xrpl.org/docs/concepts/accounts/addresses#special-addresses): ACCOUNT_ZERO and ACCOUNT_ONE. */
const burnt = ["rrrrrrrrrrrrrrrrrrrrrhoLvTp", "rrrrrrrrrrrrrrrrrrrrBZbvji"]

const accountInfo = (account: string) =>
  Schema.Struct({ account_data: Schema.Struct({ Account: Schema.Literal(account), Flags: Uint32 }) })

/** Reads the account at an address, from nodes whose ledger is current. */
export const recipient =
  (nodes: Upstream): NonNullable<Chain["Type"]["recipient"]> =>
  (address) =>
    Effect.zipRight(
      network(nodes),
      Effect.map(
        nodes.over((node) =>
          call(node, "account_info", { account: address, ledger_index: "validated" }, accountInfo(address))
        ),
        Option.match({
          onNone: (): RecipientAccount => ({ kind: null, isBurnt: burnt.includes(address) }),
          onSome: ({ account_data: { Flags } }): RecipientAccount => ({
            kind: "account",
            needsTag: (Flags & requiresTag) !== 0,
            isBurnt: burnt.includes(address)
          })
        })
      )
    ).pipe(Effect.mapError(unread))
