import * as Either from "effect/Either"
import { all } from "./Catalogue.ts"
import type { ChainFacts } from "./NetworkFacts.ts"

// Names of chains, accounts and assets that other programs use: CAIP-2, CAIP-10 and CAIP-19
// (github.com/ChainAgnostic/CAIPs), with the namespaces of github.com/ChainAgnostic/namespaces and those of WalletConnect.

type Names = Pick<ChainFacts, "caip2" | "chainId" | "family">

/** The ids of a chain (CAIP-2), the registered one first; empty if it has none. */
export const chainNames = ({ caip2 = [], chainId, family }: Names): ReadonlyArray<string> =>
  family === "evm" && chainId !== undefined ? [`eip155:${chainId}`] : caip2

/** The names of a network in requests, in lower case. */
export const namesOf = (facts: Names & Pick<ChainFacts, "aliases" | "id">): ReadonlyArray<string> => [
  facts.id,
  ...facts.aliases,
  ...chainNames(facts).map((name) => name.toLowerCase())
]

const chainNamesOfAll = new Set(all.flatMap(chainNames).map((name) => name.toLowerCase()))

/** Whether a text is the id (CAIP-2) of a registered network, or of any EVM network. */
export const isChainName = (text: string): boolean =>
  /^eip155:\d{1,15}$/i.test(text) || chainNamesOfAll.has(text.toLowerCase())

/** The part of an asset id after the chain, by family. Families without one have no registered form for tokens. */
const tokenForms: Readonly<Record<string, (token: string) => string>> = {
  evm: (address) => `erc20:${address}`,
  ripple: (token) => (token.includes(".") ? `token:${token.split(".").reverse().join(".")}` : `xls33:${token}`),
  solana: (mint) => `token:${mint}`,
  tron: (address) => `trc20:${address}`
}

/** The id of an asset (CAIP-19): of a token in canonical form, or of the coin. Null if there is no registered form. */
export const assetId = (facts: Names & Pick<ChainFacts, "native">, token: string | null): string | null => {
  const [chain] = chainNames(facts)
  const { slip44 } = facts.native
  const asset =
    token === null ? (slip44 === undefined ? undefined : `slip44:${slip44}`) : tokenForms[facts.family]?.(token)
  return chain === undefined || asset === undefined || !/^[-a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/.test(asset)
    ? null
    : `${chain}/${asset}`
}

/** An account on all EVM networks. */
const allEvm = "eip155:0"

/**
 * The address in an account id (CAIP-10), whose chain must be that of the network, or any EVM network's if it is
 * `eip155:0`; any other text is returned unchanged.
 */
export const addressIn = (facts: Names): ((text: string) => Either.Either<string, string>) => {
  const own = chainNames(facts).map((name) => name.toLowerCase())
  const names = facts.family === "evm" ? [allEvm, ...own] : own
  return (text) => {
    const [, chain, address] = /^([-a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}):([^:]+)$/.exec(text) ?? []
    if (chain === undefined || address === undefined) return Either.right(text)
    return names.includes(chain.toLowerCase())
      ? Either.right(address)
      : Either.left(`the prefix "${chain}:" (CAIP-10) is not of this network`)
  }
}
