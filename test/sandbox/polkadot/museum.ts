import * as World from "../../../src/sandbox/world/World.ts"
import type { MuseumCase } from "../museum.ts"

const museum = { network: "polkadot", address: World.museum("polkadot") ?? "" }

/** Forms of answers. */
export const cases: ReadonlyArray<MuseumCase> = [
  {
    case: "a transfer without the hash of an extrinsic",
    fixture: "subscan/doc-v2-transfers.json",
    ...museum,
    shows: /"extrinsic_index":"\d+-\d+",(?=[^}]*"hash":"")/
  },
  {
    case: "an amount of 0 in base units, beside the amount in coins",
    fixture: "subscan/doc-v2-transfers.json",
    ...museum,
    shows: /"amount":"\d+\.\d*[1-9]","amount_v2":"0"/
  },
  {
    case: "a transfer without the type of its asset",
    fixture: "subscan/doc-v2-transfers.json",
    ...museum,
    shows: /"asset_type":""/
  },
  {
    case: "a transfer to itself, in a row without base units and asset",
    fixture: "subscan/kusama-transfers-16-self-transfer.json",
    ...museum,
    shows: /"from":"(\w+)","to":"\1",(?![^}]*"(?:amount_v2|asset_type)")/
  },
  {
    case: "the event of a failure beside a success",
    fixture: "subscan/polkadot-extrinsic-failed.json",
    ...museum,
    shows: /"success":true,(?=.*"event_id":"ExtrinsicFailed")/
  },
  {
    case: "a symbol that is not that of the token's id",
    fixture: "subscan/doc-asset-transfers-usdr.json",
    ...museum,
    shows: /"asset_symbol":"USDR",(?=[^}]*"asset_unique_id":"standard_assets\/1984")/
  },
  {
    case: "the signer, the number and the tip of an extrinsic",
    fixture: "subscan/polkadot-extrinsic-transfer.json",
    ...museum,
    shows: /(?=.*"account_id":"1\w{46,47}")(?=.*"nonce":\d)(?=.*"tip":"\d+")(?=.*"transfer":\{"from":"1)/
  },
  {
    case: "the events of an extrinsic, whose values are JSON in a text",
    fixture: "subscan/polkadot-extrinsic-transfer.json",
    ...museum,
    shows: /"event":\[\{(?=.*"event_id":"ExtrinsicSuccess").*"params":"\[\{\\"/
  }
]

/** Answers of Subscan that a history cannot contain. */
export const faults: ReadonlyArray<
  Omit<MuseumCase, "shows"> & { readonly status: number; readonly answer: unknown; readonly says: string }
> = [
  {
    case: "a limit of requests, without a code",
    fixture: "subscan/doc-rate-limited.json",
    ...museum,
    status: 429,
    answer: { message: "API rate limit exceeded" },
    says: "rate limit reached"
  },
  {
    case: "a refusal with another code than its status",
    fixture: "subscan/error-api-key-required.json",
    ...museum,
    status: 400,
    answer: {
      code: 403,
      message:
        "Subscan API strictly requires an API key. Unauthenticated access is disabled. Visit https://support.subscan.io/ for details."
    },
    says: "access denied (403)"
  }
]
