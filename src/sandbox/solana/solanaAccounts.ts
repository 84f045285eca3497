import { base58 } from "@scure/base"
import { formatUnits } from "viem/utils"
import { metadataBytes, metaplex } from "../../chains/solana/metaplex.ts"
import { token, token2022 } from "../../chains/solana/programs.ts"
import type * as World from "../world/World.ts"
import { rentExempt } from "./SolanaChain.ts"
import { systemProgram } from "./SolanaTransaction.ts"

// Accounts of the two token programs in each encoding that a node supports.

/** Mints of Token-2022; all others belong to the Token program. */
const newer = ["2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"]

/** Supply of every mint, in base units. */
export const supply = 3_986_659_142_956_864n

/** Requested encoding and slice of an account's data. */
export interface Form {
  readonly encoding?: string
  readonly dataSlice?: { readonly offset: number; readonly length: number }
}

const tokenSize = { space: 165 }

/** A token account as the node parses it. */
export const parsedToken = (contract: World.Contract, owner: string, amount: bigint) => ({
  ...accountOf(programOf(contract), BigInt(rentExempt(165))),
  data: asParsed(contract, "account", tokenSize.space, {
    isNative: false,
    mint: contract.address,
    owner,
    state: "initialized",
    tokenAmount: shown(amount, contract)
  }),
  ...tokenSize
})

/** A token account in bytes. */
export const tokenBytes = (contract: World.Contract, owner: string, amount: bigint, form: Form) => ({
  ...accountOf(programOf(contract), BigInt(rentExempt(165))),
  data: written(bytesOfToken(contract, owner, amount), form),
  ...tokenSize
})

export const tokenAccount = (contract: World.Contract, owner: string, amount: bigint, form: Form) =>
  form.encoding === "jsonParsed" ? parsedToken(contract, owner, amount) : tokenBytes(contract, owner, amount, form)

/** A mint as the node parses it. */
export const parsedMint = (contract: World.Contract) => ({
  ...accountOf(programOf(contract), BigInt(rentExempt(82))),
  data: asParsed(contract, "mint", 82, {
    decimals: contract.decimals,
    freezeAuthority: null,
    isInitialized: true,
    mintAuthority: null,
    supply: String(supply),
    ...(newer.includes(contract.address) ? { extensions: extensionsOf(contract) } : {})
  }),
  space: 82
})

export const mintAccount = (contract: World.Contract, form: Form) =>
  form.encoding === "jsonParsed"
    ? parsedMint(contract)
    : { ...parsedMint(contract), data: written(bytesOfMint(contract), form) }

/** The account of Metaplex with the name of a mint. */
export const nameAccount = ({ address, coin }: World.Contract, form: Form) => {
  const data = metadataBytes(address, coin.name, coin.symbol.toUpperCase())
  return { ...accountOf(metaplex, BigInt(rentExempt(data.length))), data: written(data, form), space: data.length }
}

/** Extensions of a mint of Token-2022. */
const extensionsOf = ({ address, coin }: World.Contract) => [
  { extension: "transferHook", state: { authority: systemProgram, programId: null } },
  { extension: "metadataPointer", state: { authority: systemProgram, metadataAddress: address } },
  {
    extension: "tokenMetadata",
    state: {
      additionalMetadata: [],
      mint: address,
      name: coin.name,
      symbol: coin.symbol.toUpperCase(),
      updateAuthority: systemProgram,
      uri: ""
    }
  }
]

export const programOf = ({ address }: World.Contract) => (newer.includes(address) ? token2022 : token)

export const accountOf = <Owner extends string>(owner: Owner, lamports: bigint) => ({
  executable: false,
  lamports,
  owner,
  rentEpoch: 2n ** 64n - 1n
})

export const shown = (amount: bigint, { decimals }: World.Contract) => ({
  amount: String(amount),
  decimals,
  uiAmount: Number(formatUnits(amount, decimals)),
  uiAmountString: formatUnits(amount, decimals)
})

const asParsed = <Type extends string, Info>(contract: World.Contract, type: Type, space: number, info: Info) => ({
  program: programOf(contract) === token ? "spl-token" : "spl-token-2022",
  parsed: { type, info },
  space
})

/** Largest data that a node encodes in base58, which is the default of most methods. */
const maxBase58 = 128
export const tooLarge = "error: data too large for bs58 encoding"

/** Bytes in base64, which is the only form that the service requests, or as a node writes them for other clients. */
export const written = (data: Buffer, { dataSlice, encoding = "binary" }: Form): readonly [string, "base64"] => {
  const { length, offset } = dataSlice ?? { offset: 0, length: data.length }
  const part = data.subarray(offset, offset + length)
  if (encoding !== "base58" && encoding !== "binary") return [part.toString("base64"), "base64"]
  const text = part.length > maxBase58 ? tooLarge : base58.encode(part)
  return (encoding === "binary" ? text : [text, encoding]) as unknown as readonly [string, "base64"]
}

const bytesOfToken = ({ address }: World.Contract, owner: string, amount: bigint) => {
  const data = Buffer.alloc(165)
  data.set(base58.decode(address), 0)
  data.set(base58.decode(owner), 32)
  data.writeBigUInt64LE(amount, 64)
  data[108] = 1
  return data
}

const bytesOfMint = ({ decimals }: World.Contract) => {
  const data = Buffer.alloc(82)
  data.writeBigUInt64LE(supply, 36)
  data[44] = decimals
  data[45] = 1
  return data
}
