import { createHash } from "node:crypto"
import { Ed25519Keypair } from "@mysten/sui/keypairs/ed25519"
import { Transaction } from "@mysten/sui/transactions"
import { blake2b } from "@noble/hashes/blake2"
import { p2wpkh, Transaction as SpendingTransaction } from "@scure/btc-signer"
import {
  appendTransactionMessageInstruction,
  createKeyPairSignerFromPrivateKeyBytes,
  createTransactionMessage,
  getBase64EncodedWireTransaction,
  getSignatureFromTransaction,
  type KeyPairSigner,
  pipe,
  setTransactionMessageFeePayerSigner,
  setTransactionMessageLifetimeUsingBlockhash,
  signTransactionMessageWithSigners
} from "@solana/kit"
import { beginCell, external, internal, SendMode, storeMessage } from "@ton/core"
import { keyPairFromSeed } from "@ton/crypto"
import { WalletContractV4 } from "@ton/ton"
import * as Either from "effect/Either"
import { encode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, deriveKeypair, generateSeed, sign } from "ripple-keypairs"
import type { TransactionSerializableEIP1559 } from "viem"
import { privateKeyToAccount } from "viem/accounts"
import { bytesToHex, keccak256, serializeTransaction } from "viem/utils"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../src/chains/polkadot/PolkadotAddress.ts"
import * as TronAddress from "../../src/chains/tron/TronAddress.ts"
import type { TransactionContext } from "../../src/domain/TransactionContext.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { cardanoAddress, cardanoTransaction, ed25519, polkadotTransfer, tronSigned, tronTransfer } from "./offline.ts"

// Wallets of each family: they sign payments with only the sender's transaction context.

type ContextOf<Family> = Extract<TransactionContext, { readonly family: Family }>

/** Fault of an invalid transaction. */
export type Fault = "signature" | "sequence" | "amount" | "expiry"

export interface Payment {
  readonly raw: string
  /** In the format of histories. */
  readonly hash: string
}

export interface Signer {
  readonly sender: string
  readonly recipient: string
  /** Base units that a valid payment transfers. */
  readonly amount: bigint
  readonly pay: (context: never, wrong?: Fault) => Promise<Payment>
  /** Text of a node's error for each fault. */
  readonly errorTexts: Readonly<Partial<Record<Fault, string>>>
  /** Text of a node's error for a transaction that spends spent outputs. */
  readonly spentError?: string
  /** JSON-RPC calls, if the service has no route for the network's raw transactions. */
  readonly rpc?: Readonly<
    Record<"send" | "find", (text: string) => { readonly method: string; readonly params: unknown }>
  >
  /** Longer than the block time and than histories are cached, ms. */
  readonly blockTime: number
  /** True if histories list pending transactions. */
  readonly listsPending?: boolean
  /** Status after sending; `pending` if absent. */
  readonly sentStatus?: "confirmed"
  /** True if balances include pending transactions. */
  readonly countsPending?: boolean
}

export const factsOf = (id: string): NetworkFacts => {
  const facts = Catalogue.all.find((each) => each.id === id)
  if (facts === undefined) throw new Error(id)
  return facts
}

const accounts = new Map<number, ReturnType<typeof privateKeyToAccount>>()

/** The account of a key of 32 equal bytes; computed once, because that is slow. */
const accountOf = (byte: number) => {
  const account = accounts.get(byte) ?? privateKeyToAccount(bytesToHex(new Uint8Array(32).fill(byte)))
  accounts.set(byte, account)
  return account
}

/** The first two keys whose addresses have more than `least` base units in the simulated world. */
const firstTwo = <A>(network: string, make: (index: number) => A, addressOf: (made: A) => string, least: bigint) => {
  const facts = factsOf(network)
  const rich = Array.from({ length: 60 }, (_, index) => make(index + 1)).filter(
    (made) => World.native(facts, addressOf(made)) > least
  )
  const [sender, recipient] = rich
  if (sender === undefined || recipient === undefined) throw new Error(`no funded key of ${network}`)
  return [sender, recipient] as const
}

const tron = (): Signer => {
  const keyOf = (index: number) => {
    const account = accountOf(index)
    return { account, address: Either.getOrThrow(TronAddress.parse(`41${account.address.slice(2)}`)) }
  }
  const [own, other] = firstTwo("tron", keyOf, ({ address }) => address, 20_000_000n)
  const hexOf = (address: string) => `41${TronAddress.toEvm(address).slice(2)}`
  const amount = 1_000_000n
  return {
    sender: own.address,
    recipient: other.address,
    amount,
    blockTime: 8_000,
    listsPending: true,
    errorTexts: {
      signature: "SIGERROR",
      amount: "CONTRACT_VALIDATE_ERROR",
      expiry: "TRANSACTION_EXPIRATION_ERROR",
      sequence: "TAPOS_ERROR"
    },
    pay: async ({ balance, block }: ContextOf<"tron">, wrong) => {
      const { id, raw } = tronTransfer({
        ...block,
        ...(wrong === "sequence" ? { refBlockHash: "00".repeat(8) } : {}),
        expiration: block.timestamp + (wrong === "expiry" ? -60_000 : 60_000),
        from: hexOf(own.address),
        to: hexOf(other.address),
        amount: wrong === "amount" ? BigInt(balance) + 1n : amount
      })
      const signature = await (wrong === "signature" ? other : own).account.sign({ hash: bytesToHex(id) })
      return { hash: id.toString("hex"), raw: tronSigned(raw, signature) }
    }
  }
}

const ripple = (): Signer => {
  const keyOf = (index: number) => {
    const keypair = deriveKeypair(generateSeed({ entropy: new Uint8Array(16).fill(index) }))
    return { keypair, address: deriveAddress(keypair.publicKey) }
  }
  const [own, other] = firstTwo("ripple", keyOf, ({ address }) => address, 20_000_000n)
  const amount = 1_000_000n
  return {
    sender: own.address,
    recipient: other.address,
    amount,
    blockTime: 6_000,
    // No fault `amount`: the ledger accepts a payment above the balance and charges only its fee.
    errorTexts: { signature: "invalidTransaction", sequence: "tefPAST_SEQ", expiry: "tefMAX_LEDGER" },
    pay: async ({ ledger, openLedgerFee, sequence }: ContextOf<"ripple">, wrong) => {
      const payment = {
        TransactionType: "Payment",
        Account: own.address,
        Destination: other.address,
        Amount: String(amount),
        Fee: openLedgerFee,
        Sequence: (sequence ?? 0) - (wrong === "sequence" ? 1 : 0),
        LastLedgerSequence: ledger + (wrong === "expiry" ? -20 : 20),
        SigningPubKey: own.keypair.publicKey
      }
      const { privateKey } = wrong === "signature" ? other.keypair : own.keypair
      const raw = encode({ ...payment, TxnSignature: sign(encodeForSigning(payment), privateKey) })
      const hash = createHash("sha512").update(`54584e00${raw}`, "hex").digest("hex").slice(0, 64).toUpperCase()
      return { hash, raw }
    }
  }
}

const polkadot = (): Signer => {
  const keyOf = (index: number) => ed25519(Buffer.alloc(32, index))
  const [own, other] = firstTwo("polkadot", keyOf, ({ publicKey }) => bytesToHex(publicKey), 60_000_000_000n)
  const amount = 5_000_000_000n
  return {
    sender: PolkadotAddress.format(bytesToHex(own.publicKey)),
    recipient: PolkadotAddress.format(bytesToHex(other.publicKey)),
    amount,
    blockTime: 8_000,
    errorTexts: { signature: "bad signature", sequence: "future", amount: "would fail" },
    pay: async (context: ContextOf<"polkadot">, wrong) => {
      const nonce = context.nonce + (wrong === "sequence" ? 1 : 0)
      const planck = wrong === "amount" ? BigInt(context.balance) : amount
      const signer = wrong === "signature" ? other : own
      const { extrinsic } = polkadotTransfer({ ...context, nonce }, other.publicKey, planck, signer, own.publicKey)
      return { hash: bytesToHex(blake2b(extrinsic, { dkLen: 32 })), raw: extrinsic.toString("hex") }
    }
  }
}

/** A wallet of an EVM network. */
export const evmSigner = (network: string) => {
  const [own, other] = firstTwo(network, accountOf, ({ address }) => address.toLowerCase(), 10n ** 17n)
  const amount = 10n ** 15n
  const { chainId = 0 } = factsOf(network)
  const signed = async (transaction: TransactionSerializableEIP1559): Promise<Payment> => {
    const raw = await own.signTransaction(transaction)
    return { raw, hash: keccak256(raw) }
  }
  return {
    sender: own.address.toLowerCase(),
    recipient: other.address.toLowerCase(),
    amount,
    blockTime: 8_000,
    errorTexts: { signature: "invalid sender", sequence: "nonce too low", amount: "insufficient funds" },
    rpc: {
      send: (raw) => ({ method: "eth_sendRawTransaction", params: [raw] }),
      find: (hash) => ({ method: "eth_getTransactionReceipt", params: [hash] })
    },
    /** Signs a transfer of nothing to the sender itself. */
    cancel: (fees: Pick<TransactionSerializableEIP1559, "gas" | "maxFeePerGas" | "maxPriorityFeePerGas" | "nonce">) =>
      signed({ ...fees, type: "eip1559", chainId, to: own.address }),
    pay: async ({ balance, gasPrice, nonce }: ContextOf<"evm">, wrong?: Fault) => {
      const transaction = {
        type: "eip1559",
        chainId,
        nonce: nonce - (wrong === "sequence" ? 1 : 0),
        to: other.address,
        value: wrong === "amount" ? BigInt(balance) : amount,
        gas: 21_000n,
        maxFeePerGas: BigInt(gasPrice) * 2n,
        maxPriorityFeePerGas: 1_000_000n
      } as const
      if (wrong !== "signature") return signed(transaction)
      // Invalid: no point of the curve has this x coordinate.
      const none = { r: `0x${"f".repeat(64)}`, s: `0x${"1".repeat(64)}`, yParity: 0 } as const
      const raw = serializeTransaction(transaction, none)
      return { raw, hash: keccak256(raw) }
    }
  } satisfies Signer & Readonly<Record<"cancel", unknown>>
}

const solana = async (): Promise<Signer> => {
  const keys = await Promise.all(
    Array.from({ length: 40 }, (_, index) => createKeyPairSignerFromPrivateKeyBytes(new Uint8Array(32).fill(index + 1)))
  )
  const [own, other] = firstTwo(
    "solana",
    (index) => keys[index % keys.length] as KeyPairSigner,
    ({ address }) => address,
    20_000_000n
  )
  const amount = 2_000_000n
  const lamports = (value: bigint) => {
    const data = new Uint8Array(12)
    data[0] = 2
    new DataView(data.buffer).setBigUint64(4, value, true)
    return data
  }
  return {
    sender: own.address,
    recipient: other.address,
    amount,
    blockTime: 20_000,
    errorTexts: {
      signature: "signature verification failure",
      amount: "insufficient lamports",
      expiry: "Blockhash not found"
    },
    rpc: {
      send: (raw) => ({ method: "sendTransaction", params: [raw, { encoding: "base64" }] }),
      find: (hash) => ({ method: "getTransaction", params: [hash, { maxSupportedTransactionVersion: 0 }] })
    },
    pay: async ({ balance, blockhash, lastValidBlockHeight }: ContextOf<"solana">, wrong) => {
      const lifetime = {
        blockhash: (wrong === "expiry" ? systemProgram : blockhash) as never,
        lastValidBlockHeight: BigInt(lastValidBlockHeight)
      }
      const instruction = {
        programAddress: systemProgram as never,
        accounts: [
          { address: own.address, role: 3 },
          { address: other.address, role: 1 }
        ],
        data: lamports(wrong === "amount" ? BigInt(balance) : amount)
      }
      const transaction = await signTransactionMessageWithSigners(
        pipe(
          createTransactionMessage({ version: 0 }),
          (message) => setTransactionMessageFeePayerSigner(own, message),
          (message) => setTransactionMessageLifetimeUsingBlockhash(lifetime, message),
          (message) => appendTransactionMessageInstruction(instruction, message)
        )
      )
      const bytes = Buffer.from(getBase64EncodedWireTransaction(transaction), "base64")
      if (wrong === "signature") bytes[10] = (bytes[10] ?? 0) ^ 1
      return { raw: bytes.toString("base64"), hash: getSignatureFromTransaction(transaction) }
    }
  }
}

const systemProgram = "11111111111111111111111111111111"

const sui = (): Signer => {
  const keyOf = (index: number) => Ed25519Keypair.fromSecretKey(new Uint8Array(32).fill(index))
  const [own, other] = firstTwo("sui", keyOf, (key) => key.toSuiAddress(), 1_000_000_000n)
  const amount = 50_000_000n
  return {
    sender: own.toSuiAddress(),
    recipient: other.toSuiAddress(),
    amount,
    sentStatus: "confirmed",
    blockTime: 8_000,
    errorTexts: {
      signature: "Invalid user signature",
      sequence: "Could not find the referenced object",
      amount: "lower than the needed amount"
    },
    rpc: {
      send: (raw) => ({ method: "sui_executeTransactionBlock", params: JSON.parse(raw) }),
      find: (hash) => ({ method: "sui_getTransactionBlock", params: [hash, {}] })
    },
    pay: async ({ gasCoins, referenceGasPrice }: ContextOf<"sui">, wrong) => {
      const transaction = new Transaction()
      transaction.setSender(own.toSuiAddress())
      transaction.setGasPrice(BigInt(referenceGasPrice))
      transaction.setGasBudget(wrong === "amount" ? 10n ** 18n : 10_000_000n)
      const coins = gasCoins.slice(0, 1)
      transaction.setGasPayment(
        coins.map(({ version, ...coin }) => ({
          ...coin,
          version: String(Number(version) - (wrong === "sequence" ? 1 : 0))
        }))
      )
      transaction.transferObjects([transaction.splitCoins(transaction.gas, [amount])], other.toSuiAddress())
      const bytes = await transaction.build()
      const { signature } = await (wrong === "signature" ? other : own).signTransaction(bytes)
      return {
        raw: JSON.stringify([Buffer.from(bytes).toString("base64"), [signature], {}]),
        hash: await transaction.getDigest()
      }
    }
  }
}

const ton = (): Signer => {
  const keyOf = (index: number) => {
    const pair = keyPairFromSeed(Buffer.alloc(32, index))
    return { pair, contract: WalletContractV4.create({ workchain: 0, publicKey: pair.publicKey }) }
  }
  const [own, other] = firstTwo("ton", keyOf, ({ contract }) => contract.address.toRawString(), 1_000_000_000n)
  const amount = 500_000_000n
  return {
    sender: own.contract.address.toRawString(),
    recipient: other.contract.address.toRawString(),
    amount,
    blockTime: 8_000,
    errorTexts: { signature: "exitcode=35", sequence: "exitcode=33", expiry: "exitcode=36" },
    rpc: {
      send: (boc) => ({ method: "sendBoc", params: { boc } }),
      find: () => ({ method: "getTransactions", params: { address: own.contract.address.toString() } })
    },
    pay: async ({ seqno }: ContextOf<"ton">, wrong) => {
      const body = own.contract.createTransfer({
        seqno: (seqno ?? 0) + (wrong === "sequence" ? 1 : 0),
        secretKey: (wrong === "signature" ? other : own).pair.secretKey,
        sendMode: SendMode.PAY_GAS_SEPARATELY,
        timeout: wrong === "expiry" ? 1 : 4_000_000_000,
        messages: [internal({ to: other.contract.address, value: amount, bounce: false })]
      })
      // Includes the wallet's state init, which contains its public key.
      const message = external({ to: own.contract.address, init: own.contract.init, body })
      const plain = beginCell().store(storeMessage(external({ to: own.contract.address, body }), { forceRef: true }))
      return {
        raw: beginCell().store(storeMessage(message)).endCell().toBoc().toString("base64"),
        hash: plain.endCell().hash().toString("hex")
      }
    }
  }
}

/** A wallet with witness addresses (P2WPKH). */
export const witnessSigner = (id: "bitcoin" | "litecoin") => {
  const network = { bech32: id === "bitcoin" ? "bc" : "ltc", pubKeyHash: 0, scriptHash: 5, wif: 0x80 }
  const keyOf = (index: number) => {
    const key = new Uint8Array(32).fill(index)
    const point = Buffer.from(accountOf(index).publicKey.slice(4), "hex")
    const payment = p2wpkh(Uint8Array.of(2 + ((point[63] ?? 0) & 1), ...point.subarray(0, 32)), network)
    return { key, payment, address: payment.address ?? "" }
  }
  const [own, other] = firstTwo(id, keyOf, ({ address }) => address, 400_000n)
  const amount = 50_000n
  const spend = ({ utxos }: ContextOf<"utxo">, fee: bigint, pays: boolean): Payment => {
    const transaction = new SpendingTransaction()
    // Spends the smallest sufficient output: the others remain for later payments.
    const coins = utxos.filter(({ value }) => BigInt(value) > amount + 3_000n).slice(-1)
    for (const { script, txid, value, vout } of coins)
      transaction.addInput({
        txid,
        index: vout,
        witnessUtxo: { script: Buffer.from(script, "hex"), amount: BigInt(value) }
      })
    const all = coins.reduce((sum, { value }) => sum + BigInt(value), 0n)
    if (pays) transaction.addOutputAddress(other.address, amount, network)
    transaction.addOutputAddress(own.address, all - (pays ? amount : 0n) - fee, network)
    transaction.sign(own.key)
    transaction.finalize()
    return { hash: transaction.id, raw: transaction.hex }
  }
  return {
    sender: own.address,
    recipient: other.address,
    amount,
    blockTime: 610_000,
    listsPending: true,
    countsPending: true,
    errorTexts: { signature: "mandatory-script-verify" },
    spentError: "missingorspent",
    /** Returns the coin that a payment spends to the sender itself. */
    cancel: (context: ContextOf<"utxo">, fee: bigint) => spend(context, fee, false),
    pay: async (context: ContextOf<"utxo">, wrong?: Fault, fee = wrong === "sequence" ? 2_000n : 1_000n) => {
      const { hash, raw } = spend(context, fee, true)
      // Changes the lock time, which every input signs.
      return { hash, raw: wrong === "signature" ? `${raw.slice(0, -8)}01000000` : raw }
    }
  } satisfies Signer & Readonly<Record<"cancel", unknown>>
}

const cardano = (): Signer => {
  const keyOf = (index: number) => {
    const key = ed25519(Buffer.alloc(32, index))
    return { key, address: cardanoAddress(key.publicKey) }
  }
  const [own, other] = firstTwo("cardano", keyOf, ({ address }) => address, 20_000_000n)
  const amount = 3_000_000n
  return {
    sender: own.address,
    recipient: other.address,
    amount,
    blockTime: 24_000,
    errorTexts: {
      signature: "MissingVKeyWitnessesUTXOW",
      amount: "ValueNotConservedUTxO",
      expiry: "OutsideValidityIntervalUTxO"
    },
    spentError: "BadInputsUTxO",
    pay: async ({ slot, utxos }: ContextOf<"cardano">, wrong) => {
      const fee = 300_000n + (wrong === "sequence" ? 1n : 0n)
      const all = utxos.reduce((sum, { lovelace }) => sum + BigInt(lovelace), wrong === "amount" ? 1n : 0n)
      const rest = { address: own.address, lovelace: all - amount - fee, assets: utxos.flatMap(({ assets }) => assets) }
      const { hex, id } = cardanoTransaction(
        {
          inputs: utxos,
          outputs: [{ address: other.address, lovelace: amount, assets: [] }, rest],
          fee,
          ttl: slot + (wrong === "expiry" ? -100 : 7_200)
        },
        (wrong === "signature" ? other : own).key
      )
      return { raw: hex, hash: id }
    }
  }
}

/** Wallets by network. */
export const signers: Readonly<Record<string, () => Signer | Promise<Signer>>> = {
  ethereum: () => evmSigner("ethereum"),
  bitcoin: () => witnessSigner("bitcoin"),
  cardano,
  solana,
  sui,
  ton,
  tron,
  ripple,
  polkadot
}
