// The tables of all families that have museums, one per line; museum.test.ts compares them with recordings.
export { cases as cardano } from "./cardano/museum.ts"
export { cases as evm } from "./evm/museum.ts"
export { cases as market } from "./market/museum.ts"
export { cases as ripple } from "./ripple/museum.ts"
export { cases as tron } from "./tron/museum.ts"
export { cases as utxo } from "./utxo/museum.ts"
