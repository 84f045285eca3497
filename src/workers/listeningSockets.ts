import { dlopen, ptr } from "bun:ffi"
import { readdirSync, readFileSync, readlinkSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"

// Closing a listening socket resets the connections that wait to be accepted. On Linux, the functions below keep new
// connections away from the sockets of this process first. Elsewhere they do nothing.

const read = (path: string) => Either.try(() => readFileSync(path, "utf8"))

/** Values of Linux. */
const solSocket = 1
const soAttachFilter = 26
const soAttachReuseportCbpf = 51
const listening = "0A"
const handshake = "03"

/** Sockets of all processes on a port. `waiting`: connections to accept if it listens, otherwise bytes to read. */
const socketsOn = (port: number) =>
  ["tcp", "tcp6"]
    .flatMap((table) => Either.getOrElse(read(`/proc/self/net/${table}`), () => "").split("\n"))
    .flatMap((line) => {
      const [, local = "", , state = "", queues = "", , , , , inode = ""] = line.trim().split(/\s+/)
      const [, localPort = "", waiting = ""] = [...local.split(":"), queues.split(":")[1]]
      return Number.parseInt(localPort, 16) === port ? [{ state, inode, waiting: Number.parseInt(waiting, 16) }] : []
    })

/** Sockets of this process on a port, with their descriptors. */
const ownSocketsOn = (port: number) => {
  const descriptors = new Map(
    readdirSync("/proc/self/fd").map((name) => {
      const target = Either.try(() => readlinkSync(`/proc/self/fd/${name}`))
      return [Either.getOrElse(target, () => ""), Number(name)]
    })
  )
  return socketsOn(port).flatMap(({ inode, state, waiting }) => {
    const descriptor = descriptors.get(`socket:[${inode}]`)
    return descriptor === undefined ? [] : [{ descriptor, state, waiting }]
  })
}

/** An instruction of classic BPF: code, jumps if true and false, operand. */
type Instruction = readonly [code: number, ifTrue: number, ifFalse: number, operand: number]

/** Attaches a program to the sockets of this process that listen on the port. */
const attach = (port: number, option: number, instructions: ReadonlyArray<Instruction>) => {
  // The C library of the process, whatever its file: musl returns itself under this name too.
  const { symbols } = dlopen("libc.so.6", {
    setsockopt: { args: ["i32", "i32", "i32", "ptr", "u32"], returns: "i32" }
  })
  const code = new DataView(new ArrayBuffer(8 * instructions.length))
  for (const [index, [word, ifTrue, ifFalse, operand]] of instructions.entries()) {
    code.setUint16(8 * index, word, true)
    code.setUint8(8 * index + 2, ifTrue)
    code.setUint8(8 * index + 3, ifFalse)
    code.setUint32(8 * index + 4, operand, true)
  }
  // struct sock_fprog: a length and a pointer.
  const program = new DataView(new ArrayBuffer(16))
  program.setUint16(0, instructions.length, true)
  program.setBigUint64(8, BigInt(ptr(code)), true)
  for (const { descriptor, state } of ownSocketsOn(port))
    if (state === listening) symbols.setsockopt(descriptor, solSocket, option, ptr(program), program.byteLength)
}

/** Where this is not possible, a connection that arrives at the last moment is reset. */
const bestEffort = (action: () => unknown) => Effect.sync(() => void Either.try(action))

/**
 * Sends new connections to the processes that started to listen on the port after the `own` processes of this service.
 * The kernel numbers the sockets of a port in this order, and ignores the number of a socket that has been closed.
 */
export const steerAway = (port: number, own: number): Effect.Effect<void> =>
  bestEffort(() => {
    const later = socketsOn(port).filter(({ state }) => state === listening).length - own
    if (later > 0)
      // A random number below `later`, plus `own`.
      attach(port, soAttachReuseportCbpf, [
        [0x20, 0, 0, 0xff_ff_f0_38],
        [0x94, 0, 0, later],
        [0x04, 0, 0, own],
        [0x16, 0, 0, 0]
      ])
  })

/**
 * Ignores new connections, whose clients try again after a second: another process accepts them then, or the closed
 * port refuses them. Connections of before stay.
 */
export const ignoreNew = (port: number): Effect.Effect<void> =>
  bestEffort(() =>
    // Drops segments with SYN and without ACK.
    attach(port, soAttachFilter, [
      [0x30, 0, 0, 13],
      [0x54, 0, 0, 0x12],
      [0x15, 0, 1, 0x02],
      [0x06, 0, 0, 0],
      [0x06, 0, 0, 0xff_ff_ff_ff]
    ])
  )

/**
 * True while a connection to the port waits to be accepted by this process or has unread bytes, or any handshake on the
 * port is not complete.
 */
export const hasWaiting = (port: number): Effect.Effect<boolean> =>
  Effect.sync(() =>
    Either.getOrElse(
      Either.try(
        () =>
          socketsOn(port).some(({ state }) => state === handshake) ||
          ownSocketsOn(port).some(({ waiting }) => waiting > 0)
      ),
      () => false
    )
  )
