import type { Subprocess } from "bun"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { program } from "../settings/runtime.ts"
import * as systemd from "./systemd.ts"

/** Messages between a worker and its parent. */
export type Message =
  /** From the worker: it listens on its port. */
  | { readonly type: "ready" }
  /** From the worker: requests the reports of all workers. */
  | { readonly type: "collect"; readonly id: string; readonly kind: string }
  /** Ping to the worker, which replies with the same message. */
  | { readonly type: "alive" }
  /** To the worker: requests its report. */
  | { readonly type: "report"; readonly id: string; readonly kind: string }
  /** From the worker: its report. */
  | { readonly type: "reported"; readonly id: string; readonly report: unknown }
  /** To the worker that requested the reports. */
  | ({ readonly type: "collected"; readonly id: string } & Collected)

/** Report of a worker, with the worker's number. */
export interface WorkerReport {
  readonly worker: number
  readonly report: unknown
}

/** The reports of all workers that responded in time, and how many workers should serve and do. */
export interface Collected {
  readonly reports: ReadonlyArray<WorkerReport>
  readonly wanted: number
  readonly serving: number
}

/** Environment variable with the number of a worker. */
const numberVariable = "WALLET_DATA_WORKER"

type Worker = Subprocess<"ignore", "inherit", "inherit">

const running = new Set<Worker>()

/** Sends a signal to all workers that have not ended. */
export const signalAll = (signal: NodeJS.Signals) => {
  for (const worker of running) worker.kill(signal)
}

const killRunning = () => signalAll("SIGKILL")

/** A process that ends at once, as on a second SIGINT, leaves no worker behind. Also while its workers stop. */
const endWithThis = (worker: Worker) => {
  process.off("exit", killRunning).on("exit", killRunning)
  running.add(worker)
  return worker
}

/** Starts a worker on this host and port: the same program in the same environment. */
export const spawn = (
  worker: number,
  { host, port }: { readonly host: string; readonly port: number },
  received: (message: Message) => void
): Worker =>
  endWithThis(
    Bun.spawn([...program(), "serve"], {
      env: {
        ...process.env,
        ...systemd.withoutSocket,
        HOST: host,
        PORT: String(port),
        [numberVariable]: String(worker)
      },
      stdin: "ignore",
      stdout: "inherit",
      stderr: "inherit",
      ipc: received,
      onExit: (worker) => void running.delete(worker as Worker)
    })
  )

/** Sends a message to a worker; does nothing if the worker has just exited. */
export const sendTo = (child: ReturnType<typeof spawn>, message: Message): void => {
  Either.try(() => child.send(message))
}

/** Channel to the parent; undefined if this process is not a worker. */
export const parent = () => {
  const number = Number(process.env[numberVariable])
  if (process.send === undefined || !Number.isSafeInteger(number) || number < 1) return undefined
  return {
    number,
    send: (message: Message): void => {
      if (process.connected) process.send?.(message)
    },
    /** Calls `received` for each message until the returned function is called. */
    listen: (received: (message: Message) => void): (() => void) => {
      process.on("message", received)
      return () => void process.off("message", received)
    },
    /** Sends SIGTERM to this process when the parent exits. Returns a function that stops this. */
    endWithParent: (): (() => void) => {
      const end = () => void process.kill(process.pid, "SIGTERM")
      process.on("disconnect", end)
      return () => void process.off("disconnect", end)
    }
  }
}

/** Calls `listener` on each SIGHUP within the scope. */
export const onHangup = (listener: () => void) =>
  Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", listener)),
    () => Effect.sync(() => process.off("SIGHUP", listener))
  )
