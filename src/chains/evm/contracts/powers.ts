import { toFunctionSelector } from "viem/utils"
import type { TokenFacts, TokenPower } from "../../../domain/tokens/TokenFacts.ts"
import { lazy } from "../../../kernel/lazy.ts"
import type { CodeFacts } from "./bytecode.ts"

// What somebody can do to a token, as far as its code and its answers show.

type CodePower = Exclude<TokenPower, "transfer-hook" | "upgrade">

/** Usual functions with a power, of OpenZeppelin and of well-known issuers. */
const signatures: Readonly<Record<CodePower, ReadonlyArray<string>>> = {
  freeze: [
    "addBlackList(address)",
    "addToBlacklist(address)",
    "blacklist(address)",
    "blacklistAddress(address,bool)",
    "blackList(address)",
    "blockAccount(address)",
    "denyList(address)",
    "freeze(address)",
    "freezeAccount(address)",
    "freezeAccount(address,bool)",
    "setBlacklist(address,bool)",
    "setBlacklistEnabled(bool)",
    "setBots(address[])",
    "setFrozen(address,bool)"
  ],
  take: [
    "burn(address,uint256)",
    "burnBlacklisted(address)",
    "clawback(address,uint256)",
    "destroyBlackFunds(address)",
    "forceTransfer(address,address,uint256)",
    "forcedTransfer(address,address,uint256)",
    "seize(address,address,uint256)",
    "wipeFrozenAddress(address)"
  ],
  "transfer-fee": [
    "setFee(uint256)",
    "setFees(uint256,uint256)",
    "setParams(uint256,uint256)",
    "setTax(uint256)",
    "setTaxes(uint256,uint256)",
    "setTaxFeePercent(uint256)",
    "updateBuyFees(uint256,uint256,uint256)",
    "updateSellFees(uint256,uint256,uint256)"
  ],
  pause: ["pause()", "setPaused(bool)", "setTradingEnabled(bool)", "enableTrading()", "openTrading()"],
  mint: [
    "bridgeMint(address,uint256)",
    "crosschainMint(address,uint256)",
    "increaseSupply(uint256)",
    "issue(uint256)",
    "mint(address)",
    "mint(address,uint256)",
    "mint(uint256)",
    "mintTo(address,uint256)"
  ]
}

/** Usual functions without a power over what others hold. */
const harmless = [
  "name()",
  "symbol()",
  "decimals()",
  "totalSupply()",
  "balanceOf(address)",
  "allowance(address,address)",
  "approve(address,uint256)",
  "transfer(address,uint256)",
  "transferFrom(address,address,uint256)",
  "increaseAllowance(address,uint256)",
  "decreaseAllowance(address,uint256)",
  "increaseApproval(address,uint256)",
  "decreaseApproval(address,uint256)",
  "approveAndCall(address,uint256,bytes)",
  "transferAndCall(address,uint256,bytes)",
  "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
  "nonces(address)",
  "DOMAIN_SEPARATOR()",
  "PERMIT_TYPEHASH()",
  "eip712Domain()",
  "version()",
  "burn(uint256)",
  "burnFrom(address,uint256)",
  "deposit()",
  "withdraw(uint256)",
  "owner()",
  "getOwner()",
  "transferOwnership(address)",
  "renounceOwnership()",
  "supportsInterface(bytes4)",
  "cap()",
  "paused()",
  "unpause()"
]

/** Ids of interfaces, which code compares like selectors: ERC-165, 721, 1155, 20, access control and metadata. */
const interfaces = ["0xffffffff", "0x80ac58cd", "0xd9b67a26", "0x5b5e139f", "0x0e89341c", "0x36372b07", "0x7965db0b"]

const selectorsOf = (some: ReadonlyArray<string>) => some.map((signature) => toFunctionSelector(signature) as string)

/** Hashed on first use, which takes about a millisecond. */
const selectors = lazy(() => {
  const powers = Object.entries(signatures).map(([power, own]) => [power as CodePower, selectorsOf(own)] as const)
  const upgrades = selectorsOf(["upgradeTo(address)", "upgradeToAndCall(address,bytes)"])
  const known = new Set([...interfaces, ...selectorsOf(harmless), ...powers.flatMap(([, own]) => own)])
  return { powers, upgrades, known }
})

/** Evidence of powers in the code of a token and in the results of its functions. */
export interface PowerEvidence {
  /** The contract itself. Undefined if its code could not be read. */
  readonly code: CodeFacts | undefined
  /** The contract whose code it runs. Absent if it is no proxy, undefined if that code could not be read. */
  readonly implementation?: CodeFacts | undefined
  /** Whether another account decides which code runs; null if that is not known. */
  readonly isReplaceable: boolean | null
  /** Whether an owner, or another account with rights, is named. */
  readonly hasAuthority: boolean
  /** Whether transfers are paused now. */
  readonly isPaused: boolean
}

/**
 * The powers over a token. True only if a function for it exists and an account that may call it is named; false only if
 * the code has no function but usual ones without the power; null otherwise.
 */
export const powersOf = (evidence: PowerEvidence): TokenFacts["powers"] => {
  const { code, hasAuthority, isPaused } = evidence
  const { known, powers } = selectors()
  const running = "implementation" in evidence ? evidence.implementation : code
  const functions = running?.functions ?? new Set<string>()
  const isUnderstood =
    running !== undefined &&
    functions.size > 0 &&
    !running.delegates &&
    [...functions].every((selector) => known.has(selector))
  const own = powers.map(([power, some]) => {
    const exists = some.some((selector) => functions.has(selector))
    if (power === "pause" && isPaused) return [power, true] as const
    if (exists) return [power, hasAuthority ? true : null] as const
    return [power, isUnderstood ? false : null] as const
  })
  return { ...Object.fromEntries(own), upgrade: upgradeOf(evidence, running) }
}

const upgradeOf = (evidence: PowerEvidence, running: CodeFacts | undefined): boolean | null => {
  const { hasAuthority, isReplaceable } = evidence
  if (isReplaceable === true) return true
  const canUpgrade = selectors().upgrades.some((selector) => running?.functions.has(selector))
  if (isReplaceable === null && "implementation" in evidence) return canUpgrade && hasAuthority ? true : null
  // A clone runs code that may itself run other code.
  return running === undefined || running.delegates || running.destroys || canUpgrade ? null : false
}
