import { addTexts } from "../text/language.ts"
import { transactionEn } from "../text/transaction/en.ts"

addTexts(transactionEn)
