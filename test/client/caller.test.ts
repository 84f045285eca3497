import { assert, describe, it } from "@effect/vitest"
import { make, type WalletData } from "../../src/client/Client.ts"
import { failure } from "./failure.ts"

const lone = "\ud800"
const big = { ethereum: [1n as unknown as string] }
const half = { ethereum: [lone] }
const none = { ethereum: undefined as unknown as Array<string> }
const call = { method: "eth_call", params: [1n] }

/** A client that counts what it sends. */
const counting = () => {
  const sent: Array<string> = []
  const fetch = async (url: string) => {
    sent.push(url)
    return Response.json([])
  }
  return { sent, client: make({ baseUrl: "http://wallet.test", retryDelay: 0, fetch }) }
}

const acts: Readonly<Record<string, (client: WalletData) => PromiseLike<unknown>>> = {
  "an address with half a character": ({ addresses }) => addresses.lookUp(lone),
  "an address that is a segment": ({ addresses }) => addresses.lookUp(".."),
  "an address that is the other segment, with a query": ({ addresses }) => addresses.lookUp(".", { detail: true }),
  "a network that is a segment": ({ nodes }) => nodes.testnetRpc("..", { method: "eth_call" }),
  "a faucet for a segment": ({ faucet }) => faucet.fund(".."),
  "a BigInt in a read": ({ balances }) => balances({ networks: big }),
  "a BigInt in a stream": ({ balances }) => balances.stream({ networks: big }).next(),
  "a BigInt in pages": ({ history }) => history.pages({ networks: big }).next(),
  "a BigInt in a call": ({ nodes }) => nodes.rpc("base", call),
  "a BigInt in a send": ({ transactions }) =>
    transactions.send({ network: "base", transaction: 1n as unknown as string }),
  "an export of no text": ({ history }) => history.export({ networks: half }).next(),
  "a file of no text": ({ history }) => history.exportFile({ networks: half }),
  "a file of no list": ({ history }) => history.exportFile({ networks: none }),
  "coins with half a character": ({ prices }) => prices.coin([lone]),
  "coins that are no list": ({ prices }) => prices.coin(undefined as unknown as Array<string>),
  "a series with half a character": ({ charts }) => charts.item(lone as "bitcoin", 1)
}

describe("what a caller cannot send", () => {
  for (const [name, act] of Object.entries(acts))
    it(`fails, and is not thrown: ${name}`, async () => {
      const { client, sent } = counting()
      const result = act(client)
      assert.deepInclude(await failure(result), { kind: "invalid", mayHaveArrived: false, status: undefined })
      assert.deepStrictEqual(sent, [])
    })

  it("has the reason as its cause", async () => {
    const { client } = counting()
    const error = await failure(client.addresses.lookUp(lone))
    assert.instanceOf(error.cause, URIError)
    assert.match(error.message, /^The request could not be sent: /)
  })

  it("is not a text that only resembles a segment", async () => {
    const { client, sent } = counting()
    for (const text of ["...", ".a", "a..", "a/../b"]) await client.addresses.lookUp(text)
    assert.deepStrictEqual(
      sent.map((url) => new URL(url).pathname),
      ["/address/...", "/address/.a", "/address/a..", "/address/a%2F..%2Fb"]
    )
  })
})
