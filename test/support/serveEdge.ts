import * as BunRuntime from "@effect/platform-bun/BunRuntime"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import { Server } from "../../src/http/Server.ts"
import { serverDependencies } from "./edge.ts"

// Process that serves the simulated handlers on a free port: for tests that need a socket or a start-up flag.
BunRuntime.runMain(
  Layer.launch(
    Server.layer.pipe(Layer.provide(serverDependencies({ PORT: "0", HOST: "127.0.0.1" })), Layer.provide(Logger.json))
  ),
  { disablePrettyLogger: true }
)
