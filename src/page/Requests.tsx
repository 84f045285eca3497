import { useEffect, useState } from "preact/hooks"
import { CodeText, type CodeTextProps } from "./parts/Copy.tsx"
import type { RecordedCall } from "./state/recording.ts"
import { calls, clientOptions, session } from "./state/session.ts"
import { useStore } from "./state/useStore.ts"
import { t } from "./text/language.ts"
import { problemOf } from "./text/reasons.ts"
import { codeOf, curlOf, type HttpRequest, jsonOf, requestOf } from "./text/request.ts"

const answerOf = ({ answer }: RecordedCall): CodeTextProps => {
  const title = t("answer")
  if (answer.state === "waiting") return { title, text: t("loading") }
  if (answer.state === "failed") return { title, text: problemOf(answer.error) }
  const { data, values } = answer
  const shown = Array.isArray(data) ? data.length : 0
  const isPart = values !== undefined && values > shown
  return { title: isPart ? t("answerPart", { shown, values }) : t("answerJson"), text: jsonOf(data) }
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
        <CodeText title={t("clientCode")} text={codeOf(call, origin, isKeyed)} />
      </div>
      <CodeText {...answerOf(call)} />
    </div>
  )
}

/** Renders its content when it is opened. */
const Request = ({ call, name }: { readonly call: RecordedCall; readonly name: string }) => {
  const [isOpen, setOpen] = useState(false)
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary class="code">{name}</summary>
      {isOpen && <Texts call={call} />}
    </details>
  )
}

/** The latest call of each method, each as curl and as client code, with its response. */
export const Requests = () => (
  <>
    <p class="help">{t("requestsHelp")}</p>
    {[...useStore(calls)].map(([name, call]) => (
      <Request key={name} name={name} call={call} />
    ))}
  </>
)
