import * as HttpApiBuilder from "@effect/platform/HttpApiBuilder"
import * as Effect from "effect/Effect"
import { Chains } from "../../chains/Chains.ts"
import type { AddressMatch } from "../../contract/AddressesApi.ts"
import { Api } from "../../contract/Api.ts"
import { type Match, matchesOf } from "./matchesOf.ts"

const toWire = ({ canonical, explorer, facts, kind, note }: Match): AddressMatch => ({
  network: facts.id,
  canonical,
  kind,
  ...(explorer === "" ? {} : { explorer }),
  ...(note === "" ? {} : { note })
})

export const layer = HttpApiBuilder.group(Api, "addresses", (handlers) =>
  Effect.map(Chains, ({ all }) =>
    handlers.handle("lookUp", ({ path: { text } }) =>
      Effect.map(all, (networks) => ({ input: text, matches: matchesOf(networks, text).map(toWire) }))
    )
  )
)
