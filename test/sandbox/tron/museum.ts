import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "tron", address: World.museum("tron") ?? "" }

export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "a result of the network, misspelt, next to that of the contract",
    fixture: "trongrid/v1-transactions-2020-mixed.json",
    ...museum,
    shows: /"ret":\[\{"code":"SUCESS","contractRet":"SUCCESS","fee":\d+\}\]/
  },
  {
    case: "a TRC-10 asset",
    fixture: "trongrid/v1-transactions-2020-mixed.json",
    ...museum,
    shows: /"amount":7639170000000,"asset_name":"1002000"/
  },
  {
    case: "a transaction with a time",
    fixture: "trongrid/v1-transactions-2020-mixed.json",
    ...museum,
    shows: /"raw_data":\{"contract".{0,1500}?"timestamp":\d{13}\}/
  },
  {
    case: "a transaction without a time, which moves one sun",
    fixture: "trongrid/v1-transactions-native-without-timestamp.json",
    ...museum,
    shows: /"amount":1,(?:(?!"amount").)*"expiration":\d{13}\}/
  },
  {
    case: "a call that ran out of energy, with its fee",
    fixture: "trongrid/v1-transactions-out-of-energy.json",
    ...museum,
    shows: /"contractRet":"OUT_OF_ENERGY","fee":54171200/
  },
  {
    case: "a fee for bandwidth beside one for energy",
    fixture: "trongrid/v1-transactions-out-of-energy.json",
    ...museum,
    shows: /"net_fee":2209000,(?=.*"energy_fee":51962200)/
  },
  {
    case: "the parts of a fee without their sum",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows: /"ret":\[\{"contractRet":"SUCCESS"\}\](?:(?!"ret").)*"net_fee":2209000,(?:(?!"ret").)*"energy_fee":1000000/
  },
  {
    case: "a rejected internal transaction in the transaction that called it",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows:
      /"contractRet":"SUCCESS"(?:(?!"ret").)*"internal_transactions":\[\{[^{}]*"data":\{"note":"63616c6c","rejected":true/
  },
  {
    case: "a rejected internal transaction in a separate row",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows: /"rejected":true,"call_value":\{"_":5000000\}\}[^{}]*"tx_id"/
  },
  {
    case: "coins that return from a stake of the first version",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows: /"type":"UnfreezeBalanceContract"(?:(?!"ret").)*"unfreeze_amount":7000000/
  },
  {
    case: "a reward of votes",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows: /"type":"WithdrawBalanceContract"(?:(?!"ret").)*"withdraw_amount":11000000/
  },
  {
    case: "coins that return from a stake of the second version",
    fixture: "https://github.com/tronprotocol/protocol/blob/master/core/Tron.proto",
    ...museum,
    shows: /"type":"WithdrawExpireUnfreezeContract"(?:(?!"ret").)*"withdraw_expire_amount":13000000/
  },
  {
    case: "a limit of the fee",
    fixture: "trongrid/v1-transactions-out-of-energy.json",
    ...museum,
    shows: /"fee_limit":100000000/
  },
  {
    case: "a transfer that is listed again as unconfirmed",
    fixture: "trongrid/v1-trc20-transactions-2020-unconfirmed.json",
    ...museum,
    shows: /"transaction_id":"([0-9a-f]{64})".*?"_unconfirmed":true.*"transaction_id":"\1"/
  },
  {
    case: "an empty page that links to another",
    fixture: "trongrid/v1-transactions-empty-but-next-page.json",
    ...museum,
    shows: /^(?=.*"data":\[\])(?=.*"fingerprint":"\w+").*"links":\{"next":"https:/
  }
]
