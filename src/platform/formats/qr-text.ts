/** Longer texts make a QR code that few cameras read. Imports nothing, because the console has it too. */
export const longestQrText = 800;
