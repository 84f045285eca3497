import type * as FileSystem from "@effect/platform/FileSystem"
import type * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as declare from "../settings/declare.ts"
import type { SettingError, Settings } from "../settings/Settings.ts"
import * as FetchClient from "./FetchClient.ts"
import * as Recorder from "./record/Recorder.ts"
import * as Replay from "./record/Replay.ts"

/** The transport selected by UPSTREAMS. Opens nothing. */
export const settings = Effect.map(
  declare.text({
    name: "UPSTREAMS",
    default: "live",
    allowed: "live, sandbox, record:DIR or replay:DIR",
    check: (value) => /^(live|sandbox|(record|replay):.+)$/.test(value),
    meaning:
      "live, sandbox (every upstream is simulated), record:DIR (live, and every exchange is written to DIR) or replay:DIR (responses are read from DIR)"
  }),
  (value) => {
    const [kind = "", ...rest] = value.split(":")
    return { kind: kind as keyof typeof kinds, directory: rest.join(":") }
  }
)

/** True if the simulated upstreams limit their callers. */
export const hasSandboxLimits = Effect.map(
  declare.choice({
    name: "SANDBOX_LIMITS",
    default: "off",
    choices: ["off", "on"],
    meaning:
      "With UPSTREAMS=sandbox: whether upstreams refuse calls beyond the free plans of their providers, and the service paces its calls as for real upstreams"
  }),
  (value) => value === "on"
)

type Transport<E> = Layer.Layer<HttpClient.HttpClient, E | SettingError, FileSystem.FileSystem | Settings>

export const layer = <E>(sandbox: Transport<E>) =>
  Layer.unwrapEffect(Effect.map(settings, ({ directory, kind }): Transport<E> => kinds[kind](directory, sandbox)))

const kinds = {
  live: () => FetchClient.layer,
  sandbox: <E>(_: string, sandbox: Transport<E>) => sandbox,
  record: (directory: string) => Layer.provide(Recorder.layer(directory), FetchClient.layer),
  replay: (directory: string) => Replay.layer(directory)
}
