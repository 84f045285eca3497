import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../../../src/App.ts"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import { type OpenAbility, openAbilities } from "../../../src/chains/openCalls.ts"
import type { NetworkDescription } from "../../../src/contract/StatusApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as ProviderCalls from "../../../src/upstream/ProviderCalls.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { sandboxEnvironment } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The sandbox without some upstreams, and the requests to the others: the words of each. */
const counting = () => {
  const calls = new Map<string, Array<ReadonlyArray<string>>>()
  const down = new Set<string>()
  const layer = Layer.map(Sandbox.layer(Catalogue.all), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (answer, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          if (down.has(name)) return FetchClient.received(request, new Response("", { status: 500 }))
          const { body, method, url } = request
          const sent = body._tag === "Uint8Array" ? JSON.parse(new TextDecoder().decode(body.body)) : undefined
          const words = ProviderCalls.wordsOf({ body: sent, method, path: new URL(url).pathname })
          calls.set(name, [...(calls.get(name) ?? []), words])
          return answer
        })
      )
    )
  )
  return { calls, down, layer }
}

/** A network of each family, and those of Bitcoin's family whose sources are others. */
const measured = [
  ...new Map(Catalogue.all.map((info) => [info.family, info])).values(),
  ...Catalogue.all.filter(({ id }) => id === "bitcoin" || id === "bitcoin-cash")
]

/** The requests for the balances or the history of two new wallets; a third one reads what is cached for later ones. */
const requestsOf = Effect.fnUntraced(function* (
  { calls, post }: Pick<ReturnType<typeof counting>, "calls"> & Pick<Context.Tag.Service<Service>, "post">,
  { info, ability, name }: { readonly info: Catalogue.AnyFacts; readonly ability: OpenAbility; readonly name: string },
  seed: number
) {
  const opens: Array<ReadonlyArray<ReadonlyArray<string>>> = []
  for (let wallet = 0; wallet < 3; wallet++) {
    calls.clear()
    const networks = { [info.id]: samples(info, 1, seed + wallet) }
    yield* post(`/${ability}`, ability === "history" ? { networks, limit: 20 } : { networks })
    opens.push([...(calls.get(name) ?? []), ...(calls.get(`${name}-relay`) ?? [])])
  }
  return opens.slice(1)
})

/** How often these opens made each call. */
const oftenOf = (offered: ReadonlyArray<ProviderCalls.OfferedCall>, opens: ReadonlyArray<ReadonlyArray<string>>) =>
  offered.flatMap((call) => {
    const times = opens.map((words) => ProviderCalls.used(offered, words).filter((made) => made === call).length)
    if (times.every((count) => count === 0)) return []
    const [first = 0] = times
    return [[call.endpoint, times.every((count) => count === first) ? first : "varies"] as const]
  })

/** Blockfrost is used with a key only. */
const keys = { BLOCKFROST_PROJECT_ID: "mainnet" }

/** The offered calls of each upstream. */
const upstreamCalls = Effect.flatMap(Chains, ({ all }) => all).pipe(
  Effect.flatMap((chains) => Effect.forEach(chains, (chain) => chain.abilities)),
  Effect.zipRight(Effect.flatMap(Upstreams, ({ trials }) => trials)),
  Effect.map((trials) => new Map(trials.map(({ calls, name }) => [name, ProviderCalls.offered(calls)]))),
  Effect.provide(App.useCases.pipe(Layer.provide(sandboxEnvironment(keys))))
)

describe("the calls of an open", () => {
  it.scopedLive("are those that a new wallet makes at each upstream", function* () {
    const { calls, down, layer } = counting()
    const { get, post } = Context.get(yield* Layer.build(Service.layer(keys, layer)), Service)
    const described = yield* Effect.flatMap(get("/networks"), body<ReadonlyArray<NetworkDescription>>)
    const known = yield* upstreamCalls
    const counted: Array<unknown> = []
    const expected: Array<unknown> = []
    let seed = 1
    const opens = measured
      .flatMap((info) =>
        openAbilities.flatMap((ability) =>
          (described.find(({ id }) => id === info.id)?.abilities[ability].upstreams ?? []).map((upstream, _, all) => ({
            ...upstream,
            ability,
            info,
            others: all.filter(({ name }) => name !== upstream.name)
          }))
        )
      )
      .toSorted((one, other) => Number(one.name === "blockfrost") - Number(other.name === "blockfrost"))
    for (const { ability, callsPerOpen, info, name, others } of opens) {
      if (callsPerOpen === undefined) continue
      // TON's indexers are used side by side; elsewhere the others are only fallbacks.
      down.clear()
      if (info.id !== "ton") for (const other of others) down.add(other.name)
      const requests = yield* requestsOf({ calls, post }, { info, ability, name }, seed)
      seed += 3
      const most = Math.max(...requests.map((open) => open.length))
      if (most === 0) continue
      const offered = known.get(name) ?? []
      const declared = offered.flatMap(({ endpoint, perOpen }) =>
        perOpen[ability] === undefined ? [] : [[endpoint, perOpen[ability]] as const]
      )
      const often = oftenOf(
        offered,
        requests.map((open) => open.flat())
      )
      // The simulated wallets have fewer than 20 entries, each of which costs Blockfrost two calls.
      const counts = name === "blockfrost" ? Math.max(most, callsPerOpen) : most
      counted.push([name, ability, counts, Object.fromEntries(often)])
      expected.push([name, ability, callsPerOpen, Object.fromEntries(declared)])
    }
    assert.isAtLeast(counted.length, 20)
    assert.deepStrictEqual(counted, expected)
  })
})
