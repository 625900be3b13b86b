/** Longest message of a status in characters: it travels in a header field. */
const MAX_MESSAGE = 1024;

/** Returns a message that can be sent: bounded, and without halves of characters, which cannot be percent-encoded. */
export const statusMessage = (message: string): string => message.slice(0, MAX_MESSAGE).toWellFormed();
