import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Polkadot from "../../../src/chains/polkadot/Polkadot.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { alice, aliceText, environment, historyOf, network, subscanWith } from "../../chains/polkadot/subscan.ts"
import { chainOver } from "../../support/chains.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { type Exchange, replay } from "../../support/fixtures.ts"
import { rowsOf } from "../../support/histories.ts"
import { assert } from "../../support/vitest.ts"
import type { Read } from "../table.ts"

const parsed = (address: string) => Either.getOrThrow(PolkadotAddress.parse(address))

/** The transactions in lines, with the last eight characters of their hashes; the holder is `me`. */
const linesOf = (holder: string, transactions: ReadonlyArray<Transaction>) =>
  rowsOf(
    PolkadotAddress.format(parsed(holder)),
    transactions.map((transaction) => ({ ...transaction, hash: transaction.hash.slice(-8) }))
  )

/** The sources of every history, as Subscan has one for Asset Hub and one for the relay chain. */
const sources = ["subscan", "subscan-relay"]

/** Returns the response of the recording to every request. */
const always = (recording: Exchange): EvmNodes.SimulatedHost => {
  const reply = replay(recording)
  return () => Effect.orDie(reply)
}

/** Returns the transfers, and the extrinsics if they are given. */
const lists =
  (transfers: Exchange, extrinsics?: Exchange): EvmNodes.SimulatedHost =>
  (body, request) => {
    const other = extrinsics === undefined ? subscanWith({}) : always(extrinsics)
    return (request.url.pathname.endsWith("transfers") ? always(transfers) : other)(body, request)
  }

/** The history of Alice or another holder whose lists are these, its gaps, and whether there are more. */
export const listed =
  (holder = aliceText, later = 0): Read =>
  (transfers, extrinsics) =>
    Effect.gen(function* () {
      const moved: Exchange =
        later === 0
          ? transfers
          : JSON.parse(
              JSON.stringify(transfers).replace(
                /"block_timestamp":(\d+)/g,
                (_, time) => `"block_timestamp":${Number(time) + later}`
              )
            )
      const part = yield* historyOf(yield* network(lists(moved, extrinsics)), parsed(holder))
      assert.deepStrictEqual(part.sources, sources)
      return [...linesOf(holder, part.transactions), ...part.missing, ...(part.more ? ["more"] : [])]
    })

/** The gaps in the history of a holder whose transfers are these, and the place of the first transaction. */
export const missingFor =
  (holder = aliceText): Read =>
  (transfers) =>
    Effect.map(
      Effect.flatMap(network(lists(transfers)), (built) => historyOf(built, parsed(holder))),
      ({ missing, transactions }) => [...missing, transactions[0]?.order]
    )

/** The history of the signer of an extrinsic, whose lists have only this. */
export const ofSigner: Read = ({ response }) =>
  Effect.gen(function* () {
    const { data: extrinsic } = response.body as {
      readonly data: {
        readonly account_id: string
        readonly transfer: object
        readonly block_num: number
        readonly block_timestamp: number
        readonly extrinsic_index: string
      }
    }
    const { account_id, block_num, block_timestamp, extrinsic_index, transfer } = extrinsic
    const transfers = [{ ...transfer, block_num, block_timestamp, extrinsic_index }]
    const built = yield* network(subscanWith({ transfers, extrinsics: [extrinsic] }))
    const { transactions } = yield* historyOf(built, parsed(account_id))
    return linesOf(account_id, transactions)
  })

/** The history of Alice if all calls return this. */
export const historyAlways: Read = (recording) =>
  Effect.flatMap(network(always(recording)), (built) => historyOf(built, alice))

/** The value that the check of Subscan reads from this. */
export const checked: Read = (recording) =>
  Effect.gen(function* () {
    const { layer } = EvmNodes.clientOver({ "subscan.test": always(recording) })
    const { upstreams } = yield* chainOver(Polkadot.layer, layer, { environment })
    const [address] = (yield* upstreams.trials).find(({ name }) => name === "subscan")?.addresses ?? []
    return yield* address?.try ?? Effect.die("Subscan is not there")
  })
