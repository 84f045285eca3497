import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"

/** What a client of a proxy gets for a transaction that the node has taken. */
export type Outcome = "answers" | "closes the connection" | "returns 504" | "loses the answer"

/** The calls that send a transaction. */
const sends = /"(eth_sendRawTransaction|sendrawtransaction)"/

/** The error of a node that forwarded a transaction, and did not get the answer. */
const lost = (body: string) => {
  const { id } = JSON.parse(body) as { readonly id: unknown }
  return JSON.stringify({ jsonrpc: "2.0", id, error: { code: -32000, message: 'Post "https://sequencer.test": EOF' } })
}

/**
 * A gateway in front of a node. It passes on every call; a call that sends a transaction has this outcome after that. If it
 * lags, other calls reach another node.
 */
export const nodeProxy = (node: string, behind: string, state: { outcome: Outcome; lags: boolean }) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.async<ReturnType<typeof createServer>>((resume) => {
        const server = createServer(async (request, response) => {
          const body = await new Response(request as never).text()
          const isSend = sends.test(body)
          const { href, password, username } = new URL(isSend || !state.lags ? node : behind)
          const authorization = `Basic ${btoa(`${username}:${password}`)}`
          const answer = await fetch(href.replace(/\/\/.*@/, "//"), {
            method: "POST",
            body,
            headers: { "content-type": "application/json", ...(username === "" ? {} : { authorization }) }
          })
          const text = await answer.text()
          const outcome = isSend ? state.outcome : "answers"
          if (outcome === "closes the connection") return void request.socket.destroy()
          if (outcome === "returns 504") return void response.writeHead(504).end("<html>504 Gateway Time-out</html>")
          response.writeHead(outcome === "answers" ? answer.status : 200, { "content-type": "application/json" })
          response.end(outcome === "answers" ? text : lost(body))
        })
        server.listen(0, "127.0.0.1", () => resume(Effect.succeed(server)))
      }),
      (server) =>
        Effect.sync(() => {
          server.closeAllConnections()
          server.close()
        })
    ),
    (server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  )
