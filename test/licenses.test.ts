import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import { allNotices, notices } from "../scripts/licenses.ts"
import { textOf } from "../scripts/release/licenses.ts"
import { run } from "./support/command.ts"
import { assert, describe, it } from "./support/vitest.ts"

const root = resolve(".")

/** Runs a command; returns its output, or what it wrote to standard error if it fails. */
const output = (command: ReadonlyArray<string>, env: Readonly<Record<string, string | undefined>> = process.env) => {
  const { exitCode, stderr, stdout } = Bun.spawnSync([...command], { cwd: root, env, stderr: "pipe" })
  return { exitCode, text: exitCode === 0 ? stdout.toString() : stderr.toString() }
}

const everything = allNotices()

const lgpl = ["GNU LIBRARY GENERAL PUBLIC LICENSE", "GNU LESSER GENERAL PUBLIC LICENSE", "tinycc"]

describe("the licenses in the binary", () => {
  // The binary prints them: scripts/smoke.ts.
  it("are one text, each part with its license and its texts", async () => {
    const all = await everything
    const printed = textOf(all)
    assert.isAbove(all.length, 30)
    const names = all.map(({ name }) => name)
    assert.includeMembers(names, ["wallet-data", "bun", "effect", "viem", "preact", "uplot", "tweetnacl"])
    assert.notInclude(names, "typescript")
    for (const { license, name, texts, version } of all) {
      assert.include(printed, `${name} ${version}: ${license}\n`)
      assert.isNotEmpty(texts, name)
      for (const text of texts) assert.include(printed, text.replaceAll("\r\n", "\n").trim(), name)
    }
    for (const text of [readFileSync("LICENSE", "utf8").trim(), ...lgpl, "Apache License"])
      assert.include(printed, text)
  })

  it("are the texts of the packages, which an absent file or field refuses", () => {
    const folder = "node_modules/viem"
    const [, , viem] = notices([`${folder}/_esm/index.js`, `${folder}/_esm/actions.js`])
    assert.deepStrictEqual(viem?.texts, [readFileSync(`${folder}/LICENSE`, "utf8")])
    // A package that has no license file.
    assert.throws(
      () => notices(["node_modules/bun-types/index.js"]),
      "bun-types is in the binary, but has no license text"
    )
  })

  it("stand below a line with name, version and license", () => {
    const part = { name: "a", version: "1.0.0", license: "ISC", texts: ["\none\r\ntwo\n\n", "three"] }
    assert.match(textOf([part]), /^=+\na 1\.0\.0: ISC\n=+\n\none\ntwo\n\nthree$/)
  })
})

describe("the label of the image", () => {
  it("names the licenses of the program, of its packages, of the runtime and of the C library", async () => {
    const [, label = ""] = /image\.licenses="([^"]+)"/.exec(readFileSync("deploy/Dockerfile", "utf8")) ?? []
    const licenses = (await everything).flatMap(({ license }) => license.split(" AND "))
    assert.sameMembers(label.split(" AND "), [...new Set([...licenses, "LGPL-2.1-or-later"])])
  })
})

describe("wallet-data licenses", () => {
  it.live("says where the licenses are if the program runs from source", function* () {
    const { code, stderr, stdout } = yield* run(["licenses"])
    assert.deepStrictEqual([code, stdout], [1, ""])
    assert.include(stderr, "`bun scripts/licenses.ts` prints the licenses")
  })
})

describe("the root of the image", () => {
  const isMissing = process.getuid?.() !== 0 || Bun.which("dpkg") === null || Bun.which("ldd") === null

  it.skipIf(isMissing)("has the licenses of the program and of the libraries, or is not made", () => {
    const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
    const tree = join(folder, "root")
    const program = join(folder, "program")
    // A program of the system stands for the binary: it prints its arguments, and is linked as the binary is.
    const { exitCode, text } = output(["sh", "deploy/rootfs.sh", "/bin/echo", tree])
    assert.strictEqual(exitCode, 0, text)
    const doc = (path: string) => readFileSync(join(tree, "usr/share", path), "utf8")
    assert.strictEqual(doc("doc/wallet-data/copyright"), "licenses\n")
    assert.strictEqual(doc("doc/libc6/copyright"), readFileSync("/usr/share/doc/libc6/copyright", "utf8"))
    const named = doc("doc/libc6/copyright").match(/(?<=common-licenses\/)[\w.-]+\w/g) ?? []
    assert.include(named, "LGPL-2.1")
    for (const name of named) assert.include(doc(`common-licenses/${name}`), "GENERAL PUBLIC LICENSE")

    // Without packages of Debian, nothing says the licenses of the libraries.
    writeFileSync(join(folder, "dpkg"), "#!/bin/sh\nexit 1\n")
    chmodSync(join(folder, "dpkg"), 0o755)
    const refused = output(["sh", "deploy/rootfs.sh", "/bin/echo", program], {
      ...process.env,
      PATH: `${folder}:${process.env.PATH}`
    })
    assert.strictEqual(refused.exitCode, 1)
    assert.match(refused.text, /libc\.so\.6 has no license file/)
    assert.isFalse(existsSync(join(program, "usr/share/doc/wallet-data")))
    rmSync(folder, { recursive: true })
  })
})
