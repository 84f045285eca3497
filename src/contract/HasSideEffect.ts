import * as Context from "effect/Context"

/** Marks a GET with a side effect. HEAD must have none, so such a route does not serve it. */
export class HasSideEffect extends Context.Reference<HasSideEffect>()("contract/HasSideEffect", {
  defaultValue: () => false
}) {}
