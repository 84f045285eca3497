import * as Schema from "effect/Schema"

/** Why nothing was changed in a world, in words. */
export class WorldError extends Schema.TaggedError<WorldError>()("WorldError", { problem: Schema.String }) {
  override get message() {
    return this.problem
  }
}

export const wrong = (problem: string) => new WorldError({ problem })
