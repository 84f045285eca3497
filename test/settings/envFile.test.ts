import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { parseEnvFile } from "../../src/settings/envFile.ts"

describe("a file of settings", () => {
  const understood: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    "": {},
    "# a comment\n\n   \t\n": {},
    "PORT=8080": { PORT: "8080" },
    "PORT=8080\r\nHOST=::1\r\n": { PORT: "8080", HOST: "::1" },
    "# a comment\r\nPORT=8080 # another\r\nHOST='::1' # a third\r\n": { PORT: "8080", HOST: "::1" },
    "  export PORT = 8080  ": { PORT: "8080" },
    "PORT=8080 # the usual one": { PORT: "8080" },
    "\uFEFFPORT=8080": { PORT: "8080" },
    "PORT=": { PORT: "" },
    "PORT= # none": { PORT: "" },
    'PORT="8080" # the usual one': { PORT: "8080" },
    'A="x # y"\nB=\'x # y\'\nC=`it\'s "it"`': { A: "x # y", B: "x # y", C: 'it\'s "it"' },
    "A=\"x\\ny\"\nB='x\\ny'": { A: "x\ny", B: "x\\ny" },
    'A="first\nsecond = third\n"\nB=2': { A: "first\nsecond = third\n", B: "2" },
    // biome-ignore lint/suspicious/noTemplateCurlyInString: must not be expanded
    "A=$HOME\nB=${HOME}": { A: "$HOME", B: "${HOME}" },
    'URL=https://u:p@host/?a=b"c': { URL: 'https://u:p@host/?a=b"c' },
    "A=1\nA=2": { A: "2" }
  }
  for (const [text, variables] of Object.entries(understood))
    it(`is parsed: ${JSON.stringify(text)}`, () =>
      assert.deepStrictEqual(
        Either.map(parseEnvFile(text), (found) => ({ ...found })),
        Either.right(variables)
      ))

  const refused: Readonly<Record<string, number>> = {
    "API_KEYS: secret": 1,
    "API_KEYS secret": 1,
    "PORT=1\n\nAPI_KEYS\n": 3,
    "=secret": 1,
    "API-KEYS=secret": 1,
    "1A=secret": 1,
    'API_KEYS="secret': 1,
    "PORT=1\nAPI_KEYS='secret\nHOST=x": 2,
    'API_KEYS="secret" more': 1,
    'A="x\ny"\nAPI_KEYS "secret"': 3,
    'A="x\ny" z': 1,
    "PASSWORD=secret#one": 1,
    "<html>": 1
  }
  for (const [text, line] of Object.entries(refused))
    it(`is rejected with the line number, without its text: ${JSON.stringify(text)}`, () => {
      const { message } = Either.getOrThrow(Either.flip(parseEnvFile(text)))
      assert.match(message, new RegExp(`^\\.env: line ${line} cannot be parsed; allowed: NAME=value`))
      assert.notInclude(message, "secret")
    })
})
