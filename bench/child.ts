import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"

export interface Child {
  readonly child: Bun.Subprocess
  /** The file with its output. */
  readonly output: string
  readonly url: string
}

/** Starts a process and waits until it logs its URL; its output goes to a file, as the log of a service does. */
export const start = async (
  folder: string,
  name: string,
  words: ReadonlyArray<string>,
  env: Readonly<Record<string, string>> = {}
): Promise<Child> => {
  const output = join(folder, `${name}.log`)
  await Bun.write(output, "")
  const child = Bun.spawn([...words], {
    stdout: Bun.file(output),
    stderr: "inherit",
    env: { ...process.env, ...env }
  })
  for (;;) {
    const [, url] = /listening on (http:[^"\s]+)"/.exec(readFileSync(output, "utf8")) ?? []
    if (url !== undefined) return { child, output, url }
    if (child.exitCode !== null) throw new Error(`${name} ended`)
    await Bun.sleep(20)
  }
}

export const stop = async ({ child }: Child): Promise<void> => {
  child.kill("SIGTERM")
  await child.exited
}

/** Pins a command to one CPU core, so that server and load do not compete; unchanged without `taskset`. */
export const pinned = (core: number, ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
  Bun.which("taskset") === null ? words : ["taskset", "-c", String(core), ...words]

/** Base address of each upstream at this server of `crowd/upstreams.ts`; each has its own host, as limits apply to hosts. */
export const upstreamsAt = (server: string): ((upstream: string) => string) => {
  const { port } = new URL(server)
  const hosts = new Map<string, string>()
  return (upstream) => {
    const host = hosts.get(upstream) ?? `127.0.1.${hosts.size + 1}`
    hosts.set(upstream, host)
    return `http://${host}:${port}/${upstream}`
  }
}

/** The measured checkouts: the one that BEFORE names, if any, and this one. */
export const checkouts = (): ReadonlyArray<readonly [name: string, folder: string]> => {
  const before = process.env.BEFORE
  return [...(before !== undefined && existsSync(before) ? [["before", before] as const] : []), ["now", "."]]
}
