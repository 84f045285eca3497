import * as Either from "effect/Either"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import * as CardanoChain from "./CardanoChain.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import * as CardanoOutputs from "./CardanoOutputs.ts"
import * as CardanoParameters from "./CardanoParameters.ts"
import {
  account,
  assetsOf,
  type CardanoLedger,
  newestBlock,
  registered,
  seconds,
  spendable,
  split,
  used
} from "./CardanoWorld.ts"

const networkMagic = 764_824_073

/** Blockfrost, the preferred upstream, which needs a key. */
export const blockfrost =
  (ledger: CardanoLedger): Simulated =>
  ({ bytes = new Uint8Array(), now, path, query }) => {
    const { facts, histories, outputs, sent } = ledger
    if (path.endsWith("/epochs/latest/parameters"))
      return json(CardanoParameters.blockfrostParameters(CardanoChain.epochAt(seconds(now))))
    if (path.endsWith("/blocks/latest")) return json(newestBlock(now))
    if (path.endsWith("/tx/submit"))
      return Either.match(sent.submit(bytes, now), {
        onLeft: (refusal) => json({ error: "Bad Request", message: JSON.stringify(refusal), status_code: 400 }, 400),
        onRight: (id) => json(id)
      })
    const [, kind, id = "", , what] =
      /\/(addresses|accounts|assets|genesis|txs)(?:\/([^/]+))?(\/(.+))?$/.exec(path) ?? []
    const amounts = () =>
      assetsOf(facts, id).map(({ contract, quantity }) => ({
        unit: contract.address,
        quantity,
        ...(kind === "addresses" ? { decimals: contract.decimals, has_nft_onchain_metadata: false } : {})
      }))
    if (kind === "genesis") return json({ network_magic: networkMagic })
    if (kind === "txs" && what === "cbor") {
      const cbor = sent.cborOf(id)
      return cbor === undefined ? notFound() : json({ cbor })
    }
    if (kind === "txs") {
      const transaction = histories.by(id)
      if (transaction === undefined) return notFound()
      return json(
        what === "utxos" ? CardanoHistory.blockfrostUtxos(transaction) : CardanoHistory.blockfrostContent(transaction)
      )
    }
    if (kind === "assets") {
      const contract = World.contractsOn(facts.platform).find(({ address }) => address === id)
      return contract === undefined
        ? notFound()
        : json({ asset: id, ...split(id), metadata: registered(contract), onchain_metadata: null })
    }
    if (kind === undefined || !used(facts, id)) return notFound()
    if (what === "utxos")
      return json(
        query.get("page") === null ? outputs.of(id, spendable(facts, id)).map(CardanoOutputs.blockfrostOutput) : []
      )
    if (what === "addresses/assets") return json(query.get("page") === null ? amounts() : [])
    if (what === "transactions") {
      const [count, from] = [Number(query.get("count") ?? 100), Number(query.get("page") ?? 1) - 1]
      const last = Number(query.get("to") ?? Number.POSITIVE_INFINITY)
      const all = histories.of(id).filter(({ height }) => height <= last)
      return json(
        (query.get("order") === "desc" ? all : [...all].reverse())
          .slice(from * count, (from + 1) * count)
          .map(({ hash, height, index, time }) => ({
            tx_hash: hash,
            tx_index: index,
            block_height: height,
            block_time: time
          }))
      )
    }
    if (kind === "accounts") {
      const { rewards, total } = account(facts, id)
      return json({ stake_address: id, controlled_amount: total, withdrawable_amount: rewards })
    }
    const lovelace = { unit: "lovelace", quantity: String(World.native(facts, id)), decimals: facts.native.decimals }
    return json({ address: id, amount: [lovelace, ...amounts()], stake_address: null, type: "shelley", script: false })
  }

const notFound = () =>
  json({ status_code: 404, error: "Not Found", message: "The requested component has not been found." }, 404)
