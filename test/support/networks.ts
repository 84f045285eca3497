import { cardano } from "../../src/catalogue/cardano.ts"
import { base } from "../../src/catalogue/evm/base.ts"
import { bsc } from "../../src/catalogue/evm/bsc.ts"
import { ethereum } from "../../src/catalogue/evm/ethereum.ts"
import { zkevm } from "../../src/catalogue/evm/zkevm.ts"
import { polkadot } from "../../src/catalogue/polkadot.ts"
import { ripple } from "../../src/catalogue/ripple.ts"
import { solana } from "../../src/catalogue/solana.ts"
import { sui } from "../../src/catalogue/sui.ts"
import { ton } from "../../src/catalogue/ton.ts"
import { tron } from "../../src/catalogue/tron.ts"
import { bch } from "../../src/catalogue/utxo/bch.ts"
import { bitcoin } from "../../src/catalogue/utxo/bitcoin.ts"
import { dogecoin } from "../../src/catalogue/utxo/dogecoin.ts"
import { litecoin } from "../../src/catalogue/utxo/litecoin.ts"
import * as CardanoChain from "../../src/chains/cardano/Cardano.ts"
import * as Evm from "../../src/chains/evm/Evm.ts"
import * as PolkadotChain from "../../src/chains/polkadot/Polkadot.ts"
import * as RippleChain from "../../src/chains/ripple/Ripple.ts"
import * as SolanaChain from "../../src/chains/solana/Solana.ts"
import * as SuiChain from "../../src/chains/sui/Sui.ts"
import * as TonChain from "../../src/chains/ton/Ton.ts"
import * as TronChain from "../../src/chains/tron/Tron.ts"
import * as Utxo from "../../src/chains/utxo/Utxo.ts"

// Networks with their facts and the layer built from them.

export const Base = { info: base, layer: Evm.layer(base) }
export const Bsc = { info: bsc, layer: Evm.layer(bsc) }
export const Ethereum = { info: ethereum, layer: Evm.layer(ethereum) }
export const Zkevm = { info: zkevm, layer: Evm.layer(zkevm) }
export const Bch = { info: bch, layer: Utxo.layer(bch) }
export const Bitcoin = { info: bitcoin, layer: Utxo.layer(bitcoin) }
export const Dogecoin = { info: dogecoin, layer: Utxo.layer(dogecoin) }
export const Litecoin = { info: litecoin, layer: Utxo.layer(litecoin) }
export const Cardano = { info: cardano, layer: CardanoChain.layer }
export const Ton = { info: ton, layer: TonChain.layer }
export const Tron = { info: tron, layer: TronChain.layer }
export const Ripple = { info: ripple, layer: RippleChain.layer }
export const Solana = { info: solana, layer: SolanaChain.layer }
export const Sui = { info: sui, layer: SuiChain.layer }
export const Polkadot = { info: polkadot, layer: PolkadotChain.layer }
