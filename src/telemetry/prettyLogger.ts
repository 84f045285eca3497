import { format } from "node:util"
import * as Console from "effect/Console"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as FiberId from "effect/FiberId"
import * as FiberRefs from "effect/FiberRefs"
import * as Logger from "effect/Logger"
import type { Line } from "./AccessLog.ts"

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

/** Networks in the line of a request. */
const maxShown = 3

/** The line of a request, without what only programs need. */
export const request = ({ method, ms, networks = [], nulls, route, status }: Line, now: number): string => {
  const more = networks.length > maxShown ? ["…"] : []
  const unread = nulls === undefined ? [] : [`${nulls} nulls`]
  const time = `[${new Date(now).toTimeString().slice(0, 8)}]`
  return [time, method, route, status, `${ms} ms`, ...networks.slice(0, maxShown), ...more, ...unread].join(" ")
}
