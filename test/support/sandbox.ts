import type * as HttpClient from "@effect/platform/HttpClient"
import * as Layer from "effect/Layer"
import * as App from "../../src/App.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as Memory from "../../src/storage/Memory.ts"

/** Time limits that a busy machine does not reach: the default of all tests that are not about time. */
export const patience = { REQUEST_DEADLINE_MS: "240000", UPSTREAM_TIMEOUT_MS: "120000" }

/**
 * What the service stands on when all upstreams are simulated. Its prices are of today: it wants the real clock.
 * Where a test sets UPSTREAMS to live, what needs a key is not configured.
 */
export const sandboxed = (
  environment: Readonly<Record<string, string>> = {},
  outside: Layer.Layer<HttpClient.HttpClient> = Sandbox.layer(Catalogue.all)
) =>
  Layer.mergeAll(
    outside,
    Memory.layer(),
    App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", ...patience, ...environment })
  )

/** An address of the simulated world, one for each number. */
export const holder = (index: number): `0x${string}` =>
  `0x${((0xabcdefn << 128n) + BigInt(index)).toString(16).padStart(40, "0")}`

export const holders = (count: number) => Array.from({ length: count }, (_, index) => holder(index))
