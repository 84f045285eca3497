export { settled } from "../../src/testing/settled.ts"
