import type * as HttpClient from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import * as App from "../../src/App.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Memory from "../../src/storage/Memory.ts"

/** Time limits that are long enough for a busy machine: the default for all tests that are not about time. */
export const longTimeouts = { REQUEST_DEADLINE_MS: "240000", UPSTREAM_TIMEOUT_MS: "120000" }

/**
 * HTTP client, store and settings of a service whose upstreams are all simulated. Needs the real clock: the simulated
 * prices have the current time. If a test sets UPSTREAMS to live, upstreams that need a key are not configured.
 */
export const sandboxEnvironment = (
  environment: Readonly<Record<string, string>> = {},
  outside: Layer.Layer<HttpClient.HttpClient> = Sandbox.layer(Catalogue.all)
) =>
  Layer.mergeAll(
    outside,
    Memory.layer(),
    App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", ...longTimeouts, ...environment })
  )

/** An EVM address of the simulated world, one per index. */
export const holder = (index: number): `0x${string}` =>
  `0x${((0xabcdefn << 128n) + BigInt(index)).toString(16).padStart(40, "0")}`

export const holders = (count: number) => Array.from({ length: count }, (_, index) => holder(index))
