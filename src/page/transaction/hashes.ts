import type { KnownNetwork } from "../state/knownNetworks.ts"
import { hashForms } from "../state/secrets.ts"

/** The families that write hashes in each form. */
const familiesOf: Readonly<Record<keyof typeof hashForms, ReadonlyArray<string>>> = {
  prefixed: ["evm", "polkadot"],
  hex: ["utxo", "cardano", "tron", "ripple", "ton", "evm", "polkadot"],
  signature: ["solana"],
  digest: ["sui"],
  base64: ["ton"]
}

/** The networks that write hashes in this form, in their order. A network that was shut down is left out. */
export const networksOfHash = (text: string, networks: ReadonlyArray<KnownNetwork>): ReadonlyArray<KnownNetwork> => {
  const forms = Object.keys(familiesOf) as ReadonlyArray<keyof typeof hashForms>
  const families = new Set(forms.flatMap((form) => (hashForms[form].test(text) ? familiesOf[form] : [])))
  return networks.filter(({ family, sunset }) => sunset === undefined && families.has(family))
}
