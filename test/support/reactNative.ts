import { resolve } from "node:path"
import vm from "node:vm"

/** The client, loaded where no global of the web platform exists but these. */
export type Client = typeof import("../../src/client/Client.ts")

/** An AbortController from before reasons. */
export const controller = `
class AbortSignal {
  aborted = false
  listeners = new Set()
  addEventListener(type, listener) { this.listeners.add(listener) }
  removeEventListener(type, listener) { this.listeners.delete(listener) }
}
class AbortController {
  signal = new AbortSignal()
  abort() {
    if (this.signal.aborted) return
    this.signal.aborted = true
    for (const listener of [...this.signal.listeners]) listener({ type: "abort" })
  }
}`

/** `clearTimeout` of Hermes. */
const strictClearTimeout = (timer: ReturnType<typeof setTimeout> | undefined) => {
  if (timer === undefined) throw new TypeError("Argument to clearTimeout must be a number")
  clearTimeout(timer)
}

const bundled = async () => {
  const { outputs } = await Bun.build({ entrypoints: [resolve("src/client/Client.ts")], format: "cjs" })
  return (await outputs[0]?.text()) ?? ""
}

/** Loads the client into a realm with the language's own globals and these of React Native. */
export const load = async () => {
  const realm = vm.createContext({ setTimeout, clearTimeout: strictClearTimeout, Blob, module: { exports: {} } })
  vm.runInContext(controller, realm)
  vm.runInContext(await bundled(), realm)
  const client = vm.runInContext("module.exports", realm) as Client
  return { ...client, abortController: (): AbortController => vm.runInContext("new AbortController()", realm) }
}
