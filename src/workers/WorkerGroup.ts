import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { timeoutOption } from "../kernel/timeout.ts"
import * as processes from "./processes.ts"

/** What all workers of a port are asked for. */
export type ReportKind = "health" | "metrics"

type Report = (kind: ReportKind) => Effect.Effect<unknown>

/** How this process sees the others that serve on the same port; without the layer it is the only one. */
export class WorkerGroup extends Context.Reference<WorkerGroup>()("workers/WorkerGroup", {
  defaultValue: (): {
    /** The number of this worker, from 1; absent where it is the only process. */
    readonly worker?: number
    /** Tells the parent that this worker serves. */
    readonly ready: Effect.Effect<void>
    /** Reports to other workers by this function from now on, until the scope ends. */
    readonly reporting: (report: Report) => Effect.Effect<void, never, Scope.Scope>
    /**
     * The reports of all workers, this one included, by their numbers. Cannot fail: those that do not report in time are
     * left out. Empty where it is the only process.
     */
    readonly collect: (kind: ReportKind) => Effect.Effect<ReadonlyArray<processes.WorkerReport>>
  } => ({
    ready: Effect.void,
    reporting: () => Effect.void,
    collect: () => Effect.succeed([])
  })
}) {}

/** How long the parent is waited for: it waits for each worker half as long. */
const maxWait = "1 second"

type Channel = NonNullable<ReturnType<typeof processes.parent>>

const ofWorker = ({ endWithParent, listen, number, send }: Channel) =>
  Effect.gen(function* () {
    const during = (begin: () => () => void) => Effect.acquireRelease(Effect.sync(begin), (stop) => Effect.sync(stop))
    yield* during(endWithParent)
    yield* during(() => listen((message) => (message.type === "alive" ? send(message) : undefined)))
    const run = yield* FiberSet.makeRuntime<never>()
    const pending = new Map<string, (reports: ReadonlyArray<processes.WorkerReport>) => void>()

    const received = (id: string, reports: ReadonlyArray<processes.WorkerReport>) => {
      pending.get(id)?.(reports)
      pending.delete(id)
    }

    const collect = (kind: ReportKind) =>
      Effect.async<ReadonlyArray<processes.WorkerReport>>((resume) => {
        const id = crypto.randomUUID()
        pending.set(id, (reports) => resume(Effect.succeed(reports)))
        send({ type: "collect", id, kind })
        return Effect.sync(() => void pending.delete(id))
      }).pipe(timeoutOption(maxWait), Effect.map(Option.getOrElse((): ReadonlyArray<processes.WorkerReport> => [])))

    const reporting = (report: Report) =>
      Effect.asVoid(
        during(() =>
          listen((message) => {
            if (message.type === "collected") received(message.id, message.reports)
            if (message.type !== "report") return
            const { id, kind } = message
            run(Effect.map(report(kind as ReportKind), (value) => send({ type: "reported", id, report: value })))
          })
        )
      )

    return { worker: number, ready: Effect.sync(() => send({ type: "ready" })), reporting, collect }
  })

/** As the parent has started this process, if one has. */
export const layer = Layer.unwrapScoped(
  Effect.suspend(() => {
    const channel = processes.parent()
    return channel === undefined
      ? Effect.succeed(Layer.empty)
      : Effect.map(ofWorker(channel), (group) => Layer.succeed(WorkerGroup, group))
  })
)
