import type { KnownNetwork } from "../state/knownNetworks.ts"

/** The forms of hashes, and the families that write them so. */
const forms: ReadonlyArray<readonly [form: RegExp, families: ReadonlyArray<string>]> = [
  [/^0x[\da-f]{64}$/i, ["evm", "polkadot"]],
  [/^[\da-f]{64}$/i, ["utxo", "cardano", "tron", "ripple", "ton", "evm", "polkadot"]],
  [/^[1-9A-HJ-NP-Za-km-z]{86,88}$/, ["solana"]],
  [/^[1-9A-HJ-NP-Za-km-z]{43,44}$/, ["sui"]],
  [/^([\w-]{43}|[\w+/]{43}=)$/, ["ton"]]
]

/** The networks that write hashes in this form, in their order. A network that was shut down is left out. */
export const networksOfHash = (text: string, networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<KnownNetwork> => {
  const families = new Set(forms.flatMap(([form, some]) => (form.test(text) ? some : [])))
  return networks.filter(({ family, sunset }) => sunset === undefined && families.has(family))
}
