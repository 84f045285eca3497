import { bundle } from "./bundle.ts" with { type: "macro" }

/** A file of the page, as served to browsers. */
export interface PageFile {
  /** `index.html`, or a name that changes with the content. */
  readonly name: string
  readonly contentType: string
  readonly text: string
}

/** All files of the page. When run from source, they are bundled when this module is loaded. */
export const files: ReadonlyArray<PageFile> = bundle()
