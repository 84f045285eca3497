import { generateKeyPairSync, randomBytes } from "node:crypto"
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, assert, describe, it } from "@effect/vitest"
import { licensed } from "../scripts/licenses.ts"
import { documentsOf } from "../scripts/release/documents.ts"
import { sealed, whole } from "../scripts/release/folder.ts"
import { noticesOf } from "../scripts/release/licenses.ts"
import { parseSecretKey, sign, verify } from "../scripts/release/minisign.ts"
import { builderOf } from "../scripts/release/provenance.ts"
import { isMissing, tool } from "./support/tools.ts"

const folders: Array<string> = []
const newFolder = () => {
  const folder = mkdtempSync(join(tmpdir(), "wallet-data-"))
  folders.push(folder)
  return folder
}
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

/** A new secret key without a password, as `minisign -G -W` writes it. */
const newKey = (protection = "\0\0") => {
  const { privateKey, publicKey } = generateKeyPairSync("ed25519")
  const seed = privateKey.export({ format: "der", type: "pkcs8" }).subarray(-32)
  const point = publicKey.export({ format: "der", type: "spki" }).subarray(-32)
  const parts = ["Ed", protection, "B2", Buffer.alloc(48), randomBytes(8), seed, point, Buffer.alloc(32)]
  const bytes = Buffer.concat(parts.map((part) => Buffer.from(part as string)))
  return `untrusted comment: minisign encrypted secret key\n${bytes.toString("base64")}\n`
}

const message = Buffer.from("the sums\n")

describe("a signature", () => {
  const key = parseSecretKey(newKey())
  const signature = sign(key, message, "wallet-data 0.1.0")

  it("is valid for its key and message, and says its comment", () => {
    assert.strictEqual(verify(key.publicKey, message, signature), "wallet-data 0.1.0")
    assert.strictEqual(signature, sign(key, message, "wallet-data 0.1.0"))
    assert.match(
      signature,
      /^untrusted comment: .+\nRU[\w+/]{97}=\ntrusted comment: wallet-data 0\.1\.0\n[\w+/]{86}==\n$/
    )
  })

  it("is not valid for another key, message or comment, or in another form", () => {
    const lines = signature.split("\n")
    const other = parseSecretKey(newKey())
    assert.isUndefined(verify(other.publicKey, message, signature))
    // The same id, as an attacker would choose it.
    const { publicKey } = parseSecretKey(newKey())
    const posing = Buffer.from(publicKey, "base64")
    Buffer.from(key.id).copy(posing, 2)
    assert.isUndefined(verify(posing.toString("base64"), message, signature))
    assert.isUndefined(verify(key.publicKey, Buffer.from("other sums\n"), signature))
    assert.isUndefined(verify(key.publicKey, message, signature.replace("0.1.0", "0.1.1")))
    for (const index of lines.keys())
      if (index < 4)
        assert.isUndefined(verify(key.publicKey, message, lines.toSpliced(index, 1).join("\n")), `${index}`)
    assert.isUndefined(verify(key.publicKey, message, `${signature}more\n`))
    assert.isUndefined(verify("RW", message, signature))
    assert.isUndefined(verify(key.publicKey, message, ""))
    assert.throws(() => sign(key, message, "two\nlines"), /one line/)
    for (const mark of ["\u001b", "\u202e", "\u2028"]) assert.throws(() => sign(key, message, `a${mark}b`), /one line/)
  })

  it("is made with a whole key without a password only, which no error contains", () => {
    const text = newKey()
    const bytes = Buffer.from(text.split("\n")[1] ?? "", "base64")
    bytes.fill(1, 94, 126)
    assert.throws(() => parseSecretKey(`comment\n${bytes.toString("base64")}`), /its parts do not match/)
    assert.throws(() => parseSecretKey(newKey("Sc")), /a password protects the key/)
    for (const wrong of ["", "secret", text.slice(0, -20)])
      assert.throws(() => parseSecretKey(wrong), /^the key of the release is not a secret key of minisign: generate it/)
  })

  it.skipIf(isMissing("minisign"))("is verified by minisign, whose keys and signatures are understood", () => {
    const folder = newFolder()
    const path = (name: string) => join(folder, name)
    const run = (...words: ReadonlyArray<string>) => {
      const { exitCode, stderr, stdout } = Bun.spawnSync([tool("minisign") ?? "", ...words], { cwd: folder })
      return { exitCode, output: `${stdout}${stderr}` }
    }
    writeFileSync(path("SHA256SUMS"), message)
    writeFileSync(path("SHA256SUMS.minisig"), signature)
    const good = run("-Vm", "SHA256SUMS", "-P", key.publicKey)
    assert.deepStrictEqual([good.exitCode, good.output.includes("wallet-data 0.1.0")], [0, true], good.output)
    writeFileSync(path("SHA256SUMS"), "other sums\n")
    assert.notStrictEqual(run("-Vm", "SHA256SUMS", "-P", key.publicKey).exitCode, 0)

    assert.strictEqual(run("-GWf", "-s", "key", "-p", "key.pub").exitCode, 0)
    const theirs = parseSecretKey(readFileSync(path("key"), "utf8"))
    assert.include(readFileSync(path("key.pub"), "utf8"), theirs.publicKey)
    writeFileSync(path("message"), message)
    assert.strictEqual(run("-Sm", "message", "-s", "key", "-t", "theirs").exitCode, 0)
    assert.strictEqual(verify(theirs.publicKey, message, readFileSync(path("message.minisig"), "utf8")), "theirs")
  })
})

const release = {
  ...licensed(["src/main.ts", "node_modules/viem/_esm/index.js", "node_modules/tweetnacl/nacl-fast.js"]),
  name: "wallet-data",
  version: "0.1.0",
  license: "MIT",
  commit: "abc",
  time: "2026-11-26T00:00:00.000Z",
  openapi: "{}",
  changelog: "## 0.1.0\n"
}

const build = {
  ...release,
  builder: builderOf({}),
  machine: "linux-x64",
  started: { "linux-x64": "wallet-data 0.1.0 (commit abc, bun 1.4.5)", "darwin-arm64": "not started: why" },
  ...documentsOf(release)
}

const filled = (folder: string) => {
  writeFileSync(join(folder, "wallet-data-0.1.0-linux-x64"), "program")
  for (const [name, text] of Object.entries(build.documents)) writeFileSync(join(folder, name), text)
}

const sha256 = (text: string | Uint8Array) => new Bun.CryptoHasher("sha256").update(text).digest("hex")

describe("the folder of a release", () => {
  it("has the license and the text of every part that its bill lists", () => {
    const folder = newFolder()
    filled(folder)
    const licenses = readFileSync(join(folder, "LICENSES-0.1.0.txt"), "utf8")
    const { components } = JSON.parse(readFileSync(join(folder, "wallet-data-0.1.0.cdx.json"), "utf8"))
    assert.lengthOf(components, 3)
    const notices = noticesOf(release)
    for (const { group, name, version, licenses: declared } of components) {
      const full = group === undefined ? name : `${group}/${name}`
      const license = declared[0].expression ?? declared[0].license.id
      assert.include(licenses, `\n${full} ${version}: ${license}\n`)
      for (const text of notices.find((notice) => notice.name === full)?.texts ?? [assert.fail(full)])
        assert.include(licenses, text.replaceAll("\r\n", "\n").trim(), full)
    }
    assert.include(licenses, readFileSync("LICENSE", "utf8").trim())
  })

  it("is signed with a key: a signature of the sums of all files, which a statement of provenance names, too", () => {
    const folder = newFolder()
    filled(folder)
    const key = parseSecretKey(newKey())
    assert.strictEqual(sealed(folder, build, key), `signed: minisign -Vm SHA256SUMS -P ${key.publicKey}`)
    const read = (name: string) => readFileSync(join(folder, name))
    const names = readdirSync(folder).filter((name) => !name.startsWith("SHA256SUMS"))
    const sums = names.map((name) => `${sha256(read(name))}  ${name}\n`)
    assert.strictEqual(
      read("SHA256SUMS").toString(),
      sums.sort((a, b) => (a.slice(66) < b.slice(66) ? -1 : 1)).join("")
    )
    assert.strictEqual(
      verify(key.publicKey, read("SHA256SUMS"), read("SHA256SUMS.minisig").toString()),
      "wallet-data 0.1.0, commit abc, file SHA256SUMS"
    )
    const statement = JSON.parse(read("wallet-data-0.1.0.provenance.json").toString())
    assert.deepStrictEqual(
      [statement._type, statement.predicateType],
      ["https://in-toto.io/Statement/v1", "https://slsa.dev/provenance/v1"]
    )
    assert.deepStrictEqual(
      statement.subject,
      names
        .filter((name) => !name.endsWith(".provenance.json"))
        .sort()
        .map((name) => ({ name, digest: { sha256: sha256(read(name)) } }))
    )
    const { buildDefinition, runDetails } = statement.predicate
    assert.deepStrictEqual(runDetails.builder.id, "urn:wallet-data:builder:by-hand")
    assert.deepStrictEqual(buildDefinition.externalParameters.targets, ["linux-x64", "darwin-arm64"])
    assert.deepStrictEqual(buildDefinition.internalParameters.started, build.started)
    const [source, ...materials] = buildDefinition.resolvedDependencies
    assert.deepStrictEqual(source, { uri: "git:wallet-data", digest: { gitCommit: "abc" } })
    assert.sameMembers(
      materials.map(({ uri }: { readonly uri: string }) => uri.replace(/@[\d.]+$/, "")),
      ["pkg:npm/bun", "pkg:npm/tweetnacl", "pkg:npm/viem"]
    )
    assert.match(materials.at(-1).digest.sha512, /^[0-9a-f]{128}$/)
  })

  it("is unsigned without a key, which its last line says", () => {
    const folder = newFolder()
    filled(folder)
    assert.match(sealed(folder, build, undefined), /^unsigned: /)
    assert.isFalse(existsSync(join(folder, "SHA256SUMS.minisig")))
    assert.isTrue(existsSync(join(folder, "SHA256SUMS")))
  })

  it("gets its name when it is complete: a failure leaves none, also of an earlier release", async () => {
    const folder = join(newFolder(), "release")
    mkdirSync(folder)
    writeFileSync(join(folder, "earlier"), "")
    const failed = whole(folder, async (partial) => {
      assert.isFalse(existsSync(folder))
      writeFileSync(join(partial, "first"), "")
      throw new Error("the second target fails")
    })
    assert.strictEqual(await failed.catch((error) => error.message), "the second target fails")
    assert.isFalse(existsSync(folder))
    const result = await whole(folder, async (partial) => {
      writeFileSync(join(partial, "second"), "")
      assert.isFalse(existsSync(folder))
      return "last line"
    })
    assert.deepStrictEqual([result, readdirSync(folder)], ["last line", ["second"]])
    assert.isFalse(existsSync(`${folder}.partial`))
  })

  it("names what built it: the workflow, or a person", () => {
    const env = {
      GITHUB_ACTIONS: "true",
      GITHUB_SERVER_URL: "https://forge.example",
      GITHUB_WORKFLOW_REF: "a/b/.github/workflows/release.yml@refs/tags/v0.1.0"
    }
    assert.strictEqual(builderOf(env), "https://forge.example/a/b/.github/workflows/release.yml@refs/tags/v0.1.0")
    assert.strictEqual(builderOf({}), "urn:wallet-data:builder:by-hand")
  })
})
