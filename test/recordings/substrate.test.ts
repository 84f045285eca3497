import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { storage } from "../../src/chains/polkadot/providers/substrate/calls.ts"
import { refusals } from "../../src/chains/polkadot/refusals.ts"
import { accountBalance, accountKey, type Stored } from "../../src/chains/polkadot/storage.ts"
import { network } from "../chains/polkadot/assetHub.ts"
import { alice } from "../chains/polkadot/subscan.ts"
import * as AssetHub from "../support/AssetHub.ts"
import * as EvmNodes from "../support/EvmNodes.ts"
import { settled } from "../support/settled.ts"
import { coded, meaning } from "./readers/refusals.ts"
import { by, fails, type Read, recordingsOf, row } from "./table.ts"

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

/** The holdings of an account at Asset Hub if its storage has only this. */
const heldBy =
  (text: string): Read =>
  ({ request, response }) =>
    Effect.gen(function* () {
      const [key = ""] = (request.body as { readonly params: ReadonlyArray<string> }).params
      const { result } = response.body as { readonly result: string }
      const { address, holdings } = yield* network({ "hub.test": AssetHub.node({ [key]: result }) })
      const [found] = yield* Effect.all(yield* settled(holdings([Either.getOrThrow(address(text))])))
      return found
    })

/** The holdings of Alice at a node with this runtime and no accounts. */
const atRuntime: Read = ({ response }) =>
  Effect.gen(function* () {
    const { result } = response.body as { readonly result: unknown }
    const node = EvmNodes.rpcNode(({ method }) => {
      if (method === "state_getRuntimeVersion") return EvmNodes.result(result)
      return method === "state_getStorage" ? EvmNodes.result(null) : EvmNodes.error("Method not found", -32601)
    })
    const { holdings } = yield* network({ "other.test": node })
    return yield* Effect.all(yield* settled(holdings([alice])))
  })

const otherChain = row(atRuntime, fails("bad_answer"), "a node of another chain is rejected")

// The flags and the frozen amount, which is a part of the others, are ignored.
const shows = "is the total of the free and reserved amounts"
const nothing = row(total(), [Option.some(0n), true, undefined], "an account that does not exist has nothing")
const otherLayout = row(total(), [Option.none(), true, 2 + 2 * 56], "the layout of another chain is rejected")

recordingsOf("substrate-rpc", {
  samples: {
    account: row(total(`0x${"a11ce".padStart(64, "0")}`), [Option.some(50_000_000_000_009n), true, 162], shows),
    "account-null": nothing,
    "account-56-bytes": otherLayout,
    "runtime-relay-chain": otherChain,
    "runtime-other-hub": otherChain
  },
  recorded: {
    "kusama-assethub-account-storage": [
      row(
        total("0xa6659e4c3f22c2aa97d54a36e31ab57a617af62bd43ec62ed570771492069270"),
        [Option.some(139_169_313_669_539n + 208_008_459_310_480n), true, 162],
        shows
      ),
      row(
        heldBy("14mB8stSf1vdP7WzbVr82YPgGGF7cBK9N7KxiVEac9UQgYj7"),
        [{ asset: "native", amount: Either.right(347_177_772_980_019n) }],
        "is of the account"
      )
    ],
    "polkadot-runtime-version": otherChain,
    "kusama-assethub-runtime-version": otherChain,
    "kusama-assethub-account-storage-null": nothing,
    "bittensor-account-storage-56-bytes": otherLayout,
    "submit-extrinsic-error-1010-bad-signature": row(meaning(refusals, coded), "invalid"),
    "submit-extrinsic-error-1010-fees": row(meaning(refusals, coded), "insufficient_funds")
  }
})
