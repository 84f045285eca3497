import type { Address, Hex } from "viem"
import { stringToHex, toFunctionSelector } from "viem/utils"

// Tiny contracts, assembled by hand: each is a table of functions with their code.

/** The code of a function, without `0x`, at this position of the contract. */
type Body = (position: number) => string

const hex = (value: number | bigint, bytes: number): string => value.toString(16).padStart(2 * bytes, "0")

/** The contract with these functions, by signature; for all other calls it does `fallback`. */
export const contract = (functions: Readonly<Record<string, Body>>, fallback: Body = reverts): Hex => {
  const entries = Object.entries(functions)
  const head = "60003560e01c"
  // DUP1 PUSH4 selector EQ PUSH2 position JUMPI
  const start = head.length / 2 + 11 * entries.length
  const other = `5b${fallback(start)}`
  let bodies = other
  let table = head
  for (const [signature, body] of entries) {
    const position = start + bodies.length / 2
    table += `8063${toFunctionSelector(signature).slice(2)}1461${hex(position, 2)}57`
    bodies += `5b${body(position)}`
  }
  return `0x${table}${bodies}`
}

/** Contracts without a table: every call does the same. */
export const always = (body: Body): Hex => `0x5b${body(0)}`

export const returns =
  (value: bigint | number): Body =>
  () =>
    `7f${hex(value, 32)}60005260206000f3`

/** Returns an ABI string. */
export const returnsText =
  (text: string): Body =>
  () => {
    const bytes = stringToHex(text).slice(2)
    const words = [hex(32, 32), hex(bytes.length / 2, 32), ...(bytes.match(/.{1,64}/g) ?? [])]
    const stores = words.map((word, index) => `7f${word.padEnd(64, "0")}61${hex(32 * index, 2)}52`).join("")
    return `${stores}61${hex(32 * words.length, 2)}6000f3`
  }

/** Returns text as 32 bytes, as old tokens do. */
export const returnsBytes32 = (text: string): Body => returns(BigInt(stringToHex(text, { size: 32 })))

/** Returns a string of this many zero bytes. */
export const returnsZeros =
  (bytes: number): Body =>
  () =>
    `602060005262${hex(bytes, 3)}60205262${hex(bytes + 64, 3)}6000f3`

export const reverts: Body = () => "60006000fd"

/** Reverts with one word. */
export const revertsWith =
  (value: number): Body =>
  () =>
    `60${hex(value, 1)}60005260206000fd`

/** Jumps to its own beginning until the gas is used up. */
export const loops: Body = (position) => `61${hex(position, 2)}56`

/** Returns one number to this caller, and another one to all others. */
export const returnsByCaller =
  (caller: Address, own: number, others: number): Body =>
  () =>
    `3373${caller.slice(2).toLowerCase()}1460${hex(own - others, 1)}0260${hex(others, 1)}0160005260206000f3`

/** Uses about 1,900,000 gas for a hash of zeros, and then returns this number. */
export const returnsLate =
  (value: number): Body =>
  () =>
    `620e0000600020507f${hex(value, 32)}60005260206000f3`

export const destroysItself: Body = () => "33ff"

/** Delegates all calls to the contract in this storage slot. */
export const proxy = (slot: Hex): Hex => {
  const head = `363d3d373d3d3d363d7f${slot.slice(2)}545af43d6000803e`
  return `0x${head}1561${hex(head.length / 2 + 10, 2)}573d6000f300005b3d6000fd`
}

/** A token with the usual functions; `own` adds functions, or replaces them. */
export const token = (own: Readonly<Record<string, Body>> = {}, fallback?: Body): Hex =>
  contract(
    {
      "name()": returnsText("Token"),
      "symbol()": returnsText("TKN"),
      "decimals()": returns(6),
      "totalSupply()": returns(1_000_000),
      "balanceOf(address)": returns(0),
      "allowance(address,address)": returns(0),
      "transfer(address,uint256)": returns(1),
      "approve(address,uint256)": returns(1),
      "transferFrom(address,address,uint256)": returns(1),
      ...own
    },
    fallback
  )
