import type { unlistedEn } from "./en.ts"

export const unlistedFr: Readonly<Record<keyof typeof unlistedEn, string>> = {
  unlistedHelp:
    "N’importe qui peut créer un jeton avec n’importe quel nom et vous l’envoyer. Ces jetons ne sont dans aucune liste ni dans aucun total. On ne sait d’aucun qu’il est sûr.",
  noUnlisted: "Aucun autre jeton trouvé.",
  suspiciousTokens: "{count} jeton ressemble à une fraude|{count} jetons ressemblent à des fraudes",
  omittedTokens: "{count} autre jeton n’est pas affiché|{count} autres jetons ne sont pas affichés",
  tokenStandard: "Standard",
  supply: "Offre",
  powers: "Quelqu’un peut",
  noPowers: "rien que son contrat montre",
  power_freeze: "le geler",
  power_take: "le retirer",
  "power_transfer-fee": "prélever des frais sur les transferts",
  "power_transfer-hook": "exécuter un programme lors des transferts",
  power_pause: "arrêter tous les transferts",
  power_upgrade: "remplacer le contrat",
  power_mint: "en créer davantage",
  "reason_not-listed": "Il n’est dans aucune liste de jetons.",
  reason_link: "Son nom contient l’adresse d’une page web : ne l’ouvrez pas.",
  reason_claim: "Son nom vous demande de faire quelque chose : ne le faites pas.",
  reason_lookalike: "Il ressemble à un jeton connu et en est un autre.",
  "reason_hidden-characters": "Son nom a des caractères invisibles.",
  "reason_direction-marks": "Son nom a des caractères qui inversent le texte.",
  "reason_source-says-scam": "Une source le signale comme une arnaque.",
  reason_inconsistent: "Son contrat ne se comporte pas comme un jeton.",
  "reason_no-price": "Aucune source n’a de prix.",
  "reason_never-sent": "Vous ne l’avez jamais envoyé.",
  "reason_mass-sender": "Son expéditeur l’a envoyé à des milliers d’adresses.",
  reason_frozen: "Vous ne pouvez pas le déplacer.",
  "reason_can-be-taken": "Quelqu’un peut le retirer.",
  "reason_no-name": "Il n’a pas de nom."
}
