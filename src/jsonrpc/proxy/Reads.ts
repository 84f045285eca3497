import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { each } from "../../kernel/each.ts"
import * as Permits from "../../kernel/Permits.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import { hedged } from "../../upstream/hedge.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type * as Flights from "./Flights.ts"
import type { MethodPolicy, Rule } from "./MethodPolicy.ts"
import * as NodeOrder from "./NodeOrder.ts"
import * as ParsedResponse from "./ParsedResponse.ts"
import type * as ResponseCache from "./ResponseCache.ts"
import type { RpcCall, RpcReply } from "./Rpc.ts"
import type { Until } from "./Until.ts"

type Read = Extract<Rule, { readonly kind: "read" }>

/** A call that changes nothing. */
export interface ReadRequest {
  readonly call: RpcCall
  readonly rule: Read
}

/** A question under way, and what is told where no node answers it well. */
interface ReadState extends ReadRequest {
  spoken?: RpcReply
  doubted?: string
  /** No node said it now. */
  made?: boolean
}

/** Calls in one request to a node: what nodes commonly take. */
const callsPerRequest = 100

/** Calls that a batch left open are asked one by one, so many at once. */
const sideBySide = 8

/** The only node is asked once more after so much time, ms, where that may help. */
const again = 100

const isPassing = ({ reason, status }: UpstreamError) =>
  reason === "upstream_error" && (status === undefined || status >= 500)

const keyOf = ({ method, params = "" }: RpcCall) => `${method}\n${params}`

/**
 * Reads: equal ones are asked once, what may be told again is, and a node that fails, or is slow for that method, is
 * helped out by the next.
 */
export const make = (
  upstream: Upstream,
  dialect: MethodPolicy,
  kept: ResponseCache.ProxyResponseCache,
  path: string,
  flying: Flights.Flights<UpstreamError>,
  late: UpstreamError
) =>
  Effect.gen(function* () {
    const clock = yield* Effect.clock
    const deadline = yield* requestDeadline
    const flights = flying.shared<RpcReply>()
    const order = NodeOrder.make(upstream.addresses)
    const now = () => clock.unsafeCurrentTimeMillis()
    const post = (body: string) => HttpClientRequest.bodyText(HttpClientRequest.post(path), body, "application/json")

    /** The reply in what a node said; left where another node should be asked. */
    const judged = (asking: ReadState, address: Endpoint, heard: ParsedResponse.ParsedResponse) => {
      if (heard.reply === undefined) return Either.left(upstream.fault(heard.fault))
      const { fault, reply } = heard
      if (fault !== undefined) {
        asking.spoken = reply
        return Either.left(upstream.fault(fault))
      }
      const doubt = reply.member === "result" ? asking.rule.isImplausible?.(reply.text, now()) : undefined
      if (doubt === undefined) return Either.right(reply)
      asking.doubted = reply.text
      order.behind(address, now())
      return Either.left(upstream.fault({ reason: "bad_answer", detail: doubt }))
    }

    const from = (address: Endpoint, asking: ReadState) =>
      Effect.suspend(() => {
        const started = now()
        const interpret = ParsedResponse.limited(ParsedResponse.single(asking.rule.historical), ({ reply }) => {
          if (reply !== undefined) asking.spoken = reply
        })
        const left = () => Effect.sync(() => order.gaveUp(address, now() - started, now()))
        return Effect.flatMap(
          Effect.onInterrupt(
            address.pass(post(ParsedResponse.request(asking.call, 1, dialect.textIds)), interpret),
            left
          ),
          (heard) => {
            order.took(address, asking.call.method, now() - started, now())
            return judged(asking, address, heard)
          }
        )
      })

    /** One address after the other until one answers, or there is no more time. */
    const inTurn = <A>(
      addresses: ReadonlyArray<Endpoint>,
      until: number,
      ask: (address: Endpoint) => Effect.Effect<A, UpstreamError>
    ) =>
      Effect.gen(function* () {
        let last = late
        for (const address of addresses) {
          const left = until - now()
          if (left <= 0) return yield* late
          const outcome = yield* Effect.either(timeoutFail(ask(address), { duration: left, onTimeout: () => late }))
          if (Either.isRight(outcome)) return outcome.right
          last = outcome.left
        }
        return yield* last
      })

    const asked = (asking: ReadState): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.suspend(() => {
        const started = now()
        const until = started + deadline
        const patience = order.patience(asking.call.method)
        const [first, ...others] = order.ranked(now())
        if (first === undefined) return upstream.over(() => Effect.fail(late))
        const answer =
          others.length === 0
            ? Effect.catchIf(from(first, asking), isPassing, () => Effect.delay(from(first, asking), again))
            : hedged(
                from(first, asking),
                inTurn(others, until, (address) => from(address, asking)),
                (at) => started + patience - at
              )
        return Effect.catchAll(answer, (error) => {
          if (asking.doubted !== undefined && asking.rule.instead !== undefined) {
            const text = asking.rule.instead(asking.doubted, now())
            asking.made = text !== asking.doubted
            return Effect.succeed<RpcReply>({ member: "result", text })
          }
          return asking.spoken === undefined ? Effect.fail(error) : Effect.succeed(asking.spoken)
        })
      })

    /** Keeps what may be told again. `start` is when the nodes were asked, `block` the newest one then. */
    const told =
      (asking: ReadState, start: number, block: number) =>
      (reply: RpcReply): RpcReply => {
        if (reply.member === "error") return reply
        const { call, rule } = asking
        const isNewest = kept.block() === block
        if (asking.made !== true && dialect.advances?.(call, reply.text, now()) === true) kept.advance()
        // The answer that tells of a new block is of that block.
        kept.put(keyOf(call), reply, rule.cacheFor(reply.text, now()), start, isNewest ? kept.block() : block)
        return reply
      }

    /** What goes out after a transaction is not answered with what was asked before it. */
    const flightOf = ({ call }: ReadRequest, block: number) => `${block}\n${keyOf(call)}`

    const known = ({ call }: ReadRequest, start: number) => {
      const reply = kept.find(keyOf(call), start)
      return reply === undefined ? undefined : Effect.succeed(reply)
    }

    const read = (question: ReadRequest): Effect.Effect<RpcReply, UpstreamError> =>
      Effect.suspend(() => {
        const start = now()
        const block = kept.block()
        return (
          known(question, start) ??
          flights.join(
            flightOf(question, block),
            Effect.suspend(() => {
              const asking: ReadState = { ...question }
              return Effect.map(asked(asking), told(asking, start, block))
            })
          )
        )
      })

    /** All in one request to one node; what it leaves open is asked one by one. */
    const inBatch = (questions: ReadonlyArray<ReadRequest>, start: number, block: number, permits: Permits.Permits) =>
      Effect.gen(function* () {
        const historical = questions.some(({ rule }) => rule.historical === true)
        const body = `[${questions.map(({ call }, index) => ParsedResponse.request(call, index + 1, dialect.textIds)).join(",")}]`
        const whole = yield* Effect.cached(
          Effect.suspend(() =>
            inTurn(order.ranked(now()), start + deadline, (address) =>
              Effect.map(address.pass(post(body), ParsedResponse.several(questions.length, historical)), (answers) => ({
                address,
                answers
              }))
            )
          )
        )
        const item = (asking: ReadState, index: number) =>
          Effect.flatMap(whole, ({ address, answers }) => {
            const heard = answers[index]
            const reply = heard === undefined ? undefined : judged(asking, address, heard)
            return reply !== undefined && Either.isRight(reply)
              ? Effect.succeed(reply.right)
              : permits.withPermit(asked(asking))
          })
        return questions.map((question, index) => {
          const asking: ReadState = { ...question }
          return flights.join(flightOf(question, block), Effect.map(item(asking, index), told(asking, start, block)))
        })
      })

    /** In the order of the questions. */
    const readAll = (questions: ReadonlyArray<ReadRequest>, inTime: Until) =>
      Effect.gen(function* () {
        const start = now()
        const block = kept.block()
        const unknown = new Map(
          questions
            .filter(
              (element) => kept.find(keyOf(element.call), start) === undefined && !flights.has(flightOf(element, block))
            )
            .map((current) => [keyOf(current.call), current])
        )
        const batch = [...unknown.values()]
        const permits = Permits.make(sideBySide)
        const begun =
          batch.length < 2
            ? []
            : (yield* Effect.forEach(Arr.chunksOf(batch, callsPerRequest), (some) =>
                inBatch(some, start, block, permits)
              )).flat()
        const replies = new Map(batch.map(({ call }, index) => [keyOf(call), begun[index]]))
        // Equal ones are waited for once: a wait takes longer than all else where the reply is there already.
        const distinct = new Map(questions.map((one) => [keyOf(one.call), one]))
        const found = yield* each([...distinct], ([key, question]) =>
          Effect.map(inTime(replies.get(key) ?? read(question)), (reply) => [key, reply] as const)
        )
        const byKey = new Map(found)
        return questions.flatMap(({ call }) => byKey.get(keyOf(call)) ?? [])
      })

    return { read, readAll }
  })
