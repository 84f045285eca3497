import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as declare from "../settings/declare.ts"
import { SettingError } from "../settings/Settings.ts"
import { apiKeys, apiKeysFile, isKeyed, requestDeadline, workers } from "../settings/variables.ts"
import { clientForms } from "./access/clientAddress.ts"
import * as TrustedProxies from "./access/TrustedProxies.ts"

/** Variables of the HTTP server. Reading them does not start it, so `config` can list them. */
export const settings = Effect.all({
  host: declare.text({
    name: "HOST",
    default: "0.0.0.0",
    allowed: "a host name or an IP address",
    check: (value) => /^[A-Za-z0-9.:_-]+$/.test(value),
    meaning: "Host name or address to listen on"
  }),
  port: declare.integer({
    name: "PORT",
    default: 3000,
    min: 0,
    max: 65_535,
    meaning: "Port to listen on; 0 selects a free port and logs it"
  }),
  sharesPort: declare.flag({
    name: "SHARE_PORT",
    default: false,
    meaning:
      "Whether a later process of the same user, with the same variable, may listen on PORT too and take it over; Linux only. If false, it fails to start"
  }),
  appName: declare.text({
    name: "APP_NAME",
    default: "app",
    allowed: "letters, digits and . _ ~ -",
    check: (value) => /^[A-Za-z0-9._~-]+$/.test(value),
    meaning: "Path segment of the chart routes: /<APP_NAME>/mdata"
  }),
  page: Effect.map(
    declare.choice({
      name: "PAGE",
      default: "on",
      choices: ["on", "off"],
      meaning: "Whether to serve the web page at /, with portfolios and the status of the service"
    }),
    (value) => value === "on"
  ),
  logClients: declare.choice({
    name: "LOG_CLIENTS",
    default: "full" as (typeof clientForms)[number],
    choices: clientForms,
    meaning:
      "How the log shows the address of a client: in full, as its network (the first 24 bits, or 48 of an IPv6 address), or not at all"
  }),
  requestDeadline,
  workers,
  shutdownDelay: declare.integer({
    name: "SHUTDOWN_DELAY_MS",
    default: 0,
    min: 0,
    max: 600_000,
    meaning:
      "How long the service keeps serving after a stop signal while /health/ready is 503, in milliseconds: the time until load balancers notice"
  }),
  maxBodyBytes: declare.integer({
    name: "MAX_BODY_BYTES",
    default: 1_048_576,
    min: 1024,
    max: 1_073_741_824,
    meaning: "Maximum size of a request body in bytes; larger bodies are rejected with 413"
  }),
  maxRequests: declare.integer({
    name: "MAX_REQUESTS",
    default: 1000,
    min: 1,
    max: 1_000_000,
    meaning: "Maximum number of requests in progress; more are rejected with 503"
  }),
  apiKeys,
  apiKeysFile,
  isKeyed,
  rateLimit: declare.integer({
    name: "RATE_LIMIT_PER_MINUTE",
    default: 0,
    min: 0,
    max: 1_000_000,
    meaning: "Requests per minute for each client address and each API key without its own limit; 0 is no limit"
  }),
  corsOrigins: declare.list({
    name: "CORS_ORIGINS",
    default: ["*"],
    allowed: "* or origins such as https://wallet.example, separated by commas",
    check: (origin) => origin === "*" || URL.parse(origin)?.origin === origin,
    meaning: "Origins of web pages that may read responses"
  }),
  metricsPort: declare.optionalInteger({
    name: "METRICS_PORT",
    min: 0,
    max: 65_535,
    meaning:
      "Separate port for /metrics and /health/*, without keys and limits; /metrics is then on this port only. 0 selects a free port and logs it"
  }),
  trustProxy: declare.custom({
    name: "TRUST_PROXY",
    default: TrustedProxies.none,
    allowed: TrustedProxies.allowed,
    show: ({ text }) => text,
    parse: TrustedProxies.parse,
    meaning: "Proxies whose X-Forwarded-For header is trusted"
  })
})

export class ServerSettings extends Context.Tag("http/ServerSettings")<
  ServerSettings,
  Effect.Effect.Success<typeof settings>
>() {
  static readonly layer = Layer.effect(
    ServerSettings,
    Effect.filterOrFail(
      settings,
      ({ metricsPort, port }) => port === 0 || port !== metricsPort,
      ({ port }) => new SettingError({ variable: "METRICS_PORT", problem: `${port} is already used by PORT` })
    )
  )
}
