const SAFE = /^[A-Za-z0-9._:/+=~-]{1,128}$/;

/**
 * Whether an id may go into replies, logs and other services as it came: 1 to 128 letters, digits or `. _ - : / + = ~`, which no log format or header
 * field gives a meaning to.
 */
export const isSafeId = (id: string): boolean => SAFE.test(id);
