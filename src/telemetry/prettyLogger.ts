import { format } from "node:util"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import * as Logger from "effect/Logger"

/** Returns the text that the pretty logger would write to the console. */
export const pretty = Logger.make<unknown, string>((options) => {
  const lines: Array<string> = []
  let margin = ""
  const unsafe = {
    ...globalThis.console,
    log: (...parts: ReadonlyArray<unknown>) => {
      lines.push(format(...parts).replaceAll(/^/gm, margin))
      margin = "  "
    }
  }
  const services = FiberRefs.getOrDefault(options.context, DefaultServices.currentServices)
  const console = { ...Context.get(services, Console.Console), unsafe }
  const context = FiberRefs.updateAs(options.context, {
    fiberId: FiberId.none,
    fiberRef: DefaultServices.currentServices,
    value: Context.add(services, Console.Console, console)
  })
  Logger.prettyLoggerDefault.log({ ...options, context })
  return lines.join("\n")
})
