import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { storage } from "../../src/chains/polkadot/providers/substrate/calls.ts"
import { refusals } from "../../src/chains/polkadot/refusals.ts"
import { accountBalance, accountKey, type Stored, timestampKey } from "../../src/chains/polkadot/storage.ts"
import { first, node } from "../chains/contexts.ts"
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

/** The context of a transaction at a node with this newest header and next index. */
const contextAt: Read = (...recordings) =>
  Effect.gen(function* () {
    const [header, index] = recordings.map(({ request, response }) => ({
      params: (request.body as { readonly params: ReadonlyArray<unknown> }).params,
      result: (response.body as { readonly result: unknown }).result
    }))
    const seconds = 1_760_000_000
    yield* TestClock.setTime(1000 * seconds)
    const time = `0x${AssetHub.le(BigInt(1000 * seconds), 8)}`
    const host = node(({ method, params: [keys, ...rest] }) => {
      const results: Readonly<Record<string, unknown>> = {
        chain_getBlockHash: "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f",
        chain_getFinalizedHead: header?.params[0],
        state_getRuntimeVersion: { specName: "statemint", specVersion: 5, transactionVersion: 15 },
        chain_getHeader: keys === header?.params[0] ? header?.result : null,
        state_getStorage: time,
        state_queryStorageAt: [
          { block: rest, changes: [keys].flat().map((key) => [key, key === timestampKey ? time : null]) }
        ],
        system_accountNextIndex: keys === index?.params[0] ? index?.result : null
      }
      return results[method]
    })
    const account = "0xe745c2c869615d270bf5eaf86e3efe4c857594628e67ddf8010e32aa8cb9b8a6"
    const environment = { POLKADOT_RPC_URLS: "http://one.test" }
    const context = yield* first("polkadot", [account], { "one.test": host }, environment)
    const { balance, block, blockHash, family, nonce } = context as unknown as Readonly<Record<string, unknown>>
    return [family, nonce, block, blockHash === header?.params[0], balance]
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
    "kusama-assethub-chain-get-header + polkadot-account-next-index-zero": row(
      contextAt,
      ["polkadot", 0, 0xb0aeff, true, "0"],
      "has the block of the header and the next index"
    ),
    "polkadot-runtime-version": otherChain,
    "kusama-assethub-runtime-version": otherChain,
    "kusama-assethub-account-storage-null": nothing,
    "bittensor-account-storage-56-bytes": otherLayout,
    "submit-extrinsic-error-1010-bad-signature": row(meaning(refusals, coded), "invalid"),
    "submit-extrinsic-error-1010-fees": row(meaning(refusals, coded), "insufficient_funds")
  }
})
