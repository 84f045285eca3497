import { didNotArrive } from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/** Why a transaction has no answer: where it may have arrived, whoever sends it again should look first. */
export const uncertain =
  (hash: string | undefined) =>
  (error: UpstreamError): Unread =>
    didNotArrive(error)
      ? unread(error)
      : {
          reason: error.reason,
          message: `${error.message}; the transaction may have arrived: look it up${hash === undefined ? "" : ` (${hash})`} before it is sent again`
        }
