import { batched } from "../kit/context/Contexts.ts"
import { each, type TonProviders } from "./Provider.ts"

/** Reads what is needed to build wallet messages. */
export const contexts = (providers: TonProviders) => batched((addresses) => contextsOf(providers, addresses))

/** The context of every address. */
export const contextsOf = (providers: TonProviders, addresses: ReadonlyArray<string>) =>
  each(providers, addresses, (provider) => provider.contexts)
