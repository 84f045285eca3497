import * as Either from "effect/Either"

export interface Host {
  readonly host: string
  readonly port: number
}

/** Where Redis is, as an operator writes it. */
export interface Address {
  readonly isSecure: boolean
  /** User and password as in a URL, with `@` at the end, or an empty text. */
  readonly credentials: string
  /** Servers of which the first that responds is used, nodes of a Cluster, or Sentinels. */
  readonly hosts: ReadonlyArray<Host>
  readonly database: number
  /** The name of the primary that the hosts, which are Sentinels, know. */
  readonly sentinel?: string
}

const form = /^(redis|valkey)(s?)(\+sentinel)?:\/\/(?:([^@/?#,]*)@)?([^@/?#]+)(?:\/([^?#]*))?$/i

const ports = { server: 6379, sentinel: 26_379 }

/** The most hosts that an address may name. */
const maxHosts = 100

const hostOf = (text: string, port: number): Host | undefined => {
  const url = URL.parse(`redis://${text}`)
  return url === null || url.hostname === "" || text.includes("@")
    ? undefined
    : { host: url.hostname, port: url.port === "" ? port : Number(url.port) }
}

const databaseOf = (text = ""): number | undefined => (/^\d{0,9}$/.test(text) ? Number(text) : undefined)

const nameOf = (text: string): string | undefined => (/^[\w.-]{1,200}$/.test(text) ? text : undefined)

/** What an address may be, for the operator. */
export const allowed =
  "redis://user:password@host:6379/0, rediss:// for TLS, valkey:// or valkeys://; several hosts of a Cluster separated by commas; " +
  "redis+sentinel://host:26379,host:26379/name for Sentinels; a # in a password is written %23"

/** `redis://`, `rediss://`, `valkey://` and `valkeys://`, with several hosts, and `+sentinel`. Left is the problem. */
export const parse = (text: string): Either.Either<Address, string> => {
  const [, , secure, sentinels, credentials, list = "", path] = form.exec(text) ?? []
  const isSentinel = sentinels !== undefined
  const names = list.split(",").slice(0, maxHosts + 1)
  const hosts = names.flatMap((name) => hostOf(name, isSentinel ? ports.sentinel : ports.server) ?? [])
  const [first = "", ...rest] = isSentinel ? (path ?? "").split("/") : ["", path]
  const database = rest.length > 1 ? undefined : databaseOf(rest[0])
  const sentinel = isSentinel ? nameOf(first) : undefined
  const isWrong = hosts.length !== names.length || hosts.length > maxHosts || database === undefined
  if (isWrong || (isSentinel && sentinel === undefined)) return Either.left("it has another form")
  return Either.right({
    isSecure: secure !== "",
    credentials: credentials === undefined ? "" : `${credentials}@`,
    hosts,
    database,
    ...(sentinel === undefined ? {} : { sentinel })
  })
}

/** Host and port as one text, which identifies a server. */
export const nameOfHost = ({ host, port }: Host): string =>
  `${host.includes(":") && !host.startsWith("[") ? `[${host}]` : host}:${port}`

/** The host and port of {@link nameOfHost}. */
export const hostAt = (name: string): Host => {
  const end = name.lastIndexOf(":")
  return { host: name.slice(0, end), port: Number(name.slice(end + 1)) }
}

/** The URL of one of its servers. */
export const urlOf = ({ credentials, database, isSecure }: Omit<Address, "hosts">, host: Host): string =>
  `redis${isSecure ? "s" : ""}://${credentials}${nameOfHost(host)}${database === 0 ? "" : `/${database}`}`
