import * as TonCells from "./TonCells.ts"

// The part of the network's configuration that fees are computed from, as it is on the main network (block.tlb).

const gas = { flat_gas_limit: 100, flat_gas_price: 40_000, gas_price: 26_214_400 }
const message = { lump_price: 400_000, bit_price: 26_214_400, cell_price: 2_621_440_000 }

const u64 = (...values: ReadonlyArray<number>) => values.map((value) => TonCells.uint(value, 64)).join("")

const cells: Readonly<Record<string, TonCells.Cell>> = {
  21: TonCells.cell(
    TonCells.uint(0xd1, 8) +
      u64(gas.flat_gas_limit, gas.flat_gas_price) +
      TonCells.uint(0xde, 8) +
      u64(gas.gas_price, 1_000_000, 1_000_000, 10_000, 10_000_000, 100_000_000, 1_000_000_000)
  ),
  25: TonCells.cell(
    TonCells.uint(0xea, 8) +
      u64(message.lump_price, message.bit_price, message.cell_price) +
      TonCells.uint(98_304, 32) +
      TonCells.uint(21_845, 16) +
      TonCells.uint(21_845, 16)
  )
}

/** As TON Center returns a parameter; undefined for any other parameter. */
export const configInfo = (id: unknown) => {
  const cell = cells[String(id)]
  return cell === undefined
    ? undefined
    : { "@type": "configInfo", config: { "@type": "tvm.cell", bytes: TonCells.toBoc(cell) } }
}

/** As TonAPI returns all of it. */
export const blockchainConfig = {
  "21": { gas_limits_prices: { ...gas, gas_limit: 1_000_000, gas_credit: 10_000, block_gas_limit: 10_000_000 } },
  "25": { msg_forward_prices: { ...message, ihr_price_factor: 98_304, first_frac: 21_845, next_frac: 21_845 } }
}
