import { join } from "node:path"
import { type Browser, chromium as launcher } from "playwright-core"
import { tool } from "../../test/support/tools.ts"
import { project } from "../trial.ts"
import { bundle } from "./bundle.ts"
import type { Engine } from "./engine.ts"

const inBrowser = async (work: (browser: Browser) => string | Promise<string>) => {
  const executablePath = tool("chromium")
  if (executablePath === undefined) throw new Error("chromium is not installed")
  const browser = await launcher.launch({ executablePath, args: ["--no-sandbox"] })
  try {
    return await work(browser)
  } finally {
    await browser.close()
  }
}

/** Runs the trial in a page of the service, because a page may call its own origin only. */
export const chromium: Engine = {
  name: "Chromium",
  version: () => inBrowser((browser) => browser.version()),
  run: async (url) => {
    const use = "globalThis.trial = (url) => main(client, url)"
    const file = await bundle({ file: "out/page.js", format: "iife", use })
    return inBrowser(async (browser) => {
      const page = await browser.newPage()
      await page.goto(`${url}/health/live`)
      await page.evaluate(await Bun.file(join(project, file)).text())
      return String(await page.evaluate(`trial(${JSON.stringify(url)})`))
    })
  }
}
