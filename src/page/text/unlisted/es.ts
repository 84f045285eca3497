import type { unlistedEn } from "./en.ts"

export const unlistedEs: Readonly<Record<keyof typeof unlistedEn, string>> = {
  unlistedHelp:
    "Cualquiera puede crear un token con cualquier nombre y enviártelo. Estos tokens no están en ninguna lista ni en ningún total. No se sabe de ninguno que sea seguro.",
  noUnlisted: "No se encontraron otros tokens.",
  suspiciousTokens: "{count} token parece un fraude|{count} tokens parecen fraudes",
  omittedTokens: "{count} token más no se muestra|{count} tokens más no se muestran",
  tokenStandard: "Estándar",
  supply: "Suministro",
  powers: "Alguien puede",
  noPowers: "nada que su contrato muestre",
  power_freeze: "congelarlo",
  power_take: "quitarlo",
  "power_transfer-fee": "cobrar las transferencias",
  "power_transfer-hook": "ejecutar un programa en las transferencias",
  power_pause: "detener todas las transferencias",
  power_upgrade: "reemplazar el contrato",
  power_mint: "crear más",
  "reason_not-listed": "No está en ninguna lista de tokens.",
  reason_link: "Su nombre contiene la dirección de una página web: no la abras.",
  reason_claim: "Su nombre te pide hacer algo: no lo hagas.",
  reason_lookalike: "Parece un token conocido y es otro.",
  "reason_hidden-characters": "Su nombre tiene caracteres invisibles.",
  "reason_direction-marks": "Su nombre tiene caracteres que invierten el texto.",
  "reason_source-says-scam": "Una fuente lo marca como estafa.",
  reason_inconsistent: "Su contrato no se comporta como un token.",
  "reason_no-price": "Ninguna fuente tiene un precio.",
  "reason_never-sent": "Nunca lo has enviado.",
  "reason_mass-sender": "Su remitente lo envió a miles de direcciones.",
  reason_frozen: "No puedes moverlo.",
  "reason_can-be-taken": "Alguien puede quitártelo.",
  "reason_no-name": "No tiene nombre."
}
