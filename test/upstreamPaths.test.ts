import * as HttpClient from "@effect/platform/HttpClient"
import * as UrlParams from "@effect/platform/UrlParams"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { samples } from "./chains/families/samples.ts"
import { Service } from "./support/app.ts"
import { rewritingSandbox } from "./support/lies.ts"
import { numberRoutes } from "./support/lyingRoutes.ts"
import { assert, describe, it } from "./support/vitest.ts"

// Texts from upstreams and clients must not change the path, query or host of a request to an upstream.

const mark = "EVIL"

/** Texts with path traversal, and with all characters that end a part of a URL. */
const hostile = [`../../${mark}`, `?${mark}#${mark}%2f${mark}\0${mark}@${mark}\\${mark}/${mark}`]

/** One network of each family. */
const networks = [...new Map(Catalogue.all.toReversed().map((facts) => [facts.family, facts])).values()]
const addresses = Object.fromEntries(networks.map((facts) => [facts.id as string, samples(facts, 1, 1)]))

/** Records the URLs of all requests. */
const noting = (sandbox: Layer.Layer<HttpClient.HttpClient>) => {
  const urls: Array<URL> = []
  const layer = Layer.map(sandbox, (context) =>
    Context.make(
      HttpClient.HttpClient,
      HttpClient.tapRequest(Context.get(context, HttpClient.HttpClient), (request) =>
        Effect.sync(() =>
          Either.map(UrlParams.makeUrl(request.url, request.urlParams, request.hash), (url) => urls.push(url))
        )
      )
    )
  )
  return { urls, layer }
}

/** Asserts that a hostile text stays inside one part of a URL, with its special characters escaped. */
const assertInside = (urls: ReadonlyArray<URL>, shown: string) => {
  for (const { hash, host, href, pathname, search } of urls) {
    assert.notMatch(pathname, new RegExp(`([/?#@\\\\]|%(2f|5c|00|2e))${mark}`, "i"), `${shown}: ${href}`)
    assert.notInclude(host, mark.toLowerCase(), `${shown}: ${href}`)
    assert.strictEqual(hash, "", `${shown}: ${href}`)
    for (const part of search.split("&")) assert.notMatch(part, new RegExp(`^\\??${mark}`), `${shown}: ${href}`)
  }
}

const requested = (routes: Parameters<typeof numberRoutes>[0]) =>
  Effect.forEach(numberRoutes(routes, addresses), ([, response]) => response, { concurrency: 4, discard: true })

describe("a hostile text", () => {
  it.scopedLive("from an upstream, in any of its texts, does not change where requests go", function* () {
    const { layer: lying, rewriting } = rewritingSandbox(networks)
    const { layer, urls } = noting(lying)
    yield* Effect.gen(function* () {
      const service = yield* Service
      // One kind of member at a time, because a wrong hash invalidates the rest of its row.
      for (const text of hostile)
        for (const at of [/hash|id$/i, /cursor|next|marker|page|before/i, /address|owner|account|from|to$/i]) {
          rewriting.lies = [{ at, value: (right: unknown) => (typeof right === "string" ? text : right) }]
          yield* requested(service)
        }
    }).pipe(Effect.provide(Service.layer({ BLOCKFROST_PROJECT_ID: "k", ETHERSCAN_API_KEY: "k" }, layer)))
    assert.isAbove(rewriting.replaced, 0)
    assert.isAbove(urls.length, 0)
    assertInside(urls, "an upstream")
  })

  it.scopedLive("from a client, in any part of a request, does not change where requests go", function* () {
    const { layer, urls } = noting(rewritingSandbox(networks).layer)
    yield* Effect.gen(function* () {
      const { get, post } = yield* Service
      for (const text of hostile.slice(1)) {
        const inPath = encodeURIComponent(text)
        for (const id of [...networks.map(({ id }) => id as string), text]) {
          yield* post("/balance", { networks: { [id]: [text] } })
          yield* post("/history", { networks: { [id]: [text] }, cursors: { [id]: { [text]: text } } })
          yield* post("/utils/transaction-context", { networks: { [id]: [text] } })
          yield* post("/utils/getrawtransaction", { chain: id, tx: text })
          yield* post("/utils/first-tx", { [id]: text })
          yield* get(`/utils/block/${encodeURIComponent(id)}`)
          yield* get(`/transactions/${encodeURIComponent(id)}/${inPath}`)
          yield* get(`/utils/fees/${encodeURIComponent(id)}?address=${inPath}`)
          yield* post("/balance/token", { network: id, address: addresses[id]?.[0] ?? text, tokenAddress: text })
        }
        yield* get(`/price/coin?coin_ids=${inPath}`)
        yield* get(`/price/token?chain_id=1&tokens=${inPath}`)
      }
    }).pipe(Effect.provide(Service.layer({}, layer)))
    assertInside(urls, "a client")
  })
})
