import { it as base, layer as baseLayer, type Vitest } from "@effect/vitest"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { YieldWrap } from "effect/Utils"

export { assert, describe } from "@effect/vitest"

type Steps<R> = Generator<YieldWrap<Effect.Effect<unknown, unknown, R>>, unknown, never>

/** Body of a test: an Effect, or a generator like that of `Effect.gen`. */
export type Body<R = never> = Effect.Effect<unknown, unknown, R> | Steps<R>

type TestContext = Parameters<Parameters<Vitest.Test<never>>[1]>[0]

type Options = Parameters<Vitest.Test<never>>[2]

/** A test of an Effect, with the variants of the original. */
type Tester<R> = Omit<Vitest.Tester<R>, never> &
  ((name: string, body: (context: TestContext) => Body<R>, options?: Options) => void)

type WithGenerators<Methods> = Methods & {
  readonly [Name in keyof Methods]: Methods[Name] extends Vitest.Tester<infer R> ? Tester<R> : Methods[Name]
} & (Methods extends { readonly scoped: Vitest.Tester<infer R> }
    ? (name: string, body: (context: TestContext) => Steps<R>, options?: Options) => void
    : never)

/** The Effect of a test's body. */
export const effectOf = <R>(body: Body<R>): Effect.Effect<unknown, unknown, R> =>
  Effect.isEffect(body) ? body : Effect.gen(() => body)

const tester = <R>(original: Vitest.Tester<R>): Tester<R> => {
  const test: (...test: Parameters<Tester<R>>) => void = (name, body, options) =>
    original(name, (context) => effectOf(body(context)), options)
  return Object.assign(test, original)
}

const isGenerator = (body: unknown) => Object.prototype.toString.call(body) === "[object GeneratorFunction]"

/** The same methods, of which those for Effects also accept generators. */
const withGenerators = <Methods extends object>(methods: Methods): WithGenerators<Methods> => {
  const testers: Readonly<Record<string, Tester<never>>> = Object.fromEntries(
    ["effect", "scoped", "live", "scopedLive"].flatMap((name) =>
      name in methods ? [[name, tester(methods[name as never] as Vitest.Tester<never>)]] : []
    )
  )
  return new Proxy(methods, {
    get: (target, name) => testers[String(name)] ?? Reflect.get(target, name),
    apply: (target, self, args) =>
      Reflect.apply((isGenerator(args[1]) ? testers.scoped : target) as (...args: unknown[]) => void, self, args)
  }) as WithGenerators<Methods>
}

/**
 * `it` of Effect's Vitest. A test whose body is a generator, `it("…", function* () { … })`, runs its Effects in a scope
 * and with the `TestClock`; `it.live` has the real clock.
 */
export const it = withGenerators(base)

/** Shares a layer between tests, whose bodies may be generators. */
export const layer = <R, E, const ExcludeTestServices extends boolean = false>(
  shared: Layer.Layer<R, E>,
  options?: Parameters<typeof baseLayer<R, E, ExcludeTestServices>>[1]
) => {
  type Suite = (it: WithGenerators<Vitest.MethodsNonLive<R, ExcludeTestServices>>) => void
  return (...args: readonly [name: string, suite: Suite] | readonly [suite: Suite]): void => {
    const declare = baseLayer(shared, options)
    if (args.length === 1) declare((methods) => args[0](withGenerators(methods)))
    else declare(args[0], (methods) => args[1](withGenerators(methods)))
  }
}

/** The service of a layer that is built for this test alone. */
export const built = <I, S, A, E, R>(tag: Context.Tag<I, S>, own: Layer.Layer<A | I, E, R>) =>
  Effect.map(Layer.build(own), (context) => Context.get(context as Context.Context<I>, tag))
