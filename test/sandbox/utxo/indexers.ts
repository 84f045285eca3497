/** No limits of public indexers. */
const rates = Object.fromEntries(
  ["ESPLORA", "BLOCKBOOK", "HASKOIN", "BLOCKCYPHER", "BLOCKCHAIN_INFO"].map((kind) => [`${kind}_PER_SECOND`, "1000"])
)

/** Settings that leave each network one kind of indexer; each kind is the only one of some network. */
export const services: ReadonlyArray<{
  readonly kinds: Readonly<Record<string, string>>
  readonly settings: Readonly<Record<string, string>>
}> = [
  {
    kinds: { bitcoin: "esplora", bch: "esplora", litecoin: "blockbook", dogecoin: "blockcypher" },
    settings: {
      ...rates,
      BITCOIN_BLOCKBOOK_URLS: ",",
      BITCOIN_BLOCKCHAIN_INFO_URLS: ",",
      BCH_BLOCKBOOK_URLS: ",",
      BCH_HASKOIN_URLS: ",",
      BCH_ESPLORA_URLS: "http://mine.test",
      LITECOIN_ESPLORA_URLS: ",",
      DOGECOIN_BLOCKBOOK_URLS: ","
    }
  },
  {
    kinds: { bitcoin: "blockbook", bch: "haskoin", litecoin: "esplora", dogecoin: "blockbook" },
    settings: {
      ...rates,
      BITCOIN_ESPLORA_URLS: ",",
      BITCOIN_BLOCKCHAIN_INFO_URLS: ",",
      BCH_BLOCKBOOK_URLS: ",",
      BCH_ESPLORA_URLS: ",",
      LITECOIN_BLOCKBOOK_URLS: ",",
      DOGECOIN_BLOCKCYPHER_URLS: ","
    }
  },
  {
    kinds: { bitcoin: "blockchain-info", bch: "blockbook" },
    settings: {
      ...rates,
      BITCOIN_ESPLORA_URLS: ",",
      BITCOIN_BLOCKBOOK_URLS: ",",
      BCH_HASKOIN_URLS: ",",
      BCH_ESPLORA_URLS: ","
    }
  }
]
