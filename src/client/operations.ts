import type { operations } from "./types.ts"

type Operations = operations

/** The body of an operation's request. */
export type Body<Id extends keyof Operations> =
  NonNullable<Operations[Id]["requestBody"]> extends {
    readonly content: { readonly "application/json": infer Json }
  }
    ? Json
    : never

/** The data of an operation's answer. */
export type Data<Id extends keyof Operations> = Operations[Id]["responses"] extends {
  readonly 200: { readonly content: infer Content }
}
  ? Content extends { readonly "application/json": infer Json }
    ? Json
    : string
  : never

/** A parameter in the query or the path of an operation. */
export type Parameter<Id extends keyof Operations, Place extends "query" | "path", Name extends string> =
  NonNullable<Operations[Id]["parameters"][Place]> extends { readonly [Key in Name]?: infer Value } ? Value : never

/** The numbers that these texts are. */
export type NumberIn<Text> = Text extends `${infer Value extends number}` ? Value : never
