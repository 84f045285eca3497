import * as Effect from "effect/Effect"
import { changes, type KnownNames, refusals, undetectable } from "./changes.ts"
import { type Fact, factsOf, hasReason, isAdmission } from "./facts.ts"
import { kindOf, type Place, rootOf, within } from "./places.ts"
import { addressesOf, hashesIn, requestsOf } from "./requests.ts"
import { type Answered, type Asked, begun, keyOf, type Lie, type Network } from "./trial.ts"

// The laws of docs/design.md, tried with one lie at a time.

export const laws = ["truth", "independence", "recovery", "sources", "ours", "cost"] as const
export type Law = (typeof laws)[number]

/** A statement of a response that breaks a law. */
export interface Break {
  readonly law: Law
  readonly network: string
  readonly route: string
  /** The upstream, the form of its request, and the kind of the place in its response. */
  readonly place: string
  readonly change: string
  /** Where the response of the service breaks the law. */
  readonly at: string
  readonly wanted: string
  readonly got: string
}

/** One lie: a change at one place of the responses to equal upstream requests. */
export interface Trial {
  readonly asked: Asked
  readonly place: string
  readonly change: string
  readonly upstream: string
  /** The upstream requests to which the lie applies. */
  readonly key: string
  readonly lie: (text: string) => Response | "hang" | undefined
  /** The address of the request that the changed datum belongs to; undefined if it names none or several. */
  readonly subject: string | undefined
}

/** The plain runs of a request. */
export interface Plain {
  readonly asked: Asked
  readonly now: Answered
  /** The same request later. */
  readonly later: Answered
  /** All values that the sources of the network give at each path. */
  readonly values: ReadonlyMap<string, ReadonlySet<Fact["value"]>>
}

/** How long a lie may be visible after it has ended, ms: no response is served from memory longer. */
const recovery = 15 * 60_000

/** Time for a response, ms. */
const deadline = 15_000

/** Routes whose values differ rightly between sources. */
const estimated = /^utils\/(fees|block)|^networks/

/** The form of an upstream request: its path without data, and the methods of its calls. */
const formOf = (url: string, body: string): string => {
  const { pathname, searchParams } = new URL(url)
  const path = pathname
    .split("/")
    .map((part) => (/^[a-z][\w.-]{0,24}$/i.test(part) || part === "" ? part : "{}"))
    .join("/")
  const methods = [...new Set([...body.matchAll(/"method":"(\w+)"/g)].map(([, method]) => method))]
  const action = searchParams.get("action")
  return [path, ...methods.slice(0, 3), ...(action === null ? [] : [action])].join(" ")
}

const plainRun = (info: Network, asked: Asked, lie?: Lie) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ask, pass, tell } = yield* begun(info)
      tell(lie)
      const now = yield* ask(asked)
      tell(undefined)
      if (lie !== undefined) return { now, later: now }
      yield* pass(recovery)
      return { now, later: yield* ask(asked) }
    })
  )

/** The sources of a network that a request can use. */
const sourcesOf = (info: Network) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ask } = yield* begun(info)
      const { body } = yield* ask({ route: "networks", path: "/networks" })
      const abilities = Object.values(Object((body as ReadonlyArray<object>)[0]).abilities as object)
      const names = abilities.flatMap(({ upstreams }: { upstreams: ReadonlyArray<{ name: string }> }) =>
        upstreams.map(({ name }) => name)
      )
      return [...new Set(names)]
    })
  )

/** The value of each path in a response. */
const valuesIn = ({ body }: Answered) => new Map(factsOf(body).map(({ path, value }) => [path, value]))

const shown = (value: unknown) => String(value ?? "nothing").slice(0, 80)

/** The plain runs of the requests of a network that succeed, and the breaks of the law of sources. */
export const plainOf = Effect.fnUntraced(function* (info: Network, isWanted: (route: string) => boolean) {
  const history = requestsOf(info, []).find(({ route }) => route === "history")
  const hashes = history === undefined ? [] : hashesIn((yield* plainRun(info, history)).now)
  const sources = yield* sourcesOf(info)
  const plains: Array<Plain> = []
  const breaks: Array<Break> = []
  for (const asked of requestsOf(info, hashes).filter(({ route }) => isWanted(route))) {
    const { later, now } = yield* plainRun(info, asked)
    if (now.status !== 200) continue
    const values = new Map<string, Set<Fact["value"]>>()
    const add = (path: string, value: Fact["value"]) => values.set(path, (values.get(path) ?? new Set()).add(value))
    for (const [path, value] of valuesIn(now)) add(path, value)
    for (const source of sources.length > 1 ? sources : []) {
      const others = new Set(sources.filter((name) => name !== source))
      const alone = yield* plainRun(info, asked, async ({ upstream }) =>
        others.has(upstream) ? new Response("", { status: 500 }) : undefined
      )
      if (alone.now.status !== 200) continue
      for (const fact of factsOf(alone.now.body)) {
        const { path, value } = fact
        const known = valuesIn(now).get(path)
        add(path, value)
        if (
          known !== undefined &&
          known !== null &&
          !isAdmission(fact) &&
          value !== known &&
          !estimated.test(asked.route)
        )
          breaks.push({
            law: "sources",
            network: info.id,
            route: asked.route,
            place: source,
            change: "alone",
            at: path,
            wanted: shown(known),
            got: shown(value)
          })
      }
    }
    plains.push({ asked, now, later, values })
  }
  return { plains, breaks }
})

/** The call of a batch that an element of the response answers, or the whole request. */
const callOf = (body: string, { path: [index] }: Place): string => {
  if (typeof index !== "number" || !body.startsWith("[")) return body
  return JSON.stringify((JSON.parse(body) as ReadonlyArray<unknown>)[index] ?? null)
}

const mentioned = (names: ReadonlyArray<string>, text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  return names.filter((name) => lower.includes(name.toLowerCase()) || lower.includes(name.toLowerCase().slice(2)))
}

const onlyOne = (names: ReadonlyArray<string>) => (names.length === 1 ? names[0] : undefined)

/** All lies about a plain run: one for each kind of place and change. */
export const trialsOf = (info: Network, { asked, now }: Plain): ReadonlyArray<Trial> => {
  const names: KnownNames = [...addressesOf(info), ...hashesIn(now)]
  const seen = new Set<string>()
  const isNew = (place: string, change: string) => {
    const name = `${place} ${change}`
    return !seen.has(name) && seen.add(name) !== undefined && !undetectable.some((row) => row.fits(place, change))
  }
  return now.calls.flatMap((call): ReadonlyArray<Trial> => {
    const { body, response, upstream, url } = call
    if (response === undefined) return []
    const common = { asked, upstream, key: keyOf(call) }
    const form = `${upstream} ${formOf(url, body)}`
    const subject = onlyOne(mentioned(addressesOf(info), `${url} ${body}`))
    const whole = refusals.flatMap(
      ({ name, response: write }): ReadonlyArray<Trial> =>
        isNew(form, name) ? [{ ...common, place: form, change: name, lie: write, subject }] : []
    )
    const root = rootOf(response.body)
    if (root === undefined) return whole
    const { headers, status } = response
    const { "content-encoding": _, "content-length": __, ...kept } = headers
    const lies = within(root).flatMap((place): ReadonlyArray<Trial> => {
      const where = `${form} ${kindOf(place)}`
      return changes.flatMap(({ at, name }): ReadonlyArray<Trial> => {
        const changed = at(response.body, place, names)
        if (changed === undefined || changed === response.body || !isNew(where, name)) return []
        return [
          {
            ...common,
            place: where,
            change: name,
            lie: (text) => new Response(withIdsOf(text, changed), { status, headers: kept }),
            subject: onlyOne(mentioned(addressesOf(info), `${url} ${callOf(body, place)}`))
          }
        ]
      })
    })
    return [...whole, ...lies]
  })
}

/** A changed response with the ids of the calls of this run. */
const withIdsOf = (text: string, changed: string): string => {
  const ids = [...text.matchAll(/"id":("[^"]*"|\d+)/g)].map(([id]) => id)
  let index = 0
  return /"jsonrpc"/.test(text) ? changed.replace(/"id":("[^"]*"|\d+)/g, (id) => ids[index++] ?? id) : changed
}

/** The facts of a response that are wrong, and those of the plain one that it lacks. */
const differences = (values: Plain["values"], plain: Answered, got: Answered) => {
  const found = new Map(factsOf(got.body).map((fact) => [fact.path, fact]))
  return {
    wrong: [...found.values()].filter((fact) => !isAdmission(fact) && values.get(fact.path)?.has(fact.value) !== true),
    gone: [...valuesIn(plain)].filter(([path, value]) => value !== null && (found.get(path)?.value ?? null) === null)
  }
}

/** The states of the upstreams that did not lie. */
const othersIn = (body: unknown, liar: string): ReadonlyArray<string> =>
  [...JSON.stringify(body).matchAll(/"name":"([^"]+)","keyed":\w+,"state":"(\w+)","circuits":(\[[^\]]*\])/g)].flatMap(
    ([, name, , circuits]) => (name === liar || !String(circuits).includes("open") ? [] : [`${name} ${circuits}`])
  )

/** The breaks of a lie. */
export const tryOut = Effect.fnUntraced(function* (info: Network, plain: Plain, trial: Trial) {
  const { asked, change, key, lie, place, subject, upstream } = trial
  const breaks: Array<Break> = []
  const broken = (law: Law, at: string, wanted: unknown, got: unknown) =>
    breaks.push({
      law,
      network: info.id,
      route: asked.route,
      place,
      change,
      at,
      wanted: shown(wanted),
      got: shown(got)
    })
  const { ask, pass, tell } = yield* begun(info)
  tell(async (request, text) => (keyOf(request) === key ? lie(await text()) : undefined))
  const got = yield* ask(asked)
  const { gone, wrong } = differences(plain.values, plain.now, got)
  const isRead = got.status === 200
  if (isRead && !estimated.test(asked.route))
    for (const { path, value } of wrong.slice(0, 1))
      broken("truth", path, [...(plain.values.get(path) ?? [])].join(" or "), value)
  if (isRead && !hasReason(got.body))
    for (const [path, value] of gone.slice(0, 1)) broken("truth", path, value, "nothing, without a reason")
  const other = subject === undefined ? undefined : addressesOf(info).find((address) => address !== subject)
  if (other !== undefined)
    for (const [path, value] of gone.filter(([path]) => path.includes(other)).slice(0, 1))
      broken("independence", path, value, "nothing")
  if (got.took > deadline) broken("cost", "time", `${deadline} ms`, `${got.took} ms`)
  const most = Math.max(3 * plain.now.calls.length, 6)
  if (got.calls.length > most) broken("cost", "calls", most, got.calls.length)
  const { body } = yield* ask({ route: "networks", path: "/networks" })
  for (const state of othersIn(body, upstream).slice(0, 1)) broken("ours", "circuits", "closed", state)
  tell(undefined)
  yield* pass(recovery + plain.now.took - got.took)
  const late = new Map([...valuesIn(plain.later)].map(([path, value]) => [path, new Set([value])]))
  const after = differences(late, plain.later, yield* ask(asked))
  if (!estimated.test(asked.route)) {
    for (const { path, value } of after.wrong.slice(0, 1))
      broken("recovery", path, [...(late.get(path) ?? [])].join(), value)
    for (const [path, value] of after.gone.slice(0, 1)) broken("recovery", path, value, "nothing")
  }
  return breaks
}, Effect.scoped)
