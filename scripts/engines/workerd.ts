import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { npx, project } from "../trial.ts"
import { bundle } from "./bundle.ts"
import type { Engine } from "./engine.ts"

const tool = "workerd@1.20261117.1"
const compatibilityDate = "2025-01-01"

/** A Worker that runs the trial for a request, which it sends to itself. */
const worker = `export default {
  fetch: async (_request, { url }) => new Response(await main(client, url)),
  test: async (_controller, { self }) => {
    if (navigator.userAgent !== "Cloudflare-Workers") throw new Error("not a Worker: " + navigator.userAgent)
    console.log(await (await self.fetch("http://worker.test")).text())
  }
}`

const config = (file: string, url: string) => `using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (services = [
  (name = "internet", network = (allow = ["private", "public"])),
  (name = "worker", worker = (
    modules = [(name = "worker.mjs", esModule = embed ${JSON.stringify(file)})],
    compatibilityDate = "${compatibilityDate}",
    bindings = [(name = "url", text = ${JSON.stringify(url)}), (name = "self", service = "worker")]
  ))
]);
`

export const workerd: Engine = {
  name: "a Worker",
  version: () => `${npx(tool, "workerd", "--version").trim()}, compatibility date ${compatibilityDate}`,
  run: async (url) => {
    const file = await bundle({ file: "worker.mjs", format: "esm", use: worker })
    writeFileSync(join(project, "worker.capnp"), config(file, url))
    return npx(tool, "workerd", "test", "worker.capnp")
  }
}
