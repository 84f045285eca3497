import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import type * as processes from "./processes.ts"

/** How long the reports of workers are waited for. */
const reportTime = "500 millis"

interface Serving {
  readonly send: (message: processes.Message) => void
}

interface Collection {
  readonly reports: Array<processes.WorkerReport>
  readonly wanted: number
  readonly finish: () => void
}

/** Passes the reports of all workers that serve to the worker that wants them. */
export const reporting = Effect.map(FiberSet.makeRuntime<never>(), (run) => {
  const serving = new Map<number, Serving>()
  const collections = new Map<string, Collection>()

  const collect = (id: string, kind: string, receiver: Serving) => {
    const reports: Array<processes.WorkerReport> = []
    const finish = () => {
      if (collections.delete(id)) receiver.send({ type: "collected", id, reports })
    }
    collections.set(id, { reports, wanted: serving.size, finish })
    for (const { send } of serving.values()) send({ type: "report", id, kind })
    run(Effect.zipRight(Effect.sleep(reportTime), Effect.sync(finish)))
  }

  return {
    /** A message of a worker. */
    received: (worker: number, sender: Serving, message: processes.Message): void => {
      if (message.type === "ready") serving.set(worker, sender)
      if (message.type === "collect") collect(message.id, message.kind, sender)
      if (message.type !== "reported") return
      const collection = collections.get(message.id)
      collection?.reports.push({ worker, report: message.report })
      if (collection !== undefined && collection.reports.length >= collection.wanted) collection.finish()
    },
    ended: (worker: number): void => void serving.delete(worker)
  }
})
