import type * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import type * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as Option from "effect/Option"
import * as ParseResult from "effect/ParseResult"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import * as AST from "effect/SchemaAST"
import type { AnyWord, OtherWord } from "../client/types.ts"
import type { Api } from "../contract/Api.ts"
import { areVariants, discriminant } from "../contract/document/words.ts"

// A later version of the service may send words and members that this version does not know. They are passed on.

/** Whether a type is literals: a `Record` with keys of any text has no required members. */
type IsWord<A extends string> = Record<never, never> extends { readonly [Key in A]: 1 } ? false : true

type OpenedEach<A> = unknown extends A
  ? A
  : A extends string
    ? IsWord<A> extends true
      ? A | AnyWord
      : A
    : A extends number | bigint | boolean | null | undefined | Uint8Array
      ? A
      : { readonly [Key in keyof A]: Key extends typeof discriminant ? A[Key] : OpenedMember<A[Key]> }

type Variant = { readonly [Key in typeof discriminant]: string }

/** The members that all variants have, at any depth. */
type Common<A> = [A] extends [object] ? { readonly [Key in keyof A]: Common<A[Key]> } : OpenedEach<A>

/** The variant of a union for data of a family that this version does not know. */
type OtherOf<A> = [Extract<A, Variant>] extends [never]
  ? never
  : Omit<Common<Extract<A, Variant>>, typeof discriminant> & {
      readonly [Key in typeof discriminant]: OtherWord
    } & { readonly [member: string]: unknown }

type Objects<A> = Exclude<Extract<A, object>, ReadonlyArray<unknown> | Uint8Array | Variant>

/** True for a union of several types. */
type IsUnion<A, All = A> = A extends unknown ? ([All] extends [A] ? false : true) : never

/** The variant of a union of objects without families: `in` determines the others. */
type OtherObject<A> = true extends IsUnion<Objects<A>> ? object : never

type OpenedMember<A> = Opened<A> | (unknown extends A ? never : OtherObject<A>)

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

/** What all of these types have in common. */
const common = (types: ReadonlyArray<AST.AST>): AST.AST => {
  const objects = types.filter(AST.isTypeLiteral)
  const [first] = objects
  if (first === undefined || objects.length < types.length) return AST.Union.make(types.map(opened))
  const shared = first.propertySignatures.flatMap(({ name }) => {
    const all = objects.flatMap(({ propertySignatures }) => propertySignatures.filter((each) => each.name === name))
    const type = name === discriminant ? otherThan(types.flatMap((each) => wordOf(each) ?? [])) : undefined
    const isOptional = all.some((each) => each.isOptional)
    return all.length < objects.length
      ? []
      : [new AST.PropertySignature(name, type ?? common(all.map((each) => each.type)), isOptional, true)]
  })
  return new AST.TypeLiteral(
    [...shared, noPrototype],
    [new AST.IndexSignature(AST.stringKeyword, AST.unknownKeyword, true)]
  )
}

/** Any word but these. */
const otherThan = (words: ReadonlyArray<string>) =>
  Schema.String.pipe(Schema.filter((word) => !words.includes(word))).ast

const property = (tag: string) => (each: AST.PropertySignature) => {
  const isTag = each.name === tag && (isWord(each.type) || tag !== discriminant)
  return new AST.PropertySignature(
    each.name,
    isTag ? each.type : opened(each.type),
    each.isOptional,
    each.isReadonly,
    each.annotations
  )
}

/** A member with this name would become the prototype, and so give its members to an object without them. */
const noPrototype = new AST.PropertySignature("__proto__", AST.neverKeyword, true, true)

/** An object with further members. The words of the member `tag` stay. */
const members = (ast: AST.TypeLiteral, tag: string = discriminant) =>
  new AST.TypeLiteral(
    [...ast.propertySignatures.map(property(tag)), noPrototype],
    ast.indexSignatures.map(
      ({ isReadonly, parameter, type }) => new AST.IndexSignature(parameter, opened(type), isReadonly)
    ),
    { ...ast.annotations, [AST.ParseOptionsAnnotationId]: { onExcessProperty: "preserve" } }
  )

/** The variant for others: without families, it has no member by which a known variant is recognised. */
const otherOf = (variants: ReadonlyArray<AST.TypeLiteral>): AST.AST => {
  const shared = common(variants)
  if (!AST.isTypeLiteral(shared) || variants.some((each) => wordOf(each) !== undefined)) return shared
  const names = new Set(variants.flatMap(({ propertySignatures }) => propertySignatures.map(({ name }) => name)))
  for (const { name } of shared.propertySignatures) names.delete(name)
  const none = [...names].map((name) => new AST.PropertySignature(name, AST.neverKeyword, true, true))
  return new AST.TypeLiteral([...shared.propertySignatures, ...none], shared.indexSignatures)
}

const nameOf = (ast: AST.AST) => Option.getOrElse(AST.getIdentifierAnnotation(ast), () => "")

const union = ({ annotations, types }: AST.Union) => {
  const variants = types.filter(AST.isTypeLiteral)
  const all = types.map((type) => (isWord(type) ? type : opened(type)))
  const hasOthers = areVariants(variants.map(nameOf))
  const more = [...(types.some(isWord) ? [AST.stringKeyword] : []), ...(hasOthers ? [otherOf(variants)] : [])]
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

/** Problems in which unknown words and further members are allowed; another `type` is another problem. */
const openedProblems = (ast: AST.AST): AST.AST => {
  if (AST.isUnion(ast)) return AST.Union.make(ast.types.map(openedProblems), ast.annotations)
  if (!AST.isTransformation(ast) || !AST.isTypeLiteral(ast.from)) return ast
  return new AST.Transformation(members(ast.from, "type"), ast.to, ast.transformation, ast.annotations)
}

/** Texts in a path, which are one segment each. */
const encodedPath = (path: Schema.Schema.All) =>
  Schema.transformOrFail(
    Schema.Record({ key: Schema.String, value: Schema.String }),
    path as Schema.Schema<unknown, Readonly<Record<string, string>>>,
    {
      strict: true,
      decode: (texts) => ParseResult.succeed(texts),
      encode: (texts, _, ast) => {
        const invalid = Object.values(texts).find((text) => /^\.\.?$/.test(text) || !text.isWellFormed())
        return invalid === undefined
          ? ParseResult.succeed(Record.map(texts, encodeURIComponent))
          : ParseResult.fail(new ParseResult.Type(ast, texts, "a path cannot have . or .. or half of a character"))
      }
    }
  )

/** The contract, for responses of later versions too. Texts in paths are encoded. */
export const openedApi = (api: typeof Api): typeof Api => {
  const endpoint = (each: HttpApiEndpoint.HttpApiEndpoint.AnyWithProps) =>
    Object.create(each, {
      successSchema: { value: Schema.make(opened(each.successSchema.ast)) },
      errorSchema: { value: Schema.make(openedProblems(each.errorSchema.ast)) },
      pathSchema: { value: Option.map(each.pathSchema, encodedPath) }
    })
  const group = (each: HttpApiGroup.HttpApiGroup.AnyWithProps) =>
    Object.create(each, {
      endpoints: { value: Record.map(each.endpoints, endpoint) },
      errorSchema: { value: Schema.make(openedProblems(each.errorSchema.ast)) }
    })
  return Object.create(api, {
    groups: { value: Record.map(api.groups as never, group) },
    errorSchema: { value: Schema.make(openedProblems(api.errorSchema.ast)) }
  })
}
