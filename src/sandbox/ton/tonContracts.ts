import * as Option from "effect/Option"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as World from "../world/World.ts"
import * as TonCells from "./TonCells.ts"
import type { Wallets } from "./tonWallets.ts"
import { raw } from "./tonWallets.ts"

/** The code of wallet v4, revision 2 (github.com/ton-blockchain/wallet-contract). */
const walletCode =
  "te6ccgECFAEAAtQAART/APSkE/S88sgLAQIBIAIDAgFIBAUE+PKDCNcYINMf0x/THwL4I7vyZO1E0NMf0x/T//QE0VFDuvKhUVG68qIF+QFUEGT5EPKj+AAkpMjLH1JAyx9SMMv/UhD0AMntVPgPAdMHIcAAn2xRkyDXSpbTB9QC+wDoMOAhwAHjACHAAuMAAcADkTDjDQOkyMsfEssfy/8QERITAubQAdDTAyFxsJJfBOAi10nBIJJfBOAC0x8hghBwbHVnvSKCEGRzdHK9sJJfBeAD+kAwIPpEAcjKB8v/ydDtRNCBAUDXIfQEMFyBAQj0Cm+hMbOSXwfgBdM/yCWCEHBsdWe6kjgw4w0DghBkc3RyupJfBuMNBgcCASAICQB4AfoA9AQw+CdvIjBQCqEhvvLgUIIQcGx1Z4MesXCAGFAEywUmzxZY+gIZ9ADLaRfLH1Jgyz8gyYBA+wAGAIpQBIEBCPRZMO1E0IEBQNcgyAHPFvQAye1UAXKwjiOCEGRzdHKDHrFwgBhQBcsFUAPPFiP6AhPLassfyz/JgED7AJJfA+ICASAKCwBZvSQrb2omhAgKBrkPoCGEcNQICEekk30pkQzmkD6f+YN4EoAbeBAUiYcVnzGEAgFYDA0AEbjJftRNDXCx+AA9sp37UTQgQFA1yH0BDACyMoHy//J0AGBAQj0Cm+hMYAIBIA4PABmtznaiaEAga5Drhf/AABmvHfaiaEAQa5DrhY/AAG7SB/oA1NQi+QAFyMoHFcv/ydB3dIAYyMsFywIizxZQBfoCFMtrEszMyXP7AMhAFIEBCPRR8qcCAHCBAQjXGPoA0z/IVCBHgQEI9FHyp4IQbm90ZXB0gBjIywXLAlAGzxZQBPoCFMtqEssfyz/Jc/sAAgBsgQEI1xj6ANM/MFIkgQEI9Fnyp4IQZHN0cnB0gBjIywXLAlAFzxZQA/oCE8tqyx8Syz/Jc/sAAAr0AMntVA=="

/** The default wallet id of the workchain (docs.ton.org). */
const walletId = 698983191

/** Jetton wallets that were returned; the oldest is evicted. */
const capacity = 10_000

/** A value on the stack of the virtual machine. */
type StackItem = readonly [kind: string, value: unknown]

/** The stack after a get method, or the exit code. */
type GetMethodResult = ReadonlyArray<StackItem> | number

const number = (value: bigint | number): StackItem => ["num", `0x${value.toString(16)}`]

const cellItem = (cell: TonCells.Cell): StackItem => {
  const bytes = TonCells.toBoc(cell)
  return ["cell", { bytes, object: { data: { b64: bytes, len: cell.bits.length }, refs: [], special: false } }]
}

const addressItem = (address: string) => cellItem(TonCells.cell(TonCells.addressBits(address)))

const codeOf = (kind: string): string => {
  if (kind === "none") return ""
  return kind === "wallet" ? walletCode : TonCells.toBoc(TonCells.cell(TonCells.uint(0xff00f4a413f4bcf2c80bn, 80)))
}

/** The contracts of a simulated chain: wallets, jettons and jetton wallets. */
export const contracts = (facts: NetworkFacts, wallets: Wallets) => {
  const jettonWallets = BoundedMap.make<string, { readonly owner: string; readonly master: string }>({ capacity })
  const masters = new Map(
    World.contractsOn(facts.platform).flatMap((contract) => {
      const master = raw(contract.address)
      return master === undefined ? [] : [[master, contract] as const]
    })
  )

  /** Derived from the owner's address, as the indexers do. */
  const jettonWallet = (owner: string, master: string): string => {
    const address = `0:${owner.slice(-32)}${master.slice(-32)}`
    jettonWallets.set(address, { owner, master })
    return address
  }

  const kindOf = (address: string) => {
    if (masters.has(address)) return "jetton"
    if (jettonWallets.has(address)) return "jetton wallet"
    return wallets.isActive(address) ? "wallet" : "none"
  }

  /** The public key of a wallet that never revealed it: a key that does not exist. */
  const keyOf = (address: string) => wallets.publicKey(address) ?? BigInt(`0x${address.split(":")[1]}`)

  const methods: Readonly<
    Record<string, Readonly<Record<string, (address: string, stack: unknown) => GetMethodResult>>>
  > = {
    wallet: {
      seqno: (address) => [number(wallets.seqno(address))],
      get_public_key: (address) => [number(keyOf(address))],
      get_subwallet_id: () => [number(walletId)],
      get_plugin_list: () => [["list", { "@type": "tvm.list", elements: [] }]]
    },
    jetton: {
      get_wallet_address: (address, stack) => {
        const owner = addressOn(stack)
        return owner === undefined ? 9 : [addressItem(jettonWallet(owner, address))]
      },
      get_jetton_data: (address) => [
        number(10n ** BigInt((masters.get(address)?.decimals ?? 9) + 9)),
        number(-1),
        addressItem(address),
        cellItem(TonCells.cell("")),
        cellItem(TonCells.cell(""))
      ]
    },
    "jetton wallet": {
      get_wallet_data: (address) => {
        const { master = "", owner = "" } = jettonWallets.get(address) ?? {}
        const contract = masters.get(master)
        const balance = contract === undefined ? 0n : World.tokenBalance(facts, contract, owner)
        return [number(balance), addressItem(owner), addressItem(master), cellItem(TonCells.cell(""))]
      }
    }
  }

  return {
    kindOf,
    walletId,
    /** Whether an address has code. */
    isActive: (address: string) => kindOf(address) !== "none",
    code: (address: string) => codeOf(kindOf(address)),
    data: (address: string) => {
      if (kindOf(address) !== "wallet") return kindOf(address) === "none" ? "" : TonCells.toBoc(TonCells.cell(""))
      const numbers = TonCells.uint(wallets.seqno(address), 32) + TonCells.uint(walletId, 32)
      return TonCells.toBoc(TonCells.cell(`${numbers}${TonCells.uint(keyOf(address), 256)}0`))
    },
    /** Exit code -13 without a contract, 11 without the method. */
    run: (address: string, method: unknown, stack: unknown) => {
      const kind = kindOf(address)
      const result = methods[kind]?.[String(method)]?.(address, stack) ?? (kind === "none" ? -13 : 11)
      return typeof result === "number" ? { stack: [], exit_code: result } : { stack: result, exit_code: 0 }
    }
  }
}

/** The address in the first stack value. */
const addressOn = (stack: unknown): string | undefined => {
  const [first] = Array.isArray(stack) ? stack : []
  const [, boc] = Array.isArray(first) ? first : []
  return Option.getOrUndefined(
    Option.flatMap(
      TonCells.fromBoc(String(boc)),
      Option.liftThrowable((cell) => TonCells.slice(cell).address())
    )
  )
}

export type Contracts = ReturnType<typeof contracts>
