/** Operation codes of messages between jetton wallets and their owners (TEP-74). */
export const jettonTransfer = "0x0f8a7ea5"
export const jettonNotification = "0x7362d09c"
export const excesses = "0xd53276db"
