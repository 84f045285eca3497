import { useEffect, useRef, useState } from "preact/hooks"
import { announce } from "../state/notices.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/useStore.ts"
import { t } from "../text/language.ts"
import { problemOf } from "../text/reasons.ts"
import { type Exported, exportsOf, type Format, fileName, formats } from "./exports.ts"
import type { AddressHistory } from "./histories.ts"

/** Timeout of an export, in ms: the service sets the effective limit. */
const timeout = 3_600_000

interface FileProps {
  readonly networks: Exported
  readonly format: Format
  readonly name: string
}

const save = (file: Blob, name: string) => {
  const link = document.createElement("a")
  link.href = URL.createObjectURL(file)
  link.download = name
  link.click()
  // After the browser has started to write the file.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

/** Downloads the file with the client and saves it: a link cannot send the API key. */
const KeyedFile = ({ format, name, networks }: FileProps) => {
  const { client } = useStore(session)
  const reading = useRef<AbortController>(undefined)
  const [isReading, setIsReading] = useState(false)
  const [problem, setProblem] = useState<string>()
  useEffect(() => () => reading.current?.abort(), [])
  const read = async () => {
    if (isReading) return reading.current?.abort()
    const controller = new AbortController()
    reading.current = controller
    setIsReading(true)
    setProblem(undefined)
    try {
      save(await client.history.exportFile({ networks }, format, { signal: controller.signal, timeout }), name)
      announce(t("downloaded", { name }))
    } catch (error) {
      promptForKey(client)(error)
      setProblem(problemOf(error))
    }
    setIsReading(false)
  }
  return (
    <>
      <button type="button" class="quiet" onClick={() => void read()}>
        {isReading ? t("stopDownload", { name }) : name}
      </button>
      {problem !== undefined && (
        <span class="problem" role="alert">
          {" "}
          {problem}
        </span>
      )}{" "}
    </>
  )
}

const LinkedFile = ({ format, name, networks }: FileProps) => {
  const { client } = useStore(session)
  return (
    <>
      <a href={client.history.exportUrl({ networks }, format)} download={name}>
        {name}
      </a>{" "}
    </>
  )
}

/** The full histories as files: a link per file, or a button if the service needs a key. */
export const Exports = ({ histories }: { readonly histories: ReadonlyArray<AddressHistory> }) => {
  const { isKeyed } = useStore(session)
  const parts = exportsOf(histories)
  const File = isKeyed ? KeyedFile : LinkedFile
  if (parts.length === 0) return null
  return (
    <p class="exports">
      <span class="label">{t("export")}</span>{" "}
      {formats.flatMap((format) =>
        parts.map((networks, index) => {
          const name = fileName(format, index, parts.length)
          return <File key={name} networks={networks} format={format} name={name} />
        })
      )}
    </p>
  )
}
