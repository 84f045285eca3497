import { resolve } from "node:path"

/** Folders of responses recorded from real upstreams, from the variable FIXTURES: paths separated by colons. */
export const recordingFolders: ReadonlyArray<string> =
  process.env.FIXTURES?.split(":").map((folder) => (folder === "" ? "" : resolve(folder))) ?? []
