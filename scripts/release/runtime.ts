import type { Part } from "./billOfMaterials.ts"

/** What Bun says of its license and of the libraries inside it; it is in the package of its types. */
export const runtimeLicense = "node_modules/bun-types/docs/project/license.mdx"

/** SPDX identifiers of the words on that page. Of a choice, it is the license without copyleft. */
const identifiers: Readonly<Record<string, ReadonlyArray<string>>> = {
  "Apache 2.0": ["Apache-2.0"],
  "Apache 2.0 licensed": ["Apache-2.0"],
  "BSD 2-Clause": ["BSD-2-Clause"],
  "BSD 2-Clause (portions derived from libpng, PNG Reference Library License v2)": ["BSD-2-Clause", "libpng-2.0"],
  "BSD 3-Clause": ["BSD-3-Clause"],
  "BSD 3-Clause / IJG / zlib": ["BSD-3-Clause", "IJG", "Zlib"],
  "ICU license": ["ICU"],
  "LGPL v2.1": ["LGPL-2.1-only"],
  MIT: ["MIT"],
  "MIT (bundled xxhash is BSD 2-Clause)": ["MIT", "BSD-2-Clause"],
  "MIT (portions derived from Chromium proto-quic, BSD 3-Clause)": ["MIT", "BSD-3-Clause"],
  "MIT licensed": ["MIT"],
  "dual-licensed under CC0 1.0 or the BSD 2-Clause License": ["CC0-1.0"],
  "dual-licensed under the BSD License or GPLv2 license": ["BSD-3-Clause"],
  "dual-licensed under the Perl License or the MIT License": ["MIT"],
  "public domain": ["blessing"],
  zlib: ["Zlib"]
}

/** Text of a cell without links. */
const plain = (cell: string) =>
  cell
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll("`", "")
    .trim()

const identifiersOf = (library: string, license: string) => {
  const found = license === "several licenses" ? [`LicenseRef-${library}`] : identifiers[license]
  if (found === undefined) throw new Error(`the license of ${library} inside Bun is new: "${license}"`)
  return found
}

/** The SPDX expression of Bun and all libraries on its license page. Throws if the page has a new form or license. */
const expressionOf = (page: string): string => {
  if (!page.includes("JavaScriptCore (and WebKit), which is LGPL-2 licensed"))
    throw new Error(`${runtimeLicense} no longer says the license of JavaScriptCore`)
  const rows = [...page.matchAll(/^\| (?!-|Library|Package)([^|]+)\|([^|]+)\|$/gm)]
  if (rows.length < 20) throw new Error(`${runtimeLicense} no longer lists the libraries inside Bun`)
  const found = rows.flatMap(([, library = "", license = ""]) => identifiersOf(plain(library), plain(license)))
  return ["MIT", ...[...new Set([...found, "LGPL-2.0-only"])].filter((id) => id !== "MIT").sort()].join(" AND ")
}

export const runtimeOf = (version: string, read: (path: string) => string): Part => ({
  name: "bun",
  version,
  license: expressionOf(read(runtimeLicense))
})
