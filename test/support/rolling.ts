import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { folder, onFreePort, start } from "./process.ts"
import { tool } from "./tools.ts"

/** Starts nginx with a configuration for a port and a folder. Stops it when the scope ends. */
export const nginxWith = Effect.fnUntraced(function* (configuration: (port: number, folder: string) => string) {
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

interface Before {
  /** nginx's port, and the folder of its files. */
  readonly port: number
  readonly folder: string
}

/** deploy/nginx.conf, adapted to a local port and folder. */
export const shipped = ({ folder, port }: Before) =>
  readFileSync("deploy/nginx.conf", "utf8")
    .replace("listen 8080", `listen 127.0.0.1:${port}`)
    .replaceAll(" /tmp/", ` ${folder}/`)
    .replace("worker_processes auto", "worker_processes 1")

/** Starts the same nginx in front of service instances on these ports, without DNS. Stops it when the scope ends. */
export const nginx = (ports: ReadonlyArray<number>) =>
  nginxWith((port, folder) =>
    shipped({ port, folder })
      .replaceAll("http://$replicas:3000", "http://replicas")
      .replace(
        "  server {",
        `  upstream replicas { ${ports.map((one) => `server 127.0.0.1:${one} max_fails=0;`).join(" ")} }\n  server {`
      )
  )

/** Outcomes of the load's requests. */
export interface Tally {
  answered: number
  readonly failures: Array<string>
}

/**
 * Pause between two requests of a connection, ms: more load would slow down the instances that start and stop
 * meanwhile.
 */
const pause = 100

/** Sends GET and POST requests concurrently until the returned function is called, which returns their outcomes. */
export const load = (url: string, balance: unknown, connections = 8, fields: Record<string, string> = {}) => {
  const tally: Tally = { answered: 0, failures: [] }
  let going = true
  const body = JSON.stringify(balance)
  const headers = { "content-type": "application/json", ...fields }
  const requests = [
    () => fetch(`${url}/price/coin?coin_ids=bitcoin`, { headers: fields }),
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
