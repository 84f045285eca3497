import manifest from "#package.json" with { type: "json" }

/** The bundler replaces this name in a binary. */
declare const WALLET_DATA_COMMIT: string | undefined

export const programName = manifest.name

/** Version and commit of this program. The commit is "unknown" if the program was not built by `scripts/build.ts`. */
export const release = {
  version: manifest.version,
  commit: typeof WALLET_DATA_COMMIT === "undefined" ? "unknown" : WALLET_DATA_COMMIT
}

export const runtime = `bun ${Bun.version}`

/** Name, version, commit and runtime in one line. */
export const title = `${programName} ${release.version} (commit ${release.commit}, ${runtime})`
