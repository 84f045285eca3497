import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { isObject, type Json, resolved, schemas } from "../support/document.ts"

/** The members of all schemas, by schema and name, with their descriptions. */
const members = schemas.flatMap(([path, schema]) =>
  isObject(schema.properties)
    ? Object.entries(schema.properties).map(([name, member]) => ({
        name,
        place: `${path.split("/")[0]}.${name}`,
        description: String(resolved(member as Json).description)
      }))
    : []
)

const placesOf = (isFound: (member: (typeof members)[number]) => boolean) =>
  [...new Set(members.filter(isFound).map(({ place }) => place))].sort()

describe("a unit in the OpenAPI document", () => {
  it("is seconds for `timestamp`, except in the block that Tron's transactions refer to", () => {
    assert.deepStrictEqual(
      placesOf(({ description, name }) => name === "timestamp" && !/UNIX (time in )?seconds/.test(description)),
      ["ReferenceBlock.timestamp"]
    )
  })

  it("is milliseconds for every name in `At`, and no other name has times in milliseconds but the listed ones", () => {
    assert.deepStrictEqual(
      placesOf(({ description, name }) => /[a-z]At$/.test(name) && !description.includes("milliseconds")),
      []
    )
    assert.deepStrictEqual(
      placesOf(
        ({ description, name }) =>
          !/[a-z]At$/.test(name) && name !== "timestamp" && /UNIX time in milliseconds/.test(description)
      ),
      [
        "ChartMetadata.lastUpdate",
        "LastKnown.at",
        "MarketChart.market_caps",
        "MarketChart.prices",
        "MarketChart.total_volumes",
        "MultiplierChange.at",
        "PortfolioAddress.since",
        "PortfolioPoint.at",
        "UpstreamHealth.at"
      ]
    )
  })

  it("is the base unit for every name in `BaseUnits`, and for no other name but the listed ones", () => {
    assert.deepStrictEqual(
      placesOf(({ description, name }) => name.endsWith("BaseUnits") && !/base units/i.test(description)),
      []
    )
    assert.deepStrictEqual(
      placesOf(
        ({ description, name }) => !name.endsWith("BaseUnits") && /^[^.]*(?<!not in )base units/i.test(description)
      ),
      [
        ".fee",
        "AssetQuantity.quantity",
        "Balance.rawBalance",
        "DecodedTransaction.fee",
        "HistoryEntry.fee",
        "Party.amount",
        "SimulationInput.gas_price",
        "SimulationInput.value",
        "SolanaContext.tokenAccounts",
        "SolanaTokenAccount.amount",
        "TokenBalance.rawBalance",
        "TokenDescription.rawSupply",
        "TransactionByHash.fee",
        "TransactionStatus.fee",
        "UnspentOutput.value",
        "UtxoFeeLevel.satPerVbyte",
        "UtxoReplacementMinimum.incrementalSatPerVbyte",
        "UtxoReplacementMinimum.satPerVbyte"
      ]
    )
  })

  it("is in the table of docs/client.md, with the exceptions", () => {
    const [, table = ""] = /\n### Units\n([\s\S]*?)\n## /.exec(readFileSync("docs/client.md", "utf8")) ?? []
    for (const name of [
      "timestamp",
      "BaseUnits",
      "at",
      "since",
      "lastUpdate",
      "fee",
      "rawBalance",
      "amount",
      "quantity",
      "value"
    ])
      assert.include(table, `\`${name}\``)
  })
})
