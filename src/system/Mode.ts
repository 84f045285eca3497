import * as Context from "effect/Context"

/** How this process was started, as far as its answers show it. */
export class Mode extends Context.Tag("system/Mode")<
  Mode,
  {
    /** The upstreams are simulated: every answer says so in `x-sandbox`. */
    readonly sandbox: boolean
    /** Spans are sent somewhere. Without it no span is made for a request, which is faster. */
    readonly tracing?: boolean
  }
>() {}
