import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = (network: string) => ({ network, address: World.museum(network) ?? "" })

/** Forms of answers. */
export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "coins of the first block, listed without a transaction",
    fixture: "etherscan/txlist-genesis.json",
    ...museum("ethereum"),
    shows: /"hash":"GENESIS_[0-9a-f]{40}"/
  },
  {
    case: "a row without a status of its receipt",
    fixture: "etherscan/txlist-genesis.json",
    ...museum("ethereum"),
    shows: /"txreceipt_status":""/
  },
  {
    case: "a receipt before Byzantium, with a root and without a status",
    fixture: "evm-rpc/receipt-pre-byzantium-root.json",
    ...museum("ethereum"),
    shows: /"root":"0x[0-9a-f]{64}"/
  },
  {
    case: "a row of a token with a method, and the text deprecated for its input",
    fixture: "etherscan/tokentx-two-rows.json",
    ...museum("ethereum"),
    shows: /"input":"deprecated","methodId":"0x[0-9a-f]{8}"|"methodId":"0x[0-9a-f]{8}"[^}]*"input":"deprecated"/
  },
  {
    case: "a transaction with the text deprecated for its input",
    fixture: "https://docs.etherscan.io/api-reference/endpoint/txlist",
    ...museum("ethereum"),
    shows: /"value":"6","input":"deprecated"/
  },
  {
    case: "a transaction without a recipient, which creates a contract",
    fixture: "blockscout/v1-txlist-base-failed-and-creation.json",
    ...museum("base"),
    shows: /"contractAddress":"0x[0-9a-f]{40}"(?=[^}]*"to":"")|"to":""(?=[^}]*"contractAddress":"0x)/
  },
  {
    case: "an internal call that creates a contract, without a recipient",
    fixture: "blockscout/v1-txlistinternal-status-2-partial.json",
    ...museum("base"),
    shows:
      /"contractAddress":"0x[0-9a-f]{40}"(?=[^}]*"callType":"")(?=[^}]*"type":"create2")|"callType":""[^}]*"contractAddress":"0x[0-9a-f]{40}"[^}]*"to":"",[^}]*"type":"create2"/
  },
  ...[
    { explorer: "etherscan", shows: /"type":"delegatecall"/ },
    { explorer: "blockscout", shows: /"callType":"delegatecall"/ }
  ].map(
    ({ explorer, shows }): MuseumCase => ({
      case: `an internal call that repeats the value of its caller, at ${explorer}`,
      fixture: "https://docs.blockscout.com/devs/apis/rpc/account",
      ...museum("base"),
      shows
    })
  ),
  {
    case: "a transaction that failed",
    fixture: "blockscout/v1-txlist-base-failed-and-creation.json",
    ...museum("base"),
    shows: /"isError":"1"/
  },
  {
    case: "a receipt with a data fee",
    fixture: "evm-rpc/receipt-optimism-ecotone.json",
    ...museum("optimism"),
    shows: /"l1Fee":"0x[1-9a-f]/
  },
  {
    case: "a deposit from the other chain",
    fixture: "evm-rpc/receipt-optimism-deposit-7e.json",
    ...museum("optimism"),
    shows: /"depositReceiptVersion":"0x1"/
  },
  ...["optimism", "base"].flatMap(
    (network): ReadonlyArray<MuseumCase> => [
      {
        case: "a receipt with an operator fee beside the data fee",
        fixture: "https://specs.optimism.io/protocol/isthmus/exec-engine.html",
        ...museum(network),
        shows: /"l1Fee":"0x[1-9a-f][^}]*"operatorFeeScalar":"0x1e8480","operatorFeeConstant":"0x7",(?!"daFoot)/
      },
      {
        case: "a receipt with an operator fee since Jovian, and the gas of its data",
        fixture: "https://specs.optimism.io/protocol/jovian/exec-engine.html",
        ...museum(network),
        shows: /"operatorFeeConstant":"0xb","daFootprintGasScalar":"0x190","blobGasUsed":"0x[1-9a-f]/
      }
    ]
  ),
  {
    case: "a receipt whose gas contains the data fee",
    fixture: "evm-rpc/receipt-arbitrum-timeboosted.json",
    ...museum("arbitrum"),
    shows: /"gasUsedForL1":"0x[1-9a-f]/
  },
  {
    case: "a transaction that a block producer adds, with unlimited gas for nothing",
    fixture: "etherscan/bscscan-txlist-validator-system-txs.json",
    ...museum("bsc"),
    shows: /"gas":"9223372036854775807"/
  }
]

/** Answers that a museum cannot contain: the answer of an upstream is replaced by the recorded one. */
export const faults: ReadonlyArray<
  Omit<MuseumCase, "shows"> & { readonly upstream: string; readonly answer: unknown }
> = [
  {
    case: "a list that is null",
    fixture: "blockscout/v1-something-went-wrong.json",
    ...museum("ethereum"),
    upstream: "etherscan",
    answer: { message: "Something went wrong.", result: null, status: "0" }
  },
  {
    case: "an error that is a text",
    fixture: "evm-rpc/error-is-a-plain-string.json",
    ...museum("optimism"),
    upstream: "optimism-rpc",
    answer: { jsonrpc: "2.0", error: "Missed `to` address", id: 0 }
  },
  {
    case: "a batch that is answered by one object",
    fixture: "evm-rpc/batch-rejected-as-a-whole.json",
    ...museum("optimism"),
    upstream: "optimism-rpc",
    answer: {
      jsonrpc: "2.0",
      error: { code: -32600, message: 'Too many ["eth_getLogs"] methods in the batch' },
      id: null
    }
  }
]
