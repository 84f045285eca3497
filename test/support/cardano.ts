import { crc32 } from "node:zlib"
import { base58, bech32 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Cardano from "../../src/chains/cardano/Cardano.ts"
import * as calls from "../../src/chains/cardano/providers/koios/calls.ts"
import { fingerprintOf } from "../../src/chains/cardano/providers/koios/KoiosAsset.ts"
import { usedAddresses } from "../../src/chains/cardano/providers/koios/KoiosBalances.ts"
import type { RegisteredToken } from "../../src/providers/TokenRegistry.ts"
import { epochAt, slotAt } from "../../src/sandbox/cardano/CardanoChain.ts"
import { type Answered, answered, answerOf } from "../../src/sandbox/world/answers.ts"
import { chainOver, token as tokenOf } from "./chains.ts"
import { byAddress } from "./holdings.ts"
import { byHost, clientWithHeads, json, type Reply, type SentRequest, simulatedClient } from "./http.ts"

const numbered = (prefix: string, header: number, index: number, hashes: number) => {
  const bytes = new Uint8Array(1 + 28 * hashes)
  bytes[0] = header
  new DataView(bytes.buffer).setUint32(1, index)
  return bech32.encode(prefix, bech32.toWords(bytes), 1023)
}

/** Mainnet address with a payment and a stake part, one per index. */
export const payment = (index: number) => numbered("addr", 0x01, index, 2)
/** Address without a stake part. */
export const enterprise = (index: number) => numbered("addr", 0x61, index, 1)
export const stake = (index: number) => numbered("stake", 0xe1, index, 1)

/** Byron address without attributes, whose root is a repeated byte. */
export const byron = (byte: number) => {
  const payload = Buffer.concat([Buffer.of(0x83, 0x58, 28), Buffer.alloc(28, byte), Buffer.of(0xa0, 0x00)])
  const sum = Buffer.alloc(4)
  sum.writeUInt32BE(crc32(payload))
  return base58.encode(Buffer.concat([Buffer.of(0x82, 0xd8, 24, 0x58, payload.length), payload, Buffer.of(0x1a), sum]))
}

export const policy = "29d222ce763455e3d7a09a665ce554f00ac89d2e99a1a83d267170c6"

export const token = (address: string, coinId: string, decimals = 0) => tokenOf(address, coinId, decimals)

/** The content of a simulated ledger; an address without an entry is unused. */
export interface Ledger {
  readonly lovelace: Readonly<Record<string, bigint>>
  readonly assets?: Readonly<Record<string, ReadonlyArray<readonly [unit: string, quantity: string]>>>
  /** Decimals by unit, as in Koios's lists of balances, where 0 may mean unknown. */
  readonly decimals?: Readonly<Record<string, number>>
  /** Rows of Koios's `asset_info`, by unit. */
  readonly info?: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

const split = (unit: string) => ({ policy_id: unit.slice(0, 56), asset_name: unit.slice(56) })

/** The path below the API version. */
export const pathOf = ({ url }: SentRequest) => url.pathname.replace(/^\/api\/v\d/, "")

/** Responds to calls with these answers, and to others with `otherwise`; to a body that is too large as Koios does. */
export const answering =
  (answers: ReadonlyArray<Answered>, otherwise: Reply, maxBody = Number.POSITIVE_INFINITY) =>
  (request: SentRequest): Reply => {
    if (new TextEncoder().encode(request.body).length > maxBody) return json({ message: "too large" }, { status: 413 })
    const { pathname: path, searchParams: query } = request.url
    const answer = Option.getOrUndefined(answerOf(answers, { ...request, path, query, now: 0 }))
    return answer === undefined ? otherwise : json(answer)
  }

export const koios = (ledger: Ledger) => {
  const known = (all: ReadonlyArray<string> = []) =>
    all.filter((address) => ledger.lovelace[address] !== undefined || usedAddresses.includes(address))
  const page = <A>(query: URLSearchParams, rows: ReadonlyArray<A>) => {
    const offset = Number(query.get("offset") ?? 0)
    return rows.slice(offset, offset + 1000)
  }
  const assetsOf = (address: string) =>
    (ledger.assets?.[address] ?? []).map(([unit, quantity]) => ({
      ...split(unit),
      fingerprint: fingerprintOf(unit),
      decimals: ledger.decimals?.[unit] ?? 0,
      quantity
    }))
  const answers = [
    answered(calls.addressInfo, ({ body }) =>
      known(body._addresses).map((address) => ({ address, balance: String(ledger.lovelace[address] ?? 1n) }))
    ),
    answered(calls.accountInfo, ({ body }) =>
      known(body._stake_addresses).map((stake_address) => ({
        stake_address,
        total_balance: "999",
        utxo: String((ledger.lovelace[stake_address] ?? 2n) - 2n),
        rewards_available: "2"
      }))
    ),
    answered(calls.addressAssets, ({ body, query }) =>
      page(
        query,
        known(body._addresses).flatMap((address) => assetsOf(address).map((row) => ({ address, ...row })))
      )
    ),
    answered(calls.accountAssets, ({ body, query }) =>
      page(
        query,
        known(body._stake_addresses).flatMap((stake_address) =>
          assetsOf(stake_address).map((row) => ({ stake_address, ...row }))
        )
      )
    ),
    answered(calls.assetInfo, ({ body }) =>
      (body._asset_list ?? []).flatMap((pair) => {
        const info = ledger.info?.[pair.join("")]
        // Tests of malformed rows have other members.
        return info === undefined ? [] : [{ ...split(pair.join("")), ...info } as never]
      })
    )
  ]
  return answering(answers, json([{ block_time: 1_670_832_173 }]), 1024)
}

const urls = { KOIOS_URL: "http://koios.test/api/v1", BLOCKFROST_URL: "http://blockfrost.test/api/v0" }

/** Runs the canary of an upstream over these hosts: true if it accepts them as Cardano mainnet. */
export const runCanary = (
  name: "blockfrost" | "koios",
  hosts: Readonly<Record<string, (request: SentRequest) => Reply>>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const outside = simulatedClient(byHost(hosts))
    const built = yield* chainOver(Cardano.layer, outside.layer, { environment: { ...urls, ...environment } })
    const [address] = (yield* built.upstreams.trials).find((trial) => trial.name === name)?.addresses ?? []
    const works = yield* Effect.either(address?.try ?? Effect.dieMessage(`no upstream ${name}`))
    return { works: Either.isRight(works), requests: outside.requests }
  })

type Hosts = Readonly<Record<string, (request: SentRequest) => Reply>>

const over = Effect.fnUntraced(function* (
  outside: ReturnType<typeof simulatedClient>,
  tokens?: ReadonlyArray<RegisteredToken>,
  environment: Readonly<Record<string, string>> = {}
) {
  const { chain } = yield* chainOver(Cardano.layer, outside.layer, {
    tokens: tokens === undefined ? {} : { cardano: tokens },
    environment: { UPSTREAM_TIMEOUT_MS: "1000", ...urls, ...environment }
  })
  return { ...byAddress(chain), requests: outside.requests }
})

type Options = [tokens?: ReadonlyArray<RegisteredToken>, environment?: Readonly<Record<string, string>>]

/** The network over simulated hosts; with a project id, Blockfrost is the first source. */
export const network = (hosts: Hosts, ...options: Options) => over(simulatedClient(byHost(hosts)), ...options)

const headAt = (request: SentRequest, now: number): Reply | undefined => {
  const [hash, time] = ["0".repeat(64), Math.floor(now / 1000)]
  if (pathOf(request) === "/tip") return json([{ hash, block_no: 12_100_000, block_time: time }])
  return pathOf(request) === "/blocks/latest"
    ? json({ hash, time, height: 12_100_000, slot: slotAt(time), epoch: epochAt(time) })
    : undefined
}

/** The network over hosts whose newest block is current, and its requests without those for it. */
export const networkWithHeads = (hosts: Hosts, ...options: Options) =>
  over(clientWithHeads(headAt, byHost(hosts)), ...options)

export const withBlockfrostKey = { BLOCKFROST_PROJECT_ID: "mainnetKey" }
