import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs"
import { setPriority, tmpdir } from "node:os"
import { join } from "node:path"
import type { Subprocess } from "bun"
import * as Clock from "effect/Clock"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"

/** A process ended before it printed the expected output. */
export class ProcessEnded extends Data.TaggedError("ProcessEnded")<{ readonly message: string }> {}

/** Test workers run at a lower priority, which their children inherit. Only root may raise it again. */
const raisePriority = (pid: number) => {
  try {
    setPriority(pid, 0)
  } catch {
    // It stays as low as that of the worker.
  }
}

interface Options {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string | undefined>>
}

/** Starts a child process and captures its stdout. When the scope ends, kills it and all processes that it started. */
export const start = Effect.fnUntraced(function* (command: ReadonlyArray<string>, options: Options = {}) {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() => {
      const spawned = Bun.spawn([...command], {
        ...options,
        stdin: "ignore",
        stdout: "pipe",
        stderr: "inherit",
        detached: true
      })
      raisePriority(spawned.pid)
      return spawned
    }),
    (running) =>
      Effect.try(() => process.kill(-running.pid, "SIGKILL")).pipe(
        Effect.ignore,
        Effect.zipRight(Effect.promise(() => running.exited))
      )
  )
  let output = ""
  let isOver = false
  let changed = Promise.withResolvers<void>()
  const notify = () => {
    changed.resolve()
    changed = Promise.withResolvers()
  }
  // Reads continuously: a child blocks when its pipe is full.
  void (async () => {
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      output += text
      notify()
    }
    isOver = true
    notify()
  })()
  const when = (condition: () => boolean) =>
    Effect.promise(async () => {
      while (!isOver && !condition()) await changed.promise
    })
  return {
    child,
    /** All output so far. */
    said: () => output,
    /** Waits for output that matches. Fails if the process ends before. */
    until: (pattern: RegExp) =>
      Effect.flatMap(
        when(() => pattern.test(output)),
        () =>
          Effect.mapError(
            Effect.fromNullable(pattern.exec(output)),
            () => new ProcessEnded({ message: `${command.join(" ")} ended without ${pattern}: ${output}` })
          )
      ),
    /** Waits until the process and all processes that it started have ended. */
    ended: when(() => false)
  }
})

/**
 * Retries until success on the real clock. Has no time limit: the test runner's timeout reports the name of the test.
 */
export const eventually = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.retry(effect, Schedule.spaced("10 millis")).pipe(Effect.withClock(Clock.make()))

/** A temporary folder, removed when the scope ends. */
export const folder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "wallet-data-"))),
  (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
)

// Below Linux's range of ephemeral ports. Each process starts at a different port.
const [lowest, count] = [10_000, 22_000]
let offset = process.pid * 101

/** A free port outside the ephemeral range, for programs that cannot choose a port themselves. */
export const freePort = (): number => {
  for (;;) {
    const port = lowest + (offset++ % count)
    try {
      Bun.listen({ hostname: "127.0.0.1", port, socket: { data() {} } }).stop(true)
      return port
    } catch {
      // Taken: the next one.
    }
  }
}

/** Starts a program on a free port; retries with another port if the program ends before it is ready. */
export const onFreePort = <A, E>(program: (port: number) => Effect.Effect<A, E | ProcessEnded, Scope.Scope>) =>
  Effect.retry(
    Effect.suspend(() => program(freePort())),
    { while: (error) => error instanceof ProcessEnded, times: 5 }
  )

/** True if every thread of a process is stopped, or if there is no /proc to check it. */
const isStopped = (pid: number): boolean => {
  const threads = `/proc/${pid}/task`
  return (
    !existsSync(threads) ||
    readdirSync(threads).every((id) => /\) [Tt] /.test(readFileSync(`${threads}/${id}/stat`, "utf8")))
  )
}

/** Stops a process and waits until all its threads are stopped: until then, a thread may still serve a request. */
export const freeze = (child: Subprocess): Effect.Effect<void> =>
  Effect.zipRight(
    Effect.sync(() => child.kill("SIGSTOP")),
    eventually(
      Effect.filterOrFail(
        Effect.sync(() => isStopped(child.pid)),
        (stopped) => stopped
      )
    )
  ).pipe(Effect.orDie, Effect.asVoid)
