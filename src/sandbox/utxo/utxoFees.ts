import { chance } from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import { heightAt, timeAt } from "./utxoUnspent.ts"

// Estimates of fees as bitcoind and the indexers before it return them.

/** Base units per 1,000 bytes for a confirmation within so many blocks; new every ten minutes. */
const rateFor = (id: string, blocks: number, now: number): number => {
  const usual = 2_000 + Math.floor(8_000 * chance(id, "fees", String(Math.floor(now / 600_000))))
  return 1_000 + Math.floor(usual / Math.max(blocks, 1))
}

const coins = (rate: number): string => (rate / 1e8).toFixed(8)

/** Base units per virtual byte, as a mempool rounds them. */
const recommended = (rate: (blocks: number) => number) => {
  const of = (blocks: number) => Math.ceil(rate(blocks) / 1000)
  return { fastestFee: of(2), halfHourFee: of(3), hourFee: of(6), economyFee: of(24), minimumFee: 1 }
}

/** By the kind of upstream; undefined for all other requests. */
export const feeCalls: Readonly<
  Record<string, (id: string, request: Parameters<Simulated>[0]) => Response | undefined>
> = {
  esplora: (id, { now, path }) =>
    path.endsWith("/v1/fees/recommended") ? json(recommended((blocks) => rateFor(id, blocks, now))) : undefined,
  blockbook: (id, { now, path }) => {
    const [, blocks] = /\/api\/v2\/estimatefee\/(\d+)$/.exec(path) ?? []
    return blocks === undefined ? undefined : json({ result: coins(rateFor(id, Number(blocks), now)) })
  },
  blockcypher: (id, { now, path }) =>
    /\/v1\/\w+\/main\/?$/.test(path)
      ? json({
          name: `${id}.main`,
          height: heightAt(now),
          time: new Date(1000 * timeAt(now)).toISOString(),
          high_fee_per_kb: rateFor(id, 2, now),
          medium_fee_per_kb: rateFor(id, 6, now),
          low_fee_per_kb: rateFor(id, 24, now)
        })
      : undefined
}
