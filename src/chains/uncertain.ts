import { didNotArrive } from "../upstream/Upstream.ts"
import type { UpstreamError } from "../upstream/UpstreamError.ts"
import type { Unread } from "./Chain.ts"
import { unread } from "./tokenList.ts"

/**
 * Why the result of sending is not known: where the transaction may have arrived, it must be looked up before it is
 * sent again.
 */
export const uncertain =
  (hash: string | undefined) =>
  (error: UpstreamError): Unread =>
    didNotArrive(error)
      ? unread(error)
      : {
          reason: error.reason,
          message: `${error.message}; the transaction may have arrived: look it up${hash === undefined ? "" : ` (${hash})`} before it is sent again`
        }
