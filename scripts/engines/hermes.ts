import { mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { createRequire } from "node:module"
import { join } from "node:path"
import * as client from "../../src/client/Client.ts"
import { controller } from "../../test/support/reactNative.ts"
import { polyfill } from "../../test/support/reactNativeFetch.ts"
import { attempt } from "../clientTrial.ts"
import { bun, project, run } from "../trial.ts"
import { bundle } from "./bundle.ts"
import type { Engine } from "./engine.ts"
import { type Recorded, recording } from "./recording.ts"

/** The engine, and what Metro lowers files with. */
const packages = ["hermes-engine-cli@0.12.0", "@babel/core@7.29.7", "@react-native/babel-preset@0.88.1"]
const folder = join(project, "hermes")
const program = join(
  folder,
  `node_modules/hermes-engine-cli/${process.platform === "darwin" ? "osx" : "linux64"}-bin/hermes`
)

/** Lowers a script for engines without classes and async functions, as Metro does. */
const lowered = (source: string): string => {
  const load = createRequire(join(folder, "package.json"))
  const options = { unstable_transformProfile: "default", enableBabelRuntime: false }
  const { code } = load("@babel/core").transformSync(source, {
    configFile: false,
    presets: [[load.resolve("@react-native/babel-preset"), options]],
    sourceType: "script"
  })
  return code
}

/** The requests of the trial, with the service's responses. */
const recorded = async (baseUrl: string) => {
  const list: Array<Recorded> = []
  await attempt(client, { baseUrl, fetch: recording(list, polyfill(fetch)) })
  return list
}

/** Has no network, and none of the web platform but timers. */
export const hermes: Engine = {
  name: "Hermes",
  version: () => {
    mkdirSync(folder)
    writeFileSync(join(folder, "package.json"), '{ "private": true }')
    run([bun, "add", "--silent", ...packages], folder)
    return /release version: (\S+)/.exec(run([program, "--version"]))?.[1] ?? ""
  },
  run: async (url) => {
    const values = [url, await recorded(url)].map((value) => JSON.stringify(value)).join(", ")
    const use = `main(client, ${values}).then(print, (error) => setTimeout(() => { throw error }))`
    const file = await bundle({ file: "hermes/trial.js", format: "iife", trial: "engines/hermesTrial.ts", use })
    const source = readFileSync(join(project, file), "utf8")
    writeFileSync(join(project, file), lowered(`${controller}\n${source}`))
    return run([program, "-w", file])
  }
}
