/** Test kit for code that uses the service: `wallet-data/testing`. */

export * as Networks from "../chains/Networks.ts"
export * as Prices from "../features/prices/sources/PriceSources.ts"
export * as World from "../sandbox/world/World.ts"
export { Service, type ServiceOptions } from "./Service.ts"
export { settled } from "./settled.ts"
export type { UpstreamRequest, UpstreamResponse } from "./UpstreamRequest.ts"
export * as Upstreams from "./Upstreams.ts"
