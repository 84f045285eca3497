import { readFileSync } from "node:fs"
import { join } from "node:path"

export interface Child {
  readonly child: Bun.Subprocess
  /** The file with what it printed. */
  readonly output: string
  readonly url: string
}

/** A process of its own that says where it listens; its output goes to a file, as a service's log does. */
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

/** On one processor, so that who is measured and who asks do not take turns; as it is where there is no `taskset`. */
export const pinned = (core: number, ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
  Bun.which("taskset") === null ? words : ["taskset", "-c", String(core), ...words]
