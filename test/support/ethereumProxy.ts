import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import { type Address, type Hex, parseEther } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import { numberToHex } from "viem/utils"
import * as FetchClient from "../../src/upstream/FetchClient.ts"
import * as Node from "./anvil.ts"
import { sandboxExcept } from "./beside.ts"
import { coinsBytecode } from "./contracts/bytecode.ts"
import { Proxy } from "./proxy.ts"

// The service with real nodes for Ethereum; all other upstreams are simulated.

const layerOver = (urls: ReadonlyArray<string>) =>
  Proxy.layerOver(
    { UPSTREAMS: "live", ETHEREUM_RPC_URLS: urls.join(",") },
    sandboxExcept(/^ethereum-rpc$/, FetchClient.layer)
  )

const path = "/utils/rpc/ethereum"

/** A node with Multicall3, and the service in front of it. */
export const layer = Layer.unwrapEffect(
  Effect.gen(function* () {
    const { rpcs, url } = yield* Node.Anvil
    yield* rpcs([Node.withMulticall3])
    return layerOver([url])
  })
).pipe(Layer.provideMerge(Node.layer))

/** The service's JSON-RPC URL. */
export const url = Effect.map(Proxy, (proxy) => `${proxy.url}${path}`)

/** A TCP proxy in front of a node that detects sent transactions. */
const tcpProxyTo = Effect.fnUntraced(function* (node: Context.Tag.Service<Node.Anvil>) {
  const { hostname, port } = new URL(node.url)
  const sent = yield* Deferred.make<void>()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.listen<Promise<Bun.Socket>>({
        hostname,
        port: 0,
        socket: {
          open(client) {
            const socket = {
              data: (_: unknown, bytes: Buffer) => void client.write(bytes),
              close: () => client.terminate()
            }
            client.data = Bun.connect({ hostname, port: Number(port), socket })
            client.data.catch(() => client.terminate())
          },
          data(client, bytes) {
            const copy = Buffer.from(bytes)
            const pass = (there: Bun.Socket) => {
              there.write(copy)
              if (copy.includes("eth_sendRawTransaction")) Deferred.unsafeDone(sent, Exit.void)
            }
            client.data.then(pass, () => {})
          },
          close: (client) =>
            void client.data.then(
              (there) => there.end(),
              () => {}
            )
        }
      })
    ),
    (tCPSocketListener) => Effect.sync(() => tCPSocketListener.stop(true))
  )
  return {
    ...node,
    url: `http://${hostname}:${server.port}`,
    /** Done when a transaction was sent to the node. */
    sent: Deferred.await(sent),
    kill: Effect.zipRight(
      node.kill,
      Effect.sync(() => server.stop(true))
    )
  }
})

/** Two separate nodes and the service in front of them, which prefers the first. */
export const nodes = Effect.gen(function* () {
  const anvil = Effect.map(Layer.build(Layer.fresh(Node.layer)), (context) => Context.get(context, Node.Anvil))
  const [first, second] = yield* Effect.all([Effect.flatMap(anvil, tcpProxyTo), anvil])
  const proxy = yield* Effect.map(Layer.build(layerOver([first.url, second.url])), (context) =>
    Context.get(context, Proxy)
  )
  return { first, second, url: `${proxy.url}${path}` }
})

/** Initial balance of an account, wei. */
export const initialBalance = parseEther("10")

export const key = (index: number): Hex => numberToHex(index, { size: 32 })

/** A separate account per index, funded at these nodes. */
export const fundedAt = (
  index: number,
  ...at: ReadonlyArray<Context.Tag.Service<Node.Anvil>>
): Effect.Effect<PrivateKeyAccount, Node.RpcError> => {
  const account = privateKeyToAccount(key(index))
  return Effect.as(
    Effect.forEach(at, ({ rpcs }) => rpcs([Node.withNative(account.address, initialBalance)])),
    account
  )
}

export const funded = (index: number) => Effect.flatMap(Node.Anvil, (node) => fundedAt(index, node))

/** The deployment code of the contract `Coins`: returns the code that follows its first 10 bytes. */
export const creation: Hex = `0x61${((coinsBytecode.length - 2) / 2).toString(16).padStart(4, "0")}80600a3d393df3${coinsBytecode.slice(2)}`

export const coinsAbi = [
  "event Transfer(address indexed from, address indexed to, uint256 value)",
  "error TooLittle(address holder, uint256 held, uint256 wanted)",
  "function balanceOf(address holder) view returns (uint256)",
  "function mint(address to, uint256 value)",
  "function transfer(address to, uint256 value) returns (bool)"
] as const

export const recipient: Address = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

/** The error of a rejected promise. */
export const failure = <A = Error>(promise: () => Promise<unknown>) =>
  Effect.promise(() =>
    promise().then(
      () => Promise.reject(new Error("the promise did not reject")),
      (error: unknown) => error as A
    )
  )
