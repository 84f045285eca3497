import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as declare from "../settings/declare.ts"
import { SettingError } from "../settings/Settings.ts"
import { apiKeys, apiKeysFile, isKeyed, requestDeadline } from "../settings/variables.ts"
import * as TrustedProxies from "./access/TrustedProxies.ts"

/** Every variable of the edge. Reading it listens to nothing, so `config` can list them. */
export const settings = Effect.all({
  host: declare.text({
    name: "HOST",
    default: "0.0.0.0",
    allowed: "a host name or an IP address",
    check: (value) => /^[A-Za-z0-9.:_-]+$/.test(value),
    meaning: "Where to listen"
  }),
  port: declare.integer({
    name: "PORT",
    default: 3000,
    min: 0,
    max: 65_535,
    meaning: "Where to listen; 0 takes a free port and logs it"
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
      meaning: "Whether / is a page for people that shows what the service knows"
    }),
    (value) => value === "on"
  ),
  requestDeadline,
  shutdownDelay: declare.integer({
    name: "SHUTDOWN_DELAY_MS",
    default: 0,
    min: 0,
    max: 600_000,
    meaning:
      "How long the service goes on serving after a stop signal while /health/ready is 503, in milliseconds: until load balancers have noticed"
  }),
  maxBodyBytes: declare.integer({
    name: "MAX_BODY_BYTES",
    default: 1_048_576,
    min: 1024,
    max: 1_073_741_824,
    meaning: "Largest request body; a larger one is refused with 413"
  }),
  maxRequests: declare.integer({
    name: "MAX_REQUESTS",
    default: 1000,
    min: 1,
    max: 1_000_000,
    meaning: "Requests under way at once; more are refused with 503"
  }),
  apiKeys,
  apiKeysFile,
  isKeyed,
  rateLimit: declare.integer({
    name: "RATE_LIMIT_PER_MINUTE",
    default: 0,
    min: 0,
    max: 1_000_000,
    meaning: "Requests a minute for each client address, and each API key without a limit of its own; 0 is no limit"
  }),
  corsOrigins: declare.list({
    name: "CORS_ORIGINS",
    default: ["*"],
    allowed: "* or origins such as https://wallet.example, separated by commas",
    check: (item) => item === "*" || URL.parse(item)?.origin === item,
    meaning: "Origins of web pages that may read answers"
  }),
  metricsPort: declare.optionalInteger({
    name: "METRICS_PORT",
    min: 0,
    max: 65_535,
    meaning:
      "A port of their own for /metrics and /health/*, without keys and limits; /metrics is on no other port then. 0 takes a free port and logs it"
  }),
  trustProxy: declare.custom({
    name: "TRUST_PROXY",
    default: TrustedProxies.none,
    allowed: TrustedProxies.allowed,
    show: ({ text }) => text,
    parse: TrustedProxies.parse,
    meaning: "The proxies that may say in X-Forwarded-For whose requests they pass on"
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
      ({ port }) => new SettingError({ variable: "METRICS_PORT", problem: `${port} is that of PORT` })
    )
  )
}
