import { createHash } from "node:crypto"
import { readFileSync, writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import solc from "solc"

// Writes the bytecode that is committed next to the sources; with --check only checks whether it is up to date. Tests
// check the same without a compiler, by the checksum of source and bytecode in the first line.

interface Code {
  readonly object: string
}

interface Output {
  readonly errors?: ReadonlyArray<{ readonly formattedMessage: string }>
  readonly contracts: Record<string, Record<string, { readonly evm: { bytecode: Code; deployedBytecode?: Code } }>>
}

const pathOf = (file: string) => fileURLToPath(new URL(`../${file}`, import.meta.url))

const compile = (language: "Solidity" | "Yul", file: string) => {
  const input = {
    language,
    sources: { [file]: { content: readFileSync(pathOf(file), "utf8") } },
    settings: {
      // The oldest version that works with this compiler. Newer versions emit PUSH0 and MCOPY, which networks such as
      // Ethereum Classic, BNB Smart Chain and Sonic adopted at different times. Code for London that does not read the
      // base fee uses no operation newer than Constantinople.
      evmVersion: "london",
      optimizer: { enabled: true, runs: 200, details: { yul: true } },
      ...(language === "Solidity" && { metadata: { appendCBOR: false, bytecodeHash: "none" } }),
      outputSelection: { "*": { "*": ["evm.bytecode.object", "evm.deployedBytecode.object"] } }
    }
  }
  const output: Output = JSON.parse(solc.compile(JSON.stringify(input)))
  const errors = output.errors ?? []
  if (errors.length > 0) throw new Error(errors.map((error) => error.formattedMessage).join("\n"))
  return Object.entries(output.contracts[file] ?? {}).map(([contract, { evm }]) => ({
    name: `${contract.charAt(0).toLowerCase()}${contract.slice(1)}Bytecode`,
    code: `"0x${(evm.deployedBytecode ?? evm.bytecode).object}"`
  }))
}

/** A module in the format of the formatter. */
const render = (source: string, constants: ReturnType<typeof compile>) => {
  const lines = constants.map(({ code, name }) => {
    const left = `export const ${name}: Hex =`
    return `${left}${left.length + code.length < 120 ? " " : "\n  "}${code}\n`
  })
  const code = ['import type { Hex } from "viem"\n', ...lines].join("\n")
  const sum = createHash("sha256")
    .update(readFileSync(pathOf(source), "utf8"))
    .update(code)
    .digest("hex")
  return `// Made from ${source} by scripts/compile-contracts.ts, sha256 ${sum}.\n${code}`
}

const targets = [
  ["Yul", "src/chains/evm/scanner/Scanner.yul", "src/chains/evm/scanner/bytecode.ts"],
  ["Solidity", "test/support/contracts/Contracts.sol", "test/support/contracts/bytecode.ts"]
] as const

for (const [language, source, target] of targets) {
  const text = render(source, compile(language, source))
  if (!process.argv.includes("--check")) writeFileSync(pathOf(target), text)
  else if (readFileSync(pathOf(target), "utf8") !== text) {
    console.error(`${target} is not up to date with ${source}: run bun scripts/compile-contracts.ts`)
    process.exitCode = 1
  }
}
