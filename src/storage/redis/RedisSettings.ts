import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { secret, text } from "../../settings/declare.ts"
import { SettingError } from "../../settings/Settings.ts"
import { readText } from "../../settings/textFile.ts"
import { listStore, Store, type StoreOpenError } from "../Store.ts"
import * as Address from "./Address.ts"
import type { Tls } from "./Client.ts"
import * as Redis from "./Redis.ts"

const check = (value: string) => Either.isRight(Address.parse(value))

const url = secret({
  name: "REDIS_URL",
  meaning:
    "the server of CACHE=redis, or nodes of a Redis Cluster, or Sentinels; with user and password if it requires them",
  allowed: Address.allowed,
  check
})

const limitsUrl = secret({
  name: "REDIS_LIMITS_URL",
  meaning:
    "another server, which never evicts, for data that cannot be fetched again: counts of limits and budgets, leases, sent transactions; by default REDIS_URL",
  allowed: Address.allowed,
  check
})

const file = (name: string, meaning: string) =>
  text({ name, meaning, default: "", allowed: "the path of a file in PEM format" })

/** Addresses of Redis, and files for TLS. Does not connect. */
export const settings = Effect.all({
  url,
  limitsUrl,
  ca: file(
    "REDIS_CA_FILE",
    "the authority that signed the certificate of Redis; by default those that the system trusts"
  ),
  cert: file("REDIS_CERT_FILE", "the certificate that this client shows Redis"),
  key: file("REDIS_KEY_FILE", "the key of REDIS_CERT_FILE")
})

export type Chosen = Effect.Effect.Success<typeof settings>

const pem = (variable: string, path: string): Effect.Effect<string | undefined, SettingError> =>
  path === ""
    ? Effect.succeed(undefined)
    : Either.match(readText(path), {
        onLeft: (problem) => new SettingError({ variable, problem }),
        onRight: (read) =>
          read.includes("-----BEGIN ")
            ? Effect.succeed(read)
            : new SettingError({ variable, problem: `"${path}" is not in PEM format` })
      })

/** The files for TLS; undefined if none is set. */
const tlsOf = (chosen: Pick<Chosen, "ca" | "cert" | "key">): Effect.Effect<Tls | undefined, SettingError> =>
  Effect.gen(function* () {
    if ((chosen.cert === "") !== (chosen.key === ""))
      return yield* new SettingError({
        variable: chosen.cert === "" ? "REDIS_CERT_FILE" : "REDIS_KEY_FILE",
        problem: "is missing: REDIS_CERT_FILE and REDIS_KEY_FILE belong together"
      })
    const [ca, cert, key] = yield* Effect.all([
      pem("REDIS_CA_FILE", chosen.ca),
      pem("REDIS_CERT_FILE", chosen.cert),
      pem("REDIS_KEY_FILE", chosen.key)
    ])
    const given = Object.entries({ ca, cert, key }).filter(([, value]) => value !== undefined)
    return given.length === 0 ? undefined : Object.fromEntries(given)
  })

type Service = Context.Tag.Service<Store>

/** Data that cannot be fetched again is in the store of the limits. */
const divided = (values: Service, limits: Service): Service => ({
  ...(limits.take === undefined ? {} : { take: limits.take }),
  claim: limits.claim,
  release: limits.release,
  open: (name, version) => (name.includes(listStore) ? limits : values).open(name, version)
})

/** The address of the server, with the files for TLS; fails if a variable is missing. */
export const addressOf = (chosen: Chosen) =>
  chosen.url === undefined
    ? new SettingError({ variable: "REDIS_URL", problem: "CACHE=redis needs the address of a server" })
    : Effect.all({ url: Effect.succeed(chosen.url), tls: tlsOf(chosen) })

/** The store at these addresses. */
export const layer = (chosen: Chosen, strict: boolean): Layer.Layer<Store, StoreOpenError | SettingError> =>
  Layer.scoped(
    Store,
    Effect.gen(function* () {
      const { limitsUrl } = chosen
      const { tls, url } = yield* addressOf(chosen)
      if (limitsUrl === undefined) return yield* Redis.make(url, { strict, tls, keepsLimits: true })
      const values = yield* Redis.make(url, { strict, tls })
      const variable = "REDIS_LIMITS_URL"
      return divided(values, yield* Redis.make(limitsUrl, { strict, tls, variable, keepsLimits: true }))
    })
  )
