import { createHash } from "node:crypto"
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type SecretKey, sign, verify } from "./minisign.ts"
import { type Build, provenance, type Subject } from "./provenance.ts"

/** Names and sums of the files in a folder, by name. */
const subjectsOf = (folder: string): ReadonlyArray<Subject> =>
  readdirSync(folder)
    .sort()
    .map((name) => ({
      name,
      sha256: createHash("sha256")
        .update(readFileSync(join(folder, name)))
        .digest("hex")
    }))

/**
 * Adds the provenance of all files in this folder, the sums of all, and with a key the signature of the sums. Returns the
 * last line of the report.
 */
export const sealed = (folder: string, build: Build, key: SecretKey | undefined): string => {
  const { commit, name, version } = build
  writeFileSync(join(folder, `${name}-${version}.provenance.json`), provenance(build, subjectsOf(folder)))
  const sums = subjectsOf(folder)
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .join("")
  writeFileSync(join(folder, "SHA256SUMS"), sums)
  if (key === undefined) return "unsigned: the variable RELEASE_KEY contains no key"
  const signature = sign(key, Buffer.from(sums), `${name} ${version}, commit ${commit}, file SHA256SUMS`)
  if (verify(key.publicKey, Buffer.from(sums), signature) === undefined) throw new Error("the signature is not valid")
  writeFileSync(join(folder, "SHA256SUMS.minisig"), signature)
  return `signed: minisign -Vm SHA256SUMS -P ${key.publicKey}`
}

/** Fills a folder under another name, and gives it its name at the end: a folder of this name is complete. */
export const whole = async <A>(folder: string, fill: (partial: string) => Promise<A>): Promise<A> => {
  const partial = `${folder}.partial`
  rmSync(partial, { recursive: true, force: true })
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(partial, { recursive: true })
  const result = await fill(partial)
  renameSync(partial, folder)
  return result
}
