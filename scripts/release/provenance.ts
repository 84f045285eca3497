/** A file of a release, and the SHA-256 of its bytes, hexadecimal. */
export interface Subject {
  readonly name: string
  readonly sha256: string
}

/** A part from which the files were made. */
interface Material {
  readonly uri: string
  readonly digest?: Readonly<Record<string, string>>
}

export interface Build {
  /** What ran the build, a URI. */
  readonly builder: string
  readonly name: string
  readonly version: string
  readonly commit: string
  /** Version of Bun, which compiles the programs and is in them. */
  readonly bun: string
  /** `os-cpu` of the machine. */
  readonly machine: string
  /** The output of each target's program when it was started, or the reason why it was not. */
  readonly started: Readonly<Record<string, string>>
  /** The bill of materials of the programs. */
  readonly bill: string
}

/** The packages of a bill of materials, with the hashes of their archives. */
const packagesOf = (bill: string): ReadonlyArray<Material> =>
  JSON.parse(bill).components.map(
    ({
      hashes = [],
      purl
    }: {
      readonly hashes?: ReadonlyArray<{ readonly content: string }>
      readonly purl: string
    }) => ({
      uri: purl,
      ...(hashes[0] === undefined ? {} : { digest: { sha512: hashes[0].content } })
    })
  )

/** What runs this build: the workflow if the environment names it, otherwise a person. */
export const builderOf = (env: Readonly<Record<string, string | undefined>>): string =>
  env.GITHUB_ACTIONS === "true"
    ? `${env.GITHUB_SERVER_URL}/${env.GITHUB_WORKFLOW_REF}`
    : "urn:wallet-data:builder:by-hand"

/**
 * The statement of provenance of these files, in-toto v1 with the predicate SLSA provenance v1. It contains no time, so that
 * the same builder, commit and machine give the same bytes.
 */
export const provenance = (build: Build, subjects: ReadonlyArray<Subject>): string =>
  `${JSON.stringify(
    {
      _type: "https://in-toto.io/Statement/v1",
      subject: subjects.map(({ name, sha256 }) => ({ name, digest: { sha256 } })),
      predicateType: "https://slsa.dev/provenance/v1",
      predicate: {
        buildDefinition: {
          buildType: "urn:wallet-data:build:release:v1",
          externalParameters: { version: build.version, targets: Object.keys(build.started) },
          internalParameters: { machine: build.machine, started: build.started },
          resolvedDependencies: [
            { uri: `git:${build.name}`, digest: { gitCommit: build.commit } },
            ...packagesOf(build.bill)
          ]
        },
        runDetails: { builder: { id: build.builder, version: { bun: build.bun } } }
      }
    },
    undefined,
    2
  )}\n`
