import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as HttpApiGroup from "@effect/platform/HttpApiGroup"
import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Schema from "effect/Schema"
import { CoinId } from "../domain/CoinId.ts"
import { mustBe } from "../domain/fields.ts"
import { EdgeProblems } from "./Problem.ts"
import { described, inRequest, titled } from "./wire.ts"

const documented = {
  description: "The coin's id at the market data provider.",
  examples: [CoinId.make("bitcoin")] as [CoinId]
}

const coinId = CoinId.pipe(
  Schema.pattern(/^[^\s\p{C}/\\?#%"<>]+$/u, { message: mustBe("a coin id, such as usd-coin") })
).annotations({ ...documented, jsonSchema: { ...documented, type: "string", minLength: 1, maxLength: 200 } })

const description = "The bytes of the image. Its type is in the header content-type."

const icon = HttpApiSchema.Uint8Array({ contentType: "image/*" }).annotations({
  description,
  jsonSchema: {
    type: "string",
    contentMediaType: "application/octet-stream",
    description,
    examples: ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"/>']
  }
})

export class IconsApi extends HttpApiGroup.make("icons")
  .add(
    HttpApiEndpoint.get("icon", "/icon/:coinId")
      .setPath(Schema.Struct({ coinId }).annotations(inRequest))
      .addSuccess(icon)
      .annotateContext(
        described(
          "Icon of a coin",
          "Returns the icon of a coin as PNG, WebP, JPEG, or SVG without scripts. The service fetches it once from the address that the market data provider names, checks it and stores it; clients may reuse it for a day. A coin without an icon has a drawn one, which depends only on the coin id and may be reused for five minutes. For 30 more days, clients may show either while they read it again. The route never fails because an upstream fails. Needs no API key, because browsers send none for images."
        )
      )
  )
  .addError(EdgeProblems)
  .annotateContext(titled("Icons", "Icons of coins.")) {}
