import { hash } from "node:crypto"
import * as Catalogue from "../../catalogue/Catalogue.ts"

/** A coin of the simulated market, with its contracts on real networks. */
export interface Coin {
  readonly id: string
  readonly symbol: string
  readonly name: string
  /** Approximate price in US dollars at the time of writing. */
  readonly usd: number
  readonly decimals: number
  /** Address by CoinGecko platform, with the decimals if they differ on that platform. */
  readonly contracts: Readonly<Record<string, string | readonly [address: string, decimals: number]>>
  /** Of an odd coin: the members of its row of `/coins/markets` that differ from those of other coins. */
  readonly odd?: Readonly<Partial<Record<MarketMember, number | null>>>
  /** Whether no token list has it. */
  readonly isUnlisted?: true
}

type MarketMember =
  | "current_price"
  | "market_cap"
  | "market_cap_rank"
  | "fully_diluted_valuation"
  | "price_change_24h"
  | "price_change_percentage_24h"
  | "market_cap_change_percentage_24h"
  | "total_supply"

const coin = (
  id: string,
  symbol: string,
  name: string,
  usd: number,
  decimals: number,
  contracts: Coin["contracts"] = {}
): Coin => ({ id, symbol, name, usd, decimals, contracts })

/** Native coins and well-known tokens. The addresses are those of the real contracts. */
const table: ReadonlyArray<Coin> = [
  coin("bitcoin", "btc", "Bitcoin", 61250.5, 8),
  coin("bitcoin-cash", "bch", "Bitcoin Cash", 481.3, 8),
  coin("litecoin", "ltc", "Litecoin", 84.61, 8),
  coin("dogecoin", "doge", "Dogecoin", 0.1987, 8),
  coin("ethereum", "eth", "Ethereum", 3225.17, 18),
  coin("binancecoin", "bnb", "BNB", 612.4, 18),
  coin("ethereum-classic", "etc", "Ethereum Classic", 19.84, 18),
  coin("polygon-ecosystem-token", "pol", "POL", 0.2231, 18, {
    ethereum: "0x455e53cbb86018ac2b8092fdcd39d8444affc3f6"
  }),
  coin("sonic-3", "s", "Sonic", 0.3127, 18),
  coin("avalanche-2", "avax", "Avalanche", 21.93, 18),
  coin("the-open-network", "gram", "Gram", 2.13, 9),
  coin("ston-2", "ston", "STON", 0.61, 9, {
    "the-open-network": "EQA2kCVNwVsil2EM2mB0SkXytxCqQjS4mttjDpnXmwG9T6bO"
  }),
  coin("notcoin", "not", "Notcoin", 0.00142, 9, {
    "the-open-network": "EQAvlWFDxGF2lXm67y4yzC17wYKD9A0guwPkMs1gOsM__NOT"
  }),
  coin("dogs-2", "dogs", "Dogs", 0.0000921, 9, {
    "the-open-network": "EQCvxJy4eG8hyHBFsZ7eePxrRsUQSFE_jpptRAYBmcG_DOGS"
  }),
  coin("tron", "trx", "TRON", 0.2874, 6),
  coin("ripple", "xrp", "XRP", 2.21, 6),
  coin("just", "jst", "JUST", 0.0371, 18, { tron: "TCFLL5dx5ZJdKnWuesXxi1VPwjLVmWZZy9" }),
  coin("sun-token", "sun", "Sun Token", 0.0204, 18, { tron: "TSSMHYeV2uE9qYH95DqyoCuNCzEL1NvU3S" }),
  coin("wink", "win", "WINkLink", 0.00004817, 6, { tron: "TLa2f6VPqDgRE67v1736s7bJ8Ray5wYjU7" }),
  // The XRP Ledger has no decimals; nine decimals keep the simulated amounts within its sixteen digits.
  coin("ripple-usd", "rlusd", "Ripple USD", 0.9998, 18, {
    xrp: ["524C555344000000000000000000000000000000.rMxCKbEDwqr76QuheSUMdEGf4B9xJ8m5De", 9]
  }),
  coin("solo-coin", "solo", "Sologenic", 0.1713, 9, {
    xrp: "534F4C4F00000000000000000000000000000000.rsoLo2S1kiGeCcn6hCUXVrCpGMWLrRrLZz"
  }),
  coin("casinocoin", "csc", "CasinoCoin", 0.000021, 6, { xrp: "CSC.rCSCManTZ8ME9EoLrSHHYKW8PPwWMgkwr" }),
  coin("cardano", "ada", "Cardano", 0.5413, 6),
  coin("snek", "snek", "Snek", 0.00341, 0, {
    cardano: "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f534e454b"
  }),
  coin("minswap", "min", "Minswap", 0.0182, 6, {
    cardano: "29d222ce763455e3d7a09a665ce554f00ac89d2e99a1a83d267170c64d494e"
  }),
  coin("djed", "djed", "Djed", 0.9973, 6, {
    cardano: "8db269c3ec630e06ae29f74bc39edd1f87c819f1056206e879a1cd61446a65644d6963726f555344"
  }),
  coin("polkadot", "dot", "Polkadot", 2.871, 10),
  coin("solana", "sol", "Solana", 153.46, 9),
  coin("wrapped-solana", "sol", "Wrapped SOL", 153.41, 9, { solana: "So11111111111111111111111111111111111111112" }),
  coin("jupiter-exchange-solana", "jup", "Jupiter", 0.4127, 6, {
    solana: "JUPyiwrYJFskUPiHa7hkeR8VUtAeFoSYbKedZNsDvCN"
  }),
  coin("bonk", "bonk", "Bonk", 0.00001873, 5, { solana: "DezXAZ8z7PnrnRJjz3wXBoRgixCa6xjnB7YaB1pPB263" }),
  coin("paypal-usd", "pyusd", "PayPal USD", 0.9997, 6, {
    ethereum: "0x6c3ea9036406852006290770bedfcaba0e23a0e8",
    solana: "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"
  }),
  coin("sui", "sui", "Sui", 2.918, 9),
  coin("cetus-protocol", "cetus", "Cetus Protocol", 0.1012, 9, {
    sui: "0x6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS"
  }),
  coin("deep", "deep", "DeepBook", 0.1127, 6, {
    sui: "0xdeeb7a4662eec9f2f3def03fb937a663dddaa2e215b8078a284d026b7946c270::deep::DEEP"
  }),
  coin("walrus-2", "wal", "Walrus", 0.3914, 9, {
    sui: "0x356a26eb9e012a68958082340d4c4116e7f55615cf27affcff209cf0ae544f59::wal::WAL"
  }),
  coin("usd-coin", "usdc", "USDC", 1, 6, {
    solana: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
    sui: "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC",
    polkadot: "1337",
    ethereum: "0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48",
    "optimistic-ethereum": "0x0b2c639c533813f4aa9d7837caf62653d097ff85",
    "binance-smart-chain": ["0x8ac76a51cc950d9822d68b83fe1ad97b32cd580d", 18],
    "polygon-pos": "0x3c499c542cef5e3811e1192ce70d8cc03d5c3359",
    base: "0x833589fcd6edb6e08f4c7c32d4f71b54bda02913",
    "arbitrum-one": "0xaf88d065e77c8cc2239327c5edb3a432268e5831",
    avalanche: "0xb97ef9ef8734c71904d8002f8b6bc66dd9c48a6e",
    sonic: "0x29219dd400f2bf60e5a23d13be72b486d4038894",
    "polygon-zkevm": "0xa8ce8aee21bc2a48a5ef670afcc9274c7bbbc035"
  }),
  coin("tether", "usdt", "Tether", 1.0002, 6, {
    solana: "Es9vMFrzaCERmJfrF4H2FYD4KCoNkY11McCe8BenwNYB",
    polkadot: "1984",
    ethereum: "0xdac17f958d2ee523a2206206994597c13d831ec7",
    "optimistic-ethereum": "0x94b008aa00579c1307b0ef2c499ad98a8ce58e58",
    "binance-smart-chain": ["0x55d398326f99059ff775485246999027b3197955", 18],
    "polygon-pos": "0xc2132d05d31c914a87c6611c10748aeb04b58e8f",
    "arbitrum-one": "0xfd086bc7cd5c481dcc9c85ebe478a1c0b69fcbb9",
    "the-open-network": "EQCxE6mUtQJKFnGfaROTKOt1lZbDiiX1kCixRv7Nw2Id_sDs",
    avalanche: "0x9702230a8ea53601f5cd2dc00fdbc13d4df4a8c7",
    tron: "TR7NHqjeKQxGTCi8q8ZY4pL8otSzgjLj6t"
  }),
  coin("classic-usd", "usc", "Classic USD", 0.9991, 18, {
    "ethereum-classic": "0xde093684c796204224bc081f937aa059d903c52a"
  }),
  coin("dai", "dai", "Dai", 0.9998, 18, {
    ethereum: "0x6b175474e89094c44da98b954eedeac495271d0f",
    "optimistic-ethereum": "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1",
    "polygon-pos": "0x8f3cf7ad23cd3cadbd9735aff958023239c6a063",
    base: "0x50c5725949a6f0c72e6c4a641f24049a917db0cb",
    "arbitrum-one": "0xda10009cbd5d07dd0cecc66161fc93d7c9000da1"
  }),
  coin("wrapped-bitcoin", "wbtc", "Wrapped Bitcoin", 61198.2, 8, {
    ethereum: "0x2260fac5e5542a773aa44fbcfedf7c193bc2c599",
    "optimistic-ethereum": "0x68f180fcce6836688e9084f035309e29bf0a2095",
    "polygon-pos": "0x1bfd67037b42cf73acf2047067bd4f2c47d9bfd6",
    "arbitrum-one": "0x2f2a2543b76a4166549f7aab2e75bef0aefc5b0f"
  }),
  coin("weth", "weth", "WETH", 3224.9, 18, {
    ethereum: "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
    "optimistic-ethereum": "0x4200000000000000000000000000000000000006",
    "polygon-pos": "0x7ceb23fd6bc0add59e62ac25578270cff1b9f619",
    base: "0x4200000000000000000000000000000000000006",
    "arbitrum-one": "0x82af49447d8a07e3bd95bd0d56f35241523fbab1"
  }),
  coin("chainlink", "link", "Chainlink", 14.08, 18, {
    ethereum: "0x514910771af9ca656af840dff83e8264ecf986ca",
    "polygon-pos": "0x53e0bca35ec356bd5dddfebbd1fc0fd03fabad39",
    "arbitrum-one": "0xf97f4df75117a78c1a5a0dbb814af92458539fb4",
    "binance-smart-chain": "0xf8a0bf9cf54bb92f17374d9e9a321e6a111a51bd"
  }),
  coin("uniswap", "uni", "Uniswap", 7.62, 18, {
    ethereum: "0x1f9840a85d5af5bf1d1762f925bdaddc4201f984",
    "arbitrum-one": "0xfa7f8980b0f1e64a2062791cc3b0871572f1f7f0"
  }),
  coin("aave", "aave", "Aave", 168.3, 18, { ethereum: "0x7fc66500c84a76ad7e9c93437bfc5ac33e2ddae9" }),
  coin("shiba-inu", "shib", "Shiba Inu", 0.00001139, 18, { ethereum: "0x95ad61b0a150d79219dcf64e1e6cc01f0b64c4ce" }),
  coin("pepe", "pepe", "Pepe", 0.00000671, 18, { ethereum: "0x6982508145454ce325ddbe47a25d4ec3d2311933" }),
  coin("arbitrum", "arb", "Arbitrum", 0.3391, 18, { "arbitrum-one": "0x912ce59144191c1204e64559fe8253a0e49e6548" }),
  coin("optimism", "op", "Optimism", 0.5412, 18, {
    "optimistic-ethereum": "0x4200000000000000000000000000000000000042"
  }),
  coin("aerodrome-finance", "aero", "Aerodrome Finance", 0.8107, 18, {
    base: "0x940181a94a35a4569e4529a3cdfb74e38fd98631"
  }),
  coin("pancakeswap-token", "cake", "PancakeSwap", 2.31, 18, {
    "binance-smart-chain": "0x0e09fabb73bd3ade0a17ecc321fd13a19e81ce82"
  }),
  coin("wrapped-avax", "wavax", "Wrapped AVAX", 21.91, 18, { avalanche: "0xb31f66aa3c1e785363f0875a1b74e27b85fd66c7" }),
  coin("wrapped-sonic", "ws", "Wrapped Sonic", 0.3125, 18, { sonic: "0x039e2fb66102314ce7b64ce5ce3e5183bc94ad38" })
]

/** Tokens for EVM networks without a contract in the table. */
const usual = ["usd-coin", "tether", "weth"]

const newPlatforms = Catalogue.all.flatMap(({ family, platform }) =>
  family !== "evm" || platform === undefined || table.some(({ contracts }) => Object.hasOwn(contracts, platform))
    ? []
    : [platform]
)

const withNewPlatforms = (known: Coin): Coin =>
  usual.includes(known.id)
    ? { ...known, contracts: { ...known.contracts, ...Object.fromEntries(newPlatforms.map(derived(known))) } }
    : known

const derived =
  ({ id }: Coin) =>
  (platform: string) =>
    [platform, `0x${hash("sha256", `${platform}|${id}`).slice(0, 40)}`] as const

/** Native coins missing from the table. */
const newNatives = new Map(
  Catalogue.all
    .filter(({ native }) => !table.some(({ id }) => id === native.coinId))
    .map(({ native: { coinId, decimals, name, symbol } }) => [
      coinId,
      coin(coinId, symbol.toLowerCase(), name, 1.25, decimals)
    ])
)

/** Coins with rare forms of market data. Their prices do not change, and only museums hold them. */
const odd: ReadonlyArray<Coin> = [
  {
    ...coin("gemini-dollar", "gusd", "Gemini Dollar", 1, 2, { ethereum: "0x056fd409e1d7a124bd7017459dfea2f387b6d5cd" }),
    odd: {}
  },
  {
    ...coin("baby-doge-coin", "babydoge", "Baby Doge Coin", 3.447e-9, 9, {
      ethereum: "0xac57de9c1a09fec648e93eb98875b212db0d460b",
      "binance-smart-chain": "0xc748673057861a797275cd8a068abb95a902e8de"
    }),
    odd: {
      market_cap: 548_926_506,
      fully_diluted_valuation: 1_447_460_173,
      price_change_24h: 1.7e-10,
      price_change_percentage_24h: 5.18783
    }
  },
  // Listed without a price.
  {
    ...coin("ethereum-cash-token", "ecash", "Ethereum Cash Token", 1, 18, {
      ethereum: "0x906710835d1ae85275eb770f06873340ca54274b"
    }),
    odd: {
      current_price: null,
      market_cap: null,
      market_cap_rank: null,
      fully_diluted_valuation: null,
      price_change_24h: null,
      price_change_percentage_24h: null
    }
  },
  // The largest coin by mistake, with an empty address.
  {
    ...coin("ticoex-token", "tico", "TICOEX Token", 0.00136138, 18, { ethereum: "" }),
    odd: {
      market_cap: 3_333_370_870_735,
      market_cap_rank: 1,
      fully_diluted_valuation: null,
      total_supply: 1.01101101e16,
      market_cap_change_percentage_24h: 223_976_811.27324
    }
  },
  {
    ...coin("real-coin", "real", "Real Coin", 1_000, 255, { sui: `0x${"1ea1".repeat(16)}::real::REAL` }),
    odd: { fully_diluted_valuation: null }
  },
  // With ids, names and symbols that look like numbers and addresses.
  { ...coin("0x", "zrx", "0x Protocol", 0.2, 18), odd: {} },
  { ...coin("-10", "0x0", "1984", 1e-5, 18), odd: {} },
  { ...coin("000-capital", "000", "000 Capital", 0.01, 18), odd: {} }
]

/** All coins of the simulated market. Networks of the catalogue need no entry in the table. */
export const coins: ReadonlyArray<Coin> = [...table.map(withNewPlatforms), ...newNatives.values(), ...odd]

/** Whether a coin has a price: some listed coins have none. */
export const isPriced = ({ odd }: Coin): boolean => odd?.current_price !== null

/** Wrapped coins, which have the price changes of the coin that they represent. */
const wrapped: Readonly<Record<string, string>> = {
  "wrapped-bitcoin": "bitcoin",
  weth: "ethereum",
  "wrapped-solana": "solana",
  "wrapped-avax": "avalanche-2",
  "wrapped-sonic": "sonic-3"
}

/** The coin whose price changes a coin has, and its volatility per year: 0.2 % for stablecoins, 45 % to 130 % for others. */
export const walkOf = ({ id, usd }: Coin) => ({
  source: wrapped[id] ?? id,
  volatility: Math.abs(usd - 1) < 0.01 ? 0.002 : usd > 10_000 ? 0.45 : usd < 0.001 ? 1.3 : 0.75
})

export const contractOn = (
  coin: Coin,
  platform: string
): { readonly address: string; readonly decimals: number } | undefined => {
  const contract = Object.hasOwn(coin.contracts, platform) ? coin.contracts[platform] : undefined
  if (contract === undefined || contract === "") return undefined
  return typeof contract === "string"
    ? { address: contract, decimals: coin.decimals }
    : { address: contract[0], decimals: contract[1] }
}
