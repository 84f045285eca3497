import { assert, describe, it } from "@effect/vitest"
import type { components } from "../../src/client/Client.ts"
import { type Failure, make } from "../../src/client/Client.ts"

type Schemas = components["schemas"]
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false
const same = <T extends true>(value: T) => value

/** Checked by the compiler; never called. */
type Known<Word> = Word extends unknown ? (string extends Word ? never : Word) : never

const usage = async () => {
  const client = make({ baseUrl: "" })
  const networks: Readonly<Record<string, ReadonlyArray<string>>> = { ethereum: ["0x1"] }
  const rows = await client.balances({ networks })
  same<Same<typeof rows, ReadonlyArray<Schemas["Balance"]>>>(true)
  for await (const row of client.balances.stream({ networks })) same<Same<typeof row, Schemas["Balance"]>>(true)
  const lists = await client.history({ networks, limit: 5 })
  same<Same<(typeof lists)[string][string], ReadonlyArray<Schemas["HistoryEntry"]>>>(true)
  const withMeta = await client.history({ networks, meta: true })
  same<Same<typeof withMeta, Schemas["HistoryWithMeta"]>>(true)
  for await (const part of client.history.stream({ networks, meta: true }))
    same<Same<typeof part, Schemas["HistoryWithMeta"]>>(true)
  const { data } = await client.prices.coin(["bitcoin"], { currency: "eur" }).withResponse()
  same<Same<(typeof data)[string], Schemas["CoinPrice"]>>(true)
  same<Same<Known<Failure["errorCode"]>, Known<NonNullable<Schemas["Balance"]["errorCode"]>> | "unknown_network">>(true)
  const { context } = (await client.transactions.context({ networks })).ethereum?.["0x1"] ?? {}
  if (context?.family === "evm") context.pendingNonce.toFixed()
  if (context?.family === "solana") {
    // @ts-expect-error a member of another family
    context.pendingNonce.toFixed()
  }
  const fees = await client.fees("base")
  fees.levels.standard.transferFee?.trim()
  switch (fees.family) {
    case "ton":
      return fees.levels.fast.seconds
    case "evm":
      return fees.levels.fast.maxFeePerGasWei
    case "from-the-future" as string:
      // @ts-expect-error not a member that is known
      return fees.levels.fast.maxFeePerGasWei
  }
  await client.prices.marketChart(["bitcoin"], 7)
  // @ts-expect-error unknown period
  await client.prices.marketChart(["bitcoin"], 8)
  // @ts-expect-error unknown coin
  await client.charts.item("monero", 1)
  // @ts-expect-error misspelt member
  await client.balances({ network: {} })
  const limit = undefined as number | undefined
  await client.history({ networks, limit })
  await client.history({ networks, limit, meta: true, cursors: undefined })
  await client.balances({ networks, currency: undefined, detail: undefined })
  await client.balances.token({ networkId: "base", address: "0x1", tokenAddress: undefined })
  await client.transactions.send({ network: "base", transaction: "0x1", testnet: undefined })
  await client.transactions.estimate({
    network: "base",
    transaction: { from: "0x1", to: "0x2", value: undefined, data: undefined }
  })
  // @ts-expect-error the transaction is missing
  await client.transactions.sendRaw({ chain: "bitcoin" })
  // @ts-expect-error a required member
  await client.balances.token({ networkId: undefined, address: "0x1" })
  // @ts-expect-error no list of addresses
  await client.history({ networks: { ethereum: undefined } })
  const chain = await client.status.metrics()
  same<Same<typeof chain, string>>(true)
}

describe("the client", () => {
  it("has the types of the contract", () => {
    assert.typeOf(usage, "function")
  })
})
