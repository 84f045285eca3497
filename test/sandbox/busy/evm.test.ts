import { avalanche } from "../../../src/catalogue/evm/avalanche.ts"
import { polygon } from "../../../src/catalogue/evm/polygon.ts"
import * as RequestLog from "../../../src/testing/RequestLog.ts"
import type { UpstreamRequest } from "../../../src/testing/UpstreamRequest.ts"
import { Service } from "../../support/app.ts"
import { editedSandbox } from "../../support/editedSandbox.ts"
import { Base } from "../../support/networks.ts"
import { isAll } from "../../support/tier.ts"
import { readsLong } from "./moves.ts"

const rates = { ETHERSCAN_PER_SECOND: "1000", BLOCKSCOUT_PER_SECOND: "1000", ROUTESCAN_PER_SECOND: "1000" }

const refusal = JSON.stringify({ status: "0", message: "NOTOK", result: "Missing/Invalid API Key" })

/** The service over the sandbox, in which Etherscan may refuse every request. */
const explored = (isRefused: boolean) => {
  const requests: Array<UpstreamRequest> = []
  const upstreams = editedSandbox((text, { upstream }) => (isRefused && upstream === "etherscan" ? refusal : text))
  return { requests, layer: Service.layer(rates, RequestLog.layer(upstreams, requests)) }
}

/** Requests for older blocks, and for the rest of a block that is longer than a page. */
const further = [/action=txlist&.*endblock=\d/, /action=tokentx&.*endblock=\d/, /[?&]page=2&/]

// A history of seven transactions is read from pages of 107 rows. After the first 100, 250 rows are in one block.
const [end, ofBlock] = [107, 350]

readsLong(
  explored(false),
  [{ name: "etherscan", info: polygon, further, ends: [end, ofBlock, 600, 1000, 10_000], whole: true }],
  isAll
)

readsLong(
  explored(true),
  [
    { name: "base-blockscout", info: Base.info, further, ends: [end, ofBlock, 600, 1000], whole: false },
    { name: "routescan", info: avalanche, further, ends: [end, ofBlock, 600, 1000], whole: false }
  ],
  isAll
)
