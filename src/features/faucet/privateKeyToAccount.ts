// Of all of `viem/accounts` the binary contains this alone: the rest brings word lists of ten languages.
export { privateKeyToAccount } from "viem/accounts"
