import { type Part, packagesIn, type Sources } from "./billOfMaterials.ts"
import { runtimeLicense, runtimeOf } from "./runtime.ts"

interface Own extends Part {
  /** Its license file in the repository. */
  readonly file: string
}

export interface Licensed extends Sources {
  /** The program itself. */
  readonly own: Own
  /** Version of Bun. */
  readonly bun: string
  /** Names of the files in a folder of the repository. */
  readonly list: (folder: string) => ReadonlyArray<string>
}

/** A part of the binary with the texts that its license demands. */
export interface Notice extends Part {
  readonly texts: ReadonlyArray<string>
}

const isNotice = /^(licen[cs]e|copying|notice|unlicense)/i

/** License texts that the licenses of libraries inside Bun demand, and that Bun's page only names. */
const namedByRuntime = [
  "scripts/release/LGPL-2.0.txt",
  "scripts/release/LGPL-2.1.txt",
  "node_modules/typescript/LICENSE.txt"
]

/** The program itself, Bun and all packages whose code is in the binary. Throws if a package has no license text. */
export const noticesOf = ({ list, own, ...sources }: Licensed): ReadonlyArray<Notice> => {
  const { bun, read } = sources
  const runtime = [runtimeLicense, ...namedByRuntime].map(read)
  const packages = packagesIn(sources).map(({ folder, ...part }) => {
    const texts = list(folder)
      .filter((name) => isNotice.test(name))
      .sort()
    if (texts.length === 0) throw new Error(`${part.name} is in the binary, but has no license text`)
    return { ...part, texts: texts.map((name) => read(`${folder}/${name}`)) }
  })
  return [{ ...own, texts: [read(own.file)] }, { ...runtimeOf(bun, read), texts: runtime }, ...packages]
}

const line = "=".repeat(100)

/** All texts in one, each below the name, version and license of its part. */
export const textOf = (notices: ReadonlyArray<Notice>): string =>
  notices
    .flatMap(({ license, name, texts, version }) => [
      `${line}\n${name} ${version}: ${license}\n${line}`,
      ...texts.map((text) => text.replaceAll("\r\n", "\n").replace(/^\n+|\s+$/g, ""))
    ])
    .join("\n\n")
