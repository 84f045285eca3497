import { runtimeOf } from "./runtime.ts"

/** An entry of `packages` in bun.lock: name@version, registry, relations, and integrity as `sha512-` and base64. */
type Locked = readonly [id: string, ...rest: ReadonlyArray<unknown>]

/** Packages of a lock file by their place, for example `viem/@noble/curves`. */
export type Lock = Readonly<Record<string, Locked>>

/** Parses bun.lock, which is JSON with trailing commas. */
export const parseLock = (text: string): Lock => JSON.parse(text.replace(/,(\s*[}\]])/g, "$1")).packages

/** The package of a module: its place in bun.lock and its folder; undefined for a module of this repository. */
export const packageOf = (module: string): { readonly place: string; readonly folder: string } | undefined => {
  const [own, ...parts] = module.split("node_modules/")
  if (own !== "" || parts.length === 0) return undefined
  const names = parts.map((part) => part.split("/", part.startsWith("@") ? 2 : 1).join("/"))
  return { place: names.join("/"), folder: `node_modules/${names.join("/node_modules/")}` }
}

/** A part of the binary that others have written. */
export interface Part {
  readonly name: string
  readonly version: string
  /** SPDX expression. */
  readonly license: string
  /** As in bun.lock: `sha512-` and base64. */
  readonly integrity?: string
}

export interface Sources {
  /** Paths of all modules in the binary, relative to the repository. */
  readonly modules: ReadonlyArray<string>
  readonly lock: Lock
  /** Reads a file of the repository. */
  readonly read: (path: string) => string
}

/**
 * The packages of these modules, each version once, and its folder. Throws if bun.lock lacks a package, or if a package
 * does not say its license: ask its authors, or use another one.
 */
export const packagesIn = ({ lock, modules, read }: Sources): ReadonlyArray<Part & { readonly folder: string }> => {
  const folders = new Map(modules.flatMap((module) => packageOf(module) ?? []).map((found) => [found.place, found]))
  const packages = [...folders.values()].map(({ folder, place }) => {
    const [id, , , integrity] = lock[place] ?? []
    if (id === undefined) throw new Error(`${place} is in the binary, but not in bun.lock`)
    const at = id.lastIndexOf("@")
    const { license } = JSON.parse(read(`${folder}/package.json`))
    if (typeof license !== "string" || license === "") throw new Error(`${place} is in the binary, but has no license`)
    const known = typeof integrity === "string" ? { integrity } : {}
    return { folder, license, name: id.slice(0, at), version: id.slice(at + 1), ...known }
  })
  const versions = new Map(packages.map((found) => [purlOf(found.name, found.version), found]))
  return [...versions].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, found]) => found)
}

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`

const licenseOf = (license: string) =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }

const componentOf = ({ integrity, license, name, version }: Part) => {
  const purl = purlOf(name, version)
  const [, group, short = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  const hash = /^sha512-(.+)$/.exec(integrity ?? "")?.[1]
  return {
    type: "library",
    "bom-ref": purl,
    ...(group === undefined ? {} : { group }),
    name: short,
    version,
    scope: "required",
    ...(hash === undefined
      ? {}
      : { hashes: [{ alg: "SHA-512", content: Buffer.from(hash, "base64").toString("hex") }] }),
    licenses: [licenseOf(license)],
    purl
  }
}

export interface Contents extends Sources {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly commit: string
  /** Time of the commit, ISO 8601. */
  readonly time: string
  /** Version of Bun, which is a part of the binary. */
  readonly bun: string
}

/**
 * Returns a CycloneDX 1.6 document of the packages whose code is in the binary, and of Bun. Licenses come from the
 * packages, hashes from bun.lock. The same input gives the same bytes.
 */
export const billOfMaterials = (contents: Contents): string => {
  const { bun, commit, name, read, time, version } = contents
  const runtime = {
    ...componentOf(runtimeOf(bun, read)),
    type: "platform",
    description: "Runtime, with the libraries that it links statically. They are not listed one by one."
  }
  const components = [runtime, ...packagesIn(contents).map(componentOf)]
  return `${JSON.stringify(
    {
      $schema: "http://cyclonedx.org/schema/bom-1.6.schema.json",
      bomFormat: "CycloneDX",
      specVersion: "1.6",
      version: 1,
      metadata: {
        timestamp: time,
        component: {
          type: "application",
          "bom-ref": `${name}@${version}`,
          name,
          version,
          licenses: [licenseOf(contents.license)],
          properties: [{ name: "commit", value: commit }]
        }
      },
      components: components.sort((a, b) => (a.purl < b.purl ? -1 : 1))
    },
    undefined,
    2
  )}\n`
}
