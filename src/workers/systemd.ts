import { dlopen, ptr } from "bun:ffi"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { tryOrElse } from "../kernel/tryOrElse.ts"

// The protocol of sd_notify(3): datagrams to the socket that systemd names. The parent of workers sends them, not the
// workers: systemd accepts them from the process that it started.

/** Values of Linux. */
const [unix, datagram, closeOnExec] = [1, 2, 0o2_000_000]
const [noSignal, noWait] = [0x4000, 0x40]

/** Longest path in an address, with its NUL. */
const maxPath = 108

const noAddress = "it is not the address of a local socket"
const notAccepted = "it accepts no message"

/** struct sockaddr_un: the family, and a path with a NUL, or an abstract name after a NUL; systemd writes that as `@`. */
const addressOf = (name: string): Uint8Array => {
  const path = Buffer.from(name.startsWith("@") ? `\0${name.slice(1)}` : `${name}\0`)
  if (!/^[@/]./.test(name) || path.length > maxPath) throw new Error(noAddress)
  return Uint8Array.from([unix, 0, ...path])
}

/** Sends a datagram without waiting; throws if that fails. */
type SendDatagram = (text: string) => void

const open = (name: string): SendDatagram => {
  const address = addressOf(name)
  const { symbols } = dlopen("libc.so.6", {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    sendto: { args: ["i32", "ptr", "u64", "i32", "ptr", "u32"], returns: "i32" }
  })
  const socket = symbols.socket(unix, datagram | closeOnExec, 0)
  if (socket < 0) throw new Error(notAccepted)
  return (text) => {
    const bytes = Buffer.from(text)
    const sent = symbols.sendto(socket, ptr(bytes), bytes.length, noSignal | noWait, ptr(address), address.length)
    if (sent !== bytes.length) throw new Error(notAccepted)
  }
}

const socketVariable = "NOTIFY_SOCKET"

/** Removes the variable from the environment of a child. */
export const withoutSocket = { [socketVariable]: undefined }

let send: SendDatagram | undefined

/** Sends a message, if systemd waits for messages; returns the problem if that fails. */
const tell = (text: string): string | undefined =>
  tryOrElse(
    (name) => {
      if (name === "") return undefined
      send ??= open(name)
      send(text)
      return undefined
    },
    process.env[socketVariable] ?? "",
    (cause) => (cause instanceof Error ? cause.message : String(cause))
  )

let isStopping = false

/** Reports to systemd that the process stops. */
export const stopping = (): void => {
  isStopping = true
  tell("STOPPING=1")
}

/** The time within which systemd expects the next message of this process, microseconds; undefined if it expects none. */
const watchdogTime = () => {
  const { WATCHDOG_PID: pid = "", WATCHDOG_USEC: time = "" } = process.env
  return /^[1-9]\d*$/.test(time) && (pid === "" || pid === String(process.pid)) ? Number(time) : undefined
}

/** Says every second that the service serves, until systemd accepts it: its queue may be full, or its socket new. */
const sayReady = Effect.iterate(true, {
  while: (isWaiting) => isWaiting,
  body: () =>
    Effect.delay(
      Effect.sync(() => !isStopping && tell("READY=1") !== undefined),
      "1 second"
    )
})

/**
 * Reports to systemd that the service serves, and then regularly, until the scope ends, that the event loop of this process
 * runs. Logs once if that is not possible.
 */
export const serving: Effect.Effect<void, never, Scope.Scope> = Effect.gen(function* () {
  const problem = tell("READY=1")
  if (problem !== undefined)
    yield* Effect.logWarning(
      `${socketVariable}: ${problem}; until it does, systemd does not learn that the service has started, and ends it after a while if its unit has Type=notify`
    )
  const time = watchdogTime()
  if (problem === noAddress) return
  const watchdog =
    time === undefined
      ? Effect.void
      : Effect.forever(
          Effect.delay(
            Effect.sync(() => tell("WATCHDOG=1")),
            Duration.micros(BigInt(Math.ceil(time / 2)))
          )
        )
  yield* Effect.forkScoped(problem === undefined ? watchdog : Effect.zipRight(sayReady, watchdog))
})
