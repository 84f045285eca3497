import { readFileSync } from "node:fs"
import { createRequire } from "node:module"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import type * as Scope from "effect/Scope"
import { type BrowserContextOptions, chromium, type Page } from "playwright-core"
import * as App from "../../src/App.ts"
import { Server } from "../../src/http/Server.ts"
import { sandboxEnvironment } from "./sandbox.ts"
import { tool } from "./tools.ts"

const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8")

/** A violation of WCAG 2.2 AA or of axe's best practices. */
export interface Violation {
  readonly id: string
  readonly html: string
}

/** A browser page with the problems recorded so far. */
export interface Tab {
  readonly page: Page
  /** Uncaught errors, console errors, and requests to an origin other than the service. */
  readonly faults: ReadonlyArray<string>
  /** Violations that axe-core finds in the page's current state. */
  readonly violations: Effect.Effect<ReadonlyArray<Violation>>
  /** Those of its colours: another theme has no others. */
  readonly contrast: Effect.Effect<ReadonlyArray<Violation>>
}

const check = (rules: ReadonlyArray<string>) => `axe.run(document, { resultTypes: ["violations"], elementRef: false,
  runOnly: ${JSON.stringify(rules)} }).then(({ violations }) =>
  violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => ({ id, html }))))`

/** A browser that all tests of a file share. */
export class Browser extends Context.Tag("test/Browser")<
  Browser,
  {
    /** Opens a path of the service in a new, empty browser context, which closes with the scope. */
    readonly open: (
      url: string,
      path: string,
      options?: BrowserContextOptions
    ) => Effect.Effect<Tab, never, Scope.Scope>
  }
>() {
  static readonly layer = Layer.scoped(
    Browser,
    Effect.gen(function* () {
      const browser = yield* Effect.acquireRelease(
        Effect.promise(() =>
          chromium.launch({ executablePath: tool("chromium") ?? "", args: ["--no-sandbox", "--disable-gpu"] })
        ),
        (launched) => Effect.promise(() => launched.close())
      )
      return {
        open: (url, path, options = {}) =>
          Effect.gen(function* () {
            const context = yield* Effect.acquireRelease(
              Effect.promise(() => browser.newContext(options)),
              (opened) => Effect.promise(() => opened.close())
            )
            const faults: Array<string> = []
            const page = yield* Effect.promise(() => context.newPage())
            // Per step, ms: long enough for a busy machine.
            page.setDefaultTimeout(300_000)
            page.on("pageerror", ({ message }) => faults.push(message))
            page.on("console", (line) => {
              // The browser itself logs failed requests; the page has to show them.
              if (line.type() === "error" && !line.text().startsWith("Failed to load resource"))
                faults.push(line.text())
            })
            page.on("request", (request) => {
              if (!request.url().startsWith(`${url}/`)) faults.push(`requested ${request.url()}`)
            })
            yield* Effect.promise(() => page.goto(url + path))
            const violationsOf = (...rules: ReadonlyArray<string>) =>
              Effect.promise(async () => {
                if (!(await page.evaluate<boolean>("'axe' in window"))) await page.evaluate(axe)
                return page.evaluate<ReadonlyArray<Violation>>(check(rules))
              })
            return {
              page,
              faults,
              violations: violationsOf("wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"),
              contrast: violationsOf("color-contrast")
            }
          })
      }
    })
  )
}

/** Starts a service over simulated upstreams, or the given ones, on a free port. Returns its URL. */
export const listening = (
  environment: Readonly<Record<string, string>> = {},
  upstreams?: Parameters<typeof sandboxEnvironment>[1]
) =>
  Effect.map(
    Layer.build(
      Server.layer.pipe(
        Layer.provide(Layer.fresh(App.routes)),
        Layer.provide(sandboxEnvironment({ HOST: "127.0.0.1", PORT: "0", ...environment }, upstreams)),
        Layer.provide(Logger.minimumLogLevel(LogLevel.None))
      )
    ),
    (built) => Context.get(built, Server).url
  )
