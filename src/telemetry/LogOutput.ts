import { write } from "node:fs"
import { isatty } from "node:tty"
import * as Context from "effect/Context"

/** Where the text of the log goes. */
export interface Output {
  /** Writes some of these bytes, and says how many; never waits on the event loop. One call at a time. */
  readonly write: (bytes: Uint8Array, done: (error: NodeJS.ErrnoException | null, written: number) => void) => void
  /** Whether people read it as it comes; not where it is left out. */
  readonly terminal?: boolean
}

const standardOutput = 1

/** Standard output; a pipe that is not read blocks one thread of the pool in one call, and nothing else. */
export class LogOutput extends Context.Reference<LogOutput>()("telemetry/LogOutput", {
  defaultValue: (): Output => ({
    write: (bytes, done) => write(standardOutput, bytes, 0, bytes.length, null, done),
    terminal: isatty(standardOutput)
  })
}) {}

/** The reader has stalled: the same bytes can be written later. */
export const isFull = (error: NodeJS.ErrnoException) => error.code === "EAGAIN"

export const isTerminal = ({ terminal = false }: Output) => terminal
