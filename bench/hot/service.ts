import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as App from "../../src/App.ts"
import * as Server from "../../src/http/Server.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { unlimitedSettings } from "../../test/support/counted.ts"
import * as World from "./World.ts"

/** Runs the whole service over simulated upstreams in a separate process, with the default log. */
BunRuntime.runMain(
  Layer.launch(
    Server.Server.layer.pipe(
      Layer.provide(App.routes),
      Layer.provide(Layer.merge(World.layer, Memory.layer())),
      Layer.provide(App.observability),
      Layer.provide(unlimitedSettings({ PORT: "0", HOST: "127.0.0.1" }))
    )
  ),
  { disablePrettyLogger: true }
)
