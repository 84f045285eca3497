import * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { type OpenAbility, openAbilities } from "../../../src/chains/openCalls.ts"
import type { NetworkDescription } from "../../../src/contract/StatusApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The sandbox without some upstreams, and the calls to the others. */
const counting = () => {
  const calls = new Map<string, number>()
  const down = new Set<string>()
  const layer = Layer.map(Sandbox.layer(Catalogue.all), (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.transform(Context.get(context, HttpClient.HttpClient), (answer, request) =>
        Effect.flatMap(CurrentUpstream, ({ name }) => {
          if (down.has(name)) return FetchClient.received(request, new Response("", { status: 500 }))
          calls.set(name, (calls.get(name) ?? 0) + 1)
          return answer
        })
      )
    )
  )
  return { calls, down, layer }
}

const families = [...new Map(Catalogue.all.map((info) => [info.family, info])).values()]

/** Reads the balances or the history of three new wallets; the first one also reads what is cached for later ones. */
const callsOf = Effect.fnUntraced(function* (
  { calls, post }: Pick<ReturnType<typeof counting>, "calls"> & Pick<Context.Tag.Service<Service>, "post">,
  info: Catalogue.AnyFacts,
  ability: OpenAbility,
  seed: number
) {
  const most = new Map<string, number>()
  for (let wallet = 0; wallet < 3; wallet++) {
    calls.clear()
    const networks = { [info.id]: samples(info, 1, seed + wallet) }
    yield* post(`/${ability}`, ability === "history" ? { networks, limit: 20 } : { networks })
    if (wallet > 0) for (const [name, count] of calls) most.set(name, Math.max(most.get(name) ?? 0, count))
  }
  return most
})

describe("the calls of an open", () => {
  it.scopedLive("are those that a new wallet makes at each upstream", function* () {
    const { calls, down, layer } = counting()
    const { get, post } = Context.get(yield* Layer.build(Service.layer({}, layer)), Service)
    const described = yield* Effect.flatMap(get("/networks"), body<ReadonlyArray<NetworkDescription>>)
    const counted: Array<string> = []
    const expected: Array<string> = []
    let seed = 1
    for (const info of families)
      for (const ability of openAbilities) {
        const upstreams = described.find(({ id }) => id === info.id)?.abilities[ability].upstreams ?? []
        for (const { callsPerOpen, name } of upstreams) {
          // TON's indexers are used side by side; elsewhere the others are only fallbacks.
          down.clear()
          for (const other of upstreams) if (other.name !== name && info.id !== "ton") down.add(other.name)
          const all = yield* callsOf({ calls, post }, info, ability, seed)
          const most = (all.get(name) ?? 0) + (all.get(`${name}-relay`) ?? 0)
          seed += 3
          if (most > 0) counted.push(`${name} ${ability} ${most}`)
          if (most > 0) expected.push(`${name} ${ability} ${callsPerOpen}`)
        }
      }
    assert.isAtLeast(counted.length, 20)
    assert.deepStrictEqual(counted, expected)
  })
})
