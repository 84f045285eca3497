import * as Context from "effect/Context"

/** Stands on a GET that does something. HEAD only asks what there is, so such a route has none. */
export class HasSideEffect extends Context.Reference<HasSideEffect>()("contract/HasSideEffect", {
  defaultValue: () => false
}) {}
