import { bundle } from "./bundle.ts" with { type: "macro" }

/** A file of the page, as browsers get it. */
export interface PageFile {
  /** `index.html`, or a name that changes with the content. */
  readonly name: string
  readonly contentType: string
  readonly text: string
}

/** The page and everything that it loads. From source they are bundled when this module is loaded. */
export const files: ReadonlyArray<PageFile> = bundle()
