/**
 * Values of the variables without which an upstream counts as not configured. They open nothing: whatever the sandbox
 * simulates accepts any key, and no address outside of the process is called.
 */
export const placeholders: Readonly<Record<string, string>> = {
  ETHERSCAN_API_KEY: "sandbox",
  SUBSCAN_API_KEY: "sandbox",
  TENDERLY_ACCOUNT: "sandbox",
  TENDERLY_PROJECT: "sandbox",
  TENDERLY_ACCESS_KEY: "sandbox",
  TESTNET_RPC_URL: "http://testnet.invalid",
  TESTNET_FUNDER_PRIVATE_KEY: "1".repeat(64)
}
