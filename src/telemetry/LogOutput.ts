import { write } from "node:fs"
import { isatty } from "node:tty"
import * as Context from "effect/Context"

/** The destination of the log. */
export interface Output {
  /** Writes some of these bytes and reports how many; never blocks the event loop. Only one call may be in flight. */
  readonly write: (bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void
  /** Whether it is a terminal; false by default. */
  readonly terminal?: boolean
}

const standardOutput = 1

/** Standard output. A pipe that is not read blocks only one call in one thread of the pool. */
export class LogOutput extends Context.Reference<LogOutput>()("telemetry/LogOutput", {
  defaultValue: (): Output => ({
    write: (bytes, done) => write(standardOutput, bytes, 0, bytes.length, null, done),
    terminal: isatty(standardOutput)
  })
}) {}

/** True if the reader has stalled: the same bytes can be written later. */
export const isFull = (error: NodeJS.ErrnoException) => error.code === "EAGAIN"

export const isTerminal = ({ terminal = false }: Output) => terminal
