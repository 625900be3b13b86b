const SAFE = /^[A-Za-z0-9._:/+=~-]{1,128}$/;

/**
 * Whether an id is safe to copy into replies, log lines and outgoing calls: 1 to 128 letters, digits or `. _ - : / + = ~`.
 */
export const isSafeId = (id: string): boolean => SAFE.test(id);
