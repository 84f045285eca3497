import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../../src/catalogue/utxo/UtxoFacts.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Base58 from "../../../src/chains/utxo/UtxoAddress.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import type { SettingError, Settings } from "../../../src/settings/Settings.ts"
import type { Store } from "../../../src/storage/Store.ts"
import type { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { byHost, clientWithHeads, type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"
import { headAt } from "../../support/Indexers.ts"
import { upstreamDependencies } from "../../support/upstream.ts"

/** Address whose hash is one repeated byte: of a witness if the network has witnesses, else of a key. */
export const addressOf = (
  { coding }: UtxoFacts,
  byte: number,
  kind: "keyHash" | "scriptHash" | "witness" = coding.hrp === undefined ? "keyHash" : "witness"
): string => {
  const hash = new Uint8Array(20).fill(byte)
  return UtxoAddress.encode(coding, kind === "witness" ? { kind, version: 0, program: hash } : { kind, hash })
}

/** The same address in base58check, even if that is not the canonical form. */
export const legacyOf = ({ coding }: UtxoFacts, byte: number, kind: "keyHash" | "scriptHash" = "keyHash"): string =>
  UtxoAddress.base58(coding, kind, new Uint8Array(20).fill(byte))

/** Extended public key of an account, filled with one repeated byte after its version bytes. */
export const accountOf = ({ coding }: UtxoFacts, letters: string, byte: number): string => {
  const bytes = Buffer.alloc(78, byte)
  bytes.writeUInt32BE(coding.extended[letters] ?? 0)
  // The first byte of a public key.
  bytes[45] = 2
  return Base58.encodeBase58(bytes)
}

type Needs = HttpClient.HttpClient | Settings | Store | Upstreams

/** Exports of a network module. */
export interface Module {
  readonly info: NetworkFacts
  readonly layer: Layer.Layer<Chain, SettingError, Needs>
}

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

const over = Effect.fnUntraced(function* (
  outside: ReturnType<typeof simulatedClient>,
  { layer }: Module,
  environment: Readonly<Record<string, string>>
) {
  const made = yield* Effect.provide(Chain, Layer.provide(layer, upstreamDependencies(outside, environment)))
  return { ...byAddress(made), requests: outside.requests, hosts: () => outside.requests.map(({ url }) => url.host) }
})

/** The network over an in-memory transport with these hosts, and its requests. */
export const network = (module: Module, hosts: Hosts, environment: Readonly<Record<string, string>> = {}) =>
  over(simulatedClient(byHost(hosts)), module, environment)

/** The network over hosts whose newest block is current, and its requests without those for it. */
export const networkWithHeads = (module: Module, hosts: Hosts, environment: Readonly<Record<string, string>> = {}) =>
  over(
    clientWithHeads(({ url }, now) => {
      const head = headAt(url, now)
      return head && Effect.succeed(head)
    }, byHost(hosts)),
    module,
    environment
  )
