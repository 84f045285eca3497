import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { folder, onFreePort, start } from "./process.ts"
import { tool } from "./tools.ts"

/** nginx in the foreground with this configuration for a port and a folder; ends with the scope. */
export const nginxWith = (configuration: (port: number, folder: string) => string) =>
  Effect.gen(function* () {
    const binary = yield* Effect.fromNullable(tool("nginx"))
    const files = yield* folder
    const file = join(files, "nginx.conf")
    return yield* onFreePort((port) =>
      Effect.gen(function* () {
        writeFileSync(file, configuration(port, files))
        const words = [binary, "-c", file, "-p", files, "-g", "daemon off; error_log stderr notice;"]
        const { until } = yield* start(["sh", "-c", 'exec "$0" "$@" 2>&1', ...words])
        yield* until(/start worker process /)
        return `http://127.0.0.1:${port}`
      })
    )
  })

/** The settings that docs/operating.md recommends, for these ports of this machine. */
const recommended = (port: number, upstreams: ReadonlyArray<number>) => {
  const [, block = ""] = /```nginx\n([\s\S]+?)```/.exec(readFileSync("docs/operating.md", "utf8")) ?? []
  let index = 0
  return block
    .replace(/listen 80;/, `listen 127.0.0.1:${port};`)
    .replace(/server 10\.0\.0\.\d:3000/g, () => `server 127.0.0.1:${upstreams[index++]}`)
}

const nginxConfig = (port: number, upstreams: ReadonlyArray<number>, folder: string) => `
worker_processes 1;
pid ${folder}/nginx.pid;
events { worker_connections 512; }
http {
  access_log off;
  client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
  uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
  ${recommended(port, upstreams)}
}
`

/** nginx before instances of the service on these ports; ends with the scope. */
export const nginx = (upstreams: ReadonlyArray<number>) =>
  nginxWith((port, files) => nginxConfig(port, upstreams, files))

/** What a load counts: requests by what became of them. */
export interface Tally {
  answered: number
  readonly failures: Array<string>
}

/** Between two requests of a connection, ms: more of them would only keep busy what is to start and stop meanwhile. */
const pause = 50

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
