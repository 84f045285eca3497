import manifest from "#package.json" with { type: "json" }
import { localName } from "../http/localUrl.ts"

interface RunningService {
  /** Where the service listens. */
  readonly url: string
  readonly sandbox: boolean
  /** Whether there is a page at `/`. */
  readonly page: boolean
}

/** What people see at the start: where the page is, whether the numbers are real, and how to stop. */
export const banner = ({ page, sandbox, url }: RunningService): string => {
  const { hostname, port } = new URL(url)
  const local = localName(hostname.replace(/^\[|\]$/g, ""), port === "" ? 80 : port)
  return [
    "",
    `  ${manifest.name} ${manifest.version} is running`,
    "",
    ...(page ? [`    page:           ${local}/`] : []),
    `    documentation:  ${local}/docs`,
    ...(sandbox ? ["", "    The upstreams are simulated: every balance, price and transaction is invented."] : []),
    "",
    "    To stop it: Ctrl-C",
    ""
  ].join("\n")
}
