export interface State {
  readonly version: string
  /** The commit of the working tree; undefined without a repository. */
  readonly commit: string | undefined
  /** Output of `git status --porcelain`. */
  readonly changes: string
  /** The commit of the tag of this version; undefined if the tag does not exist. */
  readonly tagged: string | undefined
  /** The section of this version in CHANGELOG.md; undefined if it is missing. */
  readonly section: string | undefined
  /** Whether docs/openapi has the document of this version, as this commit describes it. */
  readonly isDescribed: boolean
  /** The section of unreleased changes in CHANGELOG.md; undefined if it is empty. */
  readonly unreleased: string | undefined
}

/** Returns all reasons not to release this state; empty if it can be released. */
export const refusalsOf = ({
  changes,
  commit,
  isDescribed,
  section,
  tagged,
  unreleased,
  version
}: State): ReadonlyArray<string> => [
  ...(commit === undefined ? ["this is not a git repository: a release is made from a commit"] : []),
  ...(changes === "" ? [] : [`these files have changes that are not committed:\n${changes}`]),
  ...(section === undefined
    ? [`CHANGELOG.md has no changes of version ${version}: run \`bun run release --cut DATE\` and commit the result`]
    : []),
  ...(section === undefined || isDescribed
    ? []
    : [`docs/openapi/${version}.json is not the document of this commit: write it with \`wallet-data openapi\``]),
  ...(section === undefined || unreleased === undefined
    ? []
    : [`CHANGELOG.md has changes in "Unreleased", which this commit contains: move them to version ${version}`]),
  ...(tagged === undefined || tagged === commit
    ? []
    : [`the tag v${version} exists at commit ${tagged}: set the next version in package.json`])
]
