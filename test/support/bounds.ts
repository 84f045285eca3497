// Values that transactions are built from: their positions in upstream responses, and wrong values for each.

export interface Bound {
  readonly network: string
  /** The route that returns it. */
  readonly subject: "fees" | "context"
  /** Matches the position of the value in a response; see `Lie`. */
  readonly at: RegExp
  readonly wrong: ReadonlyArray<unknown>
  /** Applies to accounts, not to addresses. */
  readonly isAccount?: true
}

const counts = [-1, 1e15]
const positive = [0, ...counts]
const hex = ["0x", `0x${"f".repeat(40)}`]

/** Current time in the tests. */
export const now = 1_795_000_000_000

/** Wrong times: an hour before and a hundred years after the current time. */
const time = (write: (ms: number) => unknown) => [write(now - 3_600_000), write(Date.UTC(2126, 0))]
const hexSeconds = (ms: number) => `0x${Math.floor(ms / 1000).toString(16)}`
const seconds = (ms: number) => Math.floor(ms / 1000)
const iso = (ms: number) => new Date(ms).toISOString()
const times = (factor: number) => (right: unknown) =>
  typeof right === "string" && right.startsWith("0x")
    ? `0x${(BigInt(right) * BigInt(factor)).toString(16)}`
    : typeof right === "string"
      ? String(Number(right) * factor)
      : Number(right) * factor

/** Appends a copy of the first row with another value at this member. */
const contradicted = (member: string, value: unknown) => (rows: unknown) => {
  const [first] = rows as ReadonlyArray<unknown>
  const changed = JSON.stringify(first).replace(
    new RegExp(`"${member}":("[^"]*"|\\d+)`),
    `"${member}":${JSON.stringify(value)}`
  )
  return [...(rows as ReadonlyArray<unknown>), JSON.parse(changed)]
}

const row =
  (subject: Bound["subject"], network: string) =>
  (at: RegExp, wrong: ReadonlyArray<unknown>): Bound => ({ network, subject, at, wrong })

const evm = (network: string) => {
  const context = row("context", network)
  const fees = row("fees", network)
  return [
    context(/^eth_getBlockByNumber\.result\.number$/, ["0x0", "0xffffffffffff", ...hex]),
    context(/^eth_getBlockByNumber\.result\.timestamp$/, [...time(hexSeconds), ...hex]),
    context(/^eth_getBlockByNumber\.result\.baseFeePerGas$/, ["0x", times(1e9)]),
    context(/^eth_gasPrice\.result$/, ["0x0", times(1e9), ...hex]),
    context(/^eth_getTransactionCount\.result$/, ["0xffffffffff", ...hex]),
    context(/^eth_getBalance\.result$/, hex),
    fees(/^eth_feeHistory\.result\.(baseFeePerGas|reward\.\d+)\.\d+$/, [times(1e9)]),
    fees(/^eth_getBlockByNumber\.result\.timestamp$/, time(hexSeconds))
  ]
}

/** The time in the format of the value that it replaces. */
const alike = (write: (ms: number) => unknown, ms: number) => (right: unknown) =>
  typeof right === "number" ? seconds(ms) : write(ms)
const likeText = (wrong: number) => (right: unknown) => (typeof right === "string" ? String(wrong) : wrong)

const utxo = (network: string) => {
  const context = row("context", network)
  return [
    context(
      /(block\/[0-9a-f]{64}\.height|bestHeight|block\/best\.height|utxo.*\.\d+\.height)$/,
      [1e9, -5, 1.5].map(likeText)
    ),
    context(
      /(\/block\/[0-9a-f]{64}\.timestamp|lastBlockTime|block\/best\.time)$/,
      [now - 6 * 3_600_000, Date.UTC(2126, 0)].map((ms) => alike(iso, ms))
    ),
    context(/(utxo|unspent)\S*\.\d+\.value$/, [-1, 1e20].map(likeText)),
    context(/(utxo|unspent)\S*\.\d+\.(vout|index)$/, [-1, 1e15]),
    row("fees", network)(
      /(recommended\.(fastest|hour|economy)Fee|estimatefee\/\d+\.result)$/,
      [1e6, -1, 0].map(likeText)
    )
  ]
}

const cardano = row("context", "cardano")
const solana = row("context", "solana")
const sui = row("context", "sui")
const ton = row("context", "ton")
const tron = row("context", "tron")
const ripple = row("context", "ripple")
const polkadot = row("context", "polkadot")

export const bounds: ReadonlyArray<Bound> = [
  ...evm("ethereum"),
  ...utxo("bitcoin"),
  ...utxo("bch"),
  cardano(/(abs_slot|blocks\/latest\.slot)$/, [times(2), ...positive]),
  cardano(/(block_height|blocks\/latest\.height)$/, [1e10, ...positive]),
  cardano(/(block_info\.\d+\.epoch_no|blocks\/latest\.epoch)$/, [1, ...positive]),
  cardano(/(epoch_params|parameters)(\.\d+)?\.min_fee_a$/, [1e6, ...positive]),
  cardano(/(epoch_params|parameters)(\.\d+)?\.min_fee_b$/, [6e6, ...positive]),
  cardano(/(epoch_params|parameters)(\.\d+)?\.max_tx_size$/, [10, 1e7, ...positive]),
  cardano(/(epoch_params|parameters)(\.\d+)?\.coins_per_utxo_size$/, ["0", "-1", "4310000", null]),
  cardano(/utxos(\.\d+)?\.(tx_index|output_index)$/, counts),
  cardano(/utxos(\.\d+)?\.(value|amount\.0\.quantity)$/, ["0", "-1", "45000000000000001", null]),
  cardano(/utxos\.\d+\.address$/, ["addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"]),
  {
    ...cardano(/utxos\.\d+\.address$/, ["addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"]),
    isAccount: true
  },
  row("fees", "cardano")(/(epoch_params|parameters)(\.\d+)?\.min_fee_a$/, [1e6, ...positive]),
  row("fees", "cardano")(/(epoch_params|parameters)(\.\d+)?\.min_fee_b$/, [6e6, ...positive]),
  solana(/^getLatestBlockhash\.result\.context\.slot$/, [1e13, ...positive]),
  solana(/^getLatestBlockhash\.result\.value\.lastValidBlockHeight$/, [1e13, ...positive]),
  solana(/^getAccountInfo\.result\.value\.data\.parsed\.info\.unixTimestamp$/, time(seconds)),
  solana(/^getMinimumBalanceForRentExemption\.result$/, [1e9, ...positive]),
  solana(/^getTokenAccountsByOwner\..*\.info\.owner$/, ["4Nd1mBQtrMJVYVfKf2PJy9NZUZdTAsp7D4xWLs4gDB4T", undefined]),
  solana(/^getTokenAccountsByOwner\..*\.tokenAmount\.amount$/, ["-1", "18446744073709551616", 5]),
  solana(/^getTokenAccountsByOwner\..*\.tokenAmount\.decimals$/, [-1, 256, "6"]),
  solana(/^getTokenAccountsByOwner\.result\.value$/, [contradicted("amount", "77")]),
  solana(/^getBalance\.result\.value$/, [-1, 1.5, 1e30]),
  row("fees", "solana")(/^getRecentPrioritizationFees\..*\.prioritizationFee$/, [-1, 1e10]),
  sui(/checkpoint\.timestamp$/, [...time(iso), null, "now"]),
  sui(/epoch\.epochId$/, [100_000, ...positive]),
  sui(/epoch\.referenceGasPrice$/, ["0", "-1", "1000000", null]),
  sui(/balance\.totalBalance$/, ["-1", "10000000000000000001", null]),
  sui(/objects\.nodes$/, [contradicted("version", 7)]),
  row("fees", "sui")(/epoch\.referenceGasPrice$/, ["0", "-1", "1000000", null]),
  ton(/gen_utime$/, [...time((ms) => String(seconds(ms))), ...positive]),
  ton(/seqno$/, [-1, 1e10, 1.5]),
  ton(/balance$/, [-1, 1.5, 10_000_000_000_000_010_000].map(likeText)),
  row("fees", "ton")(/(gas_price|lump_price|bytes)$/, [0, -1, 1e14].map(likeText)),
  tron(/getblock\.block_header\.raw_data\.number$/, [1, ...positive]),
  tron(/getblock\.block_header\.raw_data\.timestamp$/, [...time((ms) => ms), ...positive]),
  tron(/getaccount\.balance$/, [-1, 1e20, 1.5]),
  tron(/getaccountresource\.(freeNetLimit|freeNetUsed|EnergyLimit)$/, [-1, 1e15, 1.5]),
  row("fees", "tron")(/chainParameter\.\d+\.value$/, [-1, 0, 1e9]),
  ripple(/^server_info\..*\.validated_ledger\.seq$/, [1, 1e10, ...positive]),
  ripple(/^server_info\..*\.validated_ledger\.age$/, [3600, -1, undefined]),
  ripple(/^server_info\..*\.reserve_base_xrp$/, [1_000_000, 201, 0, -1, null]),
  ripple(/^server_info\..*\.reserve_inc_xrp$/, [1_000_000, 51, 0, -1, null]),
  ripple(/^fee\..*\.base_fee$/, ["0", "-1", "100000000", null]),
  ripple(/^fee\..*\.open_ledger_fee$/, ["0", "-1", "100000000", null]),
  ripple(/^account_info\..*\.Sequence$/, [2 ** 32, ...positive]),
  ripple(/^account_info\..*\.OwnerCount$/, [2 ** 32, ...counts]),
  ripple(/^account_info\..*\.Balance$/, ["-1", "100000000000000001", null]),
  row("fees", "ripple")(/^fee\..*\.(minimum_fee|open_ledger_fee|base_fee)$/, ["0", "-1", "100000000", null]),
  polkadot(/^chain_getHeader\.result\.number$/, ["0x0", "0xffffffff", "0x", null]),
  polkadot(/^state_getStorage\.result$/, ["0x0000000000000000", `0x${"ff".repeat(8)}`, null]),
  polkadot(/^state_getRuntimeVersion\.result\.specVersion$/, [2 ** 32, ...positive]),
  polkadot(/^state_getRuntimeVersion\.result\.transactionVersion$/, [2 ** 32, ...positive]),
  polkadot(/^system_accountNextIndex\.result$/, [2 ** 32, ...counts])
]
