import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as calls from "../../chains/tron/providers/trongrid/calls.ts"
import * as indexCalls from "../../chains/tron/providers/trongrid/indexCalls.ts"
import * as TronAddress from "../../chains/tron/TronAddress.ts"
import { parse, type TronTransaction } from "../../chains/tron/TronTransaction.ts"
import { numberOf } from "../../domain/units.ts"
import * as EvmContracts from "../evm/EvmContracts.ts"
import { type Answered, answered, answerOf, type CallRequest } from "../world/answers.ts"
import type { LedgerFacts } from "../world/ledger.ts"
import { type Remembered, remembered } from "../world/memoized.ts"
import * as Secp256k1 from "../world/Secp256k1.ts"
import * as Submit from "../world/Submit.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"
import {
  blockAt,
  blockOf,
  effectsOf,
  found,
  info,
  type ListedMove,
  newestBlock,
  transactionList,
  transactionOf,
  transferList
} from "./tronHistory.ts"
import { contracts, read, spelled, type TronTransfer } from "./tronRaw.ts"

/** Energy used by a token transfer, and the energy available for free (see `resources`). */
const tokenEnergy = 13_000n
const freeEnergy = 3_800n

/** Price of a unit of energy, and of activating a new account, in sun. */
const [energyPrice, newAccount] = [210n, 1_000_000n]

/** Maximum age of the reference block, in blocks, and maximum time to the expiration, in ms. */
const [oldestReference, longestValidity] = [65_536, 24 * 60 * 60 * 1000]

/** Time after which a block is solidified, ms. */
const solidifiedAfter = 57_000

/** Signer of a transaction; undefined if the signature is invalid. */
const signerOf = ({ id, signatures: [signature = new Uint8Array()] }: TronTransaction) => {
  // v is 0 or 1, or 27 or 28.
  const v = (signature[64] ?? 0) % 27
  return Option.getOrUndefined(
    Option.map(Secp256k1.signerOf(Buffer.from(id, "hex"), signature.subarray(0, 64), v), spelled)
  )
}

/** Whether the transaction refers to a recent block of the chain (TAPOS). */
const isAnchored = ({ refBlockBytes, refBlockHash }: TronTransaction, now: number): boolean => {
  const newest = newestBlock(now)
  const low = Buffer.from(refBlockBytes).readUInt16BE()
  const number = newest - ((newest - low) % oldestReference)
  return Buffer.from(blockOf(number).slice(16, 32), "hex").equals(refBlockHash)
}

/** Response of `/wallet/broadcasthex` to a rejected transaction. */
type Refused = typeof calls.broadcast.response.Encoded & { readonly transaction?: string }

interface SignedTransfer extends Submit.SignedEvent {
  readonly transaction: TronTransaction
  readonly from: string
  readonly to: string
  readonly fee: bigint
}

const codecOf = (facts: LedgerFacts): Submit.Codec<SignedTransfer, Refused> => {
  const refused = (txid: string, code: string, message: string): Refused => ({
    result: false,
    code,
    message,
    transaction: "{}",
    txid
  })

  const feeOf = ({ contract, to }: TronTransfer) =>
    contract !== undefined ? (tokenEnergy - freeEnergy) * energyPrice : World.native(facts, to) === 0n ? newAccount : 0n

  const problemOf = ({ amount, contract, fee, from, id, to, transaction }: SignedTransfer, now: number) => {
    const invalid = (reason: string) => refused(id, "CONTRACT_VALIDATE_ERROR", `Contract validate error : ${reason}`)
    const failed = (reason: string) => refused(id, "CONTRACT_EXE_ERROR", `Contract execute error : ${reason}`)
    if (!isAnchored(transaction, now)) return refused(id, "TAPOS_ERROR", "Tapos check error.")
    if (numberOf(transaction.expiration) > now + longestValidity)
      return refused(id, "TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
    if (contract !== undefined && transaction.feeLimit < fee) return failed("Not enough energy")
    if (World.native(facts, from) === 0n) return invalid("Validate TransferContract error, no OwnerAccount.")
    if (from === to) return invalid("Cannot transfer TRX to yourself.")
    if (amount <= 0n) return invalid("Amount must be greater than 0.")
    if (Submit.available(facts, from) < fee + (contract === undefined ? amount : 0n))
      return invalid("Validate TransferContract error, balance is not sufficient.")
    return contract !== undefined && Submit.available(facts, from, contract) < amount
      ? failed("REVERT opcode executed")
      : undefined
  }

  return {
    decode: (raw) =>
      Either.gen(function* () {
        const transaction = yield* Either.mapLeft(parse(raw), () => ({
          Error:
            "class com.google.protobuf.InvalidProtocolBufferException : Protocol message tag had invalid wire type."
        }))
        const { expiration, id } = transaction
        const transfer = read(facts, transaction)
        if (transfer === undefined)
          return yield* Either.left(refused(id, "CONTRACT_VALIDATE_ERROR", "Contract validate error : not simulated"))
        const signer = signerOf(transaction)
        if (signer !== transfer.from)
          return yield* Either.left(
            refused(
              id,
              "SIGERROR",
              `Validate signature error: ${signer} is signed but it is not contained of permission.`
            )
          )
        return {
          ...transfer,
          id,
          transaction,
          details: transaction,
          fee: feeOf(transfer),
          validUntil: numberOf(expiration) - 1
        }
      }),
    refusal: (problem, { id }) =>
      problem === "expired"
        ? refused(id, "TRANSACTION_EXPIRATION_ERROR", "Transaction expired")
        : refused(id, "DUP_TRANSACTION_ERROR", "Dup transaction."),
    check: (signed, now) => {
      const problem = problemOf(signed, now)
      return problem === undefined ? Either.right(signed) : Either.left(problem)
    },
    nextBlock: (now) => 3_000 * (Math.floor(now / 3_000) + 1)
  }
}

/** Transactions broadcast to a simulated chain. */
const sentTransactions = (facts: LedgerFacts) => {
  const sent = Submit.submissions(facts, codecOf(facts))
  return {
    /** A sent transaction, with its block time unless it is pending. */
    find: (id: string) => {
      const found = sent.find(id)
      return found && { ...found.signed, at: found.at }
    },
    /** Response of `/wallet/broadcasthex`. */
    submit: (hex: string, now: number): Refused =>
      Either.match(sent.submit(hex, now), {
        onLeft: (refusal) => refusal,
        onRight: ({ id }) => ({ result: true, code: "SUCCESS", message: "", transaction: "{}", txid: id })
      })
  }
}

type TronTransactions = ReturnType<typeof sentTransactions>

export const tron = (facts: NetworkFacts) => [["trongrid", tronGrid(facts, sentTransactions(facts))] as const]

/** A sent transaction, or one that a list has returned; `at` is undefined while it is in no block. */
const lookUp = ({ facts, past, transactions }: TronState, id: string) => {
  const sent = transactions.find(id)
  if (sent !== undefined) return { ...sent, failed: false, effects: {} }
  const listed = past.get(id)
  if (listed === undefined) return undefined
  const { move, transaction } = found(facts, listed, id)
  const effects = effectsOf(listed.holder, move, transaction)
  return { ...move, transaction, effects, at: move.isPending === true ? undefined : move.at }
}

interface TronState {
  readonly facts: LedgerFacts
  readonly transactions: TronTransactions
  readonly past: Remembered<ListedMove>
}

/** TronGrid: the node's HTTP API, and the account index. */
const tronGrid = (facts: LedgerFacts, transactions: TronTransactions): Simulated => {
  const answers = answersOf({ facts, transactions, past: remembered<ListedMove>() })
  return (request) =>
    Option.match(answerOf(answers, request), {
      onNone: () => json({ Success: false, Error: "not found", StatusCode: 404 }, 404),
      onSome: (answer) => json(answer)
    })
}

/** Nodes return `{}` instead of a 404. */
const answersOf = (state: TronState): ReadonlyArray<Answered> => {
  const { facts, transactions } = state
  const byId = ({ body: { value = "" } }: CallRequest<string, { readonly value: string }>) => lookUp(state, value)
  return [
    answered(calls.broadcast, ({ body: { transaction = "" }, now }) => transactions.submit(transaction, now)),
    answered(calls.transaction, (request) => {
      const known = byId(request)
      return known === undefined ? {} : transactionOf(known.transaction, known)
    }),
    answered(calls.transactionEffects, (request) => {
      const known = byId(request)
      return known?.at === undefined ? {} : { ...info(known.transaction, { ...known, at: known.at }), ...known.effects }
    }),
    answered(calls.constantContract, ({ body, now }) => triggered(facts, body, now)),
    answered(calls.contractInfo, ({ body: { value = "" } }) => {
      const code = EvmContracts.codeAt(contracts(facts), TronAddress.toEvm(value))
      return code === "0x" ? {} : { smart_contract: { contract_address: value }, runtimecode: code.slice(2) }
    }),
    answered(calls.stakedAccount, ({ body: { address = "" } }) => account(facts, address)),
    answered(calls.newestBlock, ({ now }) => blockAt(now)),
    answered(calls.solidifiedBlock, ({ now }) => blockAt(now - solidifiedAfter)),
    answered(calls.chainParameters, () => chainParameters),
    answered(calls.resources, ({ body: { address = "" } }) => resources(facts, address)),
    answered(calls.reward, ({ body: { address = "" } }) => reward(facts, address)),
    answered(indexCalls.indexedAccount, ({ now, parameters: { address } }) =>
      indexAnswer(indexed(facts, address), now)
    ),
    answered(indexCalls.tokenBalances, ({ now, parameters: { address } }) => indexAnswer(trc20(facts, address), now)),
    answered(indexCalls.transactions, ({ now, parameters: { address }, query }) =>
      transactionList({ ...state, now }, address, query)
    ),
    answered(indexCalls.transfers, ({ now, parameters: { address }, query }) =>
      transferList({ ...state, now }, address, query)
    )
  ]
}

const indexAnswer = <Row>(data: ReadonlyArray<Row>, now: number) => {
  const meta: { readonly at: number; readonly page_size: number; readonly fingerprint?: undefined } = {
    at: now,
    page_size: data.length
  }
  return { data, success: true as const, meta }
}

/** Response of `/wallet/getaccount`; an empty object for an account that is not activated. */
const account = (facts: LedgerFacts, address: string) => {
  const balance = World.native(facts, address)
  if (balance === 0n) return {}
  const staked = World.stakeOf(facts, address)
  const part = Number(staked / 4n)
  return {
    address,
    balance: Number(balance),
    create_time: 1_600_000_000_000,
    // Protobuf omits zero values, among them the type of a stake for bandwidth.
    ...(staked === 0n
      ? {}
      : {
          frozenV2: [{ amount: Number(staked) - 3 * part }, { type: "ENERGY", amount: part }, { type: "TRON_POWER" }],
          unfrozenV2: [{ type: "ENERGY", unfreeze_amount: part, unfreeze_expire_time: 1_900_000_000_000 }],
          account_resource: { delegated_frozenV2_balance_for_energy: part }
        })
  }
}

const reward = (facts: LedgerFacts, address: string) => {
  const rewards = World.rewardsOf(facts, address)
  return rewards === 0n ? {} : { reward: Number(rewards) }
}

/** Prices of July 2025, in sun; a subset of the parameters. */
const chainParameters = {
  chainParameter: [
    { key: "getMaintenanceTimeInterval", value: 21_600_000 },
    { key: "getCreateAccountFee", value: 100_000 },
    { key: "getTransactionFee", value: 1_000 },
    { key: "getCreateNewAccountFeeInSystemContract", value: 1_000_000 },
    { key: "getAllowUpdateAccountName" },
    { key: "getEnergyFee", value: 210 },
    { key: "getFreeNetLimit", value: 600 }
  ]
}

/** Response of `/wallet/getaccountresource`: a third of the free bandwidth is used. Zero values are omitted. */
const resources = (facts: LedgerFacts, address: string) =>
  World.native(facts, address) === 0n
    ? {}
    : {
        freeNetUsed: 200,
        freeNetLimit: 600,
        NetLimit: 1_000,
        TotalNetLimit: 43_200_000_000,
        TotalNetWeight: 26_982_826_755,
        EnergyLimit: 5_000,
        EnergyUsed: 1_200,
        TotalEnergyLimit: 180_000_000_000,
        TotalEnergyWeight: 19_117_826_755
      }

const indexed = (facts: LedgerFacts, address: string) => {
  const balance = World.native(facts, address)
  if (balance === 0n) return []
  return [
    { address: `41${TronAddress.toEvm(address).slice(2)}`, balance: Number(balance), trc20: trc20(facts, address) }
  ]
}

const trc20 = (facts: LedgerFacts, address: string) =>
  World.contractsOn(facts.platform).flatMap((contract) => {
    const amount = World.tokenBalance(facts, contract, address)
    return amount === 0n ? [] : [{ [contract.address]: String(amount) }]
  })

interface ContractCall {
  readonly contract_address?: string
  readonly data?: string
}

const triggered = (facts: LedgerFacts, { contract_address = "", data = "" }: ContractCall, now: number) => {
  const to = TronAddress.toEvm(contract_address)
  const time = BigInt(blockAt(now).block_header.raw_data.timestamp) / 1000n
  const returned = EvmContracts.call(
    { ...contracts(facts), time },
    { from: to, to: to.toLowerCase(), data: `0x${data}` },
    0n
  )
  return Either.match(returned, {
    onLeft: () => ({
      result: { result: true, message: "REVERT opcode executed" },
      energy_used: 200,
      constant_result: [""],
      transaction: { ret: [{ ret: "FAILED" }], visible: true }
    }),
    onRight: (result) => ({
      result: { result: true },
      energy_used: 4062,
      constant_result: [result.slice(2)],
      transaction: { ret: [{}], visible: true }
    })
  })
}
