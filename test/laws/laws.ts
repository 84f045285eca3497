import * as Effect from "effect/Effect"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { samples } from "../chains/families/samples.ts"
import { exact } from "./changes.ts"
import {
  type Fact,
  factsOf,
  isAbout,
  isAboutMembers,
  isAdmission,
  isPriced,
  isVagueIn,
  lackingIn,
  type Reason,
  reasonsIn
} from "./facts.ts"
import { contradictions } from "./ledger.ts"
import type { Trial } from "./lies.ts"
import { addressesOf, histories, namesIn, ofEachStatus, requestsOf } from "./requests.ts"
import { type Answered, type Asked, begun, type Lie, type Network, sandboxOf, start } from "./trial.ts"

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

/** The plain runs of a request. */
export interface Plain {
  readonly asked: Asked
  readonly now: Answered
  /** The same request later. */
  readonly later: Answered
  /** Requests to upstreams at the start of the service. */
  readonly started: ReadonlyArray<UpstreamRequest>
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

/** Routes whose values differ rightly between sources: each is between those of two. */
const estimated = /^utils\/(fees|block)/

/** Routes that state how the upstreams are. */
const ofUpstreams = /^networks/

/** Whether the response is that of a provider: outside the Bitcoin family, only whose transaction it is can be wrong. */
const isForwarded = ({ family }: Network, { route }: Asked) => route === "utils/getrawtransaction" && family !== "utxo"

const plainRun = (info: Network, asked: Asked, lie?: Lie) =>
  Effect.scoped(
    Effect.gen(function* () {
      const { ask, pass, started, tell } = yield* begun(info)
      tell(lie)
      const now = yield* ask(asked)
      tell(undefined)
      if (lie !== undefined) return { now, later: now, started }
      yield* pass(recovery)
      return { now, later: yield* ask(asked), started }
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

/**
 * Whether a reason excuses that a fact is missing. `at` is the row or object that is missing with it: one with a time is
 * a transaction, which reasons about members of transactions do not excuse.
 */
const excusing = (asked: Asked, reasons: ReadonlyArray<Reason>, facts: ReadonlyMap<string, unknown>) => {
  const names = namesIn(asked)
  return ({ at, path }: { readonly at: string; readonly path: string }): boolean =>
    reasons.some((reason) => isAbout(names, reason, path) && !(isAboutMembers(reason) && facts.has(`${at}/timestamp`)))
}

/** What a source alone states otherwise than all of them: another value, another row, or nothing and no reason. */
const differing = (asked: Asked, all: Answered, alone: Answered, isTied: Plain["isTied"]) => {
  // Without `detail`, a breakdown has the parts that the responses contain anyway.
  const isJudged = (path: string) =>
    !isPriced(path) && !isTied(path) && (/detail/.test(asked.path) || !path.includes("/breakdown"))
  const [known, stated] = [valuesIn(all), valuesIn(alone)]
  const isExcused = excusing(asked, newReasons(all, alone), known)
  const isUnread = excusing(asked, newReasons(alone, all), stated)
  const { gone, wrong } = differences(onlyValues(all), all, alone)
  const others = wrong
    .filter((fact) => isJudged(fact.path) && !isUnread(fact))
    .filter(({ path }) => !known.has(path) || !isAdmission({ path, value: known.get(path) ?? null }))
    .map(({ at, value, wanted }) => ({ at, wanted, got: value }))
  // A source may not know a member of a row.
  const missing = gone
    .filter((fact) => isJudged(fact.path) && !isExcused(fact) && !stated.has(fact.path))
    .map(({ at, value }) => ({ at, wanted: value, got: "nothing, without a reason" }))
  return [...others.slice(0, 1), ...missing.slice(0, 1)]
}

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
      return { info, entries, sources: [...new Set(names)], requests: requestsOf(info, entries) }
    })
  )

export type Survey = Effect.Effect.Success<ReturnType<typeof surveyed>>

/** Place and change of the breaks without a lie. */
export const plainPlace = "plain"

/** The plain runs of a request, and the breaks that they show: no plain run if the request fails without a lie. */
export const plainOf = Effect.fnUntraced(function* ({ entries, info, sources }: Survey, asked: Asked) {
  const { later, now, started } = yield* plainRun(info, asked)
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
  const isTied = tiedIn(info, now, more)
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
    const place = placeOf(source)
    const of = breaksOf(info.id, { asked, place, change: "alone" })
    if (!estimated.test(asked.route) && !isForwarded(info, asked))
      for (const { at, got, wanted } of differing(asked, now, read.now, isTied)) of.broken("sources", at, wanted, got)
    breaks.push(...of.breaks)
    const isSilent = newReasons(now, read.now).length === 0
    for (const { path, value } of factsOf(read.now.body)) if (value !== null || isSilent) add(path, value)
  }
  const lacking = new Map<string, Effect.Effect.Success<ReturnType<typeof lackingWithout>>>()
  const unstatedWithout = Effect.fnUntraced(function* (upstream: string) {
    const paths = lacking.get(upstream) ?? (yield* lackingWithout(info, asked, now, upstream))
    lacking.set(upstream, paths)
    return paths
  })
  const plain: Plain = { asked, now, later, started, sources, values, mostCalls, isTied, unstatedWithout }
  return { plain, breaks, alone: alone.map(placeOf) }
})

type Values = ReadonlySet<Fact["value"]> | undefined

const isStated = (values: Values, value: Fact["value"]): boolean => values?.has(value) === true

/** Whether a number is between two of the values. */
const isBetween = (values: Values, value: Fact["value"]): boolean => {
  const numbers = [...(values ?? [])].filter((other) => other !== null).map(Number)
  return isStated(values, value) || (Math.min(...numbers) <= Number(value) && Number(value) <= Math.max(...numbers))
}

/** The facts of a response that are wrong, and those of the plain one that it lacks. */
export const differences = (
  values: Plain["values"],
  plain: Answered,
  got: Answered,
  isVague: (path: string) => boolean = () => false,
  isRight: typeof isStated = isStated
) => {
  const found = new Map(factsOf(got.body).map((fact) => [fact.path, fact]))
  const stated = [...found.values()].filter(({ value }) => value !== null).map(({ path }) => path)
  const [unknown, missing] = [lackingIn(values.keys()), lackingIn(stated)]
  return {
    wrong: [...found.values()]
      .filter((fact) => !isAdmission(fact) && !isVague(fact.path))
      .filter(({ path, value }) => !isRight(values.get(path), value))
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
const withLater = ({ asked, isTied, later, values }: Plain): Plain["values"] => {
  if (estimated.test(asked.route)) return joined(values, onlyValues(later))
  return new Map([
    ...[...values].filter(([path]) => isTied(path)),
    ...[...valuesIn(later)].map(([path, value]) => [path, new Set(values.get(path)).add(value)] as const)
  ])
}

/** What a response says that it lacks, and the plain one does not. */
const newReasons = (plain: Answered, got: Answered) => {
  const reasonsOf = ({ body, failures }: Answered) => reasonsIn([body, { error: failures }])
  const before = new Set(reasonsOf(plain).map(({ at, text }) => `${at} ${text}`))
  return reasonsOf(got).filter(({ at, text }) => !before.has(`${at} ${text}`))
}

/** A list of coins and tokens is complete without the transfers of NFTs that no read list has. */
const ofCollectibles = /^NFT transfers: /

/** The lists that call themselves complete although something is missing. */
const completeDespite = (body: unknown) => {
  const all = new Map(factsOf(body).map(({ path, value }) => [path, value]))
  return reasonsIn(body).filter(({ at, text }) => all.get(`${at}/complete`) === true && !ofCollectibles.test(text))
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

/** Values of each path in several groups. */
const joined = (...groups: ReadonlyArray<Plain["values"]>): Plain["values"] => {
  const all = new Map<string, Set<Fact["value"]>>()
  for (const [path, values] of groups.flatMap((group) => [...group]))
    all.set(path, new Set([...(all.get(path) ?? []), ...values]))
  return all
}

const isRightOn = ({ route }: Asked) => (estimated.test(route) ? isBetween : isStated)

/** The names in a request, and the addresses of all requests. */
const namedIn = (info: Network, asked: Asked) => [...new Set([...addressesOf(info), ...namesIn(asked)])]

/** Whether a path is about another address or hash than the changed datum, or about the coin beside its tokens. */
const isApartFrom = (info: Network, { asked, isOfTokens = false, subject }: Trial) => {
  const others = subject === undefined ? [] : namedIn(info, asked).filter((name) => name !== subject)
  return (path: string) =>
    (others.some((name) => path.includes(name)) && !path.includes(subject ?? "")) ||
    (isOfTokens && path.includes(`|${info.native.coinId}/balance`))
}

/** The faults of a response during a lie that can be found out. */
const untrue = Effect.fnUntraced(function* (info: Network, plain: Plain, trial: Trial, got: Answered) {
  const { asked, back = 0, isEarly = false, upstream } = trial
  const { breaks, broken } = breaksOf(info.id, trial)
  if (got.status !== 200 || ofUpstreams.test(asked.route)) return breaks
  // Time passes while an upstream does not respond.
  const isSlow = back !== 0 || got.took !== plain.now.took
  const values = isSlow ? joined(plain.values, onlyValues(plain.later)) : plain.values
  const right = estimated.test(asked.route) && isSlow ? values : plain.values
  const { gone, wrong } = differences(right, plain.now, got, isVagueIn(got.body), isRightOn(asked))
  // A price is of the time of the response.
  const isPrice = isSlow || isEarly || !plain.sources.includes(upstream)
  const reasons = newReasons(plain.now, got)
  // If the response says that a list or a part of it is missing, a party may have no amount, and the type is that of
  // the others.
  const isPartial = reasons.some(({ text }) => /transfer|transaction|call|token/.test(text))
  const isUnknown = ({ path, value }: Pick<Fact, "path" | "value">) =>
    isPartial && (path.endsWith("/type") || (value === "0" && /\/(from|to)\/[^/]+\/amount$/.test(path)))
  const isExempt = (path: string) => isForwarded(info, asked) || (isPrice && isPriced(path))
  for (const { at, value, wanted } of wrong.filter((fact) => !isExempt(fact.path) && !isUnknown(fact)).slice(0, 1))
    broken("truth", at, wanted, value)
  for (const { path, value } of factsOf(got.body).filter(isNoPrice).slice(0, 1)) broken("truth", path, "a price", value)
  const [hash = ""] = isForwarded(info, asked) ? namesIn(asked) : []
  const hasHash = ({ body }: Answered) => JSON.stringify(body).toLowerCase().includes(hash.toLowerCase())
  if (trial.change.startsWith("of a") && hasHash(plain.now) && !hasHash(got))
    broken("truth", "hash", hash, "another transaction")
  // A list that lacks a part is not complete.
  for (const { at } of completeDespite(got.body).slice(0, 1)) broken("truth", at, false, true)
  // The service does not know a token that its list does not describe.
  if (isEarly || isForwarded(info, asked)) return breaks
  // A source alone may not state it, and a price from the future is not used.
  const isOptional = (path: string) =>
    plain.values.get(path)?.has(null) === true || plain.isTied(path) || (back > 0 && isPriced(path))
  const isReasoned = excusing(asked, reasons, plain.values)
  const unreasoned = gone.filter((fact) => !isOptional(fact.path) && !isReasoned(fact))
  // The other sources may not state it, as if this one did not exist.
  const unstated = unreasoned.length === 0 ? undefined : yield* plain.unstatedWithout(upstream)
  for (const { at, value } of unreasoned.filter(({ path }) => unstated?.has(path) !== true).slice(0, 1))
    broken("truth", at, value, "nothing, without a reason")
  return breaks
})

/** Whether a fact is a price, or a value of it, that no market has. */
const isNoPrice = ({ path, value }: Fact) =>
  isPriced(path) && !/change/i.test(path) && value !== null && Number(value) < 0

/** What a lie changes beside its datum. */
const dependent = (info: Network, plain: Plain, trial: Trial, got: Answered) => {
  const { breaks, broken } = breaksOf(info.id, trial)
  const isApart = isApartFrom(info, trial)
  const { gone, wrong } = differences(plain.values, plain.now, got, isVagueIn(got.body), isRightOn(trial.asked))
  // A limit stops all calls to its host.
  const isLimit =
    /^(status 429|refused)/.test(trial.change) && newReasons(plain.now, got).some(({ text }) => text.includes("rate"))
  for (const { at, value } of isLimit ? [] : gone.filter(({ path }) => isApart(path)).slice(0, 1))
    broken("independence", at, value, "nothing")
  for (const { at, value, wanted } of wrong.filter(({ path }) => isApart(path) && !isPriced(path)).slice(0, 1))
    broken("independence", at, wanted, value)
  return breaks
}

/** The faults of the responses to requests after a lie has ended. */
const unrecovered = Effect.fnUntraced(function* (
  info: Network,
  { ask, pass }: Pick<Effect.Effect.Success<ReturnType<typeof begun>>, "ask" | "pass">,
  plains: ReadonlyArray<Plain>,
  trial: Trial
) {
  const { breaks, broken } = breaksOf(info.id, trial)
  const read = (plain: Plain) =>
    Effect.map(ask(plain.asked), (answered) =>
      differences(withLater(plain), plain.later, answered, undefined, isRightOn(plain.asked))
    )
  // At the same time: what a later one states about the newest block is newer.
  const first = yield* Effect.forEach(plains, (plain) => Effect.map(read(plain), (after) => ({ plain, after })))
  const isOptional = ({ isTied, values }: Plain, path: string) => values.get(path)?.has(null) === true || isTied(path)
  for (const { after, plain } of first) {
    const place = plain.asked === trial.asked ? "" : `${plain.asked.path} `
    // Another source may not state a value, and is called until the circuit of the first one closes.
    const lacking = after.gone.length === 0 ? undefined : yield* plain.unstatedWithout(trial.upstream)
    const isElsewhere = after.gone.some(({ path }) => isOptional(plain, path) || lacking?.has(path) === true)
    if (isElsewhere) yield* pass(recovery)
    const lost = (isElsewhere ? (yield* read(plain)).gone : after.gone).filter(({ path }) => !plain.isTied(path))
    // The prices may have been read at another time.
    for (const { at, value, wanted } of after.wrong.filter(({ path }) => !isPriced(path)).slice(0, 1))
      broken("recovery", place + at, wanted, value)
    for (const { at, value } of lost.slice(0, 1)) broken("recovery", place + at, value, "nothing")
  }
  return breaks
})

/** Whether a lie that is believed may last: final transactions are stored. */
const isStored = /^history|^portfolio\/chart/

/** The breaks of a lie; `also` is another request, whose response must be right after it. */
export const tryOut = Effect.fnUntraced(function* (info: Network, plain: Plain, trial: Trial, also?: Plain) {
  const { asked, back = 0, behind, isEarly = false, isPlausible = false, lie, upstream } = trial
  const { breaks, broken } = breaksOf(info.id, trial)
  const service = yield* begun(info, isEarly ? { lie } : back < 0 ? { at: start - back, behind } : {})
  const { ask, pass, setBack, tell } = service
  if (back > 0) {
    yield* ask(asked)
    setBack(back)
  }
  tell(lie, behind)
  const got = yield* ask(asked)
  if (back >= 0) {
    if (!isPlausible) breaks.push(...(yield* untrue(info, plain, trial, got)))
    breaks.push(...dependent(info, plain, trial, got))
  }
  const digits = String(exact.value - 1n)
  if (trial.change === exact.name && !isForwarded(info, asked) && got.text.replaceAll(".", "").includes(digits))
    broken("truth", "digits", exact.value, digits)
  if (got.took > deadline) broken("cost", "time", `${deadline} ms`, `${got.took} ms`)
  // The next source may take more calls.
  const most = Math.max(3 * plain.now.calls.length, 6, plain.mostCalls + 2)
  if (got.calls.length > most) broken("cost", "calls", most, got.calls.length)
  const { body } = yield* ask({ route: "networks", path: "/networks" })
  if (upstream !== "")
    for (const state of othersIn(body, upstream).slice(0, 1)) broken("ours", "circuits", "closed", state)
  tell(undefined)
  if (back < 0) setBack(-back)
  if (isEarly || (isPlausible && isStored.test(asked.route)) || ofUpstreams.test(asked.route)) return breaks
  yield* pass(recovery + Math.max(0, back) + plain.now.took - got.took)
  const judged = [...(isForwarded(info, asked) ? [] : [plain]), ...(also === undefined || isPlausible ? [] : [also])]
  return [...breaks, ...(yield* unrecovered(info, service, judged, trial))]
}, Effect.scoped)
