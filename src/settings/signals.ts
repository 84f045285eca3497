import { existsSync, readFileSync } from "node:fs"
import { isatty } from "node:tty"

// This file is loaded before all others, so it imports as little as possible: a signal without a listener ends the
// process at once, or is ignored if it is process 1 of a container.

const stops = ["SIGTERM", "SIGINT", "SIGHUP"] as const
type Signal = (typeof stops)[number]

const input = 0

const status = "/proc/self/status"

/** True if the process was started with `nohup`, and so must continue when the terminal closes. */
const ignoresHangup = () => existsSync(status) && /^SigIgn:\s*[0-9a-f]*[13579bdf]$/m.test(readFileSync(status, "utf8"))

let early: Array<Signal> = []
let receive = (signal: Signal): void => {
  early.push(signal)
}

/** Receives the signals of the process from now on, until its end. {@link onStop} gets those that have come by then. */
export const remember = (): void => {
  const hadTerminal = isatty(input)
  for (const signal of stops)
    if (signal !== "SIGHUP" || !ignoresHangup())
      process.on(signal, () => {
        // Further listeners handle a hangup, unless it says that the terminal has gone.
        if (signal !== "SIGHUP" || (hadTerminal && !isatty(input))) receive(signal)
      })
}

/** Calls `stop` for the first signal that ends the process. A second SIGINT from a terminal ends it at once; others change nothing. */
export const onStop = (stop: (signal: Signal) => void): void => {
  let isStopping = false
  receive = (signal) => {
    if (isStopping && signal === "SIGINT" && isatty(input)) process.exit(130)
    if (!isStopping) stop(signal)
    isStopping = true
  }
  const all = early
  early = []
  for (const signal of all) receive(signal)
}
