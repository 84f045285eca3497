import * as Context from "effect/Context"

/** How this process was started, as far as its answers show it. */
export class Mode extends Context.Tag("http/Mode")<
  Mode,
  {
    /** The upstreams are simulated: every answer says so in `x-sandbox`. */
    readonly sandbox: boolean
    /** The share of the requests that are traced, from 0 to 1; without it none is. */
    readonly tracing?: number
    /** What stands in the line of the start: the kind of the upstreams, and of the store. */
    readonly upstreams?: string
    readonly store?: string
  }
>() {}
