import { assert } from "./vitest.ts"

/** Parses CSV (RFC 4180) whose fields contain no line breaks. */
export const parsed = (text: string) => {
  assert.isTrue(text.endsWith("\r\n"))
  return text
    .slice(0, -2)
    .split("\r\n")
    .map((line) =>
      [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(([, quoted, plain]) =>
        quoted === undefined ? plain : quoted.replaceAll('""', '"')
      )
    )
}
