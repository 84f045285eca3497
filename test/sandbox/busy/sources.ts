import { base58 } from "@scure/base"
import { cardano } from "../../../src/catalogue/cardano.ts"
import { avalanche } from "../../../src/catalogue/evm/avalanche.ts"
import { polygon } from "../../../src/catalogue/evm/polygon.ts"
import { polkadot } from "../../../src/catalogue/polkadot.ts"
import { solana } from "../../../src/catalogue/solana.ts"
import { sui } from "../../../src/catalogue/sui.ts"
import { ton } from "../../../src/catalogue/ton.ts"
import { histories } from "../../../src/sandbox/cardano/CardanoHistory.ts"
import * as Landmarks from "../../../src/sandbox/world/Landmarks.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Base, Bch, Bitcoin, Dogecoin, Litecoin, Ripple, Tron } from "../../support/networks.ts"
import { assert } from "../../support/vitest.ts"
import type { Network } from "../../walk/walk.ts"
import { services } from "../utxo/indexers.ts"

// The sources of long histories, and the parameters with which each adapter continues a list.

const busy = (network: string) => World.busy(network) ?? assert.fail(network)

const beyond = "the routes never send it: they request at most 500 transactions, its pages have 1,000"

// The parameters of a list of an EVM explorer. After the first 100 entries of a history, 360 are in one block: each kind
// has more rows there than a page.
const ofList = (action: string, name: string) => ({
  [`endblock of ${name}`]: new RegExp(`action=${action}&.*endblock=\\d`),
  [`page of ${name}`]: new RegExp(`action=${action}&.*&page=2&.*sort=desc`)
})

const explorer = {
  ...ofList("txlist", "transactions"),
  ...ofList("txlistinternal", "internal transfers"),
  ...ofList("tokentx", "tokens")
}

const museum = "the museum of sui sends it: test/sandbox/sui/museum.test.ts"

/** The parameters of a list of Subscan on one of its hosts. */
const ofSubscan = (host: string, list: string) => ({
  [`page of ${list} at ${host}`]: new RegExp(`^${host} .*/scan/${list} .*"page":[1-9]`),
  [`block_range of ${list} at ${host}`]: new RegExp(`^${host} .*/scan/${list} .*"block_range":"0-\\d`)
})

/**
 * The patterns of requests that continue the list of a history, after the name of the upstream, or why the routes never
 * send them; utxo.test.ts sends those beyond the routes.
 */
export const continuations = {
  etherscan: explorer,
  blockscout: explorer,
  routescan: explorer,
  trongrid: {
    max_timestamp: /\/transactions\?.*max_timestamp=\d/,
    fingerprint: /\/transactions\?.*fingerprint=/,
    "max_timestamp of tokens": /\/trc20\?.*max_timestamp=\d/,
    "fingerprint of tokens": /\/trc20\?.*fingerprint=/
  },
  rippled: { marker: /"marker":\{"ledger":\d+,"seq":\d+\}/, ledger_index_max: /"ledger_index_max":\d/ },
  esplora: { after: /\/txs\/chain\/[0-9a-f]{64} / },
  blockbook: { to: /[?&]to=\d/, page: beyond },
  haskoin: { height: /[?&]height=\d/, offset: beyond },
  blockcypher: { before: /[?&]before=\d/ },
  "blockchain-info": { offset: /[?&]offset=[1-9]/ },
  blockfrost: {
    page: /\/addresses\/[^ ]+\/transactions\?.*page=2/,
    to: /\/addresses\/[^ ]+\/transactions\?.*to=\d/,
    "page of an account": /\/accounts\/[^ ]+\/transactions\?.*page=2/,
    "to of an account": /\/accounts\/[^ ]+\/transactions\?.*to=\d/
  },
  koios: {
    or: /\/address_txs\?.*[?&]or=.+lte/,
    "or of an account": /\/account_txs\?.*[?&]or=.+lte/,
    offset: "the adapter never sends it: a page has 1,000 rows, and later ones start from a height"
  },
  solana: {
    before: new RegExp(`"getSignaturesForAddress","params":\\["${busy("solana")}",\\{[^}]*"before":"`),
    "before of a token account": new RegExp(
      `"getSignaturesForAddress","params":\\["(?!${busy("solana")})[^"]+",\\{[^}]*"before":"`
    ),
    "before within a request":
      "the routes never send it: they request at most 501 signatures, its pages have 1,000; test/chains/solana/history.test.ts"
  },
  sui: { before: /"before":"[^"]/, beforeCheckpoint: /"beforeCheckpoint":\d/, "after of balance changes": museum },
  toncenter: {
    offset: /\/v3\/transactions\?.*offset=[1-9]/,
    end_utime: /\/v3\/transactions\?.*end_utime=\d/,
    "offset of jetton transfers": /\/jetton\/transfers\?.*offset=[1-9]/,
    "end_utime of jetton transfers": /\/jetton\/transfers\?.*end_utime=\d/,
    "offset of jetton burns": "the world has no burns"
  },
  tonapi: { before_lt: /[?&]before_lt=\d/, end_date: /[?&]end_date=\d/ },
  subscan: {
    ...ofSubscan("subscan", "transfers"),
    ...ofSubscan("subscan", "extrinsics"),
    ...ofSubscan("subscan-relay", "transfers"),
    ...ofSubscan("subscan-relay", "extrinsics"),
    after_id: "the adapter never sends it: it continues by page, and later requests by block_range"
  }
} satisfies Readonly<Record<string, Readonly<Record<string, RegExp | string>>>>

/** Parameters that continue other lists than those of an address, with the tests that send them. */
export const elsewhere = {
  "CoinGecko, page of the largest coins": "test/features/prices/PriceRefresh.test.ts"
}

/** Asserts that a request was sent with each parameter that can be sent. */
export const areSent = (
  requests: ReadonlyArray<UpstreamRequest>,
  name: string,
  patterns: Readonly<Record<string, RegExp | string>>
) => {
  const sent = requests.flatMap(({ body, upstream, url }) =>
    upstream === name || upstream.startsWith(`${name}-`) ? [`${upstream} ${decodeURIComponent(url)} ${body}`] : []
  )
  for (const [parameter, isSent] of Object.entries(patterns))
    if (typeof isSent !== "string")
      assert.isTrue(
        sent.some((text) => isSent.test(text)),
        `${name} ${parameter}`
      )
}

export interface Source {
  readonly network: Network
  /** A busy address. Default: that of the network. */
  readonly holder?: string
  /** Name of the upstream, as in `/networks`, or its start. */
  readonly name: string
  readonly kind: keyof typeof continuations
  /** Rows at which pages of the source end, tested in the first tier. */
  readonly first?: ReadonlyArray<number>
  /** Rows at which pages or windows end, tested in the second tier. */
  readonly ends: ReadonlyArray<number>
  /** Whether the second tier reads the history to its end. Default: true. */
  readonly whole?: boolean
  /** The id of a move from the hash of its transaction. Without it, the ids are not compared. */
  readonly idOf?: (hash: string) => string | undefined
  /** Whether the source has the order of the transactions in a block. Default: true. */
  readonly ordered?: boolean
  /** Whether the source has only the fees of transactions that the address sent. Default: false. */
  readonly ownFees?: boolean
  /** The gap that the source always has. */
  readonly gap?: string
}

/** Sources that one service reads. */
export interface Group {
  readonly settings?: Readonly<Record<string, string>>
  /** An upstream that is unavailable. */
  readonly without?: string
  readonly sources: ReadonlyArray<Source>
}

const prefixed = (hash: string) => hash.slice(2)

const cardanoId = (holder: string) => (hash: string) => {
  const index = histories(cardano, () => undefined)
    .of(holder)
    .findIndex((transaction) => transaction.hash === hash)
  return ledger(cardano, holder).at(-1 - index)?.id
}

const ofExplorer = { first: [107], idOf: prefixed, ordered: false }
const ofTon = { network: ton, idOf: (hash: string) => hash, ownFees: true }
/** The sources of the address and of the account: they have other endpoints. */
const ofCardano = (source: Pick<Source, "name" | "kind">): ReadonlyArray<Source> =>
  [busy("cardano"), Landmarks.busyAccount].map((holder) => ({
    ...source,
    network: cardano,
    holder,
    ...(holder === Landmarks.busyAccount ? { gap: "staking rewards" } : {}),
    idOf: cardanoId(holder),
    first: [60],
    ends: [100, 107, 500, 1000]
  }))
const project = { BLOCKFROST_PROJECT_ID: "k" }

const networks = { bitcoin: Bitcoin.info, bch: Bch.info, litecoin: Litecoin.info, dogecoin: Dogecoin.info }

/** The kinds of indexers: rows at which pages end. Each is read at the first network that has it as its only one. */
const indexers = [
  ["bitcoin", "esplora", 22, [50, 500, 1000]],
  ["bch", "esplora", 22, [20, 500, 1000]],
  ["litecoin", "blockbook", 22, [500, 1000]],
  ["dogecoin", "blockcypher", 50, [100, 500, 1000]],
  ["bch", "haskoin", 22, [500, 1000]],
  ["bitcoin", "blockchain-info", 50, [100, 500, 1000]]
] as const

export const groups = {
  evm: [
    {
      sources: [
        // In the second page of tokens and of internal transfers of the long block.
        {
          ...ofExplorer,
          first: [107, 430],
          network: polygon,
          name: "etherscan",
          gap: "NFT transfers: etherscan has them on lists that are not read",
          kind: "etherscan",
          ends: [107, 700, 1000, 10_000]
        }
      ]
    },
    {
      without: "etherscan",
      sources: [
        {
          ...ofExplorer,
          network: Base.info,
          name: "base-blockscout",
          kind: "blockscout",
          ownFees: true,
          ends: [460, 700, 1000],
          whole: false
        },
        {
          ...ofExplorer,
          network: avalanche,
          name: "routescan",
          gap: "imports from and exports to the P-Chain and the X-Chain",
          kind: "routescan",
          ownFees: true,
          ends: [460, 700, 1000],
          whole: false
        }
      ]
    }
  ],
  ripple: [
    { sources: [{ network: Ripple.info, name: "ripple-rpc", kind: "rippled", first: [400], ends: [500, 800, 1000] }] }
  ],
  tron: [
    {
      sources: [
        {
          network: Tron.info,
          name: "trongrid",
          kind: "trongrid",
          first: [400],
          ends: [200, 600, 800, 1000],
          ordered: false,
          ownFees: true
        }
      ]
    }
  ],
  polkadot: [
    {
      sources: [
        // The oldest 290 entries are on the relay chain.
        {
          network: polkadot,
          name: "subscan",
          kind: "subscan",
          ordered: false,
          first: [640],
          ends: [500],
          idOf: prefixed
        }
      ]
    }
  ],
  // The longest page of a history, and that of a list of signatures.
  solana: [
    {
      sources: [
        {
          network: solana,
          name: "solana",
          kind: "solana",
          ordered: false,
          ends: [500, 1000],
          idOf: (hash) => Buffer.from(base58.decode(hash).subarray(0, 32)).toString("hex")
        }
      ]
    }
  ],
  sui: [
    {
      sources: [
        {
          network: sui,
          name: "sui",
          kind: "sui",
          ends: [50, 500],
          idOf: (hash) => Buffer.from(base58.decode(hash)).toString("hex")
        }
      ]
    }
  ],
  ton: [
    {
      sources: [
        {
          ...ofTon,
          name: "toncenter",
          kind: "toncenter",
          ends: [500],
          gap: "minted jettons and NFT transfers: toncenter does not list them"
        }
      ]
    },
    { without: "toncenter", sources: [{ ...ofTon, name: "tonapi", kind: "tonapi", ends: [100, 500] }] }
  ],
  cardano: [
    { sources: ofCardano({ name: "koios", kind: "koios" }) },
    {
      settings: project,
      without: "koios",
      sources: ofCardano({ name: "blockfrost", kind: "blockfrost" })
    }
  ],
  utxo: services.map(({ kinds, settings }) => ({
    settings,
    sources: indexers.flatMap(([id, kind, end, ends]) =>
      kinds[id] === kind
        ? [
            {
              network: networks[id],
              name: `${id}-${kind}`,
              kind,
              ends,
              ordered: false,
              ownFees: true,
              first: [end]
            }
          ]
        : []
    )
  }))
} satisfies Readonly<Record<string, ReadonlyArray<Group>>> as Readonly<
  Record<"evm" | "ripple" | "tron" | "polkadot" | "solana" | "sui" | "ton" | "cardano" | "utxo", ReadonlyArray<Group>>
>
