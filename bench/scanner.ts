import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { type Address, createPublicClient, erc20Abi, http } from "viem"
import { mainnet } from "viem/chains"
import { ethereum } from "../src/catalogue/evm/ethereum.ts"
import { tokenPacks } from "../src/chains/evm/holdings.ts"
import { onChain } from "../src/chains/evm/providers/node/connect.ts"
import * as Balances from "../src/chains/evm/strategies/Balances.ts"
import { Settings } from "../src/settings/Settings.ts"
import * as FetchClient from "../src/upstream/FetchClient.ts"
import * as Upstream from "../src/upstream/Upstream.ts"
import { Upstreams } from "../src/upstream/Upstreams.ts"
import * as Node from "../test/support/anvil.ts"
import { tokenBytecode } from "../test/support/contracts/bytecode.ts"
import { counting, figure, kilobytes, timed } from "./measure.ts"

const tokenCount = 2_000
const holder: Address = "0x00000000000000000000000000000000000a11ce"
const tokens = Array.from(
  { length: tokenCount },
  (_, index): Address => `0x${(0x1000_0000 + index).toString(16).padStart(40, "0")}`
)

const prepare = Effect.gen(function* () {
  const { rpcs, url } = yield* Node.Anvil
  yield* rpcs([Node.withMulticall3, Node.withNative(holder, 10n ** 18n)])
  for (let from = 0; from < tokenCount; from += 500)
    yield* rpcs(
      tokens
        .slice(from, from + 500)
        .flatMap((token, index) => [
          Node.withCode(token, tokenBytecode),
          ...(index % 40 === 0 ? [Node.withBalance(token, holder, BigInt(from + index + 1))] : [])
        ])
    )
  return url
})

/** Compares our scanner with viem's multicall and its defaults: one holder of 2,000 tokens on a real node. */
export const scanner = Effect.gen(function* () {
  const url = yield* prepare
  const proxy = counting(url)
  const nodes = yield* Upstream.make({
    name: "bench-rpc",
    urls: [proxy.url],
    canary: onChain(1)
  })
  const read = Balances.make(ethereum, nodes)
  const pack = tokenPacks(() => true)
  const list = tokens.map((address) => ({ address }) as never)
  const viem = createPublicClient({ chain: mainnet, transport: http(proxy.url), batch: {} })

  const ours = () => Effect.runPromise(read({ chainId: 1, holders: [holder], ...pack(list) }))
  const theirs = () =>
    viem.multicall({
      contracts: tokens.map((address) => ({
        address,
        abi: erc20Abi,
        functionName: "balanceOf" as const,
        args: [holder] as const
      }))
    })

  const counted = async (run: () => Promise<unknown>) => {
    const time = await timed(9, run)
    proxy.traffic.calls = 0
    proxy.traffic.bytes = 0
    await run()
    return { time, ...proxy.traffic }
  }
  const [a, b] = yield* Effect.promise(async () => [await counted(ours), await counted(theirs)] as const)
  const [reading] = (yield* read({ chainId: 1, holders: [holder], ...pack(list) })).holders
  const results = yield* Effect.promise(theirs)
  const same = tokens.every((token, index) => (reading?.balances.get(token) ?? 0n) === results[index]?.result)
  proxy.stop()

  console.log(`\n${tokenCount} tokens of one holder on anvil, both through one counting proxy`)
  console.log(`  scanner          ${a.time.toFixed(1)} ms, ${a.calls} calls, ${kilobytes(a.bytes)}`)
  console.log(`  viem multicall   ${b.time.toFixed(1)} ms, ${b.calls} calls, ${kilobytes(b.bytes)}`)
  console.log(`  same balances    ${same}`)
  const ratio = (theirs: number, ours: number) => `${(theirs / ours).toFixed(1)}x`
  figure("time", ratio(b.time, a.time), "10x", b.time / a.time >= 10)
  figure("calls", ratio(b.calls, a.calls), "10x", b.calls / a.calls >= 10)
  figure("bytes", ratio(b.bytes, a.bytes), "10x", b.bytes / a.bytes >= 10)
}).pipe(Effect.provide(Layer.mergeAll(Node.layer, FetchClient.layer, Settings.layer({}), Upstreams.layer)))
