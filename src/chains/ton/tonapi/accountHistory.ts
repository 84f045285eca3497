import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import type { Upstream } from "../../../upstream/Upstream.ts"
import { join } from "../../mergePaged.ts"
import { asWanted, type Client, traceSeconds } from "../Client.ts"
import * as TonApiEvents from "./TonApiEvents.ts"

/** The page limit of the API. */
const eventsPerCall = 100

const unreported = "transfers of exchanges, stakes and NFTs: tonapi does not return all of them"

/** The transactions of an account: each is an event. */
export const accountHistory =
  (upstream: Upstream): Client["history"] =>
  ({ address, before, limit, since }, within) => {
    const page = (next: string | undefined) => {
      const request = HttpClientRequest.setUrlParams(HttpClientRequest.get(`/v2/accounts/${address}/events`), {
        limit: String(Math.min(eventsPerCall, limit + 1)),
        subject_only: "true",
        ...(since === undefined ? {} : { start_date: String(since - traceSeconds) }),
        ...(before === undefined ? {} : { end_date: String(before.height + traceSeconds) }),
        ...(next === undefined ? {} : { before_lt: next })
      })
      return upstream.over((host) => host.read(request, TonApiEvents.events(address)))
    }
    return Effect.map(join([{ name: "transactions", page }], { limit, within }), ({ groups, missing, more }) => ({
      part: {
        ...asWanted(groups.flatMap(TonApiEvents.toTransaction(address)), more, since),
        missing: groups.every(({ rows }) => rows.every(TonApiEvents.isFullyDescribed))
          ? missing
          : [...missing, unreported],
        sources: [upstream.name]
      },
      isComplete: true
    }))
  }
