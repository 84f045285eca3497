import * as Effect from "effect/Effect"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import known from "./known.json" with { type: "json" }
import { type Break, type Law, type Plain, plainOf, plainPlace, type Survey, surveyed, tryOut } from "./laws.ts"
import { type Trial, trialsOf } from "./lies.ts"
import { randomOf } from "./random.ts"
import { trySums } from "./sums.ts"
import type { Asked, Network } from "./trial.ts"
import { walk } from "./walks.ts"

export interface Options {
  readonly network?: string | undefined
  readonly route?: string | undefined
  readonly law?: string | undefined
  readonly seed: string
  readonly minutes: string
  readonly lies: string
  readonly trial?: string | undefined
}

/**
 * Kinds of breaks that are not mended yet, by law, route and family: the number of lies that showed the kind, and one
 * of them, `number|network|place|change`.
 */
export type Known = Readonly<Record<string, Readonly<Record<string, Readonly<Record<string, string>>>>>>

const families = new Map<string, string>(Catalogue.all.map(({ family, id }) => [id, family]))

/** The kind of a break: siblings of one fault are of one kind. */
export const kindOf = ({ law, network, route }: Pick<Break, "law" | "network" | "route">): string =>
  [law, route, families.get(network)].join(" > ")

/** Sums and walks are trials of a network, all others of a route. */
const trialOf = (law: string, route: string) => (law === "sums" || law === "walks" ? law : route)

/** The known kinds, each with one trial that shows it. */
export const kindsIn = (all: Known): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(all).flatMap(([law, routes]) =>
      Object.entries(routes).flatMap(([route, byFamily]) =>
        Object.entries(byFamily).map(([family, shown]) => {
          const [, network, ...lie] = shown.split("|")
          return [[law, route, family].join(" > "), [trialOf(law, route), network, ...lie].join("|")] as const
        })
      )
    )
  )

const repeated = ({ change, law, network, place, route }: Break) =>
  `bun run laws --network ${network} --law ${law}${trialOf(law, route) === route ? ` --route ${route}` : ""} --trial '${place}|${change}'`

const line = (each: Break) => {
  const { at, change, got, law, network, place, route, wanted } = each
  return `${law}: ${network} ${route}, ${place}, ${change}: ${at}: wanted ${wanted}, got ${got}\n  ${repeated(each)}`
}

/** A network of each family, in an order of the seed. */
const networksOf = ({ network, seed }: Options): ReadonlyArray<Network> => {
  const { next } = randomOf(seed)
  const live = Catalogue.all.filter(({ id, sunset }) => sunset === undefined && (network ?? id) === id)
  const shuffled = live.map((info) => ({ info, at: next() })).sort((a, b) => a.at - b.at)
  return [...new Map(shuffled.map(({ info }) => [info.family, info])).values()]
}

/** A network with its requests, whose plain runs are made when the first lie about them is tried. */
interface Pool {
  readonly survey: Survey
  readonly asked: Asked
  plain?: Plain | undefined
  /** Lies that can be found out, those that may be believed, and those at the start. */
  trials: ReadonlyArray<Array<Trial>>
}

/** Routes whose responses do not depend on when in a minute they are read. */
const steady = /^(balance|history|transactions\/status|utils\/transaction-context)$/

const isSome = (trials: ReadonlyArray<Trial>) => trials.length > 0

/** The plain runs of another request to the same network. */
const alsoIn = (own: ReadonlyArray<Pool>, pool: Pool, next: () => number): Plain | undefined => {
  const others = own.flatMap(({ asked, plain }) =>
    asked !== pool.asked && steady.test(asked.route) && plain !== undefined ? [plain] : []
  )
  return others[Math.floor(next() * others.length)]
}

const kindsOf = (trials: ReadonlyArray<Trial>) => {
  const isKind = [
    ({ isEarly, isPlausible }: Trial) => isEarly !== true && isPlausible !== true,
    ({ isEarly, isPlausible }: Trial) => isEarly !== true && isPlausible === true,
    ({ isEarly, isPlausible }: Trial) => isEarly === true && isPlausible !== true
  ]
  return isKind.map((fits) => trials.filter(fits))
}

/** Kinds of trials in turn: mostly lies about one request. */
const turns = ["lie", "lie", "lie", "sums", "lie", "lie", "lie", "walk"] as const

/** All laws: `--law` names one. */
const laws: ReadonlyArray<string> = Object.keys({
  truth: 0,
  independence: 0,
  recovery: 0,
  sources: 0,
  ours: 0,
  cost: 0,
  walks: 0,
  sums: 0
} satisfies Record<Law, 0>)

const chosen = { sums: ["sums"], walks: ["walk"] } as Readonly<Record<string, ReadonlyArray<(typeof turns)[number]>>>

/** Routes whose numbers the law of sums compares. */
const summed = /^(balance|history|portfolio\/chart)$/

/** Tries the laws for some minutes; returns the exit code. The last line is a summary. */
export const report = (options: Options, print: (line: string) => void, knowns: Known = known) =>
  Effect.runPromise(
    Effect.gen(function* () {
      const { draw, next } = randomOf(options.seed)
      const begin = performance.now()
      const isOver = () => performance.now() - begin > Number(options.minutes) * 60_000
      const kinds = kindsIn(knowns)
      const [found, expected] = [new Map<string, number>(), new Map<string, number>()]
      const [tried, shown] = [new Set<string>(), new Set<string>()]
      let lies = 0
      const judge = (
        of: string,
        network: string,
        { change, place }: Pick<Trial, "change" | "place">,
        all: ReadonlyArray<Break>
      ) => {
        tried.add([of, network, place, change].join("|"))
        for (const each of all) {
          const kind = kindOf(each)
          if (options.law !== undefined && options.law !== each.law) continue
          const counts = kinds.has(kind) ? expected : found
          counts.set(kind, (counts.get(kind) ?? 0) + 1)
          if ((!kinds.has(kind) && !shown.has(kind)) || options.trial !== undefined) print(`${kind}\n  ${line(each)}`)
          shown.add(kind)
        }
      }
      const pools: Array<Array<Pool>> = []
      for (const info of networksOf(options)) {
        const survey = yield* surveyed(info)
        const requests = survey.requests.filter(({ route }) => (options.route ?? route) === route)
        pools.push(requests.map((asked) => ({ survey, asked, trials: [] })))
      }
      /** Makes the plain runs of a request, if they were not made before. */
      const opened = Effect.fnUntraced(function* (pool: Pool) {
        if (pool.plain !== undefined) return pool.plain
        const { asked, survey } = pool
        const made = yield* plainOf(survey, asked)
        judge(
          asked.route,
          survey.info.id,
          { place: plainPlace, change: plainPlace },
          made.breaks.filter(({ place }) => place === plainPlace)
        )
        if (made.plain === undefined) return undefined
        for (const place of made.alone)
          judge(
            asked.route,
            survey.info.id,
            { place, change: "alone" },
            made.breaks.filter((each) => each.place === place)
          )
        pool.plain = made.plain
        pool.trials = kindsOf(
          trialsOf(survey.info, made.plain).filter(({ change, place }) =>
            [undefined, `${place}|${change}`].includes(options.trial)
          )
        )
        return made.plain
      })
      const number = /^walk\|(.*)/.exec(options.trial ?? "")?.[1]
      const modes = chosen[options.law ?? ""] ?? (options.law === undefined ? turns : (["lie"] as const))
      for (let turn = 0; !isOver() && lies < Number(options.lies) && pools.some((own) => own.length > 0); turn++) {
        const own = pools[turn % pools.length] ?? []
        const mode = modes[Math.floor(turn / pools.length) % modes.length]
        const survey = own[0]?.survey
        if (survey === undefined) continue
        const { info } = survey
        if (mode === "walk") {
          lies++
          const change = number ?? String(Math.floor(next() * 1000))
          judge("walks", info.id, { place: "walk", change }, yield* walk(survey, change))
          if (number !== undefined) break
          continue
        }
        const fit = mode === "sums" ? own.filter(({ asked }) => summed.test(asked.route)) : own
        const pool = fit[Math.floor(next() * fit.length)]
        if (pool === undefined) {
          // The pools of other routes have no trials of the only law.
          if (options.law !== undefined) own.length = 0
          continue
        }
        const plain = yield* opened(pool)
        // Mostly lies that can be found out; sums show no others.
        const [trials = [], ...others] = mode === "sums" ? pool.trials.slice(0, 1) : pool.trials.filter(isSome)
        const trial = draw(next() < 0.25 ? (others[Math.floor(next() * others.length)] ?? trials) : trials)
        if (plain === undefined || trial === undefined) {
          own.splice(own.indexOf(pool), 1)
          continue
        }
        lies++
        const isSum = mode === "sums"
        const all = yield* isSum ? trySums(info, trial) : tryOut(info, plain, trial, alsoIn(own, pool, next))
        judge(isSum ? "sums" : trial.asked.route, info.id, trial, all)
      }
      const isJudged = (kind: string) => options.law === undefined || kind.startsWith(`${options.law} > `)
      const stale = [...kinds].flatMap(([kind, lie]) =>
        tried.has(lie) && !shown.has(kind) && isJudged(kind) ? [kind] : []
      )
      for (const kind of stale) print(`known, but it holds: ${kind}`)
      for (const [kind, count] of [...found, ...expected])
        print(`${count} ${kinds.has(kind) ? "known" : "new"}: ${kind}`)
      const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((all, count) => all + count, 0)
      const state = `${found.size} new kinds of breaks (${sum(found)}), ${expected.size} known ones (${sum(expected)}), ${stale.length} that hold`
      const isTried = [...tried].some((lie) => options.trial === undefined || lie.endsWith(`|${options.trial}`))
      const isUnjudged = !isTried || (options.law !== undefined && !laws.includes(options.law))
      if (isUnjudged) print("nothing was judged: no such network, route, law or trial, or no time for it")
      print(`laws: ${lies} lies tried, ${state}`)
      return found.size + stale.length > 0 || isUnjudged ? 1 : 0
    })
  )
