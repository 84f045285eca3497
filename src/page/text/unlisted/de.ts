import type { unlistedEn } from "./en.ts"

export const unlistedDe: Readonly<Record<keyof typeof unlistedEn, string>> = {
  unlistedHelp:
    "Jeder kann einen Token mit beliebigem Namen erzeugen und dir schicken. Diese Token stehen in keiner Liste und in keiner Summe. Von keinem ist bekannt, dass er sicher ist.",
  noUnlisted: "Keine weiteren Token gefunden.",
  suspiciousTokens: "{count} Token sieht nach Betrug aus|{count} Token sehen nach Betrug aus",
  omittedTokens: "{count} weiterer Token wird nicht gezeigt|{count} weitere Token werden nicht gezeigt",
  tokenStandard: "Standard",
  supply: "Menge",
  powers: "Jemand kann",
  noPowers: "nichts, was der Vertrag zeigt",
  power_freeze: "ihn einfrieren",
  power_take: "ihn wegnehmen",
  "power_transfer-fee": "Gebühren auf Überweisungen erheben",
  "power_transfer-hook": "bei Überweisungen ein Programm ausführen",
  power_pause: "alle Überweisungen anhalten",
  power_upgrade: "den Vertrag ersetzen",
  power_mint: "mehr erzeugen",
  "reason_not-listed": "Er steht in keiner Tokenliste.",
  reason_link: "Sein Name enthält die Adresse einer Webseite: nicht öffnen.",
  reason_claim: "Sein Name fordert zu etwas auf: nicht befolgen.",
  reason_lookalike: "Er sieht aus wie ein bekannter Token und ist ein anderer.",
  "reason_hidden-characters": "Sein Name hat unsichtbare Zeichen.",
  "reason_direction-marks": "Sein Name hat Zeichen, die den Text umdrehen.",
  "reason_source-says-scam": "Eine Quelle markiert ihn als Betrug.",
  reason_inconsistent: "Sein Vertrag verhält sich nicht wie ein Token.",
  "reason_no-price": "Keine Quelle hat einen Preis.",
  "reason_never-sent": "Du hast ihn nie gesendet.",
  "reason_mass-sender": "Sein Absender hat ihn an Tausende Adressen gesendet.",
  reason_frozen: "Du kannst ihn nicht bewegen.",
  "reason_can-be-taken": "Jemand kann ihn wegnehmen.",
  "reason_no-name": "Er hat keinen Namen."
}
