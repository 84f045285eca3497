/**
 * Values for variables that upstreams require to count as configured. They are not secret: simulated upstreams accept
 * any key, and the sandbox sends no request out of the process.
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
