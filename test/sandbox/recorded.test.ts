import { readFileSync } from "node:fs"
import { type Answer, answersOf, isFailure } from "../support/endpoints.ts"
import { exchangesIn } from "../support/fixtures.ts"
import { recordingFolders } from "../support/recordingFolders.ts"
import { differences, shapeOf } from "../support/shapes.ts"
import { simulatedAnswers, subjects } from "../support/simulatedAnswers.ts"
import { filesIn } from "../support/sources.ts"
import { isListed } from "../support/uncompared.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Source files that decode the answers of an API. */
const decoders: Readonly<Record<string, RegExp>> = {
  binance: /\/Binance/,
  bitcoind: /utxo\/(rawTransactions|fees|providers\/bitcoind)\//,
  blockbook: /utxo\/providers\/blockbook\//,
  "blockchain-info": /utxo\/providers\/blockchaininfo\//,
  blockcypher: /utxo\/providers\/blockcypher\//,
  blockfrost: /chains\/cardano\/(providers\/blockfrost\/|\w+\.ts)/,
  blockscout: /evm\/(history|providers\/etherscan)|irstTransaction/,
  coingecko: /\/(CoinGecko|CoinDetails|ExchangeRates|CoinFacts)/,
  defillama: /\/DefiLlama/,
  esplora: /utxo\/(providers\/esplora\/|(replacement|status)\.ts|fees\/)/,
  etherscan: /evm\/(history|providers\/etherscan)|irstTransaction/,
  "evm-rpc": /chains\/evm\/(?!history\/(Explorer|First)|providers\/etherscan)|features\/faucet\//,
  frankfurter: /\/Frankfurter/,
  haskoin: /utxo\/providers\/haskoin\//,
  jupiter: /solana\/providers\/jupiter\//,
  koios: /chains\/cardano\/(providers\/koios\/|\w+\.ts)/,
  rippled: /chains\/ripple\//,
  routescan: /evm\/(history|providers\/etherscan)|irstTransaction/,
  solana: /chains\/solana\//,
  subscan: /polkadot\/(providers\/subscan\/|history|rows)/,
  "substrate-rpc": /polkadot\/(?!providers\/subscan\/|history|rows)/,
  sui: /chains\/sui\//,
  tenderly: /features\/simulation\//,
  tokenlist: /\/TokenRegistry/,
  tonapi: /chains\/ton\/(providers\/tonapi\/|(?!order|refusals|toTransaction|walletKinds)\w+\.ts)/,
  "toncenter-v2": /chains\/ton\/(providers\/toncenter\/|(?!order|refusals|toTransaction|walletKinds)\w+\.ts)/,
  "toncenter-v3": /chains\/ton\/(providers\/toncenter\/|(?!order|refusals|toTransaction|walletKinds)\w+\.ts)/,
  trongrid: /chains\/tron\//
}

/** Words of the files that decode the answers of an API. */
const wordsOf = (provider: string): ReadonlySet<string> =>
  new Set(
    filesIn("src")
      .filter((path) => !path.startsWith("src/sandbox/") && decoders[provider]?.test(path))
      .flatMap((path) => readFileSync(path, "utf8").match(/\w+/g) ?? [])
  )

const grouped = (answers: ReadonlyArray<Answer>) =>
  Map.groupBy(answers, (answer) => `${answer.endpoint}${isFailure(answer) ? " (error)" : ""}`)

const bodies = (answers: ReadonlyArray<Answer>) => shapeOf(answers.map(({ body }) => body))
const statuses = (answers: ReadonlyArray<Answer>) => [...new Set(answers.map(({ status }) => status))].sort().join(", ")

/** How simulated answers of an endpoint differ from recorded answers, in statuses and in members that a decoder names. */
const compare = (recorded: ReadonlyArray<Answer>, simulated: ReadonlyArray<Answer>, words: ReadonlySet<string>) => [
  ...differences(bodies(recorded), bodies(simulated)).flatMap(({ detail, kind, path }) => {
    const isRead = words.has(path.replace(/(\[\])+$/, "").replace(/.*\./, ""))
    return isRead ? [{ difference: `${kind} ${path}`, detail }] : []
  }),
  ...(statuses(recorded) === statuses(simulated)
    ? []
    : [{ difference: "status", detail: `recorded ${statuses(recorded)}; simulated ${statuses(simulated)}` }])
]

/** The differences of a subject that test/sandbox/accepted/ lists, by reason and endpoint. */
const acceptedIn = (subject: string): ReadonlyArray<string> => {
  const table: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<string>>>>> = JSON.parse(
    readFileSync(`test/sandbox/accepted/${subject}.json`, "utf8")
  )
  return Object.values(table)
    .flatMap((endpoints) => Object.entries(endpoints))
    .flatMap(([endpoint, all]) => all.map((difference) => `${endpoint}: ${difference}`))
}

/** Recordings of requests that no adapter sends, and of transactions without their responses. */
const others = [
  "blockscout/v2-transaction-optimism-with-l1-fee",
  "rippled/tx-cross-currency-payment",
  "rippled/tx-partial-payment-xrp",
  "rippled/tx-payment-mptoken"
]

/** The endpoints that docs/testing.md lists as simulated by the documents alone. */
const documented = [
  ...readFileSync("docs/testing.md", "utf8")
    .replace(/^.*by the documents alone \|$/ms, "")
    .matchAll(/^\| ([\w-]+) \| (`.*`) \|$/gm)
]
  .flatMap(([, api, endpoints = ""]) => endpoints.split(", ").map((each) => `${api} ${each.replaceAll("`", "")}`))
  .sort()

describe("the endpoints that are simulated by the documents alone", () => {
  it("are as many as docs/testing.md says", () => {
    const [, count] = readFileSync("docs/testing.md", "utf8").match(/^No recording exists of (\d+) endpoints/m) ?? []
    assert.strictEqual(Number(count), documented.length)
  })
})

// The table is about the recordings of both folders.
describe.skipIf(recordingFolders.length < 2)("the answers of the sandbox", () => {
  const recordings = new Map(
    recordingFolders
      .flatMap((folder) => [...exchangesIn(folder)])
      .filter(([file]) => !isListed(file) && !others.includes(file))
  )
  const recorded = grouped([...recordings].flatMap(([file, each]) => answersOf(file.split("/")[0] ?? "", each)))

  for (const subject of subjects)
    it(`have the shapes of recorded answers, except accepted differences: ${subject}`, function* () {
      const { answers, providers, repeated } = yield* simulatedAnswers(subject, recordings)
      const simulated = grouped([...answers, ...repeated])
      const words = new Map([...providers].map((provider) => [provider, wordsOf(provider)]))
      for (const [provider, { size }] of words) assert.isAbove(size, 0, provider)
      const compared = [...recorded].flatMap(([endpoint, real]) => {
        const read = words.get(endpoint.split(" ")[0] ?? "")
        const own = simulated.get(endpoint)
        return read === undefined || own === undefined ? [] : [{ endpoint, found: compare(real, own, read) }]
      })
      assert.isNotEmpty(compared)
      const found = new Map(
        compared.flatMap(({ endpoint, found }) =>
          found.map(({ detail, difference }): [string, string] => [`${endpoint}: ${difference}`, detail])
        )
      )
      const listed = acceptedIn(subject)
      assert.deepStrictEqual(
        {
          new: [...found].filter(([name]) => !listed.includes(name)).map(([name, detail]) => `${name}: ${detail}`),
          stale: listed.filter((name) => !found.has(name)),
          double: listed.filter((name, index) => listed.indexOf(name) !== index)
        },
        { new: [], stale: [], double: [] }
      )
      const ofSubject = (endpoint: string) => providers.has(endpoint.split(" ")[0] ?? "")
      assert.deepStrictEqual(
        documented.filter(ofSubject),
        [...grouped(answers).keys()]
          .filter((each) => ofSubject(each) && !recorded.has(each) && !each.endsWith("(error)"))
          .sort()
      )
    })
})
