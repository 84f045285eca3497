import { tryOrElse } from "../kernel/tryOrElse.ts"

// The runtime reads two limits from its environment when it starts, and never again. This file is the first that a start
// loads, so it imports as little as possible.

/** The limits, and the values that `serve` starts itself with again if the operator has not set them. */
export const startVariables = {
  /** Calls that `fetch` sends at the same time; more wait, and that time counts as the time of their response. */
  BUN_CONFIG_MAX_HTTP_REQUESTS: "4096",
  /** Threads for name servers, files and compression; all are in use if a name server is silent. */
  UV_THREADPOOL_SIZE: "64"
} as const

/** Maximum number of concurrent calls by default (https://github.com/oven-sh/bun/issues/12214). */
const usualRequests = 256

/** Set in the environment of a program that was started again. */
const marker = "WALLET_DATA_STARTED_AGAIN"

const isMissing = (name: string) => (process.env[name] ?? "") === ""

/** The variables that are not set. */
export const missing = () => (Object.keys(startVariables) as Array<keyof typeof startVariables>).filter(isMissing)

/** The number of calls that the runtime sends at the same time. */
export const maxRequests = (value = process.env.BUN_CONFIG_MAX_HTTP_REQUESTS ?? ""): number => {
  const set = /^\d+$/.test(value) ? Number(value) : 0
  return set >= 1 && set <= 65_535 ? set : usualRequests
}

/** Memory that this process may use, bytes: the limit of its cgroup (version 1 or 2), else that of the machine. */
export const availableMemory = (): number => process.constrainedMemory()

/** The number of the user of this process; undefined on Windows. */
export const userId = (): number | undefined => process.getuid?.()

/** Matches the script path inside a compiled binary. */
const isInBinary = /^(\/\$bunfs\/|B:[\\/]~BUN[\\/])/

/** Command that started this process, without its arguments; works for the binary and from source. */
export const program = (): ReadonlyArray<string> =>
  isInBinary.test(Bun.main) ? [process.execPath] : [process.execPath, ...process.execArgv, Bun.main]

/** A file that another program has opened for this one, as the shell does for `<(command)`. */
const descriptor = /^\/(dev|proc\/self)\/fd\/\d/

/** True if this process has open files that a program in its place would not have: only the standard streams remain. */
const hasOpenFiles = () =>
  process.send !== undefined || Object.values(process.env).some((value = "") => descriptor.test(value))

interface Replacing {
  /** Replaces this process by another program, with the same process id; returns only if that is not possible. */
  readonly execve?: (file: string, words: ReadonlyArray<string>, environment: NodeJS.ProcessEnv) => void
}

/**
 * Replaces this process by the same program with the missing variables. Returns only if it has no reason to do so, or if
 * that is not possible, as on Windows.
 */
export const startAgain = (words: ReadonlyArray<string>): void => {
  const names = missing()
  if (names.length === 0 || !isMissing(marker) || hasOpenFiles()) return
  const added = Object.fromEntries(names.map((name) => [name, startVariables[name]]))
  const environment = { ...process.env, ...added, [marker]: "1" }
  const { execve } = process as Replacing
  tryOrElse(
    () => execve?.call(process, process.execPath, [...program(), ...words], environment),
    undefined,
    () => undefined
  )
}
