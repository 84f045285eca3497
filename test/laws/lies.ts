import * as Either from "effect/Either"
import { toleranceOf } from "../../src/chains/kit/status/currentHead.ts"
import { parse as polkadotKey } from "../../src/chains/polkadot/PolkadotAddress.ts"
import { parse as rawTon } from "../../src/chains/ton/TonAddress.ts"
import { toEvm } from "../../src/chains/tron/TronAddress.ts"
import type { UpstreamRequest } from "../../src/testing/UpstreamRequest.ts"
import { samples } from "../chains/families/samples.ts"
import { changes, delays, type KnownNames, refusals, undetectable } from "./changes.ts"
import { partChanges, partsIn } from "./encoded.ts"
import type { Plain } from "./laws.ts"
import { kindOf, type Place, rootOf, spliced, within } from "./places.ts"
import { addressesOf, hashesIn, namesIn } from "./requests.ts"
import { type Asked, type Behind, keyOf, type Lie, type Network } from "./trial.ts"

// All lies about the responses of a plain run.

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
  /** The address or hash of the request that the changed datum belongs to; undefined if it names none or several. */
  readonly subject: string | undefined
  /** True if the changed datum is about tokens only. */
  readonly isOfTokens?: boolean
  /** True if nothing contradicts the lie: only what it does beside its datum is judged. */
  readonly isPlausible?: boolean
  /** True if the service hears the lie at its start. */
  readonly isEarly?: boolean
}

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

/** The call of a batch that a place of the response answers, or the whole request. */
const callsIn = (body: string, response: string): ((place: Place) => string) => {
  if (!body.startsWith("[") || !response.startsWith("[")) return () => body
  const idOf = (reply: unknown) => (Object(reply) as { readonly id?: unknown }).id
  const [calls, answers] = [body, response].map((text) => JSON.parse(text) as ReadonlyArray<unknown>)
  const texts = answers?.map((answer) => JSON.stringify(calls?.find((call) => idOf(call) === idOf(answer)) ?? null))
  return ({ path: [index] }) => texts?.[Number(index)] ?? body
}

/** The kinds of places: elements of a batch have the names of the methods of their calls, and last rows are other kinds. */
export const kindsIn = (body: string, response: string, root: Place): ((place: Place) => string) => {
  const isBatch = body.startsWith("[") && response.startsWith("[")
  const idOf = (call: unknown) => Object(call) as { readonly id?: unknown; readonly method?: string }
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

const isHash = /^[0-9a-f]{64}$/

/** How upstreams write an address or a hash, in lower case. */
const spellingsOf = ({ family }: Network, name: string): ReadonlyArray<string> => {
  const other =
    family === "ton"
      ? Either.getOrElse(rawTon(name), () => (isHash.test(name) ? Buffer.from(name, "hex").toString("base64") : name))
      : family === "polkadot"
        ? Either.getOrElse(polkadotKey(name), () => name)
        : family === "tron" && name.startsWith("T")
          ? toEvm(name)
          : name
  return [...new Set([name, other].map((text) => text.toLowerCase().replace(/^(0x|0:)/, "")))]
}

/** The only one of the names that a text mentions; undefined if it mentions none or several. */
const subjectIn = (info: Network, names: ReadonlyArray<string>) => {
  const spellings = names.map((name) => [name, spellingsOf(info, name)] as const)
  const mentioned = (text: string) => {
    const lower = text.toLowerCase()
    return spellings.flatMap(([name, all]) => (all.some((spelling) => lower.includes(spelling)) ? [name] : []))
  }
  return {
    of: (text: string) => {
      const [first, ...others] = mentioned(text)
      return others.length === 0 ? first : undefined
    },
    /** The names that the smallest part of the response around a value mentions, or else its call. */
    at: (text: string, root: Place, { start, end }: Place, about: string) => {
      const around = within(root).filter((place) => place !== root && place.from <= start && place.end >= end)
      const texts = [...around.toReversed().map((place) => text.slice(place.from, place.end)), about, text]
      const [first, ...others] = texts.map(mentioned).find((found) => found.length > 0) ?? []
      return others.length === 0 ? first : undefined
    }
  }
}

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
const ofTokens = /_assets|account_lines|jetton|trc20|TokenAccounts|token (pair|balance|success|word)$/

/** The changes of a response at each kind of place. */
const changesIn = (call: UpstreamRequest, root: Place, names: KnownNames, earlier: ReadonlyArray<UpstreamRequest>) => {
  const { body, response: { body: text } = { body: "" } } = call
  const [kind, callOf] = [kindsIn(body, text, root), callsIn(body, text)]
  const repeated = earlier.length === 0 ? new Map<string, string>() : repeatedIn(call, earlier)
  return within(root).flatMap((place) => {
    const about = callOf(place)
    const again = repeated.get(kindOf(place))
    const repeat = { name: "repeated", at: () => again && spliced(text, [[place, again]]) }
    const ofPlace = [...changes, repeat].map((change) => ({
      where: kind(place),
      name: change.name,
      about: call.url + about,
      place,
      changed: () => change.at(text, place, names),
      isPlausible: () => "isPlausible" in change && change.isPlausible?.(text, place, names) === true
    }))
    const ofParts = partsIn(about, text, place).flatMap((part) =>
      partChanges.map(({ isPlausible, name, of }) => ({
        where: `${kind(place)} ${part.name}`,
        name,
        about: part.about === "" ? about : part.about,
        place,
        changed: () => {
          const digits = of(part)
          return digits === undefined ? undefined : spliced(text, [[part, digits]])
        },
        isPlausible: () => isPlausible === true
      }))
    )
    return [...ofPlace, ...ofParts]
  })
}

/** Whether a request is that of the routes for which the lists of the start matter. */
const isWithLists = ({ path, route }: Asked) => route === "price" || path === "/balance"

/** All lies about a plain run: one for each kind of place and change. */
export const trialsOf = (info: Network, { asked, now, sources, started }: Plain): ReadonlyArray<Trial> => {
  const named = [...addressesOf(info), ...namesIn(asked), ...hashesIn(now)]
  const names: KnownNames = [...new Set([...named, ...samples(info, 1, 100)])]
  const subjects = subjectIn(info, [...new Set([...addressesOf(info), ...namesIn(asked)])])
  const seen = new Set<string>()
  const isNew = (place: string, change: string) => {
    const name = `${place} ${change}`
    return !seen.has(name) && seen.add(name) !== undefined
  }
  const before = new Map<string, ReadonlyArray<UpstreamRequest>>()
  const prefix = asked.more === undefined ? "" : "busy "
  const about = (call: UpstreamRequest, prefix: string): ReadonlyArray<Trial> => {
    const { body, response, upstream, url } = call
    if (response === undefined) return []
    const [first, key] = [`${prefix}${upstream} ${formOf(url, body)}`, keyOf(call)]
    const subject = subjects.of(`${url} ${body}`)
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
    const { headers, status } = response
    const { "content-encoding": _, "content-length": __, ...kept } = headers
    const lies = changesIn(call, root, names, earlier).flatMap((change): ReadonlyArray<Trial> => {
      const where = `${form} ${change.where}`
      if (seen.has(`${where} ${change.name}`)) return []
      if ([undefined, response.body].includes(change.changed()) || !isNew(where, change.name)) return []
      const lie: Lie = async (request, text) =>
        keyOf(request) === key
          ? new Response(withIdsOf(await text(), change.changed() ?? "", response.body), { status, headers: kept })
          : undefined
      // The response to a call about one transaction also names addresses, which are not its subject.
      const own = isHash.test(subject ?? "") ? subject : subjects.at(response.body, root, change.place, change.about)
      const isPlausible = change.isPlausible() || undetectable.some(({ fits }) => fits(where, change.name))
      const isOfTokens = ofTokens.test(`${change.about} ${where}`)
      return [{ ...common, place: where, change: change.name, lie, subject: own, isOfTokens, isPlausible }]
    })
    return [...whole, ...lies]
  }
  // Prices and lists of tokens are read at the start, for all routes.
  const early = isWithLists(asked)
    ? started.flatMap((call) => about(call, "early ")).map((trial): Trial => ({ ...trial, isEarly: true }))
    : []
  return [
    ...now.calls.flatMap((call) => about(call, prefix)),
    ...early,
    ...ofSources(info, asked, now.calls, sources, prefix)
  ]
}

const failed = () => new Response("", { status: 500 })

/** Upstreams that are behind, a wrong clock, and pairs of sources without the others. */
const ofSources = (
  info: Network,
  asked: Asked,
  calls: ReadonlyArray<UpstreamRequest>,
  sources: Plain["sources"],
  prefix: string
): ReadonlyArray<Trial> => {
  const called = [...new Set(calls.map(({ upstream }) => upstream))].filter((name) => sources.includes(name))
  // Sources learn of transactions when they list them.
  const isUnpaid = asked.route !== "transactions/status"
  const old = called.flatMap((upstream) =>
    Object.entries(delays).flatMap(([change, by]): ReadonlyArray<Trial> => {
      // Sources of the network may be this far apart.
      if (1000 * toleranceOf(info) >= by) return []
      return [
        {
          asked,
          upstream,
          place: `${prefix}${upstream}`,
          change,
          behind: { upstream, by, isUnpaid },
          subject: undefined
        }
      ]
    })
  )
  const pairs = sources.length < 3 ? [] : sources.flatMap((one, at) => sources.slice(at + 1).map((two) => [one, two]))
  const two = pairs.map((pair): Trial => {
    const lie: Lie = async ({ upstream }) =>
      sources.includes(upstream) && !pair.includes(upstream) ? failed() : undefined
    return { asked, upstream: "", place: `${prefix}${pair.join(" + ")}`, change: "alone", lie, subject: undefined }
  })
  const back = 3_600_000
  const clock = { asked, upstream: "", place: `${prefix}clock`, subject: undefined }
  const behind = (by: number): Behind => ({ upstream: undefined, by })
  // The points of a chart are at times of the clock.
  const clocks: ReadonlyArray<Trial> =
    asked.route === "portfolio/chart"
      ? []
      : [
          { ...clock, change: "an hour back", back, behind: behind(-back) },
          { ...clock, change: "an hour ahead", back: -back, behind: behind(back) }
        ]
  return [...old, ...two, ...clocks]
}

/** A changed response, in which the ids of the calls of the plain run are those of this run. */
const withIdsOf = (text: string, changed: string, plain: string): string => {
  const id = /"id":("[^"]*"|\d+)/g
  const [own, before] = [text, plain].map((body) => [...body.matchAll(id)].map(([found]) => found))
  const renamed = new Map(before?.map((found, index) => [found, own?.[index] ?? found]))
  return /"jsonrpc"/.test(text) ? changed.replace(id, (found) => renamed.get(found) ?? found) : changed
}
