import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Network, type NetworkInfo } from "../../../src/networks/Network.ts"
import type { SettingError, Settings } from "../../../src/settings/Settings.ts"
import type { Upstreams } from "../../../src/upstreams/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { type Asked, answering, byHost, type Reply } from "../../support/http.ts"
import { around } from "../../support/upstream.ts"

type Needs = HttpClient.HttpClient | Settings | Upstreams

/** What a network module exports. */
export interface Module {
  readonly info: NetworkInfo
  readonly layer: Layer.Layer<Network, SettingError, Needs>
}

/** A network before an outside in which these hosts exist. */
export const network = (
  { layer }: Module,
  hosts: Readonly<Record<string, (asked: Asked) => Reply>>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const outside = answering(byHost(hosts))
    const made = yield* Effect.provide(Network, Layer.provide(layer, around(outside, environment)))
    return { ...byAddress(made), asked: outside.asked, hosts: () => outside.asked.map(({ url }) => url.host) }
  })
