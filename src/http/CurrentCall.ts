import * as Context from "effect/Context"
import type { CallState } from "./CallState.ts"

/** The current request, for steps that run as Effects. */
export class CurrentCall extends Context.Tag("http/CurrentCall")<CurrentCall, CallState>() {}
