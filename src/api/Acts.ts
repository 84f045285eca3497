import * as Context from "effect/Context"

/** Stands on a GET that does something. HEAD only asks what there is, so such a route has none. */
export class Acts extends Context.Reference<Acts>()("api/Acts", { defaultValue: () => false }) {}
