import type { Family } from "../../../src/networks/Network.ts"
import { evm } from "./evm.ts"
import type { FamilyFacts } from "./FamilyFacts.ts"

export const families: Record<Family, FamilyFacts> = { evm }
