import * as HttpClient from "@effect/platform/HttpClient"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { HistoryEntry } from "../../../src/contract/HistoryApi.ts"
import type { TransactionStatuses } from "../../../src/contract/TransactionStatusApi.ts"
import * as Limits from "../../../src/sandbox/limits/Limits.ts"
import { callOf } from "../../../src/sandbox/limits/Provider.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { isAll, liveNetworks } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** The same upstreams, slower, and with the limits of free plans. */
const limited = (client: HttpClient.HttpClient) => {
  const refusal = Limits.meter()
  return FetchClient.client((request, url) =>
    Effect.gen(function* () {
      yield* Effect.sleep("100 millis")
      const { name } = yield* CurrentUpstream
      const refused = refusal(name, callOf(request, url), yield* Clock.currentTimeMillis)
      return yield* refused === undefined ? client.execute(request) : FetchClient.received(request, refused)
    })
  )
}

const environment = { SANDBOX_LIMITS: "on", REQUEST_DEADLINE_MS: "10000", UPSTREAM_TIMEOUT_MS: "5000" }

/** The response of a service over this client, free of limits or with them, on a simulated clock. */
const posted = <A>(path: string, value: unknown, make: typeof Service.layer, client: HttpClient.HttpClient) =>
  Effect.flatMap(Service, ({ post }) => Effect.flatMap(post(path, value), body<A>)).pipe(
    Effect.provide(make(environment, Layer.succeed(HttpClient.HttpClient, client)))
  )

type Histories = Readonly<Record<string, Readonly<Record<string, ReadonlyArray<HistoryEntry>>>>>

describe("20 statuses at upstreams with the limits of free plans", () => {
  // EVM nodes count each call of a batch; TON Center allows one call per second. Subscan has no call for several.
  for (const info of isAll
    ? liveNetworks.filter(({ id }) => id !== "polkadot")
    : liveNetworks.filter(({ id }) => ["optimism", "ton"].includes(id)))
    it.scopedLive(`are all read: ${info.id}`, function* () {
      const client = Context.get(yield* Layer.build(Sandbox.layer(Catalogue.all)), HttpClient.HttpClient)
      const wanted = { networks: { [info.id]: samples(info, 8) }, limit: 20 }
      const entries = Object.values(
        (yield* posted<Histories>("/history", wanted, Service.layer, client))[info.id] ?? {}
      )
      const hashes = [...new Set(entries.flat().map(({ hash }) => hash))].slice(0, 20)
      assert.lengthOf(hashes, 20)
      const asked = { networks: { [info.id]: hashes } }
      const found = yield* posted<TransactionStatuses>(
        "/transactions/status",
        asked,
        Service.layerSimulated,
        limited(client)
      )
      const unread = Object.values(found[info.id] ?? {}).filter(({ status }) => status === null)
      assert.deepStrictEqual(unread, [])
    })
})
