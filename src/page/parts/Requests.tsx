import { useEffect, useState } from "preact/hooks"
import { calls } from "../state/calls.ts"
import type { RecordedCall } from "../state/recording.ts"
import { clientOptions, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { count } from "../text/format.ts"
import { problemOf } from "../text/reasons.ts"
import { codeOf, curlOf, type HttpRequest, jsonOf, requestOf } from "../text/request.ts"
import { CodeText, type CodeTextProps } from "./CodeText.tsx"

const answerOf = ({ answer }: RecordedCall): CodeTextProps => {
  if (answer.state === "waiting") return { title: "Answer", text: "There is no answer yet." }
  if (answer.state === "failed") return { title: "Answer", text: problemOf(answer.error) }
  const { data, values } = answer
  const shown = Array.isArray(data) ? data.length : 0
  const part = values !== undefined && values > shown ? `, the first ${count(shown)} of ${count(values)} values` : ""
  return { title: `Answer as JSON${part}`, text: jsonOf(data) }
}

const Texts = ({ call }: { readonly call: RecordedCall }) => {
  const { isKeyed } = useStore(session)
  const [request, setRequest] = useState<HttpRequest>()
  const { origin } = location
  useEffect(() => {
    let isCurrent = true
    void requestOf(call, { ...clientOptions, baseUrl: origin }).then((made) => {
      if (isCurrent) setRequest(made)
    })
    return () => {
      isCurrent = false
    }
  }, [call.args])
  return (
    <div class="texts">
      <div>
        {request !== undefined && <CodeText title="curl" text={curlOf(request, isKeyed)} />}
        <CodeText title="Client" text={codeOf(call, origin, isKeyed)} />
      </div>
      <CodeText {...answerOf(call)} />
    </div>
  )
}

/** Drawn when it is opened. */
const Request = ({ call, name }: { readonly call: RecordedCall; readonly name: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>
        Request: <span class="code">{name}</span>
      </summary>
      {isOpen && <Texts call={call} />}
    </details>
  )
}

/** How a program gets what is shown above: each request as curl and as code of the client, with its answer. */
export const Requests = () => {
  const known = useStore(calls)
  if (known.size === 0) return null
  return (
    <section class="requests" aria-label="Requests">
      <h2>Try it</h2>
      <p class="help">What is shown above is in the answers to these requests.</p>
      {[...known].map(([name, call]) => (
        <Request key={name} name={name} call={call} />
      ))}
    </section>
  )
}
