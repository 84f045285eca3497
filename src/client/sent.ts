import type { Sent } from "./Transport.ts"

/** The parts of a query; those that are undefined are left out. */
export const query = (values: Readonly<Record<string, string | number | boolean | undefined>>): string => {
  const parts = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeURIComponent(value)}`]
  )
  return parts.length === 0 ? "" : `?${parts.join("&")}`
}

/** `/a/{}/{}` with the values in it. */
export const path = (template: string, ...values: ReadonlyArray<string | number>): string => {
  let index = 0
  return template.replace(/\{\}/g, () => encodeURIComponent(values[index++] ?? ""))
}

/** `network:address` pairs. */
export const pairs = (networks: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Object.entries(networks)
    .flatMap(([network, addresses]) => addresses.map((address) => `${network}:${address}`))
    .join(",")

/** `network:address:cursor` items. */
export const cursorItems = (cursors: Readonly<Record<string, Readonly<Record<string, string>>>>) =>
  Object.entries(cursors)
    .flatMap(([network, texts]) => Object.entries(texts).map(([address, cursor]) => `${network}:${address}:${cursor}`))
    .join(",")

export const get = (route: string, more?: Partial<Sent>): Sent => ({
  method: "GET",
  path: route,
  repeatable: true,
  ...more
})

/** A POST that reads. */
export const read = (route: string, body: unknown): Sent => ({
  method: "POST",
  path: route,
  body: JSON.stringify(body),
  repeatable: true
})

/** A POST that may change something. */
export const act = (route: string, body: unknown, more?: Partial<Sent>): Sent => ({
  ...read(route, body),
  repeatable: false,
  ...more
})
