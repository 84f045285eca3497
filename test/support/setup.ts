import { addEqualityTesters, it, makeMethods } from "@effect/vitest"

addEqualityTesters()

// `layer` writes its own methods into the one `it` there is, and test files share a worker: each begins with clean ones.
makeMethods(it)
