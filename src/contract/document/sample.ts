import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as SchemaAST from "effect/SchemaAST"

const ofAst = (ast: SchemaAST.AST): unknown => {
  const own = SchemaAST.getExamplesAnnotation(ast)
  if (Option.isSome(own)) return own.value[0]
  if (SchemaAST.isTypeLiteral(ast))
    return Object.fromEntries(
      ast.propertySignatures.flatMap(({ isOptional, name, type }) => (isOptional ? [] : [[name, ofAst(type)] as const]))
    )
  if (SchemaAST.isTupleType(ast)) return ast.rest.map(({ type }) => ofAst(type))
  return undefined
}

/** A value made of the examples of a schema's members, without those that may be left out. */
export const sampleOf = <A, I>(schema: Schema.Schema<A, I>): A => ofAst(schema.ast) as A

/** A record whose keys are not named in the contract; `key` is one of them, for its example. */
export const byKey = <A, I>(key: string, value: Schema.Schema<A, I>, description: string) =>
  Schema.Record({ key: Schema.String, value }).annotations({ description, examples: [{ [key]: sampleOf(value) }] })
