import * as Effect from "effect/Effect"
import * as Option from "effect/Option"
import * as Tracer from "effect/Tracer"
import { span } from "../../src/kernel/span.ts"
import { assert, it } from "../support/vitest.ts"

const inside = span("outer", { attributes: { some: 1 } })(span("inner")(Effect.option(Effect.currentSpan)))

it("spans are created only if a tracer reads them", function* () {
  const ended: Array<string> = []
  const { nativeTracer } = { nativeTracer: yield* Effect.tracer }
  const reading = Tracer.make({
    span: (...args) => {
      const made = nativeTracer.span(...args)
      const end = made.end.bind(made)
      return Object.assign(made, {
        end: (...returned: Parameters<typeof end>) => {
          ended.push(made.name)
          end(...returned)
        }
      })
    },
    context: (f) => f()
  })
  assert.isTrue(Option.isNone(yield* inside))
  const found = yield* Effect.withTracer(inside, reading)
  assert.strictEqual(Option.getOrThrow(found).name, "inner")
  assert.deepStrictEqual(ended, ["inner", "outer"])
  assert.isTrue(Option.isNone(yield* Effect.withTracer(Effect.withTracerEnabled(inside, false), reading)))
})
