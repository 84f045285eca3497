import * as OpenApi from "@effect/platform/OpenApi"

/** What the documentation says about a route. */
export const described = (summary: string, description: string) => OpenApi.annotations({ summary, description })
