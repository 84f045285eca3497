import * as Upstreams from "../../../src/testing/Upstreams.ts"
import { isAll } from "../../support/tier.ts"
import { busyHistory } from "./busyHistory.ts"

const has = (parameter: string) => (request: { readonly url: string }) => request.url.includes(`${parameter}=`)

busyHistory("ton", {
  isAll,
  source: "toncenter",
  parameters: { end_utime: has("end_utime"), offset: ({ url }) => /offset=[1-9]/.test(url) },
  unlisted: ["minted jettons and NFT transfers: toncenter does not list them"],
  ends: [500]
})

busyHistory("ton", {
  isAll,
  source: "tonapi",
  upstreams: Upstreams.sandbox.pipe(
    Upstreams.edit("toncenter", () => Response.json({ error: "not found" }, { status: 404 }))
  ),
  parameters: { end_date: has("end_date"), before_lt: has("before_lt") },
  ends: [100, 500]
})
