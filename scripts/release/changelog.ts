const unreleased = "## Unreleased\n"

const isHeading = (line: string) => line.startsWith("## ")

/** The heading and the text of a version in a changelog; undefined if it is missing or empty. */
export const sectionOf = (changelog: string, version: string): string | undefined => {
  const lines = changelog.split("\n")
  const start = lines.findIndex((line) => isHeading(line) && line.split(" ")[1] === version)
  if (start < 0) return undefined
  const next = lines.findIndex((line, index) => index > start && isHeading(line))
  const section = lines
    .slice(start, next < 0 ? undefined : next)
    .join("\n")
    .trim()
  return section.includes("\n- ") ? `${section}\n` : undefined
}

/** Moves all changes from "Unreleased" to a new version, and leaves "Unreleased" empty. Throws if it cannot. */
export const cut = (changelog: string, version: string, date: string): string => {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(Date.parse(date)))
    throw new Error(`"${date}" is not a date like 2026-01-31`)
  if (changelog.split("\n").some((line) => isHeading(line) && line.split(" ")[1] === version))
    throw new Error(`CHANGELOG.md already has version ${version}: set the next version in package.json`)
  if (sectionOf(changelog, "Unreleased") === undefined) throw new Error('CHANGELOG.md has no changes in "Unreleased"')
  return changelog.replace(unreleased, `${unreleased}\n## ${version} - ${date}\n`)
}
