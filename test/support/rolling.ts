import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Schedule from "effect/Schedule"
import { freePort } from "./freePort.ts"

/** nginx, where it is installed. */
export const nginxBinary: string | undefined = [
  ...(process.env.PATH ?? "").split(":").map((folder) => join(folder, "nginx")),
  "/usr/sbin/nginx"
].find((path) => existsSync(path))

/** The settings that docs/operating.md recommends, for these ports of this machine. */
const recommended = (port: number, upstreams: ReadonlyArray<number>) => {
  const [, block = ""] = /```nginx\n([\s\S]+?)```/.exec(readFileSync("docs/operating.md", "utf8")) ?? []
  let index = 0
  return block
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replace(/server 10\.0\.0\.\d:3000/g, () => `server 127.0.0.1:${upstreams[index++]}`)
}

const nginxConfig = (port: number, upstreams: ReadonlyArray<number>, folder: string) => `
daemon off;
worker_processes 1;
pid ${folder}/nginx.pid;
error_log ${folder}/error.log;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  ${recommended(port, upstreams)}
}
`

/** nginx before instances of the service on these ports; ends with the scope. */
export const nginx = (folder: string, upstreams: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const binary = yield* Effect.fromNullable(nginxBinary)
    const port = freePort()
    const config = join(folder, "nginx.conf")
    writeFileSync(config, nginxConfig(port, upstreams, folder))
    yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.spawn([binary, "-c", config, "-p", folder], { stdout: "ignore", stderr: "ignore", stdin: "ignore" })
      ),
      (child) =>
        Effect.zipRight(
          Effect.sync(() => child.kill("SIGTERM")),
          Effect.promise(() => child.exited)
        )
    )
    const url = `http://127.0.0.1:${port}`
    yield* Effect.tryPromise(() => fetch(`${url}/health/live`)).pipe(
      Effect.filterOrFail(({ status }) => status === 200),
      Effect.retry(Schedule.spaced("20 millis").pipe(Schedule.upTo("5 seconds")))
    )
    return { url }
  })

/** What a load counts: requests by what became of them. */
export interface Tally {
  answered: number
  readonly failures: Array<string>
}

/** Between two requests of a connection, ms: more of them would only keep busy what is to start and stop meanwhile. */
const pause = 10

/** Sends GET and POST requests over some connections until the returned function is called; then what became of them. */
export const load = (url: string, balance: unknown, connections = 8) => {
  const tally: Tally = { answered: 0, failures: [] }
  let going = true
  const body = JSON.stringify(balance)
  const headers = { "content-type": "application/json" }
  const requests = [
    () => fetch(`${url}/price/coin?coin_ids=bitcoin`),
    () => fetch(`${url}/balance`, { method: "POST", body, headers })
  ]
  const sending = Array.from({ length: connections }, async (_, index) => {
    for (let count = index; going; count++) {
      const outcome = await (requests[count % requests.length] ?? requests[0])?.().then(
        async (response) => {
          await response.arrayBuffer()
          return response.status === 200 ? undefined : `status ${response.status}`
        },
        (error: unknown) => String(error)
      )
      if (outcome === undefined) tally.answered++
      else tally.failures.push(outcome)
      await Bun.sleep(pause)
    }
  })
  return async (): Promise<Tally> => {
    going = false
    await Promise.all(sending)
    return tally
  }
}
