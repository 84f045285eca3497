import { type ClientOptions, make } from "../../client/Client.ts"
import type { RecordedCall } from "../state/recording.ts"

const library = "wallet-data/client"

/** In place of the key, which is never written out. */
const placeholder = "YOUR_API_KEY"

/** A longer text helps nobody. */
const maxLetters = 20_000

// Letters that are invisible or change the direction of others: as JSON may write them.
const deceptive = /[\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

const escaped = (json: string): string =>
  json.replace(deceptive, (letter) =>
    Array.from(
      { length: letter.length },
      (_, index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )

/** Data as JSON that shows every letter, cut off where it is long. */
export const jsonOf = (data: unknown): string => {
  const text = escaped((JSON.stringify(data, null, 2) ?? "").slice(0, maxLetters + 1))
  return text.length <= maxLetters ? text : `${text.slice(0, maxLetters)}\n… cut off here`
}

/** A request as it goes over the wire. */
export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly accept: string
  readonly body: string | undefined
}

const isStream = (result: unknown): result is AsyncGenerator =>
  typeof result === "object" && result !== null && Symbol.asyncIterator in result

/** The request that the client makes of a call, without sending it; undefined where it makes none. */
export const requestOf = ({ args, method }: RecordedCall, options: ClientOptions): Promise<HttpRequest | undefined> =>
  new Promise((resolve) => {
    const client = make({
      ...options,
      apiKey: undefined,
      retries: 0,
      fetch: (url, { body, headers, method: verb = "GET" }) => {
        const accept = new Headers(headers).get("accept") ?? ""
        resolve({ method: verb, url, accept, body: typeof body === "string" ? body : undefined })
        return Promise.reject(new TypeError("it is only shown"))
      }
    })
    const call = method.reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], client)
    const result: unknown = (call as (...of: ReadonlyArray<unknown>) => unknown)(...args)
    Promise.resolve(isStream(result) ? result.next() : result).then(
      () => resolve(undefined),
      () => resolve(undefined)
    )
  })

/** A text for a shell that takes no part of it for a command. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A request for curl. */
export const curlOf = ({ accept, body, method, url }: HttpRequest, isKeyed: boolean): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    ...(accept === "application/json" ? [] : [`-H ${quoted(`accept: ${accept}`)}`]),
    ...(isKeyed ? [`-H ${quoted(`x-api-key: ${placeholder}`)}`] : []),
    ...(body === undefined ? [] : [`-H ${quoted("content-type: application/json")}`, `-d ${quoted(escaped(body))}`])
  ].join(" \\\n  ")

/** A call as a program of the client. */
export const codeOf = (
  { args, isStream: isIterated, method }: RecordedCall,
  baseUrl: string,
  isKeyed: boolean
): string => {
  const call = `client.${method.join(".")}(${args.map((argument) => escaped(JSON.stringify(argument) ?? "undefined")).join(", ")})`
  const key = isKeyed ? `, apiKey: ${JSON.stringify(placeholder)}` : ""
  return [
    `import { make } from ${JSON.stringify(library)}`,
    "",
    `const client = make({ baseUrl: ${JSON.stringify(baseUrl)}${key} })`,
    isIterated ? `for await (const value of ${call})\n  console.log(value)` : `console.log(await ${call})`
  ].join("\n")
}
