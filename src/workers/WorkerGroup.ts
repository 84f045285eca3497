import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import { timeoutOption } from "../kernel/timeout.ts"
import * as processes from "./processes.ts"

/** Kinds of reports that a worker collects from all workers of its port. */
export type ReportKind = "health" | "metrics"

type Report = (kind: ReportKind) => Effect.Effect<unknown>

/** Access to the other workers on the same port; without the layer, this process is the only one. */
export class WorkerGroup extends Context.Reference<WorkerGroup>()("workers/WorkerGroup", {
  defaultValue: (): {
    /** Number of this worker, from 1; absent if it is the only process. */
    readonly worker?: number
    /** Reports to the parent that this worker is ready. */
    readonly ready: Effect.Effect<void>
    /** Uses this function for reports to other workers until the scope ends. */
    readonly reporting: (report: Report) => Effect.Effect<void, never, Scope.Scope>
    /**
     * Collects the reports of all workers, this one included, with their numbers. Cannot fail: leaves out workers that
     * do not report in time. Undefined if this is the only process, or the parent does not reply.
     */
    readonly collect: (kind: ReportKind) => Effect.Effect<processes.Collected | undefined>
  } => ({
    ready: Effect.void,
    reporting: () => Effect.void,
    collect: () => Effect.succeed(undefined)
  })
}) {}

/** Time limit for the parent's reply; the parent itself waits half as long for the workers. */
const maxWait = "1 second"

type Channel = NonNullable<ReturnType<typeof processes.parent>>

const ofWorker = ({ endWithParent, listen, number, send }: Channel) =>
  Effect.gen(function* () {
    const during = (begin: () => () => void) => Effect.acquireRelease(Effect.sync(begin), (stop) => Effect.sync(stop))
    yield* during(endWithParent)
    yield* during(() => listen((message) => (message.type === "alive" ? send(message) : undefined)))
    const run = yield* FiberSet.makeRuntime<never>()
    const pending = new Map<string, (collected: processes.Collected) => void>()

    const collect = (kind: ReportKind) =>
      Effect.async<processes.Collected>((resume) => {
        const id = crypto.randomUUID()
        pending.set(id, (collected) => {
          pending.delete(id)
          resume(Effect.succeed(collected))
        })
        send({ type: "collect", id, kind })
        return Effect.sync(() => void pending.delete(id))
      }).pipe(timeoutOption(maxWait), Effect.map(Option.getOrUndefined))

    const reporting = (report: Report) =>
      Effect.asVoid(
        during(() =>
          listen((message) => {
            if (message.type === "collected") pending.get(message.id)?.(message)
            if (message.type !== "report") return
            const { id, kind } = message
            run(Effect.map(report(kind as ReportKind), (value) => send({ type: "reported", id, report: value })))
          })
        )
      )

    return { worker: number, ready: Effect.sync(() => send({ type: "ready" })), reporting, collect }
  })

/** The worker group of the parent that started this process; the default group if there is no parent. */
export const layer = Layer.unwrapScoped(
  Effect.suspend(() => {
    const channel = processes.parent()
    return channel === undefined
      ? Effect.succeed(Layer.empty)
      : Effect.map(ofWorker(channel), (group) => Layer.succeed(WorkerGroup, group))
  })
)
