import * as Context from "effect/Context"

/** Marks a POST: the members of its body that may stand in its query instead. Its handler reads them there. */
export class QueryMembers extends Context.Reference<QueryMembers>()("contract/QueryMembers", {
  defaultValue: (): ReadonlyArray<string> => []
}) {}
