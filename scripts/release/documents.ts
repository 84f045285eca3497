import { billOfMaterials, type Contents } from "./billOfMaterials.ts"
import { type Licensed, noticesOf, textOf } from "./licenses.ts"

export interface Release extends Contents, Licensed {
  /** The OpenAPI document of this version. */
  readonly openapi: string
  /** Its section of the changelog. */
  readonly changelog: string
}

/** The bill of materials of a release, and its documents by their names. Throws if a part of the programs has no license. */
export const documentsOf = (release: Release) => {
  const { changelog, name, openapi, version } = release
  const bill = billOfMaterials(release)
  const documents = {
    [`${name}-${version}.cdx.json`]: bill,
    [`${name}-${version}.openapi.json`]: openapi,
    [`LICENSES-${version}.txt`]: `${textOf(noticesOf(release))}\n`,
    [`CHANGELOG-${version}.md`]: changelog
  }
  return { bill, documents }
}
