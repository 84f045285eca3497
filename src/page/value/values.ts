import type { components } from "../../client/Client.ts"
import { type NetworkAddress, networksOf, sharedFirst, sharedWith } from "../addresses/accounts.ts"
import { chunked, halvesOf } from "../addresses/batches.ts"
import type { ChartSeries, Span } from "../coin/series.ts"
import type { PageClient } from "../state/client.ts"
import { type KnownNetworks, networkOf } from "../state/knownNetworks.ts"
import { sum } from "../text/decimal.ts"
import { day, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"

export type ValueResponse = components["schemas"]["PortfolioChart"]
const dayLong = 86_400_000

type ValuePoint = ValueResponse["points"][number] & { readonly isComparable: boolean }

/** Returns whether the value at an index is of the same addresses and assets as the last one. */
const comparing = ({ addresses, assets }: ValueResponse) => {
  const counted = addresses.filter(({ account }) => account === undefined)
  const since = Math.max(0, ...counted.map((address) => address.since ?? 0))
  return (at: number, index: number): boolean =>
    at >= since &&
    assets.every(({ balances, error, values }) => {
      const [now, then] = [values.at(-1), values[index]]
      // Nothing shows when the known part of an unknown total lacks a price.
      const isCertain = then !== null || error === undefined || (balances[index] !== null && balances.at(-1) !== null)
      return (then === null) === (now === null) && isCertain
    })
}

/** The points by time. The last point is the time of each request: all responses get the latest of these times. */
const aligned = (answers: ReadonlyArray<ValueResponse>): ReadonlyArray<ReadonlyMap<number, ValuePoint>> => {
  const now = Math.max(...answers.map(({ points }) => points.at(-1)?.at ?? 0))
  return answers.map((answer) => {
    const isComparable = comparing(answer)
    const { points } = answer
    return new Map(
      points.map((point, index) => [
        index === points.length - 1 ? now : point.at,
        { ...point, isComparable: isComparable(point.at, index) }
      ])
    )
  })
}

/**
 * The total value of all addresses, from one or more responses. Times with a missing address or price are approximate.
 * The series starts with the first known value, and is undefined if no value is known.
 */
export const seriesOf = (answers: ReadonlyArray<ValueResponse>): ChartSeries | undefined => {
  const charts = aligned(answers)
  const begins = answers.map(({ points }) => points[0]?.at ?? Number.POSITIVE_INFINITY)
  const times = [...new Set(charts.flatMap((chart) => [...chart.keys()]))].sort((a, b) => a - b)
  const points = times.flatMap((at) => {
    const parts = charts.map((chart) => chart.get(at))
    // If requests are on both sides of a full hour, one of them lacks the point of that hour.
    if (parts.some((part, index) => part === undefined && at > (begins[index] ?? 0))) return []
    const values = parts.flatMap((part) => part?.value ?? [])
    const isApproximate = parts.some((part) => part === undefined || part.approximate === true || part.value === null)
    const isComparable = parts.every((part) => part?.isComparable === true)
    return { at, isApproximate, isComparable, value: values.length === 0 ? null : Number(sum(values)) }
  })
  const begin = points.findIndex(({ value }) => value !== null)
  if (begin < 0) return undefined
  const known = points.slice(begin)
  const approximate = known.map(({ isApproximate }) => isApproximate)
  const comparable = known.map(({ isComparable }) => isComparable)
  return {
    kind: "value",
    currency: (answers[0]?.currency ?? "usd").toUpperCase(),
    times: known.map(({ at }) => at / 1000),
    columns: [{ name: "value", values: known.map(({ value }) => value) }],
    ...(approximate.includes(true) ? { approximate } : {}),
    ...(comparable.includes(false) ? { comparable } : {})
  }
}

/** True if nothing of the past failed: only movements that no source lists are missing. */
export const isWhole = ({ addresses, assets }: ValueResponse): boolean =>
  assets.every(({ error }) => error === undefined) &&
  addresses.every(
    ({ reasons, since, unlisted = [] }) => since !== null && reasons.every((reason) => unlisted.includes(reason))
  )

/** A response whose points are approximate only if something failed or is not known yet at their time. */
export const withoutUnlisted = (answer: ValueResponse): ValueResponse => {
  if (!isWhole(answer)) return answer
  const counted = answer.addresses.filter(({ account }) => account === undefined)
  const from = Math.max(0, ...counted.map(({ since }) => since ?? 0))
  return {
    ...answer,
    points: answer.points.map(({ at, value, approximate = false }) => ({
      at,
      value,
      ...(approximate && (at < from || value === null) ? { approximate } : {})
    }))
  }
}

/** Removes addresses on networks that were shut down before these days: they have no value in this time. */
export const onActiveNetworks = <A extends Pick<NetworkAddress, "network">>(
  addresses: ReadonlyArray<A>,
  known: KnownNetworks,
  days: number,
  now: number
): ReadonlyArray<A> =>
  addresses.filter(({ network }) => {
    const { sunset } = networkOf(known, network) ?? {}
    return sunset === undefined || !(Date.parse(sunset) < now - (days + 1) * dayLong)
  })

/** A reason why a part of the past is unknown or approximate. */
export interface Remark {
  readonly of: string
  readonly text: string
}

/** Missing data of each address and coin; `nameOf` returns the display name of a network. */
export const remarksOf = (
  answers: ReadonlyArray<ValueResponse>,
  days: number,
  nameOf: (network: string) => string
): ReadonlyArray<Remark> =>
  answers.flatMap(({ addresses, assets, points, step }) => {
    const wanted = (points.at(-1)?.at ?? Date.now()) - days * dayLong + step
    const ofAddresses = addresses.flatMap(({ address, network, reasons, since }) => {
      const known = since === null ? [t("noPast")] : since > wanted ? [t("knownSince", { day: day(since / 1000) })] : []
      const text = [...known, ...reasons.map((reason) => sanitized(reason, 300))].join("; ")
      return text === "" ? [] : [{ of: `${nameOf(network)}, ${shortened(address)}`, text }]
    })
    const ofAssets = assets.flatMap(({ error, network, tokenSymbol }) =>
      error === undefined
        ? []
        : [{ of: `${sanitized(tokenSymbol, 16) || t("noSymbol")}, ${nameOf(network)}`, text: sanitized(error, 300) }]
    )
    return [...ofAddresses, ...ofAssets]
  })

/** Addresses on networks: the service's limit per request, and the page's limit per chart. */
const addressesPerRequest = 50
export const maxAddresses = 200

/** Reads the value of these addresses over a number of days, in as many requests as needed. */
export const readValues = async (
  client: PageClient,
  addresses: ReadonlyArray<NetworkAddress>,
  days: Span,
  currency: string,
  signal: AbortSignal
): Promise<ReadonlyArray<ValueResponse>> => {
  const request = { days, currency: currency.toLowerCase() }
  const read = async (part: ReadonlyArray<NetworkAddress>): Promise<Array<ValueResponse>> => {
    try {
      const answer = await client.portfolio.chart({ ...request, networks: networksOf(part) }, { signal })
      const chart = withoutUnlisted(answer)
      const isSplit = sharedWith(part, addresses).some((address) => !part.includes(address))
      // Each request counts the addresses that an account in another one includes.
      return [isSplit ? { ...chart, points: chart.points.map((point) => ({ ...point, approximate: true })) } : chart]
    } catch (error) {
      const halves = halvesOf(part, error)
      if (halves === undefined) throw error
      return readAll(halves)
    }
  }
  // Concurrently, so that the responses have the same times.
  const readAll = async (parts: ReadonlyArray<ReadonlyArray<NetworkAddress>>) =>
    (await Promise.all(parts.map(read))).flat()
  return readAll(chunked(sharedFirst(addresses), addressesPerRequest))
}
