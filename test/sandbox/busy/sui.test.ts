import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

busyHistory("sui", isAll)
