import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import known from "./known.json" with { type: "json" }
import { type Break, type Plain, plainOf, type Trial, trialsOf, tryOut } from "./laws.ts"
import type { Network } from "./trial.ts"

export interface Options {
  readonly network?: string | undefined
  readonly route?: string | undefined
  readonly law?: string | undefined
  readonly seed: string
  readonly minutes: string
  readonly trial?: string | undefined
}

/** Breaks that are not mended yet: by law, route and symptom, the places and their changes. */
type Known = Readonly<Partial<Record<string, Readonly<Record<string, Readonly<Record<string, Places>>>>>>>
type Places = Readonly<Record<string, ReadonlyArray<string>>>

/** A place, without the network in the name of its upstream. */
export const placeOf = ({ network, place }: Pick<Break, "network" | "place">): string =>
  place.startsWith(`${network}-`) ? place.slice(network.length + 1) : place

const isKnown = (each: Break): boolean =>
  Object.values((known as Known)[each.law]?.[each.route] ?? {}).some((places) =>
    (places[placeOf(each)] ?? []).includes(each.change)
  )

const random = (seed: string) => {
  let state = Number(seed) >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

const line = ({ at, change, got, law, network, place, route, wanted }: Break, seed: string) =>
  `${law}: ${network} ${route}, ${place}, ${change}: ${at}: wanted ${wanted}, got ${got}\n  bun run laws --network ${network} --route ${route} --seed ${seed} --trial '${place}|${change}'`

/** Networks in the order of the seed: one of each family first. */
const networksOf = ({ network, seed }: Options): ReadonlyArray<Network> => {
  const next = random(seed)
  const live = Catalogue.all.filter(({ id, sunset }) => sunset === undefined && (network ?? id) === id)
  const shuffled = live.map((info) => ({ info, at: next() })).sort((a, b) => a.at - b.at)
  const families = new Set<string>()
  const isFirst = ({ family }: Network) => !families.has(family) && families.add(family) !== undefined
  const first = shuffled.filter(({ info }) => isFirst(info))
  return [...first, ...shuffled.filter((each) => !first.includes(each))].map(({ info }) => info)
}

/** Tries the laws for some minutes; returns the exit code. The last line is a summary. */
export const report = (options: Options, print: (line: string) => void) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const start = performance.now()
      const isOver = () => performance.now() - start > Number(options.minutes) * 60_000
      const next = random(options.seed)
      const found: Array<Break> = []
      let tried = 0
      let expected = 0
      const judge = (breaks: ReadonlyArray<Break>) => {
        for (const each of breaks.filter(({ law }) => (options.law ?? law) === law))
          if (isKnown(each)) expected++
          else {
            if (!found.some(({ at, law, place }) => at === each.at && law === each.law && place === each.place))
              print(line(each, options.seed))
            found.push(each)
          }
      }
      const pools: Array<{ readonly info: Network; readonly plain: Plain; readonly trials: Array<Trial> }> = []
      for (const info of networksOf(options)) {
        if (isOver() || (options.network === undefined && performance.now() - start > Number(options.minutes) * 20_000))
          break
        const { breaks, plains } = yield* plainOf(info, (route) => (options.route ?? route) === route)
        judge(breaks)
        for (const plain of plains) pools.push({ info, plain, trials: [...trialsOf(info, plain)] })
      }
      if (options.trial !== undefined) {
        for (const { info, plain, trials } of pools)
          for (const trial of trials.filter(({ change, place }) => `${place}|${change}` === options.trial)) {
            tried++
            judge(yield* tryOut(info, plain, trial))
          }
      } else
        while (!isOver() && pools.some(({ trials }) => trials.length > 0)) {
          const left = pools.filter(({ trials }) => trials.length > 0)
          const pool = left[Math.floor(next() * left.length)]
          const [trial] = pool?.trials.splice(Math.floor(next() * pool.trials.length), 1) ?? []
          if (pool === undefined || trial === undefined) break
          tried++
          judge(yield* tryOut(pool.info, pool.plain, trial))
        }
      const all = pools.reduce((sum, { trials }) => sum + trials.length, tried)
      print(`laws: ${tried} of ${all} lies tried, ${found.length} new breaks, ${expected} known ones`)
      return found.length > 0 ? 1 : 0
    })
  )
