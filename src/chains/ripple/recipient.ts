import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import type { Chain, RecipientAccount } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { network } from "./context.ts"
import type { RippleProvider } from "./Provider.ts"

// lsfRequireDestTag of an AccountRoot (xrpl.org/docs/references/protocol/ledger-data/ledger-entry-types/accountroot): an
// account that many people share, such as that of an exchange, refuses payments without a tag.

const requiresTag = 0x0002_0000

/** Addresses without a key (xrpl.org/docs/concepts/accounts/addresses#special-addresses): ACCOUNT_ZERO and ACCOUNT_ONE. */
export const burnt = ["rrrrrrrrrrrrrrrrrrrrrhoLvTp", "rrrrrrrrrrrrrrrrrrrrBZbvji"]

/** Reads the account at an address, from nodes whose ledger is current. */
export const recipient =
  (rippled: RippleProvider): NonNullable<Chain["Type"]["recipient"]> =>
  (address) =>
    Effect.zipRight(
      network(rippled),
      Effect.map(
        rippled.flags(address),
        Option.match({
          onNone: (): RecipientAccount => ({ kind: null, isBurnt: burnt.includes(address) }),
          onSome: (flags): RecipientAccount => ({
            kind: "account",
            needsTag: (flags & requiresTag) !== 0,
            isBurnt: burnt.includes(address)
          })
        })
      )
    ).pipe(Effect.mapError(unread))
