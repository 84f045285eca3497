import * as Option from "effect/Option"
import { storage } from "../../src/chains/polkadot/providers/substrate/calls.ts"
import { refusals } from "../../src/chains/polkadot/refusals.ts"
import { accountBalance, accountKey, type Stored } from "../../src/chains/polkadot/storage.ts"
import { coded, meaning } from "./readers/refusals.ts"
import { by, type Read, recordingsOf, row } from "./table.ts"

/** The total of a stored account, or none in another layout; whether its key is that of the account; and its length. */
const total =
  (account: `0x${string}` = "0x"): Read =>
  ({ request, response, ...rest }) => {
    const [key] = (request.body as { readonly params: ReadonlyArray<string> }).params
    const { result } = response.body as { readonly result: Stored }
    const recording = {
      ...rest,
      request,
      response: { ...response, body: result === null ? "null" : JSON.stringify(result) }
    }
    return by()(storage, { key: key ?? "" }, (stored) => [
      Option.map(accountBalance(stored as Stored), ({ free, reserved }) => free + reserved),
      account === "0x" || key === accountKey(account),
      stored?.length
    ])(recording)
  }

// The flags and the frozen amount, which is a part of the others, are ignored.
const shows = "is the total of the free and reserved amounts"
const nothing = row(total(), [Option.some(0n), true, undefined], "an account that does not exist has nothing")
const otherLayout = row(total(), [Option.none(), true, 2 + 2 * 56], "the layout of another chain is rejected")

recordingsOf("substrate-rpc", {
  samples: {
    account: row(total(`0x${"a11ce".padStart(64, "0")}`), [Option.some(50_000_000_000_009n), true, 162], shows),
    "account-null": nothing,
    "account-56-bytes": otherLayout
  },
  recorded: {
    "kusama-assethub-account-storage": row(
      total("0xa6659e4c3f22c2aa97d54a36e31ab57a617af62bd43ec62ed570771492069270"),
      [Option.some(139_169_313_669_539n + 208_008_459_310_480n), true, 162],
      shows
    ),
    "kusama-assethub-account-storage-null": nothing,
    "bittensor-account-storage-56-bytes": otherLayout,
    "submit-extrinsic-error-1010-bad-signature": row(meaning(refusals, coded), "invalid"),
    "submit-extrinsic-error-1010-fees": row(meaning(refusals, coded), "insufficient_funds")
  }
})
