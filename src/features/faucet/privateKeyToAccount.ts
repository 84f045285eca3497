// The only part of `viem/accounts` in the binary: the rest includes word lists in ten languages.
export { privateKeyToAccount } from "viem/accounts"
