import { createHash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { encode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, deriveKeypair, generateSeed, sign } from "ripple-keypairs"
import type { Statuses } from "../../src/chains/Chain.ts"
import { networkOver } from "./chains.ts"
import { type Reply, type SentRequest, simulatedClient } from "./http.ts"
import { ed25519, polkadotTransfer, tronSigned, tronTransfer } from "./offline.ts"
import { responseTo } from "./rawTransactions.ts"

// Networks whose nodes have a specific API for raw transactions, with a signed transaction of each.

/** Two nodes per network that supports several. */
const environment = {
  UPSTREAM_TIMEOUT_MS: "1000",
  RIPPLE_RPC_URLS: "http://first.test,http://second.test",
  POLKADOT_RPC_URLS: "http://first.test,http://second.test",
  TRONGRID_URL: "http://first.test",
  SUBSCAN_URL: "http://subscan.test",
  // Indexer of the relay chain.
  SUBSCAN_RELAY_URL: "http://second.test"
}

/** The raw transactions of a network over simulated upstreams. */
export const network = (
  id: string,
  handler: (request: SentRequest) => Reply,
  more: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const { layer, requests } = simulatedClient(handler)
    const chain = yield* networkOver(id, layer, { environment: { ...environment, ...more } })
    const { prepareLookup, prepareSend } = yield* Effect.fromNullable(chain.rawTransactions)
    const prepare = yield* Effect.fromNullable(prepareSend)
    return {
      finding: prepareLookup,
      requests,
      sending: (text: string, statuses?: Statuses) =>
        Either.map(prepare(text), (signed) => responseTo(signed, statuses))
    }
  }).pipe(Effect.orDie)

const keypair = deriveKeypair(generateSeed({ entropy: new Uint8Array(16).fill(7) }))

/** A signed payment on the XRP Ledger with these members. */
export const ripplePayment = (members: object = {}): string => {
  const payment = {
    TransactionType: "Payment",
    Account: deriveAddress(keypair.publicKey),
    Destination: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B",
    Amount: "1000000",
    Fee: "10",
    Sequence: 5,
    SigningPubKey: keypair.publicKey,
    ...members
  }
  return encode({ ...payment, TxnSignature: sign(encodeForSigning(payment), keypair.privateKey) })
}

/** The unsigned example of the documentation (developers.tron.network, wallet/broadcasttransaction). */
const documentedTron = tronTransfer({
  refBlockBytes: "5e4b",
  refBlockHash: "47c9dc89341b300d",
  expiration: 1591089627000,
  timestamp: 1591089567635,
  from: "41608f8da72479edc7dd921e4c30bb7e7cddbe722e",
  to: "41e9d79cc47518930bc322d9bf7cddd260a0260a8d",
  amount: 1000n
})

const key = ed25519(Buffer.alloc(32, 9))
const hash = (digits: string) => `0x${digits.repeat(32)}`
const { extrinsic } = polkadotTransfer(
  {
    nonce: 5,
    era: { encoded: "0x0704" },
    specVersion: 1,
    transactionVersion: 1,
    genesisHash: hash("11"),
    blockHash: hash("22")
  },
  Buffer.alloc(32, 1),
  5n,
  key
)

/** A signed transaction per network with its hash, built according to the network's documentation. */
export const samples = {
  ripple: {
    tx: ripplePayment(),
    hash: createHash("sha512").update(`54584e00${ripplePayment()}`, "hex").digest("hex").slice(0, 64).toUpperCase()
  },
  tron: { tx: tronSigned(documentedTron.raw, `0x${"05".repeat(65)}`), hash: documentedTron.id.toString("hex") },
  polkadot: {
    tx: `0x${extrinsic.toString("hex")}`,
    hash: `0x${Buffer.from(blake2b(extrinsic, { dkLen: 32 })).toString("hex")}`
  }
} as const

/** The signed bytes of Tron's sample, in hex. */
export const tronRaw = documentedTron.raw.toString("hex")
