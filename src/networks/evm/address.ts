export { parse } from "../../domain/evmAddress.ts"
