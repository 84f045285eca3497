import type { Subprocess } from "bun"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

/** What a worker and its parent say to each other. */
export type Message =
  /** From the worker: it listens. */
  | { readonly type: "ready" }
  /** From the worker: it wants the reports of all. */
  | { readonly type: "collect"; readonly id: string; readonly kind: string }
  /** To the worker: it says that it is alive, in the same words. */
  | { readonly type: "alive" }
  /** To the worker: its report is wanted. */
  | { readonly type: "report"; readonly id: string; readonly kind: string }
  /** From the worker. */
  | { readonly type: "reported"; readonly id: string; readonly report: unknown }
  /** To the worker that wants them. */
  | { readonly type: "collected"; readonly id: string; readonly reports: ReadonlyArray<WorkerReport> }

/** What a worker reports, and which it is. */
export interface WorkerReport {
  readonly worker: number
  readonly report: unknown
}

/** By this variable a worker knows its number. */
const numberVariable = "WALLET_DATA_WORKER"

/** The script of a binary is inside of it. */
const isInBinary = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/

/** The command of this process, without its arguments: from the binary as from the source. */
const command = () =>
  isInBinary.test(Bun.main) ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main]

/** Starts a worker at this address: the same program in the same environment. */
export const spawn = (
  worker: number,
  { host, port }: { readonly host: string; readonly port: number },
  received: (message: Message) => void
): Subprocess<"ignore", "inherit", "inherit"> =>
  Bun.spawn([...command(), "serve"], {
    env: { ...process.env, HOST: host, PORT: String(port), [numberVariable]: String(worker) },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
    ipc: received
  })

/** Sends to a worker; does nothing where it has just ended. */
export const sendTo = (child: ReturnType<typeof spawn>, message: Message): void => {
  Either.try(() => child.send(message))
}

/** The channel to the parent; undefined where this process is no worker. */
export const parent = () => {
  const number = Number(process.env[numberVariable])
  if (process.send === undefined || !Number.isSafeInteger(number) || number < 1) return undefined
  return {
    number,
    send: (message: Message): void => {
      if (process.connected) process.send?.(message)
    },
    /** Calls back for each message until the returned function is called. */
    listen: (received: (message: Message) => void): (() => void) => {
      process.on("message", received)
      return () => void process.off("message", received)
    },
    /** The parent has ended, so this process ends as on SIGTERM. */
    endWithParent: (): (() => void) => {
      const end = () => void process.kill(process.pid, "SIGTERM")
      process.on("disconnect", end)
      return () => void process.off("disconnect", end)
    }
  }
}

/** Calls back on each SIGHUP, within the scope. Where somebody listens the signal does not end the process. */
export const onHangup = (listener: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
