import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { AnyWord, OtherWord } from "../client/types.ts"
import type { Api } from "../contract/Api.ts"
import { discriminant } from "../contract/document/words.ts"

// A later version of the service may send words and members that this version does not know. They are passed on.

/** Whether a type is literals: a `Record` with keys of any text has no required members. */
type IsWord<A extends string> = Record<never, never> extends { readonly [Key in A]: 1 } ? false : true

type OpenedEach<A> = A extends string
  ? IsWord<A> extends true
    ? A | AnyWord
    : A
  : A extends number | bigint | boolean | null | undefined | Uint8Array
    ? A
    : { readonly [Key in keyof A]: Key extends typeof discriminant ? A[Key] : Opened<A[Key]> }

type Variant = { readonly [Key in typeof discriminant]: string }

/** The members that all variants have, at any depth. */
type Common<A> = [A] extends [object] ? { readonly [Key in keyof A]: Common<A[Key]> } : OpenedEach<A>

/** The variant of a union for data of a family that this version does not know. */
type OtherOf<A> = [Extract<A, Variant>] extends [never]
  ? never
  : Omit<Common<Extract<A, Variant>>, typeof discriminant> & {
      readonly [Key in typeof discriminant]: OtherWord
    } & { readonly [member: string]: unknown }

/** A response in which unknown words are allowed. */
export type Opened<A> = OpenedEach<A> | OtherOf<A>

const isWord = (ast: AST.AST): ast is AST.Literal => AST.isLiteral(ast) && typeof ast.literal === "string"

/** The word that determines a variant; undefined if the type is no variant. */
const wordOf = (ast: AST.AST): string | undefined => {
  const type = AST.isTypeLiteral(ast)
    ? ast.propertySignatures.find(({ name }) => name === discriminant)?.type
    : undefined
  return type !== undefined && isWord(type) ? String(type.literal) : undefined
}

const otherOf = (words: ReadonlyArray<string>) =>
  Schema.Struct(
    { [discriminant]: Schema.String.pipe(Schema.filter((word) => !words.includes(word))) },
    { key: Schema.String, value: Schema.Unknown }
  ).ast

const property = (each: AST.PropertySignature) => {
  const isTag = each.name === discriminant && isWord(each.type)
  return new AST.PropertySignature(
    each.name,
    isTag ? each.type : opened(each.type),
    each.isOptional,
    each.isReadonly,
    each.annotations
  )
}

const members = (ast: AST.TypeLiteral) =>
  new AST.TypeLiteral(
    ast.propertySignatures.map(property),
    ast.indexSignatures.map(
      ({ isReadonly, parameter, type }) => new AST.IndexSignature(parameter, opened(type), isReadonly)
    ),
    { ...ast.annotations, [AST.ParseOptionsAnnotationId]: { onExcessProperty: "preserve" } }
  )

const union = ({ annotations, types }: AST.Union) => {
  const words = types.map(wordOf).filter(Predicate.isNotUndefined)
  const all = types.map((type) => (isWord(type) ? type : opened(type)))
  const more = [...(types.some(isWord) ? [AST.stringKeyword] : []), ...(words.length > 1 ? [otherOf(words)] : [])]
  return AST.Union.make([...all, ...more], annotations)
}

/** A type that also has words and members which are not known. Classes do not change. */
const opened = (ast: AST.AST): AST.AST => {
  switch (ast._tag) {
    case "Literal":
      return isWord(ast) ? AST.Union.make([ast, AST.stringKeyword], ast.annotations) : ast
    case "Union":
      return union(ast)
    case "TypeLiteral":
      return members(ast)
    case "TupleType":
      return new AST.TupleType(
        ast.elements.map((each) => new AST.OptionalType(opened(each.type), each.isOptional, each.annotations)),
        ast.rest.map((each) => new AST.Type(opened(each.type), each.annotations)),
        ast.isReadonly,
        ast.annotations
      )
    case "Refinement":
      return new AST.Refinement(opened(ast.from), ast.filter, ast.annotations)
    case "Transformation":
      return AST.isDeclaration(ast.to)
        ? ast
        : new AST.Transformation(opened(ast.from), opened(ast.to), ast.transformation, ast.annotations)
    default:
      return ast
  }
}

/** The contract, for responses of later versions too. */
export const openedApi = (api: typeof Api): typeof Api =>
  Object.create(api, {
    groups: {
      value: Record.map(api.groups as Record<string, object>, (group) =>
        Object.create(group, {
          endpoints: {
            value: Record.map(
              (group as { readonly endpoints: Record<string, { readonly successSchema: Schema.Schema.Any }> })
                .endpoints,
              (endpoint) =>
                Object.create(endpoint, { successSchema: { value: Schema.make(opened(endpoint.successSchema.ast)) } })
            )
          }
        })
      )
    }
  })
