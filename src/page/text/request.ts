import type { ClientOptions } from "../../client/Client.ts"
import { makePageClient } from "../state/client.ts"
import type { RecordedCall } from "../state/recording.ts"

const library = "wallet-data/client"

/** Replaces the key, which is never shown. */
const placeholder = "YOUR_API_KEY"

/** Longer texts are truncated. */
const maxLetters = 20_000

// Invisible characters and those that change the text direction. JSON may contain them unescaped.
const deceptive = /[\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu

const escaped = (json: string): string =>
  json.replace(deceptive, (letter) =>
    Array.from(
      { length: letter.length },
      (_, index) => `\\u${letter.charCodeAt(index).toString(16).padStart(4, "0")}`
    ).join("")
  )

/** Data as JSON in which every character is visible; long texts are truncated. */
export const jsonOf = (data: unknown): string => {
  const text = escaped((JSON.stringify(data, null, 2) ?? "").slice(0, maxLetters + 1))
  return text.length <= maxLetters ? text : `${text.slice(0, maxLetters)}\n… cut off here`
}

export interface HttpRequest {
  readonly method: string
  readonly url: string
  readonly accept: string
  readonly body: string | undefined
}

const isStream = (result: unknown): result is AsyncGenerator =>
  typeof result === "object" && result !== null && Symbol.asyncIterator in result

/** The request that the client builds for a call, without sending it; undefined if it builds no request. */
export const requestOf = ({ args, method }: RecordedCall, options: ClientOptions): Promise<HttpRequest | undefined> =>
  new Promise((resolve) => {
    const client = makePageClient({
      ...options,
      apiKey: undefined,
      retries: 0,
      fetch: (url, { body, headers, method: verb = "GET" }) => {
        const accept = new Headers(headers).get("accept") ?? ""
        resolve({ method: verb, url, accept, body: typeof body === "string" ? body : undefined })
        return Promise.reject(new TypeError("this request is not sent"))
      }
    })
    const call = method.reduce<unknown>((of, name) => (of as Record<string, unknown>)[name], client)
    const result: unknown = (call as (...of: ReadonlyArray<unknown>) => unknown)(...args)
    Promise.resolve(isStream(result) ? result.next() : result).then(
      () => resolve(undefined),
      () => resolve(undefined)
    )
  })

/** Quotes a text for a shell, so that no part of it is executed. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** A request as a curl command. */
export const curlOf = ({ accept, body, method, url }: HttpRequest, isKeyed: boolean): string =>
  [
    `curl ${method === "GET" ? "" : `-X ${method} `}${quoted(url)}`,
    ...(accept === "application/json" ? [] : [`-H ${quoted(`accept: ${accept}`)}`]),
    ...(isKeyed ? [`-H ${quoted(`x-api-key: ${placeholder}`)}`] : []),
    ...(body === undefined ? [] : [`-H ${quoted("content-type: application/json")}`, `-d ${quoted(escaped(body))}`])
  ].join(" \\\n  ")

/** A call as a program that uses the client. */
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
