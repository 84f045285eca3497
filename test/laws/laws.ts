import * as Effect from "effect/Effect"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { samples } from "../chains/families/samples.ts"
import { changes, delays, type KnownNames, refusals, undetectable } from "./changes.ts"
import { type Fact, factsOf, isAbout, isAdmission, isPriced, isVagueIn, lackingIn, reasonsIn } from "./facts.ts"
import { contradictions } from "./ledger.ts"
import { kindOf, type Place, rootOf, spliced, within } from "./places.ts"
import { addressesOf, hashesIn, histories, namesIn, ofEachStatus, requestsOf } from "./requests.ts"
import {
  type Answered,
  type Asked,
  type Behind,
  begun,
  keyOf,
  type Lie,
  type Network,
  sandboxOf,
  start
} from "./trial.ts"

// The laws of docs/design.md, tried with one lie at a time.

export type Law = "truth" | "independence" | "recovery" | "sources" | "ours" | "cost" | "walks" | "sums"

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
  readonly lie?: Lie
  readonly behind?: Behind
  /** How far the clock of the service goes back, ms. */
  readonly back?: number
  /** The address of the request that the changed datum belongs to; undefined if it names none or several. */
  readonly subject: string | undefined
  /** True if the changed datum is about tokens only. */
  readonly isOfTokens?: boolean
}

/** The plain runs of a request. */
export interface Plain {
  readonly asked: Asked
  readonly now: Answered
  /** The same request later. */
  readonly later: Answered
  /** Upstreams that only this network has. */
  readonly sources: ReadonlyArray<string>
  /** All values that the sources of the network give at each path. */
  readonly values: ReadonlyMap<string, ReadonlySet<Fact["value"]>>
  /** The most calls with a single source while the others fail. */
  readonly mostCalls: number
  /** Whether a row may be left out, because others of its block are at the end of a cut list in its place. */
  readonly isTied: (path: string) => boolean
  /** What a response without this upstream lacks and gives no reason for; runs once for each upstream. */
  readonly unstatedWithout: (upstream: string) => ReturnType<typeof lackingWithout>
}

/** How long a lie may be visible after it has ended, ms: no response is served from memory longer. */
const recovery = 15 * 60_000

/** Time for a response, ms. */
const deadline = 15_000

/** Routes whose values differ rightly between sources. */
const estimated = /^utils\/(fees|block)|^networks/

/** Whether the response is that of a provider: outside the Bitcoin family, only whose transaction it is can be wrong. */
const isForwarded = ({ family }: Network, { route }: Asked) => route === "utils/getrawtransaction" && family !== "utxo"

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

/** What a response without an upstream lacks; nothing if it gives a reason. */
const lackingWithout = Effect.fnUntraced(function* (info: Network, asked: Asked, plain: Answered, without: string) {
  const { now: got } = yield* plainRun(info, asked, async ({ upstream }) =>
    upstream === without ? new Response("", { status: 500 }) : undefined
  )
  const isReasoned = got.status !== 200 || newReasons(plain, got).length > 0
  return new Set(isReasoned ? [] : differences(onlyValues(plain), plain, got).gone.map(({ path }) => path))
})

type Rows = ReadonlyArray<{ readonly block: number | null; readonly hash: string }>

/**
 * The rows of the block in which a list of the Bitcoin family is cut: sources order the transactions of a block
 * differently, so that any of them may be the last ones.
 */
const tiedIn = ({ family, id }: Network, cut: Answered, whole: Answered) => {
  const rowsIn = ({ body }: Answered) => Object.values(Object(body).data?.[id] ?? {}).flat() as Rows
  const last = rowsIn(cut).at(-1)?.block
  const same = rowsIn(whole).filter(({ block }) => block === last)
  const isCut = family === "utxo" && same.some(({ hash }) => !rowsIn(cut).some((row) => row.hash === hash))
  return (path: string): boolean => isCut && same.some(({ hash }) => path.includes(`/${hash}`))
}

/** The value of each path in a response. */
const valuesIn = ({ body }: Answered) => new Map(factsOf(body).map(({ path, value }) => [path, value]))

const shown = (value: unknown) => String(value ?? "nothing").slice(0, 80)

/** The sources of a network, and its requests. */
export const surveyed = (info: Network) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ask } = yield* begun(info)
      const { body } = yield* ask({ route: "networks", path: "/networks" })
      const abilities = Object.values(Object((body as ReadonlyArray<object>)[0]).abilities as object)
      const names = abilities.flatMap(({ upstreams }: { upstreams: ReadonlyArray<{ name: string }> }) =>
        upstreams.map(({ name }) => name)
      )
      const entries = ofEachStatus(yield* ask(histories(info, samples(info, 8))))
      const hashes = [...new Set(entries.map(({ hash }) => hash))]
      return { info, entries, sources: [...new Set(names)], requests: requestsOf(info, hashes) }
    })
  )

export type Survey = Effect.Effect.Success<ReturnType<typeof surveyed>>

/** Place and change of the breaks without a lie. */
export const plainPlace = "plain"

/** The plain runs of a request, and the breaks that they show: no plain run if the request fails without a lie. */
export const plainOf = Effect.fnUntraced(function* ({ entries, info, sources }: Survey, asked: Asked) {
  const { later, now } = yield* plainRun(info, asked)
  const { breaks, broken } = breaksOf(info.id, { asked, place: plainPlace, change: plainPlace })
  if (now.status !== 200) {
    broken("truth", "status", 200, now.status)
    return { plain: undefined, breaks, alone: [] }
  }
  const { world } = yield* Effect.scoped(sandboxOf(info))
  for (const { at, got, wanted } of yield* contradictions({ info, world, entries, now: start }, asked, now))
    broken("truth", at, wanted, got)
  const values = new Map<string, Set<Fact["value"]>>()
  const add = (path: string, value: Fact["value"]) => values.set(path, (values.get(path) ?? new Set()).add(value))
  const more = asked.more === undefined ? now : (yield* plainRun(info, asked.more)).now
  for (const { path, value } of [now, more].flatMap(({ body }) => factsOf(body))) add(path, value)
  const alone = sources.length > 1 ? sources : []
  let mostCalls = 0
  const placeOf = (source: string) => (asked.more === undefined ? source : `busy ${source}`)
  for (const source of alone) {
    const others = new Set(sources.filter((name) => name !== source))
    const read = yield* plainRun(info, asked, async ({ upstream }) =>
      others.has(upstream) ? new Response("", { status: 500 }) : undefined
    )
    if (read.now.status !== 200) continue
    mostCalls = Math.max(mostCalls, read.now.calls.length)
    for (const fact of factsOf(read.now.body)) {
      const { path, value } = fact
      const known = valuesIn(now).get(path)
      if (value !== null || newReasons(now, read.now).length === 0) add(path, value)
      if (known === undefined || isPriced(path) || value === known) continue
      if (isAdmission(fact) || isAdmission({ path, value: known })) continue
      const [wanted, got] = [shown(known), shown(value)]
      const { route } = asked
      const place = placeOf(source)
      if (!estimated.test(route))
        breaks.push({ law: "sources", network: info.id, route, place, change: "alone", at: path, wanted, got })
    }
  }
  const lacking = new Map<string, Effect.Effect.Success<ReturnType<typeof lackingWithout>>>()
  const unstatedWithout = Effect.fnUntraced(function* (upstream: string) {
    const paths = lacking.get(upstream) ?? (yield* lackingWithout(info, asked, now, upstream))
    lacking.set(upstream, paths)
    return paths
  })
  const isTied = tiedIn(info, now, more)
  const plain: Plain = { asked, now, later, sources, values, mostCalls, isTied, unstatedWithout }
  return { plain, breaks, alone: alone.map(placeOf) }
})

/** The call of a batch that an element of the response answers, or the whole request. */
const callOf = (body: string, { path: [index] }: Place): string => {
  if (typeof index !== "number" || !body.startsWith("[")) return body
  return JSON.stringify((JSON.parse(body) as ReadonlyArray<unknown>)[index] ?? null)
}

/** The kinds of places: elements of a batch have the names of the methods of their calls, and last rows are other kinds. */
export const kindsIn = (body: string, response: string, root: Place): ((place: Place) => string) => {
  const isBatch = body.startsWith("[") && response.startsWith("[")
  const idOf = (item: unknown) => Object(item) as { readonly id?: unknown; readonly method?: string }
  const [calls, answers] = isBatch ? [JSON.parse(body), JSON.parse(response)] : [[], []]
  const methods = new Map((calls as ReadonlyArray<unknown>).map(idOf).map(({ id, method }) => [id, method] as const))
  // Hosts may answer in another order.
  const named = (answers as ReadonlyArray<unknown>).map((answer) => methods.get(idOf(answer).id))
  const isLast = (row: Place, index: number) =>
    isBatch && row.path.length === 1
      ? named.indexOf(named[index]) < index && named.lastIndexOf(named[index]) === index
      : index > 0
  const last = within(root)
    .filter(({ children: [first], path }) => typeof first?.path.at(-1) === "number" && (!isBatch || path.length > 0))
    .flatMap(({ children }) => children.slice(-1))
  const rows = [...last, ...(isBatch ? root.children : [])].filter((row) => isLast(row, Number(row.path.at(-1))))
  const inLast = new Set(rows.flatMap(within))
  return (place) => {
    const method = named[Number(place.path[0] ?? -1)]
    const kind = method === undefined ? kindOf(place) : `[${method}]${kindOf(place).slice(2)}`
    return `${inLast.has(place) ? "last " : ""}${kind}`
  }
}

/** The value that a response without members is. */
const only = (text: string): Place | undefined =>
  /^[0-9a-f]+$/i.test(text) ? { path: [], start: 0, from: 0, end: text.length, children: [] } : undefined

const mentioned = (names: ReadonlyArray<string>, text: string): ReadonlyArray<string> => {
  const lower = text.toLowerCase()
  return names.filter((name) => lower.includes(name.toLowerCase().replace(/^0x/, "")))
}

const onlyOne = (names: ReadonlyArray<string>) => (names.length === 1 ? names[0] : undefined)

/** The values of earlier pages at the same kinds of place that a request repeats, such as its cursor. */
const repeatedIn = ({ body, url }: UpstreamRequest, earlier: ReadonlyArray<UpstreamRequest>) => {
  const textOf = (request: Pick<UpstreamRequest, "body" | "url">) =>
    `${decodeURIComponent(request.url)} ${request.body}`
  const [request, first] = [textOf({ body, url }), earlier[0] === undefined ? "" : textOf(earlier[0])]
  const found = new Map<string, string>()
  for (const { response } of earlier) {
    const root = rootOf(response?.body ?? "")
    for (const place of root === undefined ? [] : within(root)) {
      const text = response?.body.slice(place.start, place.end) ?? ""
      const plain = text.replace(/"/g, "")
      if (place.children.length === 0 && plain.length > 2 && request.includes(plain) && !first.includes(plain))
        found.set(kindOf(place), text)
    }
  }
  return found
}

/** Calls about tokens only. */
const ofTokens = /_assets|account_lines|jetton|trc20|TokenAccounts/

/** All lies about a plain run: one for each kind of place and change. */
export const trialsOf = (info: Network, { asked, now, sources }: Plain): ReadonlyArray<Trial> => {
  const names: KnownNames = [...new Set([...addressesOf(info), ...namesIn(asked), ...hashesIn(now)])]
  const seen = new Set<string>()
  const isNew = (place: string, change: string) => {
    const name = `${place} ${change}`
    return !seen.has(name) && seen.add(name) !== undefined && !undetectable.some((row) => row.fits(place, change))
  }
  const before = new Map<string, ReadonlyArray<UpstreamRequest>>()
  const isOfPages = asked.more !== undefined
  const about = now.calls.flatMap((call): ReadonlyArray<Trial> => {
    const { body, response, upstream, url } = call
    if (response === undefined) return []
    const [first, key] = [`${isOfPages ? "busy " : ""}${upstream} ${formOf(url, body)}`, keyOf(call)]
    const subject = onlyOne(mentioned(addressesOf(info), `${url} ${body}`))
    const list = `${first} ${subject}`
    const earlier = (before.get(list) ?? []).filter((other) => keyOf(other) !== key)
    before.set(list, [...(before.get(list) ?? []), call])
    // A later page, or a later batch.
    const form = earlier.length === 0 ? first : `${first} later`
    const common = { asked, upstream, subject, isOfTokens: !body.startsWith("[") && ofTokens.test(url + body) }
    const whole = refusals.flatMap(({ name, response: write }): ReadonlyArray<Trial> => {
      if (write(call) === undefined || !isNew(form, name)) return []
      const lie: Lie = async (request) => (keyOf(request) === key ? write(request) : undefined)
      return [{ ...common, place: form, change: name, lie }]
    })
    const root = rootOf(response.body) ?? only(response.body)
    if (root === undefined) return whole
    const repeated = earlier.length === 0 ? new Map<string, string>() : repeatedIn(call, earlier)
    const { headers, status } = response
    const { "content-encoding": _, "content-length": __, ...kept } = headers
    const kind = kindsIn(body, response.body, root)
    const lies = within(root).flatMap((place): ReadonlyArray<Trial> => {
      const where = `${form} ${kind(place)}`
      const again = repeated.get(kindOf(place))
      const repeat = { name: "repeated", at: (text: string) => again && spliced(text, [[place, again]]) }
      return [...changes, repeat].flatMap(({ at, name }): ReadonlyArray<Trial> => {
        if (seen.has(`${where} ${name}`)) return []
        const changed = () => at(response.body, place, names)
        if ([undefined, response.body].includes(changed()) || !isNew(where, name)) return []
        const lie: Lie = async (request, text) =>
          keyOf(request) === key
            ? new Response(withIdsOf(await text(), changed() ?? "", response.body), { status, headers: kept })
            : undefined
        const about = `${url} ${callOf(body, place)}`
        const own = onlyOne(mentioned(addressesOf(info), about))
        return [{ ...common, place: where, change: name, lie, subject: own, isOfTokens: ofTokens.test(about) }]
      })
    })
    return [...whole, ...lies]
  })
  const late = [...new Set(now.calls.map(({ upstream }) => upstream))].filter((name) => sources.includes(name))
  const old = late.flatMap((upstream) =>
    Object.entries(delays).map(
      ([change, by]): Trial => ({
        asked,
        upstream,
        place: isOfPages ? `busy ${upstream}` : upstream,
        change,
        behind: { upstream, by },
        subject: undefined
      })
    )
  )
  const back = 3_600_000
  const clock = {
    asked,
    upstream: "",
    place: isOfPages ? "busy clock" : "clock",
    change: "an hour back",
    back,
    subject: undefined
  }
  // The points of a chart are at times of the clock.
  return [
    ...about,
    ...old,
    ...(asked.route === "portfolio/chart" ? [] : [{ ...clock, behind: { upstream: undefined, by: -back } }])
  ]
}

/** A changed response, in which the ids of the calls of the plain run are those of this run. */
const withIdsOf = (text: string, changed: string, plain: string): string => {
  const id = /"id":("[^"]*"|\d+)/g
  const [own, before] = [text, plain].map((body) => [...body.matchAll(id)].map(([found]) => found))
  const renamed = new Map(before?.map((found, index) => [found, own?.[index] ?? found]))
  return /"jsonrpc"/.test(text) ? changed.replace(id, (found) => renamed.get(found) ?? found) : changed
}

/** The facts of a response that are wrong, and those of the plain one that it lacks. */
export const differences = (
  values: Plain["values"],
  plain: Answered,
  got: Answered,
  isVague: (path: string) => boolean = () => false
) => {
  const found = new Map(factsOf(got.body).map((fact) => [fact.path, fact]))
  const stated = [...found.values()].filter(({ value }) => value !== null).map(({ path }) => path)
  const [unknown, missing] = [lackingIn(values.keys()), lackingIn(stated)]
  return {
    wrong: [...found.values()]
      .filter((fact) => !isAdmission(fact) && !isVague(fact.path))
      .filter(({ path, value }) => values.get(path)?.has(value) !== true)
      .map(({ path, value }) => ({
        path,
        at: values.has(path) ? path : unknown(path),
        wanted: [...(values.get(path) ?? [])].join(" or ") || "nothing",
        value
      })),
    gone: [...valuesIn(plain)]
      .filter(([path, value]) => value !== null && !isAdmission({ path, value }))
      .filter(([path]) => (found.get(path)?.value ?? null) === null && !isVague(path))
      .map(([path, value]) => ({ path, at: missing(path), value }))
  }
}

/** The only value of each path of a response. */
export const onlyValues = (answered: Answered): Plain["values"] =>
  new Map([...valuesIn(answered)].map(([path, value]) => [path, new Set([value])]))

/** The values of each path of the later response, and those of each source: after a lie, another one may respond. */
const withLater = ({ isTied, later, values }: Plain): Plain["values"] =>
  new Map([
    ...[...values].filter(([path]) => isTied(path)),
    ...[...valuesIn(later)].map(([path, value]) => [path, new Set(values.get(path)).add(value)] as const)
  ])

/** What a response says that it lacks, and the plain one does not. */
const newReasons = (plain: Answered, got: Answered) => {
  const reasonsOf = ({ body, failures }: Answered) => reasonsIn([body, { error: failures }])
  const before = new Set(reasonsOf(plain).map(({ at, text }) => `${at} ${text}`))
  return reasonsOf(got).filter(({ at, text }) => !before.has(`${at} ${text}`))
}

/** The lists that call themselves complete although something is missing. */
const completeDespite = (body: unknown) => {
  const all = new Map(factsOf(body).map(({ path, value }) => [path, value]))
  return reasonsIn(body).filter(({ at }) => all.get(`${at}/complete`) === true)
}

/** The states of the upstreams that did not lie. */
const othersIn = (body: unknown, liar: string): ReadonlyArray<string> =>
  [...JSON.stringify(body).matchAll(/"name":"([^"]+)","keyed":\w+,"state":"(\w+)","circuits":(\[[^\]]*\])/g)].flatMap(
    ([, name, , circuits]) => (name === liar || !/open|paused/.test(String(circuits)) ? [] : [`${name} ${circuits}`])
  )

/** Collects the breaks of a trial. */
export const breaksOf = (
  network: string,
  { asked: { route }, change, place }: Pick<Trial, "asked" | "change" | "place">
) => {
  const breaks: Array<Break> = []
  const broken = (law: Law, at: string, wanted: unknown, got: unknown, of = route) => {
    breaks.push({ law, network, route: of, place, change, at, wanted: shown(wanted), got: shown(got) })
  }
  return { breaks, broken }
}

/** The breaks of a lie. */
export const tryOut = Effect.fnUntraced(function* (info: Network, plain: Plain, trial: Trial) {
  const { asked, back = 0, behind, isOfTokens = false, lie, subject, upstream } = trial
  const { breaks, broken } = breaksOf(info.id, trial)
  const { ask, pass, tell } = yield* begun(info)
  if (back > 0) {
    yield* ask(asked)
    yield* pass(-back)
  }
  tell(lie, behind)
  const got = yield* ask(asked)
  const { gone, wrong } = differences(plain.values, plain.now, got, isVagueIn(got.body))
  const isRead = got.status === 200
  // A price is of the time of the response.
  const isPrice = back > 0 || got.took !== plain.now.took || !plain.sources.includes(upstream)
  // A source alone may not state it, and a price from the future is not used.
  const isOptional = (path: string) =>
    plain.values.get(path)?.has(null) === true || plain.isTied(path) || (back > 0 && isPriced(path))
  const isJudged = !estimated.test(asked.route) && !isForwarded(info, asked)
  const isEstimated = (path: string) => !isJudged || (isPrice && isPriced(path))
  const reasons = newReasons(plain.now, got)
  // If the response says that a list or a part of it is missing, a party may have no amount, and the type is that of
  // the others.
  const isPartial = reasons.some(({ text }) => /transfer|transaction|call|token/.test(text))
  const isUnknown = ({ path, value }: Pick<Fact, "path" | "value">) =>
    isPartial && (path.endsWith("/type") || (value === "0" && /\/(from|to)\/[^/]+\/amount$/.test(path)))
  if (isRead)
    for (const { at, value, wanted } of wrong.filter((fact) => !isEstimated(fact.path) && !isUnknown(fact)).slice(0, 1))
      broken("truth", at, wanted, value)
  const [hash = ""] = isForwarded(info, asked) ? namesIn(asked) : []
  const hasHash = ({ body }: Answered) => JSON.stringify(body).toLowerCase().includes(hash.toLowerCase())
  if (isRead && trial.change === "of another" && hasHash(plain.now) && !hasHash(got))
    broken("truth", "hash", hash, "another transaction")
  const isReasoned = (path: string) => reasons.some((reason) => isAbout(namesIn(asked), reason, path))
  const unreasoned =
    isRead && !isForwarded(info, asked) ? gone.filter(({ path }) => !isOptional(path) && !isReasoned(path)) : []
  // A list that lacks a part is not complete.
  for (const { at } of isRead ? completeDespite(got.body).slice(0, 1) : []) broken("truth", at, false, true)
  // The other sources may not state it, as if this one did not exist.
  const unstated = unreasoned.length === 0 ? undefined : yield* plain.unstatedWithout(upstream)
  for (const { at, value } of unreasoned.filter(({ path }) => unstated?.has(path) !== true).slice(0, 1))
    broken("truth", at, value, "nothing, without a reason")
  const other = subject === undefined ? undefined : addressesOf(info).find((address) => address !== subject)
  const isApart = (path: string) =>
    (other !== undefined && path.includes(other)) || (isOfTokens && path.includes(`|${info.native.coinId}/balance`))
  // A limit stops all calls to its host.
  const isLimit = /^(status 429|refused)/.test(trial.change) && reasons.some(({ text }) => text.includes("rate"))
  for (const { at, value } of isLimit ? [] : gone.filter(({ path }) => isApart(path)).slice(0, 1))
    broken("independence", at, value, "nothing")
  if (got.took > deadline) broken("cost", "time", `${deadline} ms`, `${got.took} ms`)
  // The next source may take more calls.
  const most = Math.max(3 * plain.now.calls.length, 6, plain.mostCalls + 2)
  if (got.calls.length > most) broken("cost", "calls", most, got.calls.length)
  const { body } = yield* ask({ route: "networks", path: "/networks" })
  for (const state of othersIn(body, upstream).slice(0, 1)) broken("ours", "circuits", "closed", state)
  tell(undefined)
  yield* pass(recovery + back + plain.now.took - got.took)
  const later = ask(asked).pipe(Effect.map((answered) => differences(withLater(plain), plain.later, answered)))
  const after = yield* later
  // Another source may not state a value, and is called until the circuit of the first one closes.
  const lackingElsewhere = after.gone.length === 0 ? undefined : yield* plain.unstatedWithout(upstream)
  const isElsewhere = after.gone.some(({ path }) => isOptional(path) || lackingElsewhere?.has(path) === true)
  if (isElsewhere) yield* pass(recovery)
  const lost = (isElsewhere ? (yield* later).gone : after.gone).filter(({ path }) => !plain.isTied(path))
  // The prices may have been read at another time.
  for (const { at, value, wanted } of after.wrong
    .filter(({ path }) => !isEstimated(path) && !isPriced(path))
    .slice(0, 1))
    broken("recovery", at, wanted, value)
  for (const { at, value } of isJudged ? lost.slice(0, 1) : []) broken("recovery", at, value, "nothing")
  return breaks
}, Effect.scoped)
