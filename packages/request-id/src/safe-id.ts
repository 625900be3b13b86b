const SAFE = /^[A-Za-z0-9._:/+=~-]{1,128}$/;

/**
 * Whether an id is safe to copy into replies, logs and other services: 1 to 128 letters, digits or `. _ - : / + = ~`, which have no meaning in log
 * formats or header fields.
 */
export const isSafeId = (id: string): boolean => SAFE.test(id);
