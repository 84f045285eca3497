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

const purlOf = (name: string, version: string) => `pkg:npm/${name.replace("@", "%40")}@${version}`

const licenseOf = (license: string) =>
  /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license }

const componentOf = (name: string, version: string, license?: string, integrity?: string) => {
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
    ...(license === undefined ? {} : { licenses: [licenseOf(license)] }),
    purl
  }
}

export interface Contents {
  readonly name: string
  readonly version: string
  readonly license: string
  readonly commit: string
  /** Time of the commit, ISO 8601. */
  readonly time: string
  /** Version of Bun, which is a part of the binary. */
  readonly bun: string
  /** Paths of all modules in the binary, relative to the repository. */
  readonly modules: ReadonlyArray<string>
  readonly lock: Lock
  /** Reads a file of the repository. */
  readonly read: (path: string) => string
}

/**
 * Returns a CycloneDX 1.6 document of the packages whose code is in the binary, and of Bun. Licenses come from the
 * packages, hashes from bun.lock. Throws if bun.lock lacks a package. The same input gives the same bytes.
 */
export const billOfMaterials = (contents: Contents): string => {
  const { bun, commit, lock, modules, name, read, time, version } = contents
  const foreign = modules.flatMap((module) => packageOf(module) ?? [])
  const packages = foreign.map(({ folder, place }) => {
    const [id, , , integrity] = lock[place] ?? []
    if (id === undefined) throw new Error(`${place} is in the binary, but not in bun.lock`)
    const at = id.lastIndexOf("@")
    const { license } = JSON.parse(read(`${folder}/package.json`))
    return componentOf(
      id.slice(0, at),
      id.slice(at + 1),
      typeof license === "string" ? license : undefined,
      typeof integrity === "string" ? integrity : undefined
    )
  })
  const runtime = {
    ...componentOf("bun", bun, "MIT"),
    type: "platform",
    description: "Runtime. The libraries inside it are not listed."
  }
  const components = new Map([runtime, ...packages].map((component) => [component.purl, component]))
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
      components: [...components.values()].sort((a, b) => (a.purl < b.purl ? -1 : 1))
    },
    undefined,
    2
  )}\n`
}
