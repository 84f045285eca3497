import type * as HttpClient from "@effect/platform/HttpClient"
import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../../src/App.ts"
import * as Server from "../../src/http/Server.ts"
import { sandboxEnvironment } from "./sandbox.ts"

/** The whole service on a free port, for third-party clients. */
export class Proxy extends Context.Tag("test/Proxy")<
  Proxy,
  {
    /** Base URL, without `/utils/rpc/{network}`. */
    readonly url: string
  }
>() {
  /** The service over the store in memory and the sandbox, or another HTTP client. */
  static readonly layerOver = (
    environment: Readonly<Record<string, string>>,
    outside?: Layer.Layer<HttpClient.HttpClient>
  ) =>
    Layer.effect(Proxy, Server.Server).pipe(
      Layer.provide(Server.Server.layer),
      Layer.provide(Layer.fresh(App.routes)),
      Layer.provide(sandboxEnvironment({ HOST: "127.0.0.1", PORT: "0", ...environment }, outside)),
      Layer.provide(Logger.minimumLogLevel(LogLevel.None))
    )

  static readonly layer = Proxy.layerOver({})
}
