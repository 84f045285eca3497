export { isZero, parse } from "../../domain/evmAddress.ts"
