import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "solana", address: World.museum("solana") ?? "" }

/** Forms of answers. */
export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "a memo in the list of signatures, with its length",
    fixture: "solana/getsignaturesforaddress-failed-and-memo.json",
    ...museum,
    shows: /"memo":"\[25\] Blockchain monitor reward"/
  },
  {
    case: "an error of an instruction in the list of signatures",
    fixture: "solana/getsignaturesforaddress-failed-and-memo.json",
    ...museum,
    shows: /"err":\{"InstructionError":\[0,\{"Custom":1\}\]\}/
  },
  {
    case: "an early transaction, without inner instructions, logs and tokens",
    fixture: "solana/tx-jsonparsed-2020-transfer.json",
    ...museum,
    shows:
      /"meta":\{(?=.*"innerInstructions":null)(?=.*"logMessages":null)(?!.*"(?:loadedAddresses|preTokenBalances)")(?=.*"type":"transfer")/
  },
  {
    case: "an error without an instruction",
    fixture: "solana/tx-failed-insufficient-funds-for-rent.json",
    ...museum,
    shows: /"err":\{"InsufficientFundsForRent":\{"account_index":1\}\}/
  },
  {
    case: "an error of a program, in a transaction with instructions that it called",
    fixture: "solana/tx-failed-swap-custom-6001.json",
    ...museum,
    shows:
      /"meta":\{(?=.*"err":\{"InstructionError":\[2,\{"Custom":6001\}\]\})(?=.*"innerInstructions":\[\{"index":\d,"instructions":\[\{)/
  },
  {
    case: "accounts from a look-up table",
    fixture: "solana/tx-failed-swap-custom-6001.json",
    ...museum,
    shows: /"loadedAddresses":\{"readonly":\["\w{32,44}"[^\]]*\],"writable":\["\w{32,44}"/
  },
  {
    case: "a token amount of zero, without a number to display",
    fixture: "solana/tx-failed-swap-custom-6001.json",
    ...museum,
    shows: /"amount":"0","decimals":6,"uiAmount":null,"uiAmountString":"0"/
  },
  {
    case: "an account that sends its whole balance",
    fixture: "solana/tx-native-transfer-close-account.json",
    ...museum,
    shows: /"postBalances":\[0,\d/
  },
  {
    case: "a balance that a JavaScript number cannot represent",
    fixture: "solana/tx-base64-lamports-above-2-53.json",
    ...museum,
    shows: /"preBalances":\[19921027478002237,/
  },
  {
    case: "a transfer to itself",
    fixture: "solana/tx-native-self-transfer.json",
    ...museum,
    shows: /"preBalances":\[\d+,1(?:,1)*\]/
  },
  {
    case: "a token account that the transaction opens for its recipient",
    fixture: "solana/tx-usdc-transfer-new-ata.json",
    ...museum,
    shows:
      /"meta":\{(?=.*"innerInstructions":\[\{)(?=.*"postBalances":\[[\d,]*,2039280[,\]])(?=.*"preBalances":\[\d+,[\d,]*0[,\]])/
  },
  {
    case: "a transaction of the version before look-up tables",
    fixture: "solana/tx-usdc-transfer-new-ata.json",
    ...museum,
    shows: /"version":"legacy"/
  },
  {
    case: "accounts from a look-up table, named among the accounts of the message",
    fixture: "https://solana.com/docs/rpc/json-structures",
    ...museum,
    shows: /"accountKeys":\[\{(?=[^\]]*"source":"transaction"\},)(?:(?!\]).)*"source":"lookupTable"\}\]/
  },
  {
    case: "accounts from a look-up table, missing among the accounts of the message",
    fixture: "solana/tx-failed-swap-custom-6001.json",
    ...museum,
    shows: /(?=.*"loadedAddresses":\{"readonly":\["\w{32,44}").*"accountKeys":\["\w{32,44}"/
  },
  {
    case: "a transfer and a new account by the call of a program that the node cannot parse",
    fixture: "https://solana.com/docs/rpc/json-structures",
    ...museum,
    shows:
      /"innerInstructions":\[\{"index":0,"instructions":\[\{"program":"system",(?:(?!"loadedAddresses").)*"type":"createAccount"/
  },
  {
    case: "coins that are wrapped in a new account",
    fixture: "https://solana.com/docs/rpc/json-structures",
    ...museum,
    shows: /"postTokenBalances":\[\{[^{}]*"mint":"So1{40}2"[^{}]*\{"amount":"1500000"(?=.*"type":"syncNative")/
  },
  {
    case: "wrapped coins that return when their account is closed",
    fixture: "https://solana.com/docs/rpc/json-structures",
    ...museum,
    shows: /"preTokenBalances":\[\{[^\]]*"mint":"So1{40}2"[^\]]*\],"postTokenBalances":\[\](?=.*"type":"closeAccount")/
  },
  {
    case: "a mint with extensions",
    fixture: "solana/mint-account-token2022-extensions.json",
    ...museum,
    shows: /"extensions":\[\{"extension":"(?=.*\{"extension":"tokenMetadata","state":\{"additionalMetadata":\[\])/
  }
]

interface Refusal {
  readonly code: number
  readonly message: string
  readonly data?: unknown
}

/** Errors that a history cannot contain: the calls of a method are answered with the recorded one. */
export const faults: ReadonlyArray<
  Omit<MuseumCase, "shows"> & { readonly method: string; readonly says: string; readonly error: Refusal }
> = [
  {
    case: "a node that is behind",
    fixture: "solana/error-32005-node-behind.json",
    ...museum,
    method: "getSignaturesForAddress",
    says: "the node is behind the network",
    error: { code: -32005, message: "Node is behind by 3104 slots", data: { numSlotsBehind: 3104 } }
  },
  {
    case: "a version that the node does not return",
    fixture: "solana/error-32015-tx-version.json",
    ...museum,
    method: "getTransaction",
    says: "did not return them, or in an unexpected format",
    error: { code: -32015, message: "Transaction version (0) is not supported" }
  },
  {
    case: "a limit of calls of one method, with a positive code",
    fixture: "solana/error-429-rpc-call.json",
    ...museum,
    method: "getTokenAccountsByOwner",
    says: "incoming token transfers: solana-rpc: rate limit reached",
    error: {
      code: 429,
      message:
        "Too many requests for a specific RPC call, please contact your app developer to further troubleshoot. If you are using an open endpoint, please consider signing up for your own subscription to avoid getting rate limited, you can find some suitable options at https://solana.com/rpc."
    }
  }
]
