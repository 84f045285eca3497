import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { polkadot } from "../../catalogue/polkadot.ts"
import type { PolkadotContext } from "../../domain/TransactionContext.ts"
import { height, toSeconds } from "../../domain/units.ts"
import { answersOf, bound, resultsOf } from "../../jsonrpc/boundCalls.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { ofNode } from "../kit/context/Contexts.ts"
import { impossible, isPossible } from "../kit/holdings/amounts.ts"
import { requireHead } from "../kit/status/currentHead.ts"
import * as PolkadotAddress from "./PolkadotAddress.ts"
import * as calls from "./providers/substrate/calls.ts"
import { genesis, read as readStorage, specName, wrongChain } from "./providers/substrate/Substrate.ts"
import { accountBalance, accountKey, decodeTimestamp, timestampKey } from "./storage.ts"

// Eras as `sp_runtime::generic::Era`.

/**
 * Blocks for which a transaction is valid: a power of two, from 4 to 65536. A node remembers 4096 block hashes; with a
 * block every two to six seconds, a wallet has about ten minutes or more.
 */
const validity = 256

/** The era that starts at a block, for periods up to 4096: log2 of the period minus 1, then the phase of the block. */
export const eraAt = (block: number, period = validity): PolkadotContext["era"] => {
  const phase = block % period
  const encoded = Buffer.alloc(2)
  encoded.writeUInt16LE((Math.log2(period) - 1) | (phase << 4))
  return { period, phase, encoded: `0x${encoded.toString("hex")}` }
}

/**
 * Nodes do not return the hash, which is the root of a Merkle tree over the metadata. Computing it means to read half a
 * megabyte and to block for 200 to 500 ms. It would not help a signer that does not trust this service: a signer that
 * checks the hash (a hardware wallet) also needs proofs of the tree, and therefore has the metadata.
 */
const noMetadataHash: Pick<PolkadotContext, "metadataHash" | "metadataHashReason"> = {
  metadataHash: null,
  metadataHashReason:
    "nodes do not return the hash of their metadata; sign with mode 0 (Disabled) of CheckMetadataHash, or compute the hash from the metadata of specVersion"
}

/** The data that all addresses share. */
type PolkadotNetwork = Omit<PolkadotContext, "family" | "nonce" | "balance">

/** Reads what is needed to build transactions, of all addresses from one node. */
export const contexts = (nodes: Upstream) =>
  ofNode(nodes, (node, addresses) => read(node, addresses as ReadonlyArray<`0x${string}`>))

/** Reads the newest finalized block and the runtime versions. */
export const networkOf = (node: Endpoint): Effect.Effect<PolkadotNetwork, UpstreamError> =>
  Effect.gen(function* () {
    const [genesisHash, blockHash, runtime] = yield* resultsOf(node, [
      bound(calls.blockHash, { height: 0 }),
      bound(calls.finalizedHead, {}),
      bound(calls.runtimeVersion, {})
    ])
    if (genesisHash !== genesis || runtime.specName !== specName) return yield* node.fault(wrongChain)
    const [{ number }, time] = yield* resultsOf(node, [
      bound(calls.header, { hash: blockHash }),
      bound(calls.storage, { key: timestampKey, at: blockHash })
    ])
    const made = decodeTimestamp(time)
    if (Option.isNone(made)) return yield* node.fault(incomplete)
    const block = Number(number)
    yield* requireHead(node, polkadot, { height: height(block), time: toSeconds(made.value) })
    return { genesisHash, ...runtime, block, blockHash, era: eraAt(block), ...noMetadataHash }
  })

/** Reads the data needed to build an extrinsic of each account. */
const read = (node: Endpoint, accounts: ReadonlyArray<`0x${string}`>) =>
  Effect.gen(function* () {
    const network = yield* networkOf(node)
    const [values, indices] = yield* Effect.all(
      [
        readStorage(node, accounts.map(accountKey)),
        answersOf(
          node,
          accounts.map((account) => bound(calls.nextIndex, { address: PolkadotAddress.format(account) }))
        )
      ],
      { concurrency: 2 }
    )
    return accounts.map((account, index): Either.Either<PolkadotContext, UpstreamError> => {
      const nonce = indices[index]
      const balance = accountBalance(values.get(accountKey(account)) ?? null)
      if (nonce === undefined || Either.isLeft(nonce) || Option.isNone(balance))
        return Either.left(node.fault(incomplete))
      const total = balance.value.free + balance.value.reserved
      return isPossible(polkadot)(total)
        ? Either.right({ family: "polkadot", nonce: nonce.right, ...network, balance: String(total) })
        : Either.left(node.fault(impossible))
    })
  })

const incomplete: Fault = { reason: "bad_answer", detail: "the node did not return all data for a transaction" }
