// A terminal wallet in 50 lines: streams the balances of addresses network by network, then lists their latest transactions.
// Run it against a service: tsc && node wallet.js http://localhost:3000 (Node 20 or newer, Bun, Deno, browsers).
import { make, WalletDataError } from "wallet-data/client"

const client = make({ baseUrl: process.argv[2] ?? "http://localhost:3000", timeout: 20_000 })

const networks = {
  ethereum: ["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"],
  bitcoin: ["bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj"],
  solana: ["9WzDXwBbmkg8ZTbNMqUxvQRAyrZzDsGYdLVL9zYtAWWM"]
}

const balances = async () => {
  let total = 0
  const stream = client.balances.stream({ networks })
  for await (const { balance, balanceUsd, blockchain, error, tokenSymbol } of stream) {
    console.log(`${blockchain}: ${balance ?? `unknown (${error})`} ${tokenSymbol}, ${balanceUsd ?? "?"} USD`)
    total += Number(balanceUsd ?? 0)
  }
  for (const { address, message, network } of stream.failures) console.log(`${network} ${address}: ${message}`)
  console.log(`total: ${total.toFixed(2)} USD`)
  return total
}

const history = async () => {
  const { data, partialFailures } = await client.history({ networks, limit: 3 }).withResponse()
  for (const [network, addresses] of Object.entries(data))
    for (const transaction of Object.values(addresses).flat())
      console.log(`${network}: ${transaction.type}, ${transaction.status}, ${transaction.hash}`)
  for (const { message, network } of partialFailures) console.log(`${network}: ${message}`)
}

try {
  const total = await balances()
  await history()
  const bitcoin = (await client.prices.coin(["bitcoin"], { currency: "eur" })).bitcoin
  console.log(`bitcoin: ${bitcoin?.price ?? "no price"} EUR`)
  if (!(total > 0)) throw new Error("these addresses hold nothing: check the address of the service")
} catch (error) {
  console.error(error instanceof WalletDataError ? `${error.kind}: ${error.message} ${error.requestId ?? ""}` : error)
  process.exitCode = 1
}
